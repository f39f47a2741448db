package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.Options;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.TypedValue;
import io.galgo.protocol.reply.SendConfirmation;
import io.galgo.protocol.reply.StreamRecord;
import io.galgo.protocol.reply.StreamRecords;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.DeleteStream;
import io.galgo.protocol.request.PollMessages;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.StoreConsumerOffset;
import io.galgo.storage.disk.MemoryDisk;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// Clients that do random things to a node which is killed at random moments, and a model that remembers what the
/// node has promised.
class ModelTest {
    /// Seeds tried; `-Dgalgo.seeds=1000` for a long search.
    private static final int SEEDS = Integer.getInteger("galgo.seeds", 12);

    private static final int PARTITIONS = 3;
    private static final int CLIENTS = 4;

    /// A request whose answer has not come.
    private record Posted(Request request, String payload, int partition, long value) {}

    private final Map<Integer, NavigableMap<Long, String>> promised = new HashMap<>();
    private final Set<String> refused = new HashSet<>();
    private final Map<String, List<Long>> possibleOffsets = new HashMap<>();
    private final Set<String> streamsThere = new TreeSet<>();
    private final Set<String> streamsUnknown = new TreeSet<>();
    private final Map<TestClient, ArrayDeque<Posted>> inFlight = new HashMap<>();
    private final List<TestClient> clients = new ArrayList<>();
    private TestNode node = new TestNode(1);
    private SplittableRandom random = new SplittableRandom(1);
    private long seed;
    private int made;

    @Test
    void whatWasAcknowledgedSurvivesAKilledProcess() {
        for (seed = 1; seed <= SEEDS; seed++) {
            begin(new SplittableRandom(seed), "replicated");
            for (int life = 0; life < 4; life++) {
                live(150 + random.nextInt(150));
                node.killAndRestart();
                forgetClients();
                check(true);
            }
            node.run();
            node.assertNoMemoryIsHeld();
        }
    }

    @Test
    void whatWasAcknowledgedAsPersistedSurvivesThePower() {
        for (seed = 1; seed <= SEEDS; seed++) {
            begin(new SplittableRandom(seed), "persisted");
            for (int life = 0; life < 4; life++) {
                live(150 + random.nextInt(150));
                MemoryDisk.PowerLoss[] extents = MemoryDisk.PowerLoss.values();
                node.losePowerAndRestart(extents[random.nextInt(extents.length)]);
                forgetClients();
                check(false);
            }
            node.run();
            node.assertNoMemoryIsHeld();
        }
    }

    @Test
    void aGracefulStopLosesNothingEither() {
        for (seed = 1; seed <= SEEDS; seed++) {
            begin(new SplittableRandom(seed), "replicated");
            for (int life = 0; life < 3; life++) {
                live(200);
                node.stopAndRestart();
                for (TestClient client : clients) {
                    takeAnswers(client);
                }
                forgetClients();
                check(true);
            }
            node.assertNoMemoryIsHeld();
        }
    }

    private void begin(SplittableRandom source, String durability) {
        random = source;
        promised.clear();
        refused.clear();
        possibleOffsets.clear();
        streamsThere.clear();
        streamsUnknown.clear();
        made = 0;
        node = new TestNode(1 + random.nextInt(3), TestNode.SETTINGS, seed);
        TestClient admin = node.root(0);
        admin.createTopic(
                PARTITIONS,
                new Options.Entry("durability", TypedValue.string(durability)),
                new Options.Entry("consumer_offset_durability", TypedValue.string(durability)),
                new Options.Entry("segment_size", TypedValue.uint64(1 << 20)));
        streamsThere.add("s");
        forgetClients();
    }

    private void forgetClients() {
        clients.clear();
        for (ArrayDeque<Posted> lost : inFlight.values()) {
            for (Posted posted : lost) {
                onUnknown(posted);
            }
        }
        inFlight.clear();
    }

    /// Lets clients work for so many steps, and stops in the middle.
    private void live(int steps) {
        for (int i = 0; i < CLIENTS; i++) {
            TestClient client = node.root(random.nextInt(node.shardsCount()));
            clients.add(client);
            inFlight.put(client, new ArrayDeque<>());
        }
        for (int i = 0; i < steps; i++) {
            TestClient client = clients.get(random.nextInt(CLIENTS));
            if (random.nextInt(3) == 0 && !client.link.isPaused()) {
                Posted posted = randomRequest(clients.indexOf(client));
                Objects.requireNonNull(inFlight.get(client)).add(posted);
                client.post(posted.request());
            } else {
                node.step(random);
            }
            takeAnswers(client);
        }
    }

    private Posted randomRequest(int client) {
        int partition = random.nextInt(PARTITIONS);
        return switch (random.nextInt(10)) {
            case 0 -> {
                String name = "stream " + made++;
                yield new Posted(new CreateStream(name, Options.NONE), name, 0, 0);
            }
            case 1 -> {
                String name = streamsThere.stream()
                        .filter(there -> !there.equals("s") && !streamsUnknown.contains(there))
                        .findFirst()
                        .orElse("none");
                if (!name.equals("none")) {
                    streamsUnknown.add(name);
                }
                yield new Posted(new DeleteStream(Identifier.of(name)), name, 0, 0);
            }
            case 2 -> {
                // One partition a client, so that no two of them write the same offset.
                long offset = random.nextInt(20);
                yield new Posted(TestClient.store(consumer(client), 0, offset), "", 0, offset);
            }
            case 3, 4 -> {
                PollMessages poll = new PollMessages(
                        ConsumerRef.consumer(Identifier.of("auto")),
                        Identifier.of("s"),
                        Identifier.of("t"),
                        io.galgo.protocol.OptionalPartition.of(partition),
                        random.nextBoolean() ? PollingStrategy.NEXT : PollingStrategy.LAST,
                        1 + random.nextInt(10),
                        random.nextBoolean());
                yield new Posted(poll, "", partition, 0);
            }
            default -> {
                String payload = seed + "-" + made++ + "x".repeat(random.nextInt(20) == 0 ? 200_000 : 10);
                yield new Posted(TestClient.send(partition, payload), payload, partition, 0);
            }
        };
    }

    private static ConsumerRef consumer(int client) {
        return ConsumerRef.consumer(Identifier.of("consumer " + client));
    }

    private void takeAnswers(TestClient client) {
        ArrayDeque<Posted> waiting = Objects.requireNonNull(inFlight.get(client));
        while (!client.hasNothing()) {
            onAnswer(client, waiting.remove(), client.next());
        }
    }

    private void onAnswer(TestClient client, Posted posted, Answer answer) {
        boolean isOk = answer.outcome().equals("ok");
        switch (posted.request()) {
            case CreateStream _ -> {
                if (isOk) {
                    streamsThere.add(posted.payload());
                } else {
                    assertThat(answer.outcome()).as("seed %s", seed).isEqualTo("reject 58");
                }
            }
            case DeleteStream _ -> {
                if (isOk) {
                    streamsThere.remove(posted.payload());
                    streamsUnknown.remove(posted.payload());
                } else if (answer.outcome().equals("reject 58")) {
                    streamsUnknown.remove(posted.payload());
                }
            }
            case StoreConsumerOffset _ -> {
                if (isOk) {
                    possibleOffsets(clients.indexOf(client)).clear();
                    possibleOffsets(clients.indexOf(client)).add(posted.value());
                }
            }
            case PollMessages _ -> {
                if (isOk) {
                    for (Batches.Message message : TestClient.messages(answer)) {
                        promise(posted.partition(), message.offset(), message.payload());
                    }
                }
            }
            default -> {
                assertThat(answer.operation()).isEqualTo(Operation.SEND_MESSAGES.value());
                if (isOk) {
                    SendConfirmation place =
                            TestClient.confirmations(answer).confirmations().getFirst();
                    promise(place.partitionId(), place.baseOffset(), posted.payload());
                } else {
                    refused.add(posted.payload());
                }
            }
        }
    }

    /// The node died before it answered: either may be true.
    private void onUnknown(Posted posted) {
        switch (posted.request()) {
            case CreateStream _, DeleteStream _ -> streamsUnknown.add(posted.payload());
            case StoreConsumerOffset store -> {
                for (int client = 0; client < CLIENTS; client++) {
                    if (store.consumer().equals(consumer(client))) {
                        List<Long> possible = possibleOffsets(client);
                        if (possible.isEmpty()) {
                            possible.add(-1L);
                        }
                        possible.add(posted.value());
                    }
                }
            }
            default -> {}
        }
    }

    private List<Long> possibleOffsets(int client) {
        return possibleOffsets.computeIfAbsent("consumer " + client, _ -> new ArrayList<>());
    }

    private void promise(int partition, long offset, String payload) {
        String before =
                promised.computeIfAbsent(partition, _ -> new TreeMap<>()).put(offset, payload);
        assertThat(before == null || before.equals(payload))
                .as("partition %s, offset %s was issued twice, seed %s", partition, offset, seed)
                .isTrue();
    }

    private void check(boolean isDense) {
        TestClient reader = node.root(random.nextInt(node.shardsCount()));
        for (int partition = 0; partition < PARTITIONS; partition++) {
            NavigableMap<Long, String> found = readAll(reader, partition, !isDense);
            NavigableMap<Long, String> expected = promised.getOrDefault(partition, new TreeMap<>());
            for (Map.Entry<Long, String> entry : expected.entrySet()) {
                assertThat(found.get(entry.getKey()))
                        .as("partition %s, offset %s, seed %s", partition, entry.getKey(), seed)
                        .isEqualTo(entry.getValue());
            }
            assertThat(new HashSet<>(found.values()))
                    .as("no message is there twice, partition %s, seed %s", partition, seed)
                    .hasSize(found.size());
            assertThat(refused)
                    .as("what was refused is not there, partition %s, seed %s", partition, seed)
                    .noneMatch(found::containsValue);
            if (isDense && !found.isEmpty()) {
                assertThat(found.lastKey())
                        .as("offsets are dense, seed %s", seed)
                        .isEqualTo(found.size() - 1L);
            }
            // What is read now must not be taken back either.
            found.forEach(expected::put);
            promised.put(partition, expected);
        }
        for (int client = 0; client < CLIENTS; client++) {
            List<Long> possible = possibleOffsets(client);
            long stored = reader.stored(consumer(client), 0);
            if (!possible.isEmpty()) {
                assertThat(possible)
                        .as("offset of consumer %s, seed %s", client, seed)
                        .contains(stored);
                possible.clear();
                possible.add(stored);
            }
        }
        checkStreams(reader);
    }

    private void checkStreams(TestClient reader) {
        Answer answer = reader.ask(new BodilessRequest(CommandCode.GET_STREAMS));
        Set<String> found = new TreeSet<>();
        for (StreamRecord stream :
                Objects.requireNonNull(StreamRecords.decode(answer.body())).streams()) {
            found.add(stream.name());
        }
        Set<String> certain = new TreeSet<>(streamsThere);
        certain.removeAll(streamsUnknown);
        assertThat(found).as("seed %s", seed).containsAll(certain);
        Set<String> possible = new TreeSet<>(streamsThere);
        possible.addAll(streamsUnknown);
        assertThat(possible).as("seed %s", seed).containsAll(found);
        streamsThere.clear();
        streamsThere.addAll(found);
        streamsUnknown.clear();
    }

    /// @param mayBeDamaged whether a batch that was never acknowledged may be there in part, with a whole one
    ///     behind it
    private NavigableMap<Long, String> readAll(TestClient reader, int partition, boolean mayBeDamaged) {
        NavigableMap<Long, String> found = new TreeMap<>();
        long next = 0;
        while (true) {
            Answer answer = reader.ask(TestClient.poll(partition, PollingStrategy.offset(next), 20, false));
            if (mayBeDamaged && answer.outcome().equals("deny 4039")) {
                next++;
                continue;
            }
            assertThat(answer.outcome()).as("a poll, seed %s", seed).isEqualTo("ok");
            List<Batches.Message> messages = TestClient.messages(answer);
            if (messages.isEmpty()) {
                return found;
            }
            for (Batches.Message message : messages) {
                assertThat(message.offset()).as("seed %s", seed).isGreaterThanOrEqualTo(next);
                found.put(message.offset(), message.payload());
                next = message.offset() + 1;
            }
        }
    }
}
