package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.broker.partition.PartitionDirectory;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.TypedValue;
import io.galgo.protocol.reply.PartitionRecord;
import io.galgo.protocol.request.DeleteSegments;
import io.galgo.protocol.request.PurgeTopic;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/// What deletes messages: clients that ask for it, their age, and the size of their topic.
@ParameterizedClass
@ValueSource(ints = {1, 2})
class RetentionTest {
    /// Two messages of [#PAYLOAD] fill a segment.
    private static final long SEGMENT_BYTES = 2_000;

    private static final String PAYLOAD = "x".repeat(800);
    private static final long BATCH_BYTES = 256 + 48 + 800;
    private static final long SECOND = 1_000_000_000L;
    private static final ConsumerRef SLOW = ConsumerRef.consumer(Identifier.of("slow"));
    private static final ConsumerRef FAST = ConsumerRef.consumer(Identifier.of(7));

    private final TestNode node;
    private TestClient client;

    RetentionTest(int shardsCount) {
        BrokerSettings settings = Settings.with(TestNode.SETTINGS, "segmentBytesMax", SEGMENT_BYTES);
        settings = Settings.with(settings, "frameBytesMax", 64 << 10);
        node = new TestNode(shardsCount, Settings.with(settings, "cleanerIntervalNanos", SECOND), 1);
        client = node.root(0);
    }

    private static Options.Entry expiry(long micros) {
        return new Options.Entry("message_expiry", TypedValue.uint64(micros));
    }

    private void send(int partition, int count) {
        for (int i = 0; i < count; i++) {
            client.sendOk(partition, PAYLOAD);
        }
    }

    private String deleteSegments(int partition, long count) {
        return client.ask(new DeleteSegments(Identifier.of("s"), Identifier.of("t"), partition, count))
                .outcome();
    }

    private void pass(long nanos) {
        for (long left = nanos; left > 0; left -= SECOND / 4) {
            node.clock.advance(Math.min(left, SECOND / 4));
            node.run();
        }
    }

    private List<Long> offsets(int partition) {
        return TestClient.offsets(client.pollOk(partition, PollingStrategy.offset(0), 1_000));
    }

    private static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    private List<String> logs(int partition) {
        String directory = PartitionDirectory.path(0, 0, partition);
        List<String> logs = new ArrayList<>();
        for (String name : node.disk.list(directory)) {
            if (name.endsWith(".log")) {
                logs.add(name.substring(17, 20));
            }
        }
        return logs;
    }

    private void restart() {
        node.stopAndRestart();
        client = node.root(0);
    }

    // What clients ask for

    @Test
    void theOldestSealedSegmentsGoAndTheRestStaysAlsoAfterARestart() {
        client.createTopic(2);
        send(0, 9);
        assertThat(logs(0)).containsExactly("000", "002", "004", "006", "008");
        assertThat(deleteSegments(0, 2)).isEqualTo("ok");
        assertThat(offsets(0)).isEqualTo(range(4, 9));
        node.run();
        assertThat(logs(0)).containsExactly("004", "006", "008");
        PartitionRecord record = client.topic().partitions().getFirst();
        assertThat(record.currentOffset()).isEqualTo(8);
        assertThat(record.messagesCount()).isEqualTo(5);
        assertThat(record.sizeBytes()).isEqualTo(5 * BATCH_BYTES);
        assertThat(record.segmentsCount()).isEqualTo(3);
        restart();
        assertThat(offsets(0)).isEqualTo(range(4, 9));
        assertThat(client.topic().partitions().getFirst()).isEqualTo(record);
        assertThat(client.sendOk(0, PAYLOAD)).isEqualTo(9);
    }

    @Test
    void askingForMoreThanThereIsLeavesTheActiveSegment() {
        client.createTopic(1);
        send(0, 101);
        assertThat(deleteSegments(0, 0xffff_ffffL)).isEqualTo("ok");
        pass(SECOND);
        assertThat(logs(0)).containsExactly("100");
        assertThat(offsets(0)).containsExactly(100L);
        assertThat(deleteSegments(0, 0xffff_ffffL)).isEqualTo("ok");
        assertThat(offsets(0)).containsExactly(100L);
        node.assertNoMemoryIsHeld();
    }

    @Test
    void deletingNothingSucceeds() {
        client.createTopic(1);
        assertThat(deleteSegments(0, 0)).isEqualTo("ok");
        assertThat(deleteSegments(0, 5)).as("a partition without messages").isEqualTo("ok");
        send(0, 5);
        assertThat(deleteSegments(0, 0)).isEqualTo("ok");
        assertThat(offsets(0)).isEqualTo(range(0, 5));
    }

    @Test
    void whatDoesNotExistIsRejected() {
        assertThat(deleteSegments(0, 1)).isEqualTo("reject 1009");
        client.createStream("s");
        assertThat(deleteSegments(0, 1)).isEqualTo("reject 2010");
        client.createTopic("s", "t", 1);
        assertThat(deleteSegments(1, 1)).isEqualTo("reject 3007");
        assertThat(deleteSegments(-1, 1)).isEqualTo("reject 3007");
        Answer answer = client.ask(new DeleteSegments(Identifier.of("s"), Identifier.of("t"), 9, 1));
        assertThat(answer.operation()).as("operation of the reply").isEqualTo(68);
    }

    @Test
    void theSlowestConsumerDecidesToTheMessage() {
        client.createTopic(1);
        send(0, 9);
        client.ask(TestClient.store(SLOW, 0, 2));
        client.ask(TestClient.store(FAST, 0, 8));
        assertThat(deleteSegments(0, 3)).isEqualTo("ok");
        pass(SECOND);
        assertThat(offsets(0)).as("message 3 was not read").isEqualTo(range(2, 9));
        client.ask(TestClient.store(SLOW, 0, 3));
        pass(SECOND);
        assertThat(offsets(0)).isEqualTo(range(4, 9));
        client.ask(TestClient.store(SLOW, 0, 8));
        pass(SECOND);
        assertThat(offsets(0)).as("three segments were asked for").isEqualTo(range(6, 9));
    }

    @Test
    void theSlowestGroupDecidesToTheMessageAsAConsumerDoes() {
        client.createTopic(1);
        send(0, 9);
        client.createGroup("slow");
        client.createGroup("fast");
        client.joinOk("slow").joinOk("fast");
        storeOk(TestClient.group("slow"), 2);
        storeOk(TestClient.group("fast"), 8);
        storeOk(FAST, 8);
        assertThat(deleteSegments(0, 4)).isEqualTo("ok");
        pass(SECOND);
        assertThat(offsets(0)).as("one below the end of the second segment").isEqualTo(range(2, 9));
        storeOk(TestClient.group("slow"), 3);
        pass(SECOND);
        assertThat(offsets(0)).as("the end of the second segment").isEqualTo(range(4, 9));
        storeOk(FAST, 5);
        assertThat(client.deleteGroup("slow").outcome()).isEqualTo("ok");
        pass(SECOND);
        assertThat(offsets(0))
                .as("the group is gone, and now a consumer is the slowest")
                .isEqualTo(range(6, 9));
        storeOk(FAST, 8);
        pass(SECOND);
        assertThat(offsets(0)).isEqualTo(range(8, 9));
    }

    private void storeOk(ConsumerRef consumer, long offset) {
        assertThat(client.ask(TestClient.store(consumer, 0, offset)).outcome())
                .as("a store of %s by %s", offset, consumer)
                .isEqualTo("ok");
    }

    @Test
    void whatConsumersHoldUpIsStillDeletedAfterARestart() {
        client.createTopic(1);
        send(0, 9);
        client.ask(TestClient.store(SLOW, 0, 0));
        assertThat(deleteSegments(0, 3)).isEqualTo("ok");
        pass(SECOND);
        assertThat(offsets(0)).isEqualTo(range(0, 9));
        restart();
        pass(SECOND);
        assertThat(offsets(0)).isEqualTo(range(0, 9));
        client.ask(TestClient.delete(SLOW, 0));
        pass(SECOND);
        assertThat(offsets(0)).isEqualTo(range(6, 9));
        node.killAndRestart();
        client = node.root(0);
        assertThat(offsets(0)).isEqualTo(range(6, 9));
    }

    @Test
    void aConsumerThatCommitsAsItPollsReleasesWhatItHasRead() {
        client.createTopic(1);
        send(0, 9);
        client.ask(TestClient.store(TestClient.CONSUMER, 0, 0));
        deleteSegments(0, 3);
        client.ask(TestClient.poll(0, PollingStrategy.NEXT, 5, true));
        pass(SECOND);
        assertThat(offsets(0)).isEqualTo(range(6, 9));
    }

    @Test
    void aPurgeForgetsWhatWasToBeDeleted() {
        client.createTopic(1);
        send(0, 9);
        client.ask(TestClient.store(SLOW, 0, 0));
        deleteSegments(0, 4);
        client.ask(new PurgeTopic(Identifier.of("s"), Identifier.of("t")));
        send(0, 9);
        pass(2 * SECOND);
        assertThat(offsets(0)).isEqualTo(range(0, 9));
        restart();
        pass(2 * SECOND);
        assertThat(offsets(0)).isEqualTo(range(0, 9));
    }

    @Test
    void aKilledProcessLosesNoDeletionThatWasAcknowledged() {
        for (int operations = 0; operations < 12; operations++) {
            TestNode fresh = new TestNode(
                    node.shardsCount(), Settings.with(TestNode.SETTINGS, "segmentBytesMax", SEGMENT_BYTES), operations);
            TestClient sender = fresh.root(0);
            sender.createTopic(1);
            for (int i = 0; i < 9; i++) {
                sender.sendOk(0, PAYLOAD);
            }
            sender.post(new DeleteSegments(Identifier.of("s"), Identifier.of("t"), 0, 3));
            int left = operations;
            while (left > 0 && fresh.step()) {
                left--;
            }
            boolean isAcknowledged =
                    !sender.hasNothing() && sender.next().outcome().equals("ok");
            fresh.killAndRestart();
            TestClient reader = fresh.root(0);
            fresh.clock.advance(SECOND);
            fresh.run();
            List<Long> found = TestClient.offsets(reader.pollOk(0, PollingStrategy.FIRST, 100));
            if (isAcknowledged) {
                assertThat(found).as("after %s operations", operations).isEqualTo(range(6, 9));
            } else {
                assertThat(found).as("after %s operations", operations).isIn(range(0, 9), range(6, 9));
            }
        }
    }

    @Test
    void aFullDiskStillDeletesAndTakesMessagesAgain() {
        client.createTopic(1);
        send(0, 101);
        node.disk.capacity(node.disk.usedBytes() + 4_000);
        assertThat(client.ask(TestClient.send(0, "y".repeat(20_000))).outcome()).isEqualTo("deny 4010");
        assertThat(deleteSegments(0, 100)).isEqualTo("ok");
        pass(2 * SECOND);
        assertThat(offsets(0)).containsExactly(100L);
        client.ask(TestClient.send(0, PAYLOAD));
        pass(2 * SECOND);
        assertThat(client.ask(TestClient.send(0, PAYLOAD)).outcome()).isEqualTo("ok");
    }

    // What the cleaner does

    @Test
    void sealedSegmentsGoWhenTheirNewestMessageIsOldEnough() {
        client.createTopic(1, expiry(10_000_000));
        send(0, 2);
        pass(5 * SECOND);
        send(0, 3);
        pass(4 * SECOND);
        assertThat(offsets(0)).as("after 9 seconds").isEqualTo(range(0, 5));
        pass(2 * SECOND);
        assertThat(offsets(0)).as("after 11 seconds").isEqualTo(range(2, 5));
        pass(60 * SECOND);
        assertThat(offsets(0)).as("the active segment stays, however old").containsExactly(4L);
        assertThat(client.topic().partitions().getFirst().currentOffset()).isEqualTo(4);
        assertThat(client.topic().partitions().getFirst().messagesCount()).isEqualTo(1);
    }

    @Test
    void eachPartitionIsCleaned() {
        client.createTopic(5, expiry(10_000_000));
        for (int partition = 0; partition < 5; partition++) {
            send(partition, 5);
        }
        pass(12 * SECOND);
        for (int partition = 0; partition < 5; partition++) {
            assertThat(offsets(partition)).as("partition %s", partition).containsExactly(4L);
        }
    }

    @Test
    void aTopicWithoutABoundKeepsEverything() {
        client.createTopic(1);
        send(0, 9);
        pass(1_000 * SECOND);
        assertThat(offsets(0)).isEqualTo(range(0, 9));
    }

    @Test
    void anExpiredMessageThatNobodyHasReadStaysUntilSomebodyHas() {
        client.createTopic(1, expiry(1_000_000));
        send(0, 9);
        client.ask(TestClient.store(SLOW, 0, 1));
        pass(10 * SECOND);
        assertThat(offsets(0)).isEqualTo(range(2, 9));
        client.ask(TestClient.store(SLOW, 0, 8));
        pass(2 * SECOND);
        assertThat(offsets(0)).containsExactly(8L);
    }

    @Test
    void theOldestGoUntilASizeIsKept() {
        client.createTopic(
                2,
                new Options.Entry("max_topic_size", TypedValue.uint64(2 << 20)),
                new Options.Entry("segment_size", TypedValue.uint64(1 << 20)));
        for (int i = 0; i < 201; i++) {
            client.sendOk(0, PAYLOAD, PAYLOAD, PAYLOAD, PAYLOAD, PAYLOAD, PAYLOAD, PAYLOAD, PAYLOAD, PAYLOAD, PAYLOAD);
        }
        long batchBytes = client.topic().partitions().getFirst().sizeBytes() / 201;
        pass(20 * SECOND);
        // Half of the topic's bytes is this partition's, and each batch fills a segment.
        assertThat(client.topic().partitions().getFirst().sizeBytes() / batchBytes)
                .isEqualTo((1 << 20) / batchBytes);
        assertThat(client.topic().partitions().getFirst().currentOffset()).isEqualTo(2009);
        assertThat(client.topic().topic().sizeBytes())
                .isEqualTo(client.topic().partitions().getFirst().sizeBytes());
    }

    @Test
    void bothBoundsHoldAtOnceAndTheFurtherOneDecides() {
        client.createTopic(
                1,
                new Options.Entry("max_topic_size", TypedValue.uint64(1 << 20)),
                new Options.Entry("segment_size", TypedValue.uint64(1 << 20)),
                expiry(30_000_000));
        send(0, 1_101);
        pass(20 * SECOND);
        long bySize = client.topic().partitions().getFirst().messagesCount();
        assertThat(bySize).isLessThan(1_000);
        pass(60 * SECOND);
        assertThat(client.topic().partitions().getFirst().messagesCount()).isEqualTo(1);
    }

    @Test
    void onePassTakesSixteenSegmentsOfAPartition() {
        client.createTopic(1, expiry(1_000_000));
        send(0, 81);
        node.clock.advance(SECOND / 2);
        node.run();
        node.clock.advance(SECOND);
        node.run();
        long first = offsets(0).getFirst();
        assertThat(first).isIn(0L, 32L);
        pass(SECOND);
        assertThat(offsets(0).getFirst()).isLessThanOrEqualTo(first + 32);
        pass(4 * SECOND);
        assertThat(offsets(0)).containsExactly(80L);
    }

    @Test
    void aWallClockSetForwardDeletesNothingYoung() {
        client.createTopic(1, expiry(60_000_000));
        send(0, 5);
        pass(2 * SECOND);
        node.clock.wallMicros(node.clock.wallMicros() + 3_600_000_000L);
        pass(10 * SECOND);
        assertThat(offsets(0)).as("12 seconds old").isEqualTo(range(0, 5));
        send(0, 2);
        pass(49 * SECOND);
        assertThat(offsets(0))
                .as("61 seconds old, the last segment got a younger one")
                .isEqualTo(range(4, 7));
        pass(12 * SECOND);
        assertThat(offsets(0)).containsExactly(6L);
    }

    @Test
    void aWallClockSetBackDeletesNothingYoung() {
        client.createTopic(1, expiry(60_000_000));
        send(0, 5);
        node.clock.wallMicros(node.clock.wallMicros() - 3_600_000_000L);
        send(0, 2);
        pass(59 * SECOND);
        assertThat(offsets(0)).isEqualTo(range(0, 7));
    }

    @Test
    void aProcessThatWasSuspendedDeletesWhatIsOldAndNothingThatCameSince() {
        client.createTopic(1, expiry(30_000_000));
        send(0, 5);
        // Both clocks go on while the process stands still: one step.
        node.clock.advance(60 * SECOND);
        send(0, 2);
        node.run();
        pass(3 * SECOND);
        assertThat(offsets(0)).isEqualTo(range(4, 7));
        pass(24 * SECOND);
        assertThat(offsets(0)).as("27 seconds old").isEqualTo(range(4, 7));
    }

    @Test
    void aPollInFlightGetsItsMessagesWhenTheirSegmentGoes() {
        node.settings(settings -> Settings.with(settings, "tailBytesMax", 0L));
        restart();
        client.createTopic(1);
        send(0, 9);
        client.post(TestClient.poll(0, PollingStrategy.FIRST, 3, false));
        client.post(new DeleteSegments(Identifier.of("s"), Identifier.of("t"), 0, 3));
        node.run();
        List<Long> polled = TestClient.offsets(TestClient.messages(client.next()));
        assertThat(polled).isSorted().hasSize(3);
        assertThat(client.next().outcome()).isEqualTo("ok");
        node.assertNoMemoryIsHeld();
    }

    @Test
    void aDeletionThatTheDiskRefusesIsTriedAgain() {
        client.createTopic(1);
        send(0, 9);
        node.disk.failNext(MemoryDisk.Operation.RENAME, DiskFault.Kind.IO, ".log");
        assertThat(deleteSegments(0, 2)).isEqualTo("ok");
        assertThat(offsets(0)).isEqualTo(range(0, 9));
        pass(SECOND);
        assertThat(offsets(0)).isEqualTo(range(4, 9));
        assertThat(node.log.warnings).anyMatch(line -> line.contains("0/0/0"));
    }

    @Test
    void theCleanerCanBeSwitchedOffAndClientsStillDelete() {
        node.settings(settings -> Settings.with(settings, "cleanerEnabled", false));
        restart();
        client.createTopic(1, expiry(1_000_000));
        send(0, 9);
        pass(100 * SECOND);
        assertThat(offsets(0)).isEqualTo(range(0, 9));
        deleteSegments(0, 1);
        assertThat(offsets(0)).isEqualTo(range(2, 9));
    }
}
