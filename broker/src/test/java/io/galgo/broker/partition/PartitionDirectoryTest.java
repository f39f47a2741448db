package io.galgo.broker.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.broker.metadata.Change;
import io.galgo.broker.metadata.TopicSettings;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.reply.CompressionAlgorithm;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk;
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
    void anAnswerMayEndWhatAnotherOneWaitsForHere() {
        TestHost host = new TestHost();
        PartitionDirectory directory = directory(host);
        OffsetReadRequest first = read(7);
        PollRequest gone = new PollRequest(
                new Target(0, 0, 0, 7, 7), host, 0, PollRequest.Start.FIRST, 0, 1, 1_000, null, 1, false, null);
        OffsetReadRequest later = read(8);
        OffsetReadRequest latest = read(8);
        directory.execute(first);
        directory.execute(gone);
        directory.execute(later);
        directory.execute(latest);
        host.onAnswer = request -> {
            if (request == first) {
                directory.cancel(gone);
            }
        };
        directory.apply(new Change.PartitionsCreated(0, 0, 0, 1, 7, SETTINGS));
        directory.onApplied(7);
        assertThat(host.answered).containsExactly(first, gone);
        directory.onApplied(8);
        assertThat(host.answered).as("in the order in which they came").containsExactly(first, gone, later, latest);
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

    @Test
    void openingsThatHoldTheShardUpLeaveMostOfItsTimeToOthers() {
        long second = 1_000_000_000L;
        TestHost host = new TestHost();
        for (int partition = 0; partition < 2; partition++) {
            String path = PartitionDirectory.path(0, 0, partition);
            host.disk.createDirectories(path);
            host.disk.open(path + "/superblock", true).close();
        }
        host.disk.failAll(MemoryDisk.Operation.OPEN, DiskFault.Kind.TOO_MANY_FILES, "superblock");
        PartitionDirectory directory = directory(host);
        directory.apply(new Change.PartitionsCreated(0, 0, 0, 2, 7, SETTINGS));
        directory.onApplied(7);
        assertThat(host.warnings).as("at start").hasSize(2);
        host.nanos += 100 * second;
        host.warningNanos = 2 * second;
        for (int i = 0; i < 100; i++) {
            directory.execute(read(7, i % 2));
        }
        assertThat(host.warnings).as("one late opening that took 2 s").hasSize(3);
        host.nanos += 8 * second - 1;
        directory.execute(read(7, 1));
        assertThat(host.warnings).as("before the rest is over").hasSize(3);
        host.nanos += 1;
        directory.execute(read(7, 1));
        assertThat(host.warnings)
                .as("the other one's turn")
                .hasSize(4)
                .last()
                .asString()
                .contains("0/0/1");
    }

    private static OffsetReadRequest read(long metadataOp, int partition) {
        return new OffsetReadRequest(new Target(0, 0, partition, 7, metadataOp), new TestHost(), 0, false, 1);
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
}
