package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.broker.partition.PartitionDirectory;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.DeleteTopic;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk;
import io.galgo.storage.form.Encryption;
import io.galgo.storage.memory.PooledBuffer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {1, 2})
class FaultsTest {
    private static final String LOG = PartitionDirectory.path(0, 0, 0) + "/00000000000000000000.log";

    private final TestNode node;
    private final TestClient client;

    FaultsTest(int shardsCount) {
        node = new TestNode(shardsCount);
        client = node.root(0);
    }

    private String poll(int partition) {
        return client.ask(TestClient.poll(partition, PollingStrategy.FIRST, 10, false))
                .outcome();
    }

    @Test
    void aFailedWriteIsNeverConfirmedAndStopsThePartitionOnly() {
        client.createTopic(2);
        client.sendOk(0, "good");
        client.sendOk(1, "good");
        node.disk.failNext(MemoryDisk.Operation.WRITE, DiskFault.Kind.IO, LOG);
        for (int i = 0; i < 3; i++) {
            client.post(TestClient.send(0, "lost " + i));
        }
        node.run();
        for (int i = 0; i < 3; i++) {
            assertThat(client.next().outcome()).as("send %s", i).isEqualTo("deny 4010");
        }
        assertThat(client.ask(TestClient.send(0, "later")).outcome()).isEqualTo("deny 58");
        assertThat(client.sendOk(1, "the other partition")).isEqualTo(1);
        assertThat(TestClient.payloads(client.pollOk(0, PollingStrategy.FIRST, 10)))
                .containsExactly("good");
        assertThat(node.log.errors)
                .anyMatch(line -> line.contains("0/0/0 (stream \"s\", topic \"t\") cannot be written"));
        node.killAndRestart();
        TestClient later = node.root(0);
        assertThat(later.sendOk(0, "after the restart")).isPositive();
        node.assertNoMemoryIsHeld();
    }

    @Test
    void aFullDiskRefusesSendsUntilThereIsRoomAgain() {
        client.createTopic(2);
        client.sendOk(0, "good");
        client.sendOk(1, "good");
        node.disk.capacity(node.disk.usedBytes() + 200);
        assertThat(client.ask(TestClient.send(0, "x".repeat(10_000))).outcome()).isEqualTo("deny 4010");
        assertThat(client.ask(TestClient.send(0, "x".repeat(10_000))).outcome()).isEqualTo("deny 58");
        assertThat(poll(0)).isEqualTo("ok");
        node.disk.capacity(Long.MAX_VALUE);
        assertThat(client.ask(TestClient.send(0, "at once")).outcome()).isEqualTo("deny 58");
        String outcome = "";
        for (int second = 0; second < 3 && !outcome.equals("ok"); second++) {
            node.clock.advance(1_000_000_000L);
            outcome = client.ask(TestClient.send(0, "again")).outcome();
            node.run();
        }
        assertThat(outcome).as("a send after there was room for 3 seconds").isEqualTo("ok");
        assertThat(TestClient.payloads(client.pollOk(0, PollingStrategy.FIRST, 10)))
                .containsExactly("good", "again");
    }

    @Test
    void aFailedReadIsRefusedForNow() {
        client.createTopic(1);
        client.sendOk(0, "message");
        node.killAndRestart();
        TestClient later = node.root(0);
        node.disk.failNext(MemoryDisk.Operation.READ, DiskFault.Kind.IO, ".log");
        assertThat(later.ask(TestClient.poll(0, PollingStrategy.FIRST, 10, false))
                        .outcome())
                .isEqualTo("deny 58");
        assertThat(TestClient.payloads(later.pollOk(0, PollingStrategy.FIRST, 10)))
                .containsExactly("message");
        node.assertNoMemoryIsHeld();
    }

    @Test
    void damageAnswersWithItsCodeAndWhatLiesBehindItIsServed() {
        client.createTopic(1);
        for (int i = 0; i < 10; i++) {
            client.sendOk(0, "message " + i);
        }
        // The fourth batch: each has 256 + 48 + 9 bytes.
        node.stopAndRestart();
        node.disk.flipBit(LOG, 3 * 313 + 300, 3);
        TestClient later = node.root(0);
        List<Long> served = new ArrayList<>();
        Answer first = later.ask(TestClient.poll(0, PollingStrategy.FIRST, 10, false));
        assertThat(first.outcome()).isEqualTo("ok");
        served.addAll(TestClient.offsets(TestClient.messages(first)));
        assertThat(later.ask(TestClient.poll(0, PollingStrategy.offset(3), 10, true))
                        .outcome())
                .isEqualTo("deny 4039");
        assertThat(later.stored(TestClient.CONSUMER, 0))
                .as("nothing was skipped silently")
                .isEqualTo(-1);
        served.addAll(TestClient.offsets(later.pollOk(0, PollingStrategy.offset(4), 10)));
        assertThat(served).containsExactly(0L, 1L, 2L, 4L, 5L, 6L, 7L, 8L, 9L);
        assertThat(later.sendOk(0, "writes go on")).isEqualTo(10);
        assertThat(node.log.errors).anyMatch(line -> line.contains("damaged at offset 3"));
    }

    @Test
    void aPollFromADamagedBeginningSaysSoAndIsNotEmpty() {
        client.createTopic(1);
        client.sendOk(0, "damaged");
        client.sendOk(0, "second");
        client.sendOk(0, "third");
        node.stopAndRestart();
        node.disk.flipBit(LOG, 300, 3);
        TestClient later = node.root(0);

        for (PollingStrategy strategy : List.of(
                PollingStrategy.FIRST, PollingStrategy.NEXT, PollingStrategy.offset(0), PollingStrategy.timestamp(0))) {
            assertThat(later.ask(TestClient.poll(0, strategy, 10, true)).outcome())
                    .as("%s", strategy)
                    .isEqualTo("deny 4039");
        }

        assertThat(later.stored(TestClient.CONSUMER, 0)).isEqualTo(-1);
        assertThat(TestClient.payloads(later.pollOk(0, PollingStrategy.offset(1), 10)))
                .containsExactly("second", "third");
        assertThat(TestClient.payloads(later.pollOk(0, PollingStrategy.LAST, 1)))
                .containsExactly("third");
    }

    @Test
    void aFailedMetadataJournalEndsMetadataButNotMessages() {
        client.createTopic(1);
        client.sendOk(0, "good");
        node.disk.failAll(MemoryDisk.Operation.SYNC, DiskFault.Kind.IO, "");
        Answer lost = client.createStream("lost");
        assertThat(lost.outcome()).as("nobody knows").isEqualTo("reject 57");
        assertThat(client.createStream("next").outcome()).isEqualTo("reject 58");
        assertThat(node.connect(0).tryLogin("root", "secret").outcome()).isEqualTo("reject 58");
        assertThat(client.sendOk(0, "still")).isEqualTo(1);
        assertThat(poll(0)).isEqualTo("ok");
        assertThat(node.log.errors).hasSize(1).first().asString().contains("metadata journal");
        node.disk.heal();
        node.killAndRestart();
        TestClient later = node.root(0);
        assertThat(TestClient.payloads(later.pollOk(0, PollingStrategy.FIRST, 10)))
                .containsExactly("good", "still");
    }

    @Test
    void aPartitionThatCannotBeOpenedIsRefusedUntilItCan() {
        client.createTopic(1);
        client.sendOk(0, "message");
        node.stop();
        node.disk.failAll(MemoryDisk.Operation.OPEN, DiskFault.Kind.TOO_MANY_FILES, ".log");
        node.restart();
        TestClient later = node.root(0);
        assertThat(later.ask(TestClient.poll(0, PollingStrategy.FIRST, 10, false))
                        .outcome())
                .isEqualTo("deny 58");
        assertThat(later.ask(TestClient.send(0, "x")).outcome()).isEqualTo("deny 58");
        assertThat(later.ask(TestClient.store(TestClient.CONSUMER, 0, 0)).outcome())
                .isEqualTo("deny 58");
        assertThat(later.ask(TestClient.get(TestClient.CONSUMER, 0)).outcome()).isEqualTo("deny 58");
        assertThat(later.topic().partitions().getFirst().segmentsCount()).isEqualTo(1);
        node.disk.heal();
        node.clock.advance(1_000_000_000L);
        assertThat(TestClient.payloads(later.pollOk(0, PollingStrategy.FIRST, 10)))
                .containsExactly("message");
        assertThat(later.sendOk(0, "more")).isEqualTo(1);
    }

    @Test
    void aPartitionThatCannotBeOpenedCanBeDeleted() {
        client.createTopic(1);
        client.sendOk(0, "message");
        node.stop();
        node.disk.failAll(MemoryDisk.Operation.OPEN, DiskFault.Kind.IO, ".log");
        node.restart();
        TestClient later = node.root(0);
        assertThat(later.ask(new DeleteTopic(Identifier.of("s"), Identifier.of("t")))
                        .outcome())
                .isEqualTo("ok");
        node.disk.heal();
        assertThat(later.createTopic("s", "t", 1).outcome()).isEqualTo("ok");
        assertThat(later.sendOk(0, "new")).isZero();
        assertThat(TestClient.payloads(later.pollOk(0, PollingStrategy.FIRST, 10)))
                .containsExactly("new");
    }

    @Test
    void withoutMemoryFramesAreRefusedAndTheProcessDoesNotGrow() {
        TestNode small = new TestNode(node.shardsCount(), TestNode.SETTINGS, new MemoryDisk(1), 3 << 20);
        TestClient sender = small.root(0);
        sender.createTopic(1);
        String payload = "x".repeat(200_000);
        List<String> outcomes = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            outcomes.add(sender.ask(TestClient.send(0, payload)).outcome());
            assertThat(small.budget.bytesHeld()).isLessThanOrEqualTo(3 << 20);
        }
        assertThat(outcomes).isSubsetOf("ok", "deny 58");
        assertThat(outcomes.stream().filter("ok"::equals)).hasSizeGreaterThan(5);
        long sent = outcomes.stream().filter("ok"::equals).count();
        long read = 0;
        while (read < sent) {
            Answer answer = sender.ask(TestClient.poll(0, PollingStrategy.offset(read), 3, false));
            assertThat(answer.outcome()).isIn("ok", "deny 58");
            if (answer.outcome().equals("ok")) {
                read += TestClient.messages(answer).size();
            }
        }
        small.assertNoMemoryIsHeld();
    }

    /// A node with as much memory, on the same disk.
    private static TestNode withMemory(MemoryDisk disk, long bytes, boolean encrypts) {
        BrokerSettings settings = Settings.with(TestNode.SETTINGS, "frameBytesMax", 8 << 20);
        TestNode made = new TestNode(1, Settings.with(settings, "segmentBytesMax", 1L << 20), disk, bytes);
        if (encrypts) {
            made.encryption(Encryption.with(new byte[Encryption.KEY_BYTES], true));
            made.stopAndRestart();
        }
        return made;
    }

    @Test
    void aBatchThatTakesMoreMemoryThanThereIsIsAPermanentError() {
        for (boolean encrypts : new boolean[] {false, true}) {
            MemoryDisk disk = new MemoryDisk(1);
            TestNode large = withMemory(disk, 64 << 20, encrypts);
            TestClient sender = large.root(0);
            sender.createTopic(1);
            sender.sendOk(0, "before");
            sender.sendOk(0, "x".repeat(3_000_000));
            sender.sendOk(0, "behind");
            large.stop();
            TestNode small = withMemory(disk, (encrypts ? 6 : 3) << 20, encrypts);
            TestClient reader = small.root(0);
            assertThat(TestClient.payloads(reader.pollOk(0, PollingStrategy.FIRST, 10)))
                    .as("encrypted: %s", encrypts)
                    .containsExactly("before");
            for (int i = 0; i < 2; i++) {
                assertThat(reader.ask(TestClient.poll(0, PollingStrategy.offset(1), 10, false))
                                .outcome())
                        .isEqualTo("deny 4011");
            }
            assertThat(TestClient.payloads(reader.pollOk(0, PollingStrategy.offset(2), 10)))
                    .containsExactly("behind");
            small.stop();
            TestNode again = withMemory(disk, 64 << 20, encrypts);
            assertThat(again.root(0).pollOk(0, PollingStrategy.FIRST, 10)).hasSize(3);
            again.stop();
        }
    }

    @Test
    void aBatchWhoseStoredFormTakesMoreMemoryThanThereIsIsAPermanentError() {
        TestNode small = withMemory(new MemoryDisk(1), 6 << 20, true);
        TestClient sender = small.root(0);
        sender.createTopic(1);
        assertThat(sender.ask(TestClient.send(0, "x".repeat(3_000_000))).outcome())
                .isEqualTo("deny 4022");
        assertThat(sender.sendOk(0, "short")).isZero();
    }

    @Test
    void eachKindOfRequestSaysInItsOwnWayThatThereIsNoMemory() {
        client.createTopic(1);
        node.starve(true);
        assertThat(withoutMemory(client.frame(TestClient.send(0, "x")))).isEqualTo("deny 58");
        assertThat(withoutMemory(client.frame(TestClient.poll(0, PollingStrategy.FIRST, 1, false))))
                .isEqualTo("deny 58");
        assertThat(withoutMemory(client.frame(new DeleteTopic(Identifier.of("s"), Identifier.of("t")))))
                .isEqualTo("reject 58");
        assertThat(withoutMemory(client.frame(new BodilessRequest(CommandCode.LOGOUT))))
                .isEqualTo("deny 58");
        assertThat(withoutMemory(client.frame(TestClient.password("root", "secret"))))
                .isEqualTo("reject 58");
        node.starve(false);
        assertThat(client.sendOk(0, "again")).isZero();
        node.assertNoMemoryIsHeld();
    }

    @Test
    void aPollWhoseAnswerFindsNoMemoryDoesNotMoveItsOffsetWithoutDeliveringTheMessages() {
        client.createTopic(1);
        for (int i = 0; i < 5; i++) {
            client.sendOk(0, "message " + i);
        }
        ByteBuffer frame = client.frame(TestClient.poll(0, PollingStrategy.NEXT, 3, true));
        PooledBuffer arrived = Objects.requireNonNull(node.buffers(client.shard).acquire(frame.remaining()));
        arrived.bytes().put(0, frame, 0, frame.remaining());
        node.starve(true);
        client.connection.onFrame(arrived.retain(), frame.remaining());
        node.run();
        String outcome = client.next().outcome();
        arrived.release();
        node.starve(false);
        assertThat(client.stored(TestClient.CONSUMER, 0))
                .as("the offset of a poll that was answered with %s", outcome)
                .isEqualTo(outcome.equals("ok") ? 2 : -1);
        assertThat(outcome).isEqualTo("ok");
        node.assertNoMemoryIsHeld();
    }

    private String withoutMemory(ByteBuffer frame) {
        client.connection.onFrameWithoutMemory(frame);
        node.run();
        return client.next().outcome();
    }

    @Test
    void whenEvenRefusalsFindNoMemoryTheConnectionIsClosedAndSaysWhy() {
        node.starve(true);
        client.link.reading(false);
        for (int i = 0; i < 8; i++) {
            TestClient greedy = node.connect(0);
            greedy.link.reading(false);
            for (int j = 0; j < 8; j++) {
                greedy.connection.onFrameWithoutMemory(greedy.frame(TestClient.password("root", "secret")));
            }
        }
        client.connection.onFrameWithoutMemory(client.frame(TestClient.send(0, "x")));
        assertThat(client.link.isClosed()).isTrue();
        assertThat(node.log.warnings).anyMatch(line -> line.contains("no memory"));
        node.starve(false);
        node.assertNoMemoryIsHeld();
    }
}
