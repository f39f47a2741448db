package io.galgo.broker.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.broker.metadata.Change;
import io.galgo.broker.metadata.TopicSettings;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.reply.CompressionAlgorithm;
import io.galgo.storage.disk.MemoryDisk;
import io.galgo.storage.log.LogStorage;
import io.galgo.storage.memory.BufferPool;
import io.galgo.storage.memory.MemoryBudget;
import io.galgo.storage.offsets.OffsetsStorage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PartitionDirectoryTest {
    @Test
    void thePartitionsOfATopicAreDealtOutEvenly() {
        for (int shards = 1; shards <= 7; shards++) {
            for (int topic = 0; topic < 50; topic++) {
                int[] counts = new int[shards];
                for (int partition = 0; partition < 3 * shards; partition++) {
                    counts[PartitionDirectory.owner(5, topic, partition, shards)]++;
                }
                assertThat(counts).as("%s shards, topic %s", shards, topic).containsOnly(3);
            }
        }
    }

    @Test
    void topicsOfOnePartitionAreSpreadOverTheShards() {
        int[] counts = new int[4];
        for (int stream = 0; stream < 20; stream++) {
            for (int topic = 0; topic < 20; topic++) {
                counts[PartitionDirectory.owner(stream, topic, 0, 4)]++;
            }
        }
        for (int count : counts) {
            assertThat(count).as("of 400 topics on one of 4 shards").isBetween(60, 140);
        }
    }

    @Test
    void keysOfDifferentPartitionsDiffer() {
        assertThat(PartitionDirectory.key(1, 2, 3)).isNotEqualTo(PartitionDirectory.key(1, 3, 2));
        assertThat(PartitionDirectory.key(0, 1, 0)).isNotEqualTo(PartitionDirectory.key(0, 0, 999_999));
        assertThat(PartitionDirectory.key(1, 0, 0)).isNotEqualTo(PartitionDirectory.key(0, 4_095, 999_999));
    }

    @Test
    void aRequestThatIsAheadOfThisShardsMetadataWaitsForThem() {
        TestHost host = new TestHost();
        PartitionDirectory directory = directory(host);
        OffsetReadRequest early = read(7);
        OffsetReadRequest next = read(8);
        directory.execute(early);
        directory.execute(next);
        assertThat(host.answered).isEmpty();
        directory.apply(new Change.PartitionsCreated(0, 0, 0, 1, 7, SETTINGS));
        directory.onApplied(7);
        assertThat(host.answered).containsExactly(early);
        assertThat(early.refusal()).isNull();
        directory.onApplied(8);
        assertThat(host.answered).containsExactly(early, next);
    }

    @Test
    void onlySoManyRequestsWaitForMetadata() {
        TestHost host = new TestHost();
        PartitionDirectory directory = directory(host);
        for (int i = 0; i < PartitionDirectory.HELD_MAX; i++) {
            directory.execute(read(9));
        }
        assertThat(host.answered).isEmpty();
        directory.execute(read(9));
        assertThat(host.answered)
                .singleElement()
                .extracting(PartitionRequest::refusal)
                .isEqualTo(ErrorCode.TRANSIENT_NOT_ACCEPTED);
    }

    @Test
    void aRequestForAnEarlierPartitionUnderTheSameIdsFindsNothing() {
        TestHost host = new TestHost();
        PartitionDirectory directory = directory(host);
        directory.apply(new Change.PartitionsCreated(0, 0, 0, 1, 3, SETTINGS));
        directory.apply(new Change.PartitionsRemoved(0, 0, 0, 1));
        directory.apply(new Change.PartitionsCreated(0, 0, 0, 1, 7, SETTINGS));
        directory.onApplied(7);
        directory.execute(new OffsetReadRequest(new Target(0, 0, 0, 3, 6), host, 0, false, 1));
        assertThat(host.answered)
                .singleElement()
                .extracting(PartitionRequest::refusal)
                .isEqualTo(ErrorCode.PARTITION_NOT_FOUND);
    }

    private static PartitionDirectory directory(TestHost host) {
        return new PartitionDirectory(
                host, new PartitionSettings(4, 10, 10, 100, true, 1 << 20, 10, 10, 1 << 20, 0, 1 << 20, false), 0, 1);
    }

    private OffsetReadRequest read(long metadataOp) {
        return new OffsetReadRequest(new Target(0, 0, 0, 7, metadataOp), new TestHost(), 0, false, 1);
    }

    private static final TopicSettings SETTINGS = new TopicSettings(
            TopicSettings.NEVER,
            CompressionAlgorithm.NONE,
            TopicSettings.UNLIMITED,
            1 << 20,
            false,
            false,
            1,
            1,
            false);

    /// A shard with a disk in memory that remembers the answers.
    private static final class TestHost implements PartitionHost, Requester {
        final List<PartitionRequest> answered = new ArrayList<>();
        private final MemoryDisk disk = new MemoryDisk(1);
        private final OffsetsStorage offsets = new OffsetsStorage(disk, 10);
        private final LogStorage logs =
                new LogStorage(disk, new BufferPool(new MemoryBudget(1 << 24)), 10, 1 << 20, 1 << 20);

        @Override
        public OffsetsStorage offsets() {
            return offsets;
        }

        @Override
        public LogStorage logs() {
            return logs;
        }

        @Override
        public long wallMicros() {
            return 1;
        }

        @Override
        public long monotonicNanos() {
            return 1;
        }

        @Override
        public void after(long delayNanos, Runnable task) {}

        @Override
        public int partitionsCount(int streamId, int topicId) {
            return 1;
        }

        @Override
        public void onAnswered(PartitionRequest request) {
            answered.add(request);
        }

        @Override
        public boolean isPollable(Target target, GroupClaim claim) {
            return true;
        }

        @Override
        public boolean isAssigned(Target target, GroupClaim claim) {
            return true;
        }

        @Override
        public boolean hasGroup(int streamId, int topicId, int groupId) {
            return true;
        }

        @Override
        public void onGroupOffset(Target target, int groupId) {}

        @Override
        public boolean mayPoll(Target target, PollWait wait) {
            return true;
        }

        @Override
        public Runnable timer(long delayNanos, Runnable task) {
            return () -> {};
        }

        @Override
        public void onWaiting(PollRequest request) {}

        @Override
        public boolean makeRoom(long bytes) {
            return false;
        }

        @Override
        public void discard(String directory) {}

        @Override
        public void info(String line) {}

        @Override
        public void warn(String line) {}
    }
}
