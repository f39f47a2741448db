package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.broker.partition.PartitionDirectory;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.GetStream;
import io.galgo.protocol.request.PurgeTopic;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ParcelsTest {
    private static final int SHARDS = 2;

    private static TestNode node(int inboxCapacity) {
        return new TestNode(SHARDS, Settings.with(TestNode.SETTINGS, "inboxCapacity", inboxCapacity), 1);
    }

    /// A partition of topic 0/0 that a shard owns.
    private static int partitionOf(int shard) {
        return PartitionDirectory.owner(0, 0, 0, SHARDS) == shard ? 0 : 1;
    }

    @Test
    void aRequestCrossesToTheOwnerAndItsAnswerComesBack() {
        TestNode node = node(100);
        TestClient client = node.root(0);
        client.createTopic(2);
        int remote = partitionOf(1);
        assertThat(client.sendOk(remote, "there")).isZero();
        assertThat(TestClient.payloads(client.pollOk(remote, PollingStrategy.FIRST, 1)))
                .containsExactly("there");
        assertThat(client.ask(TestClient.store(TestClient.CONSUMER, remote, 0)).outcome())
                .isEqualTo("ok");
        assertThat(client.stored(TestClient.CONSUMER, remote)).isZero();
        node.assertNoMemoryIsHeld();
    }

    @Test
    void whenAMailboxIsFullRequestsAreRefusedAtOnceAndLaterServed() {
        TestNode node = node(8);
        TestClient admin = node.root(0);
        admin.createTopic(2);
        int remote = partitionOf(1);
        admin.sendOk(remote, "warm");
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            clients.add(node.root(0));
        }
        for (int i = 0; i < 12; i++) {
            clients.get(i % 4).post(TestClient.send(remote, "m" + i));
        }
        node.run();
        List<String> outcomes = new ArrayList<>();
        for (TestClient client : clients) {
            for (int i = 0; i < 3; i++) {
                outcomes.add(client.next().outcome());
            }
        }
        assertThat(outcomes.stream().filter("ok"::equals)).hasSize(8);
        assertThat(outcomes.stream().filter("deny 58"::equals)).hasSize(4);
        assertThat(admin.sendOk(remote, "later")).isEqualTo(9);
        node.assertNoMemoryIsHeld();
    }

    @Test
    void theSmallestMailboxHasRoomForEveryRequestOfAnIdleNode() {
        for (int shards = 2; shards <= 5; shards++) {
            for (int asking = 0; asking < shards; asking++) {
                TestNode node = new TestNode(shards, Settings.with(TestNode.SETTINGS, "inboxCapacity", 1), 1);
                TestClient client = node.root(asking);
                client.createTopic(shards);
                assertThat(client.createGroup("g").outcome()).isEqualTo("ok");
                assertThat(client.ask(TestClient.join("g")).outcome())
                        .as("a join through shard %s of %s", asking, shards)
                        .isEqualTo("ok");
                for (int partition = 0; partition < shards; partition++) {
                    assertThat(client.sendOk(partition, "m")).isZero();
                    assertThat(TestClient.payloads(client.pollOk(partition, PollingStrategy.FIRST, 1)))
                            .containsExactly("m");
                }
                assertThat(client.ask(new BodilessRequest(CommandCode.GET_STATS))
                                .outcome())
                        .isEqualTo("ok");
                assertThat(client.ask(TestClient.leave("g")).outcome()).isEqualTo("ok");
                assertThat(client.logout().outcome()).isEqualTo("ok");
                node.assertNoMemoryIsHeld();
            }
        }
    }

    @Test
    void eachKindOfRequestSaysInItsOwnWayThatAMailboxIsFull() {
        TestNode node = node(8);
        TestClient client = node.root(1);
        client.createTopic(2);
        TestClient stranger = node.connect(1);
        Runnable free = node.fillMailbox(0);
        assertThat(client.ask(TestClient.send(partitionOf(0), "x")).outcome()).isEqualTo("deny 58");
        assertThat(client.ask(TestClient.poll(partitionOf(0), PollingStrategy.FIRST, 1, false))
                        .outcome())
                .isEqualTo("deny 58");
        assertThat(client.ask(TestClient.get(TestClient.CONSUMER, partitionOf(0)))
                        .outcome())
                .isEqualTo("deny 58");
        assertThat(client.ask(new CreateStream("x", Options.NONE)).outcome()).isEqualTo("reject 58");
        assertThat(client.ask(new BodilessRequest(CommandCode.GET_STATS)).outcome())
                .isEqualTo("deny 58");
        assertThat(client.logout().outcome()).isEqualTo("deny 58");
        assertThat(stranger.tryLogin("root", "secret").outcome()).isEqualTo("reject 58");
        free.run();
        assertThat(client.ask(new CreateStream("x", Options.NONE)).outcome()).isEqualTo("ok");
        assertThat(client.logout().outcome()).isEqualTo("ok");
        node.assertNoMemoryIsHeld();
    }

    @Test
    void aMetadataCommandIsRefusedWhenItCouldNotBeToldToAllShards() {
        TestNode node = node(8);
        TestClient client = node.root(0);
        Runnable free = node.fillMailbox(1);
        assertThat(client.createStream("s").outcome()).isEqualTo("reject 58");
        free.run();
        assertThat(client.createStream("s").outcome()).isEqualTo("ok");
        assertThat(node.root(1)
                        .ask(new BodilessRequest(CommandCode.GET_STREAMS))
                        .body()
                        .remaining())
                .isPositive();
    }

    @Test
    void whatWasReservedForABroadcastIsGivenBackWhenOneMailboxIsFull() {
        TestNode node = new TestNode(3, Settings.with(TestNode.SETTINGS, "inboxCapacity", 8), 1);
        TestClient client = node.root(0);
        Runnable free = node.fillMailbox(2);
        for (int i = 0; i < 20; i++) {
            assertThat(client.createStream("s").outcome()).isEqualTo("reject 58");
        }
        free.run();
        assertThat(client.createStream("s").outcome()).isEqualTo("ok");
    }

    @Test
    void aSessionWhoseConnectionBreaksWhileTheMailboxIsFullEndsLater() {
        TestNode node = node(8);
        TestClient client = node.root(1);
        Runnable free = node.fillMailbox(0);
        client.link.cut();
        node.run();
        assertThat(node.shard(0).sessionsCount()).isEqualTo(1);
        free.run();
        node.clock.advance(60_000_000L);
        node.run();
        assertThat(node.shard(0).sessionsCount()).isZero();
    }

    /// Whoever has an answer and asks another shard must find what the answer said, even when that shard had no
    /// time to look into its mailbox.
    @Test
    void anAnswerImpliesThatEveryShardKnowsOfANewStream() {
        for (int asking = 0; asking < 3; asking++) {
            TestNode node = new TestNode(3);
            TestClient client = node.root(asking);
            TestClient[] observers = {node.root(0), node.root(1), node.root(2)};
            client.post(new CreateStream("x", Options.NONE));
            answerWithout(node, client, asking);
            for (TestClient observer : observers) {
                observer.post(new GetStream(Identifier.of("x")));
            }
            node.run();
            for (TestClient observer : observers) {
                assertThat(observer.next().body().remaining())
                        .as("made through shard %s, seen by shard %s", asking, observer.shard.index())
                        .isPositive();
            }
        }
    }

    @Test
    void anAnswerImpliesThatEveryShardKnowsOfAPurge() {
        for (int asking = 0; asking < 3; asking++) {
            for (int partition = 0; partition < 3; partition++) {
                TestNode node = new TestNode(3);
                TestClient client = node.root(asking);
                TestClient[] observers = {node.root(0), node.root(1), node.root(2)};
                client.createTopic(3);
                client.sendOk(partition, "gone");
                client.post(new PurgeTopic(Identifier.of("s"), Identifier.of("t")));
                answerWithout(node, client, asking);
                for (TestClient observer : observers) {
                    observer.post(TestClient.poll(partition, PollingStrategy.FIRST, 1, false));
                }
                node.run();
                for (TestClient observer : observers) {
                    assertThat(TestClient.messages(observer.next()))
                            .as(
                                    "partition %s, purged through shard %s, polled on shard %s",
                                    partition, asking, observer.shard.index())
                            .isEmpty();
                }
            }
        }
    }

    /// Gets the answer while only the plane's shard and the asking one look into their mailboxes.
    private static void answerWithout(TestNode node, TestClient client, int asking) {
        while (client.hasNothing()) {
            assertThat(node.runParcels(0) || node.runParcels(asking) || node.transmit() || node.disk.runNext())
                    .as("something to do")
                    .isTrue();
        }
        assertThat(client.next().outcome()).isEqualTo("ok");
    }
}
