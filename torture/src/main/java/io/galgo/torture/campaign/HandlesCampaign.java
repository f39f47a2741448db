package io.galgo.torture.campaign;

import io.galgo.torture.history.Ledger;
import io.galgo.torture.history.Ledger.Place;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.server.ServerSettings;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Code;
import io.galgo.torture.wire.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Fewer file handles than connections and segments want. Whoever is connected goes on; the others are turned away,
/// and come in when there is room.
final class HandlesCampaign implements Campaign {
    private static final String STREAM = "handles";
    private static final int PARTITIONS = 8;
    private static final int HANDLES = 256;
    private static final int CONNECTIONS = 300;
    private static final int SENDS = 150;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private long served;
    private long refused;

    @Override
    public String name() {
        return "handles";
    }

    @Override
    public String deed() {
        return "may have " + HANDLES + " file handles (ulimit -n) while " + CONNECTIONS
                + " clients connect and segments pile up";
    }

    @Override
    public void run(Trial trial) throws IOException, InterruptedException {
        while (trial.goesOn()) {
            Path data = trial.newPath("data");
            ServerSettings settings = trial.settings(data).withOpenFilesMax(HANDLES);
            Producer producer = new Producer(STREAM, new Ledger(), new Sequence());
            ServerProcess server =
                    ServerProcess.start(trial.isGalgo() ? settings.withSegmentBytesMax(65_536) : settings);
            try {
                round(trial, server, producer);
                server.kill();
                server = trial.recovered(server.startAgain());
                try (RawClient client = server.client()) {
                    producer.judge(client, places());
                }
            } finally {
                server.close();
                trial.close(producer.ledger());
            }
            trial.discard(data);
        }
        trial.note(served + " connections served, " + refused + " turned away");
        served = 0;
        refused = 0;
    }

    private static List<Place> places() {
        List<Place> places = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            places.add(new Place("events", partition));
        }
        return places;
    }

    private void round(Trial trial, ServerProcess server, Producer producer) throws IOException {
        List<RawClient> crowd = new ArrayList<>();
        try (RawClient client = server.client()) {
            client.createStream(STREAM);
            client.createTopic(
                    STREAM,
                    "events",
                    PARTITIONS,
                    Body.of().option("segment_size", 1 << 20).toBytes());
            work(client, producer, trial.random());
            for (int i = 0; i < CONNECTIONS; i++) {
                RawClient one = connected(server);
                if (one == null) {
                    refused++;
                } else {
                    served++;
                    crowd.add(one);
                }
            }
            work(client, producer, trial.random());
            producer.judge(client, places());
            if (!server.isAlive()) {
                throw new AssertionError("the server died by itself:\n" + server.logTail());
            }
        } finally {
            crowd.forEach(RawClient::close);
        }
        long since = System.nanoTime();
        for (RawClient later = connected(server); ; later = connected(server)) {
            if (later != null) {
                later.close();
                break;
            }
            if (System.nanoTime() - since > PATIENCE.toNanos()) {
                throw new AssertionError("nobody can connect " + PATIENCE + " after all others left");
            }
            LockSupport.parkNanos(10_000_000);
        }
    }

    private static @Nullable RawClient connected(ServerProcess server) {
        RawClient client = null;
        try {
            client = RawClient.connect(server.address());
            client.waitFor(PATIENCE);
            if (client.ask(Code.PING, new byte[0]).isOk()) {
                return client;
            }
        } catch (IOException _) {
            // Turned away.
        }
        if (client != null) {
            client.close();
        }
        return null;
    }

    /// The established client: every send has to be confirmed, however often it is asked to come again.
    private static void work(RawClient client, Producer producer, Random random) throws IOException {
        List<Place> places = places();
        for (int i = 0; i < SENDS; i++) {
            Place place = places.get(random.nextInt(PARTITIONS));
            String outcome = "";
            long since = System.nanoTime();
            while (!outcome.equals("OK")) {
                outcome = producer.send(client, place, 1 + random.nextInt(4), 8 + random.nextInt(20_000));
                boolean isRefused = !outcome.equals("OK") && !outcome.equals("DENY 58");
                if (isRefused || System.nanoTime() - since > PATIENCE.toNanos()) {
                    throw new AssertionError("a send of an established client was answered with " + outcome);
                }
            }
        }
    }
}
