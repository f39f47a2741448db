package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.broker.partition.PartitionDirectory;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.reply.GroupDetails;
import io.galgo.protocol.reply.Stats;
import io.galgo.protocol.reply.TopicDetails;
import io.galgo.protocol.reply.UserRecord;
import io.galgo.protocol.reply.UserRecords;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeletePartitions;
import io.galgo.protocol.request.DeleteTopic;
import io.galgo.protocol.request.PurgeTopic;
import io.galgo.protocol.request.Request;
import io.galgo.storage.Unreadable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {1, 2, 3})
class RestartTest {
    private final TestNode node;
    private TestClient client;

    RestartTest(int shardsCount) {
        node = new TestNode(shardsCount);
        client = node.root(shardsCount - 1);
        client.createTopic(3);
    }

    private Stats stats() {
        return Objects.requireNonNull(Stats.decode(
                client.ask(new BodilessRequest(CommandCode.GET_STATS)).body()));
    }

    @Test
    void aGracefulRestartKeepsEverything() {
        for (int i = 0; i < 30; i++) {
            client.sendOk(i % 3, "message " + i);
        }
        assertThat(client.ask(TestClient.store(TestClient.CONSUMER, 1, 4)).outcome())
                .isEqualTo("ok");
        client.pollOk(TestClient.poll(2, PollingStrategy.NEXT, 7, true));
        assertThat(client.ask(new CreateUser("alice", "password", 1, null, Options.NONE))
                        .outcome())
                .isEqualTo("ok");
        client.createGroup("g");
        client.joinOk("g");
        assertThat(client.ask(TestClient.store(TestClient.group("g"), 0, 3)).outcome())
                .isEqualTo("ok");
        assertThat(client.ask(TestClient.leave("g")).outcome()).isEqualTo("ok");
        TopicDetails topic = client.topic();
        GroupDetails group = client.groupDetails("g");
        List<UserRecord> users = users();
        Stats before = stats();
        node.stopAndRestart();
        client = node.root(0);
        Stats after = stats();
        assertThat(after.messagesCount()).isEqualTo(before.messagesCount()).isEqualTo(30);
        assertThat(after.messagesSizeBytes()).isEqualTo(before.messagesSizeBytes());
        assertThat(after.segmentsCount()).isEqualTo(before.segmentsCount());
        assertThat(client.stored(TestClient.CONSUMER, 1)).isEqualTo(4);
        assertThat(client.stored(TestClient.CONSUMER, 2)).isEqualTo(6);
        assertThat(client.topic()).isEqualTo(topic);
        assertThat(client.groupDetails("g")).isEqualTo(group);
        assertThat(client.stored(TestClient.group("g"), 0)).isEqualTo(3);
        assertThat(users()).isEqualTo(users).hasSize(2);
        for (int partition = 0; partition < 3; partition++) {
            List<String> sent = new ArrayList<>();
            for (int i = partition; i < 30; i += 3) {
                sent.add("message " + i);
            }
            assertThat(TestClient.payloads(client.pollOk(partition, PollingStrategy.FIRST, 100)))
                    .isEqualTo(sent);
        }
        assertThat(client.sendOk(0, "next")).as("offsets go on without a jump").isEqualTo(10);
    }

    private List<UserRecord> users() {
        return Objects.requireNonNull(UserRecords.decode(
                        client.ask(new BodilessRequest(CommandCode.GET_USERS)).body()))
                .users();
    }

    @Test
    void aConsumerInTheMiddleOfAPartitionGoesOnBehindWhatItReadBeforeTheRestart() {
        for (int i = 0; i < 20; i++) {
            client.sendOk(0, "m" + i);
        }
        List<Long> read = new ArrayList<>(TestClient.offsets(next()));
        node.stopAndRestart();
        client = node.root(0);
        assertThat(client.stored(TestClient.CONSUMER, 0)).isEqualTo(6);
        read.addAll(TestClient.offsets(next()));
        node.killAndRestart();
        client = node.root(0);
        assertThat(client.stored(TestClient.CONSUMER, 0)).isEqualTo(13);
        read.addAll(TestClient.offsets(next()));

        assertThat(read)
                .as("offsets, none skipped and none twice")
                .isEqualTo(LongStream.range(0, 20).boxed().toList());
    }

    private List<Batches.Message> next() {
        return client.pollOk(TestClient.poll(0, PollingStrategy.NEXT, 7, true));
    }

    @Test
    void aDirectoryThatADeletionLeftBehindIsRemoved() {
        String left = PartitionDirectory.path(0, 0, 7) + ".99.removed";
        String others = PartitionDirectory.path(0, 0, 7) + ".backup";
        node.disk.content(left + "/superblock", new byte[10]);
        node.disk.content(others + "/superblock", new byte[10]);
        node.stopAndRestart();
        node.run();
        assertThat(node.disk.exists(left)).isFalse();
        assertThat(node.disk.exists(others)).as("somebody else's").isTrue();
    }

    @Test
    void anotherNumberOfShardsServesTheSameFiles() {
        for (int i = 0; i < 9; i++) {
            client.sendOk(i % 3, "message " + i);
        }
        node.stop();
        for (int shards = 1; shards <= 4; shards++) {
            TestNode other = new TestNode(shards, TestNode.SETTINGS, node.disk, 64 << 20);
            TestClient reader = other.root(shards - 1);
            for (int partition = 0; partition < 3; partition++) {
                assertThat(TestClient.payloads(reader.pollOk(partition, PollingStrategy.FIRST, 3)))
                        .as("partition %s on %s shards", partition, shards)
                        .containsExactly(
                                "message " + partition, "message " + (partition + 3), "message " + (partition + 6));
            }
            other.stop();
        }
    }

    @Test
    void aKilledProcessLosesNothingAcknowledgedAndJumpsNoOffset() {
        client.sendOk(0, "one");
        node.killAndRestart();
        client = node.root(0);
        assertThat(client.sendOk(0, "two")).isEqualTo(1);
        node.killAndRestart();
        client = node.root(0);
        assertThat(TestClient.payloads(client.pollOk(0, PollingStrategy.FIRST, 10)))
                .containsExactly("one", "two");
    }

    @Test
    void stoppingFinishesWhatRunsAndClosesTheConnections() {
        client.sendOk(0, "warm");
        for (int i = 0; i < 3; i++) {
            client.post(TestClient.send(0, "running " + i));
        }
        while (node.runParcels()) {}
        node.stop();
        assertThat(client.link.isClosed()).isTrue();
        int confirmed = 0;
        while (!client.hasNothing()) {
            assertThat(client.next().outcome()).isIn("ok", "deny 58");
            confirmed++;
        }
        assertThat(confirmed).as("answers to what was running").isEqualTo(3);
    }

    @Test
    void requestsThatArriveWhileItStopsAreDropped() {
        node.shard(client.shard.index()).stop(() -> {});
        client.deliver(client.frame(TestClient.send(0, "late")));
        node.run();
        assertThat(client.hasNothing()).isTrue();
        assertThat(client.link.isClosed()).isTrue();
    }

    @Test
    void aPollThatWaitsForTheDiskWhenItStopsStoresNoOffset() {
        client.sendOk(0, "message");
        node.killAndRestart();
        TestClient consumer = node.root(0);
        consumer.post(TestClient.poll(0, PollingStrategy.FIRST, 1, true));
        while (node.runParcels()) {}
        for (int i = 0; i < node.shardsCount(); i++) {
            node.shard(i).stop(() -> {});
        }
        node.clock.advance(3_000_000_000L);
        node.run();
        assertThat(consumer.next().outcome()).isEqualTo("deny 58");
        node.restart();
        assertThat(node.root(0).stored(TestClient.CONSUMER, 0)).isEqualTo(-1);
    }

    @Test
    void aPurgeThatReachesAStoppedShardIsDoneAtTheNextStart() {
        int stopped = node.shardsCount() - 1;
        for (int partition = 0; partition < 3; partition++) {
            client.sendOk(partition, "purged");
        }
        TestClient admin = node.root(0);
        if (stopped > 0) {
            node.shard(stopped).stop(() -> {});
            node.run();
            node.clock.advance(3_000_000_000L);
            node.run();
        }
        assertThat(admin.ask(new PurgeTopic(Identifier.of("s"), Identifier.of("t")))
                        .outcome())
                .isEqualTo("ok");
        node.killAndRestart();
        TestClient reader = node.root(0);
        for (int partition = 0; partition < 3; partition++) {
            assertThat(reader.pollOk(partition, PollingStrategy.FIRST, 10)).isEmpty();
        }
    }

    @Test
    void aShardThatStoppedRefusesTheOthers() {
        if (node.shardsCount() == 1) {
            return;
        }
        int stopped = node.shardsCount() - 1;
        TestClient elsewhere = node.root(0);
        node.shard(stopped).stop(() -> {});
        node.run();
        node.clock.advance(3_000_000_000L);
        node.run();
        int partition = 0;
        while (PartitionDirectory.owner(0, 0, partition, node.shardsCount()) != stopped) {
            partition++;
        }
        assertThat(elsewhere.ask(TestClient.send(partition, "x")).outcome()).isEqualTo("deny 58");
    }

    @Test
    void aNodeThatStopsWaitsForTheReadsOfClientsThatAreGone() {
        for (int partition = 0; partition < 3; partition++) {
            client.sendOk(partition, "on disk");
        }
        node.killAndRestart();
        int last = node.shardsCount() - 1;
        List<TestClient> readers = List.of(node.root(last), node.root(last), node.root(last));
        for (int partition = 0; partition < 3; partition++) {
            readers.get(partition).post(TestClient.poll(partition, PollingStrategy.FIRST, 1, false));
        }
        node.runKeeping(3);
        assertThat(node.disk.pendingCount()).as("reads in flight").isEqualTo(3);
        cutAll();
        List<Long> held = stopAndSeeWhatIsHeld();
        node.runKeeping(3);
        node.run();
        assertThat(held).as("buffers of each shard once all have stopped").isEqualTo(nothing());
    }

    @Test
    void aNodeThatStopsWaitsForAnswersThatNobodyHasTaken() {
        int partition = 0;
        while (PartitionDirectory.owner(0, 0, partition, node.shardsCount()) == node.shardsCount() - 1) {
            if (node.shardsCount() == 1) {
                return;
            }
            partition++;
        }
        client.sendOk(partition, "in memory");
        client.post(TestClient.poll(partition, PollingStrategy.FIRST, 1, false));
        node.runParcels(PartitionDirectory.owner(0, 0, partition, node.shardsCount()));
        cutAll();
        List<Long> held = stopAndSeeWhatIsHeld();
        while (node.disk.runNext()) {
            assertThat(held).as("buffers of each shard once all have stopped").isIn(List.of(), nothing());
        }
        node.run();
        assertThat(held).as("buffers of each shard once all have stopped").isEqualTo(nothing());
    }

    @Test
    void aNodeThatStopsWaitsForWritesToWhatWasPurged() {
        TestClient other = node.root(0);
        client.post(TestClient.send(1, "gone soon"));
        assertStopWaitsForWhatWasInFlightBefore(other, new PurgeTopic(Identifier.of("s"), Identifier.of("t")));
    }

    @Test
    void aNodeThatStopsWaitsForWritesToWhatWasDeleted() {
        TestClient other = node.root(0);
        client.post(TestClient.send(1, "gone soon"));
        assertStopWaitsForWhatWasInFlightBefore(other, new DeleteTopic(Identifier.of("s"), Identifier.of("t")));
    }

    @Test
    void aNodeThatStopsWaitsForOffsetsOfWhatWasDeleted() {
        TestClient other = node.root(0);
        client.sendOk(1, "gone soon");
        client.post(TestClient.store(TestClient.CONSUMER, 1, 0));
        assertStopWaitsForWhatWasInFlightBefore(other, new DeleteTopic(Identifier.of("s"), Identifier.of("t")));
    }

    /// Something was asked for that the disk has not begun with yet.
    private void assertStopWaitsForWhatWasInFlightBefore(TestClient other, Request change) {
        node.runKeeping(Integer.MAX_VALUE);
        int inFlight = node.disk.pendingCount();
        assertThat(inFlight).as("operations in flight").isPositive();
        other.post(change);
        node.runKeeping(inFlight);
        assertThat(other.hasNothing()).as("the change is answered").isFalse();
        cutAll();
        List<Long> held = stopAndSeeWhatIsHeld();
        node.runKeeping(inFlight);
        assertThat(held).as("the node has stopped with writes in flight").isEmpty();
        node.run();
        assertThat(held)
                .as("buffers of each shard, and files, once all have stopped")
                .isEqualTo(nothing());
    }

    private void cutAll() {
        node.clients.forEach(gone -> gone.link.cut());
        node.clients.clear();
    }

    private List<Long> nothing() {
        return Collections.nCopies(node.shardsCount() + 1, 0L);
    }

    /// Tells all shards to stop. When the last one has, the buffers in use of each are in the list, and behind them
    /// how many files are open.
    private List<Long> stopAndSeeWhatIsHeld() {
        List<Long> held = new ArrayList<>();
        int[] left = {node.shardsCount()};
        for (int i = 0; i < node.shardsCount(); i++) {
            node.shard(i).stop(() -> {
                left[0]--;
                for (int j = 0; left[0] == 0 && j < node.shardsCount(); j++) {
                    held.add(node.buffers(node.shard(j)).inUse());
                }
                if (left[0] == 0) {
                    held.add((long) node.disk.openFiles());
                }
            });
        }
        return held;
    }

    @Test
    void directoriesThatTheMetadataDoNotKnowAreRemovedAndStrangersStay() {
        client.sendOk(2, "goes");
        client.sendOk(0, "stays");
        assertThat(client.ask(new DeletePartitions(Identifier.of("s"), Identifier.of("t"), 1))
                        .outcome())
                .isEqualTo("ok");
        node.stop();
        byte[] content = {1, 2, 3};
        List<String> unknown = List.of(
                PartitionDirectory.path(0, 0, 2) + "/00000000000000000000.log",
                PartitionDirectory.path(0, 7, 0) + "/00000000000000000000.log",
                PartitionDirectory.path(9, 0, 0) + "/00000000000000000000.log",
                "discarded/0-1/left.log");
        List<String> strange = List.of("streams/readme.txt", "streams/0/topics/007/notes");
        for (String path : unknown) {
            node.disk.content(path, content);
        }
        for (String path : strange) {
            node.disk.content(path, content);
        }
        node.restart();
        node.run();
        assertThat(node.disk.files()).doesNotContainAnyElementsOf(unknown).containsAll(strange);
        client = node.root(0);
        assertThat(TestClient.payloads(client.pollOk(0, PollingStrategy.FIRST, 10)))
                .containsExactly("stays");
    }

    @Test
    void damagedMetadataRefuseToStartWithASentence() {
        for (int i = 0; i < 30; i++) {
            assertThat(client.createStream("stream " + i).outcome()).isEqualTo("ok");
        }
        node.stop();
        String journal = node.disk.files().stream()
                .filter(path -> path.startsWith(Node.METADATA + "/"))
                .max((a, b) -> Integer.compare(node.disk.content(a).length, node.disk.content(b).length))
                .orElseThrow();
        // Inside an operation: a record may be followed by a few bytes that mean nothing.
        String content = new String(node.disk.content(journal), StandardCharsets.ISO_8859_1);
        assertThat(content).contains("stream 10");
        node.disk.flipBit(journal, content.indexOf("stream 10"), 1);
        assertThatThrownBy(node::restart).isInstanceOf(Unreadable.class).hasMessageContaining(Node.METADATA);
    }
}
