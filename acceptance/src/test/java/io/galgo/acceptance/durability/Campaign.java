package io.galgo.acceptance.durability;

import io.galgo.acceptance.durability.Ledger.Place;
import io.galgo.acceptance.durability.OffsetLedger.Stand;
import io.galgo.acceptance.harness.Figures;
import io.galgo.acceptance.harness.ServerProcess;
import io.galgo.acceptance.harness.ServerSettings;
import io.galgo.acceptance.wire.Body;
import io.galgo.acceptance.wire.Confirmation;
import io.galgo.acceptance.wire.Message;
import io.galgo.acceptance.wire.Operation;
import io.galgo.acceptance.wire.Partitioning;
import io.galgo.acceptance.wire.Polled;
import io.galgo.acceptance.wire.PolledMessage;
import io.galgo.acceptance.wire.RawClient;
import io.galgo.acceptance.wire.ReplyFrame;
import io.galgo.acceptance.wire.RequestFrame;
import io.galgo.acceptance.wire.Strategy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/// Rounds of: work, SIGKILL at a random moment, restart on the same directory, judge everything.
///
/// In a round several writers send to topics of every durability, one of them pipelined, one with huge batches, one
/// over many small segments; a reader polls; an actor stores and deletes offsets of consumers and of its group;
/// another changes streams, topics, groups, users and tokens; a third deletes segments. What a round draws depends
/// on the seed alone, when it is killed also on the machine.
final class Campaign {
    private static final String STREAM = "campaign";
    private static final int PARTITIONS = 3;
    private static final String GROUP = "movers";
    /// The topic whose oldest segments go. Nobody stores an offset there, which would keep them.
    private static final String TRIMMED = "trimmed";
    /// Under this identity the group's member comes back after each kill, and is the same member.
    private static final byte[] MOVER = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
    private static final long KILL_MILLIS_MIN = 20;
    private static final long KILL_MILLIS_MAX = 700;
    private static final long WRITER_BYTES_MAX = 6 << 20;
    private static final long JOIN_MILLIS = 60_000;
    private static final int POLL_COUNT = 2000;
    private static final int ACKNOWLEDGED_MIN = 20;

    /// @param window requests under way at a time
    private record Writer(String topic, int window, int batchBytesMax) {}

    private static final List<Writer> WRITERS = List.of(
            new Writer("replicated", 1, 4_000),
            new Writer("replicated", 8, 40_000),
            new Writer("persisted", 1, 4_000),
            new Writer("persisted", 8, 100_000),
            new Writer("rolling", 4, 150_000),
            new Writer("large", 2, 2_000_000),
            new Writer(TRIMMED, 4, 150_000));

    private final ServerSettings settings;
    private final long seed;
    private final Random random;
    private final Ledger ledger = new Ledger();
    private final OffsetLedger offsets = new OffsetLedger();
    private final CatalogActor catalog;
    private final AtomicLong sequence = new AtomicLong(1);
    private final Map<String, List<Integer>> topics = new LinkedHashMap<>();

    Campaign(ServerSettings settings, long seed) {
        this.settings = settings;
        this.seed = seed;
        this.random = new Random(seed);
        this.catalog = new CatalogActor(new Random(seed + 1));
    }

    /// Runs the rounds. Throws when anything was violated in any of them.
    void run(int rounds) throws IOException, InterruptedException {
        ServerProcess server = ServerProcess.start(settings);
        int done = 0;
        try {
            createTopics(server);
            while (done < rounds) {
                done++;
                work(server, done);
                server = server.startAgain();
                judge(server, done);
            }
        } catch (AssertionError e) {
            ledger.complain("round " + done + ": " + e.getMessage());
        } finally {
            server.close();
        }
        String figures = done + " kills, seed " + seed + ": " + ledger.figures() + "; " + offsets.acknowledgedCount()
                + " offset commands and " + catalog.acknowledgedCount() + " metadata commands acknowledged";
        Figures.tell(settings.target() + " " + settings.disk() + ", " + figures);
        if (ledger.acknowledgedCount() < (long) done * ACKNOWLEDGED_MIN) {
            ledger.complain("too little was acknowledged to prove anything");
        }
        if (!ledger.violations().isEmpty()) {
            throw new AssertionError(figures + "\n" + String.join("\n", ledger.violations()));
        }
    }

    private void createTopics(ServerProcess server) throws IOException {
        byte[] persisted = Body.of()
                .option("consumer_offset_durability", "persisted")
                .option("durability", "persisted")
                .toBytes();
        byte[] rolling = Body.of().option("segment_size", 1 << 20).toBytes();
        try (RawClient client = server.client()) {
            client.createStream(STREAM);
            client.createTopic(STREAM, "replicated", PARTITIONS);
            client.createTopic(STREAM, "persisted", PARTITIONS, persisted);
            client.createTopic(STREAM, "rolling", PARTITIONS, rolling);
            client.createTopic(STREAM, "large", PARTITIONS);
            client.createTopic(STREAM, TRIMMED, PARTITIONS, rolling);
            for (Writer writer : WRITERS) {
                topics.put(writer.topic, List.of(0, 1, 2));
            }
            if (!settings.target().isReference()) {
                for (String topic : topics.keySet()) {
                    client.succeedWith(
                            Operation.CREATE_GROUP,
                            Body.of().id(STREAM).id(topic).name(GROUP));
                }
            }
            catalog.adopt(client);
        }
    }

    private void work(ServerProcess server, int round) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        CountDownLatch loggedIn = new CountDownLatch(WRITERS.size() + 4);
        for (Writer writer : WRITERS) {
            Random own = new Random(random.nextLong());
            threads.add(actor(server, loggedIn, round, writer.topic + " writer", client -> write(client, writer, own)));
        }
        Random readerRandom = new Random(random.nextLong());
        threads.add(actor(server, loggedIn, round, "reader", client -> read(client, readerRandom)));
        Random offsetRandom = new Random(random.nextLong());
        threads.add(
                actor(() -> mover(server), loggedIn, round, "offsets", client -> moveOffsets(client, offsetRandom)));
        threads.add(actor(server, loggedIn, round, "catalog", client -> catalog.work(client, STREAM)));

        Random trimRandom = new Random(random.nextLong());
        threads.add(actor(server, loggedIn, round, "trimmer", client -> trim(client, trimRandom)));

        if (!loggedIn.await(JOIN_MILLIS, TimeUnit.MILLISECONDS)) {
            ledger.complain("round " + round + ": " + loggedIn.getCount() + " clients could not log in");
        }
        long millis = KILL_MILLIS_MIN + random.nextLong(KILL_MILLIS_MAX - KILL_MILLIS_MIN);
        long until = System.nanoTime() + millis * 1_000_000;
        while (System.nanoTime() < until) {
            LockSupport.parkNanos(until - System.nanoTime());
        }
        if (!server.isAlive()) {
            ledger.complain("round " + round + ": the server died by itself:\n" + server.logTail());
        }
        server.kill();
        for (Thread thread : threads) {
            thread.join(JOIN_MILLIS);
            if (thread.isAlive()) {
                throw new AssertionError(thread.getName() + " did not notice that the server is gone");
            }
        }
    }

    private interface Act {
        void work(RawClient client) throws IOException;
    }

    private interface Opening {
        RawClient open() throws IOException;
    }

    private Thread actor(ServerProcess server, CountDownLatch loggedIn, int round, String name, Act act) {
        return actor(server::client, loggedIn, round, name, act);
    }

    private Thread actor(Opening opening, CountDownLatch loggedIn, int round, String name, Act act) {
        return Thread.ofPlatform().name(name + " of round " + round).start(() -> {
            try (RawClient client = opening.open()) {
                loggedIn.countDown();
                act.work(client);
            } catch (IOException _) {
                // The server was killed: that is what the round is about.
            } catch (RuntimeException | AssertionError e) {
                ledger.complain("round " + round + ", " + name + ": " + e);
            }
        });
    }

    /// Sends batches, `window` of them at a time, until the connection breaks or enough was sent.
    private void write(RawClient client, Writer writer, Random own) throws IOException {
        Map<Long, long[]> pending = new LinkedHashMap<>();
        Map<Long, RequestFrame> frames = new HashMap<>();
        long bytes = 0;
        while (bytes < WRITER_BYTES_MAX || !pending.isEmpty()) {
            while (bytes < WRITER_BYTES_MAX && pending.size() < writer.window) {
                long[] ids = drawBatch(writer, own);
                List<Message> messages = new ArrayList<>();
                for (long id : ids) {
                    byte[] payload = Payload.of(id);
                    bytes += payload.length;
                    messages.add(Message.of(payload));
                }
                RequestFrame frame = client.write(
                        Operation.SEND, RawClient.sendBody(STREAM, writer.topic, drawPartitioning(own), messages));
                ledger.sending(ids);
                pending.put(frame.request(), ids);
                frames.put(frame.request(), frame);
                client.transmit(frame.toBytes());
            }
            ReplyFrame reply = client.receive();
            RequestFrame frame = frames.get(reply.request());
            if (frame == null) {
                throw new AssertionError("a reply to request " + reply.request() + ", which is not under way");
            }
            if (reply.outcome().equals("DENY 58")) {
                LockSupport.parkNanos(5_000_000);
                client.transmit(frame.toBytes());
                continue;
            }
            frames.remove(reply.request());
            long[] ids = pending.remove(reply.request());
            if (ids == null) {
                throw new AssertionError("request " + reply.request() + " was answered twice");
            }
            if (!reply.isOk()) {
                ledger.refused(ids);
                throw new AssertionError("a send was answered with " + reply.outcome());
            }
            Confirmation place = RawClient.confirmationOf(reply);
            ledger.acknowledged(new Place(writer.topic, place.partition()), place.baseOffset(), ids);
        }
        client.receive();
    }

    private long[] drawBatch(Writer writer, Random own) {
        int batchBytes = own.nextInt(20) == 0
                ? writer.batchBytesMax
                : Math.max(Payload.BYTES_MIN, (int) (writer.batchBytesMax * Math.pow(own.nextDouble(), 4)));
        int count = 1 + own.nextInt(Math.min(20, 1 + batchBytes / 64));
        long[] ids = new long[count];
        for (int i = 0; i < count; i++) {
            int length = Payload.BYTES_MIN + own.nextInt(1 + 2 * batchBytes / count);
            ids[i] = Payload.id(sequence.getAndIncrement(), Math.min(length, Payload.BYTES_MAX));
        }
        return ids;
    }

    private static Partitioning drawPartitioning(Random own) {
        return switch (own.nextInt(4)) {
            case 0 -> Partitioning.balanced();
            case 1 -> Partitioning.key("key-" + own.nextInt(50));
            default -> Partitioning.to(own.nextInt(PARTITIONS));
        };
    }

    private void read(RawClient client, Random own) throws IOException {
        List<String> names = List.copyOf(topics.keySet());
        while (true) {
            Place place = new Place(names.get(own.nextInt(names.size())), own.nextInt(PARTITIONS));
            long from = Math.max(0, ledger.nextOffset(place) - own.nextInt(20));
            Strategy strategy = own.nextInt(4) == 0 ? Strategy.last() : Strategy.offset(from);
            Polled polled = client.poll(STREAM, place.topic(), place.partition(), strategy, 100);
            ledger.read(place, polled.messages());
        }
    }

    private void moveOffsets(RawClient client, Random own) throws IOException {
        boolean hasGroups = !settings.target().isReference();
        List<String> names = consumed();
        while (true) {
            Place place = new Place(names.get(own.nextInt(names.size())), own.nextInt(PARTITIONS));
            Stand stand = new Stand(hasGroups && own.nextInt(3) == 0, own.nextInt(5), place);
            boolean isDeletion = own.nextInt(5) == 0 && offsets.offset(stand).isPresent();
            long end = ledger.nextOffset(place);
            if (!isDeletion && end == 0) {
                LockSupport.parkNanos(1_000_000);
                continue;
            }
            Body body = consumer(stand).id(STREAM).id(place.topic()).partition(place.partition());
            if (isDeletion) {
                offsets.sending(stand, OptionalLong.empty());
            } else {
                long offset = own.nextLong(end);
                offsets.sending(stand, OptionalLong.of(offset));
                body.u64(offset);
            }
            int operation = isDeletion ? Operation.DELETE_OFFSET : Operation.STORE_OFFSET;
            ReplyFrame reply = client.persist(operation, body.u8(1).toBytes());
            if (!reply.isOk()) {
                throw new AssertionError(stand + ": an offset command was answered with " + reply.outcome());
            }
            offsets.acknowledged();
        }
    }

    private static Body consumer(Stand stand) {
        return stand.isGroup() ? Body.of().u8(2).id(GROUP) : Body.of().consumer(stand.consumer());
    }

    /// A connection of the group's one member, whom no kill has put out of the group, and who owns all partitions.
    private RawClient mover(ServerProcess server) throws IOException {
        if (settings.target().isReference()) {
            return server.client();
        }
        RawClient client = RawClient.connect(server.address());
        client.useClientId(MOVER);
        ReplyFrame login = client.login("iggy", "iggy");
        if (!login.isOk()) {
            client.close();
            throw new AssertionError("the group's member could not log in: " + login.outcome());
        }
        // The numbers of its former lives are taken.
        client.resumeNumbering(System.currentTimeMillis());
        for (String topic : consumed()) {
            client.succeed(Operation.JOIN_GROUP, Body.of().id(STREAM).id(topic).id(GROUP));
        }
        return client;
    }

    /// The topics in which offsets are stored.
    private List<String> consumed() {
        return topics.keySet().stream().filter(name -> !name.equals(TRIMMED)).toList();
    }

    /// Deletes the oldest segments now and then, and notes from where on messages must be there and how far they
    /// may be gone.
    private void trim(RawClient client, Random own) throws IOException {
        while (!settings.target().isReference()) {
            LockSupport.parkNanos(20_000_000);
            Place place = new Place(TRIMMED, own.nextInt(PARTITIONS));
            ledger.trimming(place);
            ReplyFrame reply = client.persist(
                    Operation.DELETE_SEGMENTS,
                    Body.of()
                            .id(STREAM)
                            .id(TRIMMED)
                            .u32(place.partition())
                            .u32(1)
                            .toBytes());
            if (!reply.isOk()) {
                throw new AssertionError("a deletion of segments was answered with " + reply.outcome());
            }
            Polled first = client.poll(STREAM, TRIMMED, place.partition(), Strategy.first(), 1);
            if (!first.messages().isEmpty()) {
                ledger.trimmed(place, first.messages().getFirst().offset());
            }
        }
        client.receive();
    }

    private void judge(ServerProcess server, int round) throws IOException {
        try (RawClient client = server.client()) {
            for (String topic : topics.keySet()) {
                for (int partition = 0; partition < PARTITIONS; partition++) {
                    Place place = new Place(topic, partition);
                    ledger.check(place, readAll(client, place));
                }
            }
            for (Stand stand : offsets.all()) {
                OptionalLong found = client.storedOffset(
                        consumer(stand),
                        STREAM,
                        stand.place().topic(),
                        stand.place().partition());
                String complaint = offsets.check(stand, found);
                if (complaint != null) {
                    ledger.complain("round " + round + ": " + complaint);
                }
            }
            String complaint = catalog.check(client);
            if (complaint != null) {
                ledger.complain("round " + round + ": " + complaint);
            }
        }
        ledger.endRound();
        offsets.endRound();
    }

    private List<PolledMessage> readAll(RawClient client, Place place) throws IOException {
        List<PolledMessage> all = new ArrayList<>();
        long next = 0;
        while (true) {
            Polled polled = client.poll(STREAM, place.topic(), place.partition(), Strategy.offset(next), POLL_COUNT);
            if (polled.messages().isEmpty()) {
                // A partition whose segments were deleted goes on counting.
                boolean isTrimmed = place.topic().equals(TRIMMED) && all.isEmpty();
                long end = isTrimmed ? ledger.nextOffset(place) - 1 : 0;
                long last = all.isEmpty() ? Math.max(0, end) : all.getLast().offset();
                if (polled.currentOffset() != last) {
                    ledger.complain(
                            place + " tells current offset " + polled.currentOffset() + ", the last is " + last);
                }
                return all;
            }
            all.addAll(polled.messages());
            next = all.getLast().offset() + 1;
        }
    }
}
