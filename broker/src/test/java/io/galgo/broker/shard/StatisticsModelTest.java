package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.broker.partition.PartitionDirectory;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.Options;
import io.galgo.protocol.Partitioning;
import io.galgo.protocol.TypedValue;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.reply.ClientRecord;
import io.galgo.protocol.reply.ClientRecords;
import io.galgo.protocol.reply.PartitionRecord;
import io.galgo.protocol.reply.Stats;
import io.galgo.protocol.reply.StreamDetails;
import io.galgo.protocol.reply.StreamRecord;
import io.galgo.protocol.reply.StreamRecords;
import io.galgo.protocol.reply.TopicDetails;
import io.galgo.protocol.reply.TopicRecord;
import io.galgo.protocol.request.Acknowledgement;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.CreateConsumerGroup;
import io.galgo.protocol.request.CreatePartitions;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.DeleteConsumerGroup;
import io.galgo.protocol.request.DeleteConsumerOffset;
import io.galgo.protocol.request.DeletePartitions;
import io.galgo.protocol.request.DeleteSegments;
import io.galgo.protocol.request.DeleteStream;
import io.galgo.protocol.request.DeleteTopic;
import io.galgo.protocol.request.GetStream;
import io.galgo.protocol.request.GetTopic;
import io.galgo.protocol.request.JoinConsumerGroup;
import io.galgo.protocol.request.LeaveConsumerGroup;
import io.galgo.protocol.request.PurgeStream;
import io.galgo.protocol.request.PurgeTopic;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.StoreConsumerOffset;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// The numbers that clients are told against a full recount from the files, after whatever clients and time did.
///
/// `-Dgalgo.statistics.seeds=500` for a long search, `-Dgalgo.statistics.seed=7` to repeat one.
class StatisticsModelTest {
    private static final int SEEDS = Integer.getInteger("galgo.statistics.seeds", 12);
    private static final int STEPS = Integer.getInteger("galgo.statistics.steps", 250);
    private static final long SECOND = 1_000_000_000L;
    private static final int STREAMS = 2;
    private static final int TOPICS = 2;
    private static final int PARTITIONS_MAX = 3;

    @Test
    void whatClientsAreToldEqualsAFullRecount() {
        long only = Long.getLong("galgo.statistics.seed", 0);
        for (long tried = only > 0 ? only : 1; tried <= (only > 0 ? only : SEEDS); tried++) {
            new Run(tried).run();
        }
    }

    /// One seed.
    private static final class Run {
        /// What the files of a partition hold.
        private record Recount(int segmentsCount, long sizeBytes, long messagesCount) {}

        private final SplittableRandom random;
        private final long seed;
        private final TestNode node;
        private final List<TestClient> clients = new ArrayList<>();

        /// Names of topics by names of streams.
        private final Map<String, Map<String, Integer>> topics = new TreeMap<>();

        /// The members of groups, by stream, topic and name.
        private final Map<String, Set<TestClient>> groups = new TreeMap<>();

        /// The last offsets that were confirmed, by stream, topic and partition.
        private final Map<String, Long> currentOffsets = new HashMap<>();

        Run(long seed) {
            this.seed = seed;
            random = new SplittableRandom(seed);
            BrokerSettings settings = Settings.with(TestNode.SETTINGS, "segmentBytesMax", 300L + random.nextInt(2_000));
            settings = Settings.with(settings, "cleanerIntervalNanos", SECOND);
            settings = Settings.with(settings, "frameBytesMax", 1 << 14);
            settings = Settings.with(settings, "tailBytesMax", random.nextBoolean() ? 0L : 1L << 20);
            node = new TestNode(1 + random.nextInt(3), settings, seed);
        }

        private void run() {
            clients.add(node.root(0));
            for (int step = 0; step < STEPS; step++) {
                String what = step();
                node.disk.heal();
                check("seed " + seed + ", step " + step + ": " + what);
            }
            node.assertNoMemoryIsHeld();
        }

        private TestClient client() {
            return clients.get(random.nextInt(clients.size()));
        }

        private String stream() {
            return "stream " + random.nextInt(STREAMS);
        }

        private String topic() {
            return "topic " + random.nextInt(TOPICS);
        }

        private Identifier group() {
            return Identifier.of("group " + random.nextInt(2));
        }

        private static Identifier id(String name) {
            return Identifier.of(name);
        }

        private String step() {
            String stream = stream();
            String topic = topic();
            int partition = random.nextInt(PARTITIONS_MAX);
            return switch (random.nextInt(36)) {
                case 0 -> ask(new CreateStream(stream, Options.NONE));
                case 1, 2, 3 -> ask(new CreateTopic(id(stream), random.nextInt(PARTITIONS_MAX + 1), topic, options()));
                case 4 -> random.nextInt(6) == 0 ? ask(new DeleteStream(id(stream))) : "nothing";
                case 5 -> random.nextInt(3) == 0 ? ask(new DeleteTopic(id(stream), id(topic))) : "nothing";
                case 6 -> ask(new CreatePartitions(id(stream), id(topic), 1));
                case 7 -> ask(new DeletePartitions(id(stream), id(topic), 1));
                case 8 -> ask(new PurgeTopic(id(stream), id(topic)));
                case 9 -> random.nextInt(3) == 0 ? ask(new PurgeStream(id(stream))) : "nothing";
                case 10, 11, 12 -> ask(new DeleteSegments(id(stream), id(topic), partition, random.nextInt(4)));
                case 13 ->
                    ask(new StoreConsumerOffset(
                            ConsumerRef.consumer(Identifier.of(random.nextInt(3))),
                            id(stream),
                            id(topic),
                            OptionalPartition.of(partition),
                            random.nextInt(30),
                            Acknowledgement.QUORUM));
                case 14 ->
                    ask(new DeleteConsumerOffset(
                            ConsumerRef.consumer(Identifier.of(random.nextInt(3))),
                            id(stream),
                            id(topic),
                            OptionalPartition.of(partition),
                            Acknowledgement.QUORUM));
                case 15, 16 -> letTimePass();
                case 17 -> random.nextInt(3) == 0 ? restart() : "nothing";
                case 18 -> comeOrGo();
                case 20, 21 -> ask(new CreateConsumerGroup(id(stream), id(topic), "group " + random.nextInt(2)));
                case 22, 23, 24 -> ask(new JoinConsumerGroup(id(stream), id(topic), group()));
                case 25 -> ask(new LeaveConsumerGroup(id(stream), id(topic), group()));
                case 26 -> ask(new DeleteConsumerGroup(id(stream), id(topic), group()));
                case 19 -> {
                    node.disk.failNext(MemoryDisk.Operation.RENAME, DiskFault.Kind.IO, ".log");
                    String done = ask(new DeleteSegments(id(stream), id(topic), partition, 1 + random.nextInt(4)));
                    yield "a rename fails, " + done;
                }
                default -> send(stream, topic, partition);
            };
        }

        private String letTimePass() {
            for (int i = random.nextInt(12); i >= 0; i--) {
                node.clock.advance(SECOND / 4);
                node.run();
            }
            return "time passes";
        }

        private Options options() {
            List<Options.Entry> entries = new ArrayList<>();
            if (random.nextBoolean()) {
                entries.add(new Options.Entry("message_expiry", TypedValue.uint64(1 + random.nextInt(5_000_000))));
            }
            if (random.nextInt(3) == 0) {
                entries.add(new Options.Entry("durability", TypedValue.string("persisted")));
            }
            return new Options(entries);
        }

        private String ask(Request request) {
            TestClient client = client();
            String outcome = client.ask(request).outcome();
            if (outcome.equals("ok")) {
                onDone(client, request);
            }
            return request + " " + outcome;
        }

        private void onDone(TestClient client, Request request) {
            switch (request) {
                case CreateConsumerGroup create ->
                    groups.put(
                            name(create.stream()) + "/" + name(create.topic()) + "/" + create.name(), new HashSet<>());
                case JoinConsumerGroup join ->
                    members(join.stream(), join.topic(), join.group()).add(client);
                case LeaveConsumerGroup leave ->
                    members(leave.stream(), leave.topic(), leave.group()).remove(client);
                case DeleteConsumerGroup delete ->
                    groups.remove(name(delete.stream()) + "/" + name(delete.topic()) + "/" + name(delete.group()));
                case CreateStream create -> topics.put(create.name(), new TreeMap<>());
                case CreateTopic create -> ofStream(create.stream()).put(create.name(), (int) create.partitionsCount());
                case DeleteStream delete -> {
                    topics.remove(name(delete.stream()));
                    groups.keySet().removeIf(key -> key.startsWith(name(delete.stream()) + "/"));
                    forget(name(delete.stream()) + "/");
                }
                case DeleteTopic delete -> {
                    ofStream(delete.stream()).remove(name(delete.topic()));
                    groups.keySet()
                            .removeIf(key -> key.startsWith(name(delete.stream()) + "/" + name(delete.topic()) + "/"));
                    forget(name(delete.stream()) + "/" + name(delete.topic()) + "/");
                }
                case CreatePartitions create -> ofStream(create.stream()).merge(name(create.topic()), 1, Integer::sum);
                case DeletePartitions delete -> {
                    int left = Objects.requireNonNull(
                            ofStream(delete.stream()).merge(name(delete.topic()), -1, Integer::sum));
                    forget(name(delete.stream()) + "/" + name(delete.topic()) + "/" + left);
                }
                case PurgeTopic purge -> forget(name(purge.stream()) + "/" + name(purge.topic()) + "/");
                case PurgeStream purge -> forget(name(purge.stream()) + "/");
                default -> {}
            }
        }

        private void forget(String start) {
            currentOffsets.keySet().removeIf(key -> key.startsWith(start));
        }

        private Set<TestClient> members(Identifier stream, Identifier topic, Identifier group) {
            return Objects.requireNonNull(groups.get(name(stream) + "/" + name(topic) + "/" + name(group)));
        }

        private static String name(Identifier identifier) {
            return ((Identifier.Named) identifier).name();
        }

        private Map<String, Integer> ofStream(Identifier stream) {
            return Objects.requireNonNull(topics.get(name(stream)));
        }

        private String send(String stream, String topic, int partition) {
            String[] payloads = new String[1 + random.nextInt(5)];
            for (int i = 0; i < payloads.length; i++) {
                payloads[i] = "x".repeat(random.nextInt(random.nextInt(10) == 0 ? 2_000 : 200));
            }
            Answer answer = client().ask(
                            TestClient.send(stream, topic, Partitioning.partition(partition), Batches.of(payloads)));
            if (answer.outcome().equals("ok")) {
                long base = TestClient.confirmations(answer)
                        .confirmations()
                        .getFirst()
                        .baseOffset();
                currentOffsets.put(stream + "/" + topic + "/" + partition, base + payloads.length - 1);
            }
            return "send " + payloads.length + " to " + stream + "/" + topic + "/" + partition + " " + answer.outcome();
        }

        private String restart() {
            boolean isKill = random.nextBoolean();
            if (isKill) {
                node.killAndRestart();
            } else {
                node.stopAndRestart();
            }
            clients.clear();
            groups.values().forEach(Set::clear);
            clients.add(node.root(random.nextInt(node.shardsCount())));
            // What was given up before goes now at the latest.
            node.clock.advance(SECOND / 2);
            node.run();
            return isKill ? "a kill" : "a stop";
        }

        private String comeOrGo() {
            if (clients.size() > 1 && random.nextBoolean()) {
                TestClient gone = clients.removeLast();
                groups.values().forEach(members -> members.remove(gone));
                gone.link.cut();
                node.clients.remove(gone);
                node.run();
                return "a client goes";
            }
            int shard = random.nextInt(node.shardsCount());
            if (random.nextBoolean()) {
                clients.add(node.root(shard));
                return "a client comes";
            }
            // One that sends nothing is told to nobody, one that does not log in is.
            TestClient stranger = node.connect(shard);
            if (random.nextBoolean()) {
                stranger.ping();
                strangers.add(stranger);
            } else {
                silent.add(stranger);
            }
            if (strangers.size() > 2) {
                TestClient gone = strangers.remove();
                gone.link.cut();
                node.clients.remove(gone);
                node.run();
            }
            return "a stranger comes";
        }

        private final ArrayDeque<TestClient> strangers = new ArrayDeque<>();
        private final ArrayDeque<TestClient> silent = new ArrayDeque<>();

        // Checks

        private void check(String when) {
            strangers.removeIf(stranger -> !node.clients.contains(stranger));
            TestClient reader = client();
            Stats stats = Objects.requireNonNull(Stats.decode(
                    reader.ask(new BodilessRequest(CommandCode.GET_STATS)).body()));
            List<StreamRecord> streams = Objects.requireNonNull(
                            StreamRecords.decode(reader.ask(new BodilessRequest(CommandCode.GET_STREAMS))
                                    .body()))
                    .streams();
            assertThat(streams.stream().map(StreamRecord::name))
                    .as("streams, %s", when)
                    .containsExactlyInAnyOrderElementsOf(topics.keySet());
            long[] totals = new long[5];
            for (StreamRecord stream : streams) {
                checkStream(reader, stream, totals, when);
            }
            assertThat(stats.streamsCount()).as("streams in stats, %s", when).isEqualTo(streams.size());
            assertThat(stats.topicsCount()).as("topics in stats, %s", when).isEqualTo((int) totals[0]);
            assertThat(stats.partitionsCount())
                    .as("partitions in stats, %s", when)
                    .isEqualTo((int) totals[1]);
            assertThat(stats.segmentsCount()).as("segments in stats, %s", when).isEqualTo((int) totals[2]);
            assertThat(stats.messagesSizeBytes()).as("bytes in stats, %s", when).isEqualTo(totals[3]);
            assertThat(stats.messagesCount()).as("messages in stats, %s", when).isEqualTo(totals[4]);
            checkClients(reader, stats, when);
        }

        private void checkStream(TestClient reader, StreamRecord listed, long[] totals, String when) {
            StreamDetails details = Objects.requireNonNull(StreamDetails.decode(
                    reader.ask(new GetStream(id(listed.name()))).body()));
            assertThat(details.stream()).as("the stream as listed, %s", when).isEqualTo(listed);
            Map<String, Integer> expected = Objects.requireNonNull(topics.get(listed.name()));
            assertThat(details.topics().stream().map(TopicRecord::name))
                    .as("topics of %s, %s", listed.name(), when)
                    .containsExactlyInAnyOrderElementsOf(expected.keySet());
            long sizeBytes = 0;
            long messagesCount = 0;
            for (TopicRecord topic : details.topics()) {
                TopicDetails found = Objects.requireNonNull(
                        TopicDetails.decode(reader.ask(new GetTopic(id(listed.name()), id(topic.name())))
                                .body()));
                assertThat(found.topic()).as("the topic as listed, %s", when).isEqualTo(topic);
                assertThat(topic.partitionsCount())
                        .as("partitions of %s, %s", topic.name(), when)
                        .isEqualTo(expected.get(topic.name()));
                long topicBytes = 0;
                long topicMessages = 0;
                for (PartitionRecord partition : found.partitions()) {
                    String name = listed.name() + "/" + topic.name() + "/" + partition.id();
                    Recount recount = recount(listed.id(), topic.id(), partition.id());
                    assertThat(new Recount(partition.segmentsCount(), partition.sizeBytes(), partition.messagesCount()))
                            .as("numbers of %s, %s", name, when)
                            .isEqualTo(recount);
                    assertThat(partition.currentOffset())
                            .as("current offset of %s, %s", name, when)
                            .isEqualTo(currentOffsets.getOrDefault(name, 0L));
                    topicBytes += recount.sizeBytes();
                    topicMessages += recount.messagesCount();
                    totals[2] += recount.segmentsCount();
                }
                assertThat(topic.sizeBytes())
                        .as("bytes of %s, %s", topic.name(), when)
                        .isEqualTo(topicBytes);
                assertThat(topic.messagesCount())
                        .as("messages of %s, %s", topic.name(), when)
                        .isEqualTo(topicMessages);
                sizeBytes += topicBytes;
                messagesCount += topicMessages;
                totals[0]++;
                totals[1] += topic.partitionsCount();
            }
            assertThat(listed.sizeBytes())
                    .as("bytes of %s, %s", listed.name(), when)
                    .isEqualTo(sizeBytes);
            assertThat(listed.messagesCount())
                    .as("messages of %s, %s", listed.name(), when)
                    .isEqualTo(messagesCount);
            assertThat(listed.topicsCount())
                    .as("topics of %s, %s", listed.name(), when)
                    .isEqualTo(expected.size());
            totals[3] += sizeBytes;
            totals[4] += messagesCount;
        }

        /// Goes through the log files of a partition, which hold every committed batch while the node is at rest.
        private Recount recount(int streamId, int topicId, int partitionId) {
            String directory = PartitionDirectory.path(streamId, topicId, partitionId);
            int segments = 0;
            long bytes = 0;
            long messages = 0;
            for (String file : node.disk.list(directory)) {
                if (!file.endsWith(".log")) {
                    continue;
                }
                segments++;
                byte[] content = node.disk.content(directory + "/" + file);
                ByteBuffer log = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
                for (int at = 0; at < content.length; at += (int) BatchHeader.length(log, at)) {
                    if (BatchHeader.messageCount(log, at) > 0) {
                        bytes += BatchHeader.length(log, at);
                        messages += BatchHeader.messageCount(log, at);
                    }
                }
            }
            return new Recount(Math.max(1, segments), bytes, messages);
        }

        private void checkClients(TestClient reader, Stats stats, String when) {
            List<ClientRecord> told = Objects.requireNonNull(
                            ClientRecords.decode(reader.ask(new BodilessRequest(CommandCode.GET_CLIENTS))
                                    .body()))
                    .clients();
            assertThat(told).as("clients that sent something, %s", when).hasSize(clients.size() + strangers.size());
            assertThat(stats.consumerGroupsCount())
                    .as("groups in stats, %s", when)
                    .isEqualTo(groups.size());
            assertThat(stats.clientsCount()).as("clients in stats, %s", when).isEqualTo(told.size());
            assertThat(told.stream().filter(client -> client.userId() == 0))
                    .as("clients that are logged in, %s", when)
                    .hasSize(clients.size());
            assertThat(told.stream().map(ClientRecord::clientId))
                    .as("numbers of clients, %s", when)
                    .doesNotHaveDuplicates();
            Map<Integer, Integer> memberships = new HashMap<>();
            for (TestClient client : clients) {
                memberships.put(client.connection.number(), (int) groups.values().stream()
                        .filter(members -> members.contains(client))
                        .count());
            }
            for (ClientRecord client : told) {
                assertThat(client.consumerGroupsCount())
                        .as("groups of client %s, %s", client.clientId(), when)
                        .isEqualTo(memberships.getOrDefault(client.clientId(), 0));
                assertThat(client.transportCode()).as("transport, %s", when).isEqualTo(1);
                assertThat(client.address()).as("address, %s", when).isEqualTo("127.0.0.1:50123");
            }
        }
    }
}
