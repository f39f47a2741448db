package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Options;
import io.galgo.protocol.Partitioning;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.Request;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PipeliningTest {
    /// Seeds tried; `-Dgalgo.seeds=1000` for a long search.
    private static final int SEEDS = Integer.getInteger("galgo.seeds", 40);

    @Test
    void repliesLeaveInTheOrderOfTheRequestsHoweverTheDiskAnswers() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int shards = 1 + random.nextInt(3);
            TestNode node = new TestNode(shards, TestNode.SETTINGS, seed);
            TestClient client = node.root(random.nextInt(shards));
            client.createTopic(4);
            List<Long> expected = new ArrayList<>();
            int sent = 0;
            while (sent < 60) {
                if (!client.link.isPaused() && random.nextBoolean()) {
                    Request request = randomRequest(random, sent);
                    ByteBuffer frame = client.frame(request);
                    expected.add(frame.getLong(168));
                    client.deliver(frame);
                    sent++;
                } else {
                    node.step(random);
                }
            }
            while (node.step(random)) {}
            List<Long> got = new ArrayList<>();
            while (!client.hasNothing()) {
                Answer answer = client.next();
                assertThat(answer.outcome())
                        .as("seed %s, request %s", seed, answer.number())
                        .isEqualTo("ok");
                got.add(answer.number());
            }
            assertThat(got).as("request numbers of the replies, seed %s", seed).isEqualTo(expected);
            node.assertNoMemoryIsHeld();
        }
    }

    private static Request randomRequest(SplittableRandom random, int step) {
        return switch (random.nextInt(8)) {
            case 0 -> new BodilessRequest(CommandCode.GET_STREAMS);
            case 1 -> TestClient.poll(random.nextInt(4), PollingStrategy.FIRST, 10, false);
            case 2 -> new CreateStream("stream " + step, Options.NONE);
            case 3 -> TestClient.send(Partitioning.balanced(), Batches.of("x"));
            default -> TestClient.send(random.nextInt(4), "message " + step);
        };
    }

    @Test
    void writesOverlapAndEverythingElseWaitsForThem() {
        TestNode node = new TestNode(1);
        TestClient client = node.root(0);
        client.createTopic(2);
        client.sendOk(0, "first");
        client.sendOk(1, "first");
        int idle = node.disk.pendingCount();
        client.post(TestClient.send(0, "a"));
        int one = node.disk.pendingCount();
        client.post(TestClient.send(1, "b"));
        assertThat(node.disk.pendingCount())
                .as("disk operations of two writes at once")
                .isGreaterThan(one);
        assertThat(one).isGreaterThan(idle);
        client.post(new BodilessRequest(CommandCode.PING));
        client.post(TestClient.send(0, "c"));
        while (node.transmit()) {}
        assertThat(client.hasNothing())
                .as("the ping waits for the writes before it")
                .isTrue();
        assertThat(client.connection.pendingCount()).isEqualTo(4);
        node.run();
        assertThat(client.link.receivedCount()).isEqualTo(4);
    }

    @Test
    void aClientThatSendsTooMuchIsPausedAndResumed() {
        TestNode node = new TestNode(1);
        TestClient client = node.root(0);
        client.createTopic(1);
        client.sendOk(0, "first");
        for (int i = 0; i < 7; i++) {
            client.post(TestClient.send(0, "m"));
            assertThat(client.link.isPaused()).as("after %s requests", i + 1).isFalse();
        }
        client.post(TestClient.send(0, "m"));
        assertThat(client.link.isPaused())
                .as("after client_queue_capacity requests")
                .isTrue();
        node.run();
        assertThat(client.link.isPaused()).as("when they are answered").isFalse();
        assertThat(client.link.receivedCount()).isEqualTo(8);
    }

    @Test
    void framesThatWereDecodedBeforeThePauseAreKeptAndThoseBehindThemRefused() {
        TestNode node = new TestNode(1);
        TestClient client = node.root(0);
        client.createTopic(1);
        client.sendOk(0, "first");
        for (int i = 0; i < 20; i++) {
            client.post(TestClient.send(0, "m"));
        }
        node.run();
        List<String> outcomes = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            outcomes.add(client.next().outcome());
        }
        // 4 are written at a time and 8 may wait in the partition; 16 are kept by the connection.
        assertThat(outcomes.subList(0, 12)).containsOnly("ok");
        assertThat(outcomes.subList(12, 20)).containsOnly("deny 58");
        assertThat(client.link.isClosed()).isFalse();
    }

    @Test
    void aLinkThatDoesNotPauseIsGivenUpInTheEnd() {
        TestNode node = new TestNode(1);
        TestClient client = node.root(0);
        client.createTopic(1);
        client.sendOk(0, "first");
        client.post(new CreateStream("blocks", Options.NONE));
        for (int i = 0; i < 1_000; i++) {
            client.post(new BodilessRequest(CommandCode.PING));
        }
        assertThat(client.link.isClosed()).isTrue();
        assertThat(node.log.warnings).anyMatch(line -> line.contains("reading is paused"));
        node.run();
        node.assertNoMemoryIsHeld();
    }

    @Test
    void aClientThatDoesNotReadIsNotServedFurther() {
        TestNode node = new TestNode(1);
        TestClient client = node.root(0);
        client.createTopic(1);
        String large = "x".repeat(900_000);
        client.sendOk(0, large);
        client.link.reading(false);
        for (int i = 0; i < 8; i++) {
            client.post(TestClient.poll(0, PollingStrategy.FIRST, 1, false));
            node.run();
        }
        assertThat(client.link.unsentCount())
                .as("replies of 0.9 MB against a bound of 4 MiB")
                .isEqualTo(5);
        client.link.reading(true);
        node.run();
        assertThat(client.link.receivedCount()).isEqualTo(8);
    }

    @Test
    void aConnectionThatBreaksReleasesEverythingWhateverIsRunning() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            TestNode node = new TestNode(1 + random.nextInt(3), TestNode.SETTINGS, seed);
            TestClient client = node.root(0);
            client.createTopic(4);
            for (int i = 0; i < 20; i++) {
                if (!client.link.isPaused()) {
                    client.post(randomRequest(random, i));
                }
                if (random.nextInt(3) == 0) {
                    node.step(random);
                }
            }
            client.link.cut();
            node.clients.remove(client);
            while (node.step(random)) {}
            node.assertNoMemoryIsHeld();
        }
    }
}
