package io.galgo.torture.campaign;

import io.galgo.torture.history.Ledger;
import io.galgo.torture.history.Ledger.Place;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.server.ServerSettings;
import io.galgo.torture.wire.Message;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.RawClient;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/// A small budget of memory, and clients that want more of it: big frames from many connections at once, half of
/// which never read an answer.
final class MemoryCampaign implements Campaign {
    private static final String STREAM = "memory";
    private static final Place OURS = new Place("ours", 0);
    private static final int POOL_MEBIBYTES = 512;
    private static final int HEAP_MEBIBYTES = 128;
    /// Code, thread stacks, the collector's tables and what the allocators keep for later.
    private static final int OVERHEAD_MEBIBYTES = 320;
    private static final int FLOODERS = 48;
    private static final int FLOOD_BYTES = 4 << 20;
    private static final long FLOOD_MILLIS = 2_000;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private long peakMebibytes;
    private long floodBytes;

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public String deed() {
        return "has " + POOL_MEBIBYTES + " MiB for messages and a heap of " + HEAP_MEBIBYTES + " MiB while " + FLOODERS
                + " clients push frames of " + (FLOOD_BYTES >> 20) + " MiB, half of them without reading";
    }

    @Override
    public void run(Trial trial) throws IOException, InterruptedException {
        while (trial.goesOn()) {
            Path data = trial.newPath("data");
            Producer producer = new Producer(STREAM, new Ledger(), new Sequence());
            ServerProcess server = ServerProcess.start(settings(trial, data));
            try {
                round(trial, server, producer);
                server.kill();
                server = trial.recovered(server.startAgain());
                try (RawClient client = server.client()) {
                    producer.judge(client, List.of(OURS));
                }
            } finally {
                server.close();
                trial.close(producer.ledger());
            }
            trial.discard(data);
        }
        trial.note(floodBytes / 1_000_000 + " MB pushed by the flood, peak resident memory " + peakMebibytes + " MiB");
        peakMebibytes = 0;
        floodBytes = 0;
    }

    private static ServerSettings settings(Trial trial, Path data) throws IOException {
        ServerSettings settings = trial.settings(data);
        return trial.isGalgo()
                ? settings.withVariable("GALGO_MEMORY_POOL_SIZE", POOL_MEBIBYTES + " MiB")
                        .withJvmOption("-Xmx" + HEAP_MEBIBYTES + "m")
                : settings.withVariable("IGGY_MEMORY_POOL_SIZE", POOL_MEBIBYTES + " MiB");
    }

    private void round(Trial trial, ServerProcess server, Producer producer) throws IOException, InterruptedException {
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicLong pushed = new AtomicLong();
        List<Thread> flood = new ArrayList<>();
        try (RawClient client = server.client()) {
            client.waitFor(PATIENCE);
            client.createStream(STREAM);
            client.createTopic(STREAM, OURS.topic(), 1);
            client.createTopic(STREAM, "theirs", 4);
            byte[] payload = new byte[FLOOD_BYTES];
            for (int i = 0; i < FLOODERS; i++) {
                int number = i;
                flood.add(Thread.ofPlatform()
                        .name("flooder " + i)
                        .start(() -> flood(server, number, payload, isOver, pushed)));
            }
            long end = System.nanoTime() + FLOOD_MILLIS * 1_000_000;
            while (System.nanoTime() < end) {
                step(client, producer);
            }
            isOver.set(true);
            for (Thread thread : flood) {
                thread.join(PATIENCE.toMillis());
            }
            step(client, producer);
            server.client().close();
        } catch (SocketTimeoutException _) {
            producer.ledger().unanswered("the established client got no answer within " + PATIENCE);
        } finally {
            isOver.set(true);
        }
        if (!server.isAlive()) {
            throw new AssertionError("the server died by itself:\n" + server.logTail());
        }
        floodBytes += pushed.get();
        long peak = server.peakMemory() >> 20;
        peakMebibytes = Math.max(peakMebibytes, peak);
        int limit = POOL_MEBIBYTES + HEAP_MEBIBYTES + OVERHEAD_MEBIBYTES;
        if (trial.isGalgo() && peak > limit) {
            throw new AssertionError("resident memory grew to " + peak + " MiB, more than " + limit);
        }
    }

    /// The established client sends until it is confirmed, and is always answered.
    private static void step(RawClient client, Producer producer) throws IOException {
        String outcome = "";
        for (long since = System.nanoTime(); !outcome.equals("OK"); ) {
            outcome = producer.send(client, OURS, 1, 1000);
            boolean isRefused = !outcome.equals("OK") && !outcome.equals("DENY 58");
            if (isRefused || System.nanoTime() - since > PATIENCE.toNanos()) {
                throw new AssertionError("a send of an established client was answered with " + outcome);
            }
        }
    }

    private static void flood(
            ServerProcess server, int number, byte[] payload, AtomicBoolean isOver, AtomicLong pushed) {
        try (RawClient client = server.client()) {
            client.waitFor(PATIENCE);
            Thread closer = Thread.ofVirtual().start(() -> closeWhenOver(client, isOver));
            byte[] body =
                    RawClient.sendBody(STREAM, "theirs", Partitioning.to(number % 4), List.of(Message.of(payload)));
            while (!isOver.get()) {
                client.transmit(client.write(Operation.SEND, body).toBytes());
                pushed.addAndGet(body.length);
                if (number % 2 == 0) {
                    client.receive();
                }
            }
            closer.join();
        } catch (IOException | RuntimeException _) {
            // Whatever happens to these, they asked for it.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// One that waits for room in its socket does not look at the time.
    private static void closeWhenOver(RawClient client, AtomicBoolean isOver) {
        while (!isOver.get()) {
            WorkCampaign.pause(10);
        }
        client.close();
    }
}
