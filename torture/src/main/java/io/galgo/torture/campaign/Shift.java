package io.galgo.torture.campaign;

import io.galgo.torture.history.Ledger;
import io.galgo.torture.history.Ledger.Place;
import io.galgo.torture.history.OffsetLedger;
import io.galgo.torture.history.OffsetLedger.Stand;
import io.galgo.torture.history.Payload;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Code;
import io.galgo.torture.wire.Confirmation;
import io.galgo.torture.wire.Message;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.PolledMessage;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.RefusedException;
import io.galgo.torture.wire.ReplyFrame;
import io.galgo.torture.wire.RequestFrame;
import io.galgo.torture.wire.Strategy;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/// One time of work of the clients of a [Workload], on one server process.
///
/// It ends when the server is gone, or when it is told to: then the clients wait for what is under way.
final class Shift {
    /// Under this identity the group's member comes back after each harm, and is the same member.
    private static final byte[] MOVER = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
    private static final long LOGIN_MILLIS = 60_000;
    private static final long BUSY_NANOS = 5_000_000;
    private static final long TRICKLE_NANOS = 3_000_000;
    private static final int TRICKLE_BYTES = 200;

    private final Workload workload;
    private final Ledger ledger;
    private final OffsetLedger offsets;
    private final ServerProcess server;
    private final String when;
    private final Duration patience;
    private final long writerBytesMax;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong acknowledgements = new AtomicLong();
    private final AtomicInteger broken = new AtomicInteger();
    private volatile long acknowledgementsMax = Long.MAX_VALUE;
    private volatile boolean isOver;

    private Shift(Workload workload, ServerProcess server, String when, Duration patience, long writerBytesMax) {
        this.workload = workload;
        this.ledger = workload.ledger();
        this.offsets = workload.offsets();
        this.server = server;
        this.when = when;
        this.patience = patience;
        this.writerBytesMax = writerBytesMax;
    }

    /// Starts the clients and waits until all of them have logged in.
    ///
    /// @param patience how long an answer may take
    /// @param writerBytesMax what a writer sends at full speed; then it goes on with a trickle
    static Shift begin(Workload workload, ServerProcess server, String when, Duration patience, long writerBytesMax)
            throws InterruptedException {
        Shift shift = new Shift(workload, server, when, patience, writerBytesMax);
        shift.start();
        return shift;
    }

    private void start() throws InterruptedException {
        CountDownLatch loggedIn = new CountDownLatch(Workload.WRITERS.size() + 4);
        for (Workload.Writer writer : Workload.WRITERS) {
            Random own = draw();
            act(server::client, loggedIn, writer.topic() + " writer", client -> write(client, writer, own));
        }
        Random readerRandom = draw();
        act(server::client, loggedIn, "reader", client -> read(client, readerRandom));
        Random offsetRandom = draw();
        act(this::mover, loggedIn, "offsets", client -> moveOffsets(client, offsetRandom));
        act(
                server::client,
                loggedIn,
                "catalog",
                client -> workload.catalog().work(client, Workload.STREAM, () -> isOver));
        Random trimRandom = draw();
        act(server::client, loggedIn, "trimmer", client -> trim(client, trimRandom));
        if (!loggedIn.await(LOGIN_MILLIS, TimeUnit.MILLISECONDS)) {
            ledger.complain(when + ": " + loggedIn.getCount() + " clients could not log in");
        }
    }

    private Random draw() {
        return new Random(workload.random().nextLong());
    }

    private interface Act {
        void work(RawClient client) throws IOException;
    }

    private interface Opening {
        RawClient open() throws IOException;
    }

    private void act(Opening opening, CountDownLatch loggedIn, String name, Act act) {
        threads.add(Thread.ofPlatform().name(name + " of " + when).start(() -> {
            try (RawClient client = opening.open()) {
                client.waitFor(patience);
                loggedIn.countDown();
                act.work(client);
            } catch (SocketTimeoutException _) {
                ledger.unanswered(when + ", " + name + ": no answer within " + patience);
            } catch (IOException e) {
                // Mostly the server was killed: that is what it is about.
                broken.incrementAndGet();
                if (server.isAlive() && !isOver && !server.isBeingKilled()) {
                    ledger.complain(when + ", " + name + ": the connection broke: " + e);
                }
            } catch (RuntimeException | AssertionError e) {
                ledger.complain(when + ", " + name + ": " + e);
            }
        }));
    }

    /// Sends confirmed so far.
    long acknowledgementCount() {
        return acknowledgements.get();
    }

    /// The server is killed by the client that is told the next acknowledgement but so many, before it does
    /// anything else.
    void killAfter(long count) {
        acknowledgementsMax = acknowledgements.get() + count;
    }

    /// Lets everything that is under way be answered, and ends.
    void finish() throws InterruptedException {
        isOver = true;
        join();
    }

    /// Waits until all clients have noticed that the server is gone.
    void join() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join(patience.plusSeconds(30).toMillis());
            if (thread.isAlive()) {
                throw new AssertionError(thread.getName() + " did not come to an end");
            }
        }
    }

    private boolean isOver() {
        return isOver;
    }

    /// Sends batches, as many at a time as the writer's window, until it is over. When enough was sent for one
    /// shift it goes on with a trickle, so that there are always acknowledgements.
    private void write(RawClient client, Workload.Writer writer, Random own) throws IOException {
        Map<Long, long[]> pending = new LinkedHashMap<>();
        Map<Long, RequestFrame> frames = new HashMap<>();
        long bytes = 0;
        while (!isOver() || !pending.isEmpty()) {
            boolean isTrickle = bytes >= writerBytesMax;
            if (isTrickle) {
                LockSupport.parkNanos(TRICKLE_NANOS);
            }
            while (!isOver() && pending.size() < (isTrickle ? 1 : writer.window())) {
                int bytesMax = isTrickle ? TRICKLE_BYTES : writer.batchBytesMax();
                long[] ids = workload.sequence().drawBatch(bytesMax, own);
                List<Message> messages = new ArrayList<>();
                for (long id : ids) {
                    byte[] payload = Payload.of(id);
                    bytes += payload.length;
                    messages.add(Message.of(payload));
                }
                RequestFrame frame = client.write(
                        Operation.SEND,
                        RawClient.sendBody(Workload.STREAM, writer.topic(), drawPartitioning(own), messages));
                ledger.sending(ids);
                pending.put(frame.request(), ids);
                frames.put(frame.request(), frame);
                client.transmit(frame.toBytes());
            }
            if (pending.isEmpty()) {
                break;
            }
            ReplyFrame reply = client.receive();
            if (reply.isEviction()) {
                throw new AssertionError("a client was answered with " + reply.outcome());
            }
            RequestFrame frame = frames.get(reply.request());
            if (frame == null) {
                throw new AssertionError("a reply to request " + reply.request() + ", which is not under way");
            }
            if (reply.outcome().equals("DENY 58")) {
                LockSupport.parkNanos(BUSY_NANOS);
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
            ledger.acknowledged(new Place(writer.topic(), place.partition()), place.baseOffset(), ids);
            if (acknowledgements.incrementAndGet() == acknowledgementsMax) {
                server.strike();
            }
        }
    }

    /// Nothing more to do: stays connected, and pings as clients do.
    private void idle(RawClient client) throws IOException {
        while (!isOver()) {
            ReplyFrame reply = client.ask(Code.PING, new byte[0]);
            if (!reply.isOk()) {
                throw new AssertionError("a ping was answered with " + reply.outcome());
            }
            LockSupport.parkNanos(20_000_000);
        }
    }

    private static Partitioning drawPartitioning(Random own) {
        return switch (own.nextInt(4)) {
            case 0 -> Partitioning.balanced();
            case 1 -> Partitioning.key("key-" + own.nextInt(50));
            default -> Partitioning.to(own.nextInt(Workload.PARTITIONS));
        };
    }

    private void read(RawClient client, Random own) throws IOException {
        List<String> names = workload.topics();
        while (!isOver()) {
            Place place = new Place(names.get(own.nextInt(names.size())), own.nextInt(Workload.PARTITIONS));
            long from = Math.max(0, ledger.nextOffset(place) - own.nextInt(20));
            Strategy strategy = own.nextInt(4) == 0 ? Strategy.last() : Strategy.offset(from);
            ledger.read(place, poll(client, place, strategy, 100));
        }
    }

    /// What a power cut left in part is told as damage, and then there is nothing.
    private List<PolledMessage> poll(RawClient client, Place place, Strategy strategy, int count) throws IOException {
        try {
            return client.poll(Workload.STREAM, place.topic(), place.partition(), strategy, count)
                    .messages();
        } catch (RefusedException e) {
            if (!e.outcome().equals(Workload.DAMAGED) || !ledger.mayHaveGaps(place)) {
                throw e;
            }
            return List.of();
        }
    }

    private void moveOffsets(RawClient client, Random own) throws IOException {
        List<String> names = workload.consumed();
        while (!isOver()) {
            Place place = new Place(names.get(own.nextInt(names.size())), own.nextInt(Workload.PARTITIONS));
            Stand stand = new Stand(workload.isGalgo() && own.nextInt(3) == 0, own.nextInt(5), place);
            boolean isDeletion = own.nextInt(5) == 0 && offsets.offset(stand).isPresent();
            OptionalLong last = ledger.lastKnown(place);
            if (!isDeletion && last.isEmpty()) {
                LockSupport.parkNanos(1_000_000);
                continue;
            }
            Body body = Workload.consumer(stand)
                    .id(Workload.STREAM)
                    .id(place.topic())
                    .partition(place.partition());
            if (isDeletion) {
                offsets.sending(stand, OptionalLong.empty());
            } else {
                long offset = own.nextLong(last.getAsLong() + 1);
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

    /// A connection of the group's one member, whom no kill has put out of the group, and who owns all partitions.
    private RawClient mover() throws IOException {
        if (!workload.isGalgo()) {
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
        for (String topic : workload.consumed()) {
            client.succeed(
                    Operation.JOIN_GROUP,
                    Body.of().id(Workload.STREAM).id(topic).id(Workload.GROUP));
        }
        return client;
    }

    /// Deletes the oldest segments now and then, and notes from where on messages must be there and how far they
    /// may be gone.
    private void trim(RawClient client, Random own) throws IOException {
        if (!workload.isGalgo()) {
            idle(client);
            return;
        }
        while (!isOver()) {
            LockSupport.parkNanos(20_000_000);
            Place place = new Place(Workload.TRIMMED, own.nextInt(Workload.PARTITIONS));
            ledger.trimming(place);
            Body body = Body.of()
                    .id(Workload.STREAM)
                    .id(Workload.TRIMMED)
                    .u32(place.partition())
                    .u32(1);
            ReplyFrame reply = client.persist(Operation.DELETE_SEGMENTS, body.toBytes());
            if (!reply.isOk()) {
                throw new AssertionError("a deletion of segments was answered with " + reply.outcome());
            }
            List<PolledMessage> first = poll(client, place, Strategy.first(), 1);
            if (!first.isEmpty()) {
                ledger.trimmed(place, first.getFirst().offset());
            }
        }
    }
}
