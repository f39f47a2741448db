package io.galgo.torture.campaign;

import io.galgo.torture.history.Ledger;
import io.galgo.torture.history.Ledger.Place;
import io.galgo.torture.server.Commands;
import io.galgo.torture.server.DiskBackend;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Polled;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.RefusedException;
import io.galgo.torture.wire.Strategy;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/// A small file system that gets full while clients send, and has room again later. Meanwhile the server may be
/// killed and started.
final class FullDiskCampaign implements Campaign {
    private static final int MEBIBYTES = 64;
    private static final int BALLAST_MIN = 16;
    private static final int BALLAST_MAX = 36;
    private static final String STREAM = "full";
    private static final List<Place> PLACES =
            List.of(new Place("replicated", 0), new Place("replicated", 1), new Place("persisted", 0));
    /// A send that finds no room, and one that is asked to come again.
    private static final Set<String> REFUSALS = Set.of("DENY 4010", "DENY 57", "DENY 58");
    private static final int SENDS_MAX = 20_000;
    private static final int REFUSALS_WANTED = 6;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final TreeMap<String, Integer> outcomes = new TreeMap<>();
    private int startsWithoutRoom;

    @Override
    public String name() {
        return "full-disk";
    }

    @Override
    public String deed() {
        return "runs out of disk space while clients send, and gets some later, with or without a kill in between";
    }

    @Override
    public void run(Trial trial) throws IOException, InterruptedException, SkippedException {
        Path mount = Files.createDirectories(trial.newPath("small"));
        try {
            Commands.Outcome mounted =
                    Commands.run("mount", "-t", "tmpfs", "-o", "size=" + MEBIBYTES + "m", "tmpfs", mount.toString());
            if (!mounted.isSuccess()) {
                throw new SkippedException("a small file system cannot be mounted here (root can): "
                        + mounted.output().strip());
            }
        } catch (IOException e) {
            throw new SkippedException("there is no command to mount a small file system: " + e.getMessage());
        }
        try {
            while (trial.goesOn()) {
                round(trial, mount);
            }
        } finally {
            Commands.run("umount", "-l", mount.toString());
        }
        trial.note("sends were answered: " + outcomes);
        trial.note(startsWithoutRoom + " starts on the full disk; recovery is the time from room to the first send"
                + " that was confirmed");
        outcomes.clear();
        startsWithoutRoom = 0;
    }

    private void round(Trial trial, Path mount) throws IOException, InterruptedException {
        Random random = trial.random();
        Path data = mount.resolve("data");
        Path ballast = mount.resolve("ballast");
        Producer producer = new Producer(STREAM, new Ledger(), new Sequence());
        int maximum = 200 + random.nextInt(100_000);
        ServerProcess server = ServerProcess.start(trial.settings(data));
        try {
            prepare(server);
            fill(ballast, BALLAST_MIN + random.nextInt(BALLAST_MAX - BALLAST_MIN));
            try (RawClient client = server.client()) {
                sendUntilFull(client, producer, random, maximum);
                lookAround(trial, server, client);
            }
            if (random.nextInt(3) > 0) {
                server.kill();
                server = startWithoutRoom(trial, server, ballast);
            }
            Files.deleteIfExists(ballast);
            long since = System.nanoTime();
            awaitRoom(server, producer, since);
            trial.recovered(Duration.ofNanos(System.nanoTime() - since));
            try (RawClient client = server.client()) {
                producer.judge(client, PLACES);
            }
            server.kill();
            server = server.startAgain();
            try (RawClient client = server.client()) {
                producer.judge(client, PLACES);
            }
        } finally {
            server.close();
            trial.close(producer.ledger());
            Files.deleteIfExists(ballast);
            Trial.deleteTree(data);
        }
    }

    private static void prepare(ServerProcess server) throws IOException {
        try (RawClient client = server.client()) {
            client.createStream(STREAM);
            byte[] small = Body.of().option("segment_size", 1 << 20).toBytes();
            client.createTopic(STREAM, "replicated", 2, small);
            byte[] persisted = Body.of()
                    .option("durability", "persisted")
                    .option("segment_size", 1 << 20)
                    .toBytes();
            client.createTopic(STREAM, "persisted", 1, persisted);
        }
    }

    /// What somebody else keeps on the same disk, and removes later.
    private static void fill(Path ballast, int mebibytes) throws IOException {
        byte[] block = new byte[1 << 20];
        try (OutputStream file = Files.newOutputStream(ballast)) {
            for (int i = 0; i < mebibytes; i++) {
                file.write(block);
            }
        }
    }

    private void sendUntilFull(RawClient client, Producer producer, Random random, int bytesMax) throws IOException {
        int refused = 0;
        for (int i = 0; i < SENDS_MAX && refused < REFUSALS_WANTED; i++) {
            Place place = PLACES.get(random.nextInt(PLACES.size()));
            String outcome = producer.send(client, place, 1 + random.nextInt(5), 8 + random.nextInt(bytesMax));
            outcomes.merge(outcome, 1, Integer::sum);
            if (REFUSALS.contains(outcome)) {
                producer.ledger().mayLackOffsets(place);
                refused++;
                LockSupport.parkNanos(10_000_000);
            } else if (!outcome.equals("OK")) {
                throw new AssertionError("a send to a full disk was answered with " + outcome);
            }
        }
        if (refused < REFUSALS_WANTED) {
            throw new AssertionError("the disk did not get full");
        }
    }

    /// What has to work without room: polls for everybody, and logins where the server could reserve some.
    private static void lookAround(Trial trial, ServerProcess server, RawClient client) throws IOException {
        Polled polled = client.poll(STREAM, PLACES.getFirst().topic(), 0, Strategy.first(), 1);
        if (polled.messages().size() != 1) {
            throw new AssertionError("a poll found nothing while the disk was full");
        }
        if (trial.isGalgo() && trial.disk() == DiskBackend.RING) {
            server.client().close();
        }
    }

    private ServerProcess startWithoutRoom(Trial trial, ServerProcess server, Path ballast)
            throws IOException, InterruptedException {
        try {
            ServerProcess started = server.startAgain();
            startsWithoutRoom++;
            return started;
        } catch (AssertionError e) {
            if (trial.isGalgo() && trial.disk() == DiskBackend.RING) {
                throw e;
            }
            // Nothing could be reserved for it. With room it has to come back.
            Files.deleteIfExists(ballast);
            return server.startAgain();
        }
    }

    private static void awaitRoom(ServerProcess server, Producer producer, long since) throws IOException {
        String outcome = "";
        for (Place place : PLACES) {
            do {
                if (System.nanoTime() - since > PATIENCE.toNanos()) {
                    throw new AssertionError("there is room since " + PATIENCE + ", and a send to " + place
                            + " is answered with " + outcome);
                }
                try (RawClient client = server.client()) {
                    outcome = producer.send(client, place, 1, 100);
                } catch (RefusedException e) {
                    outcome = e.outcome();
                }
                if (!outcome.equals("OK")) {
                    LockSupport.parkNanos(50_000_000);
                }
            } while (!outcome.equals("OK"));
        }
    }
}
