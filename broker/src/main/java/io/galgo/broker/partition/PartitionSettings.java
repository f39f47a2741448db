package io.galgo.broker.partition;

import io.galgo.broker.metadata.TopicSettings;
import io.galgo.storage.log.LogSettings;

/// The bounds of every partition of a node.
///
/// @param queueDepth sends being written at a time; twice as many writes may wait
/// @param dedupClientsMax clients remembered for duplicate detection
/// @param consumerOffsetsMax stored offsets of plain consumers, and of groups, each
/// @param reservationLease offsets claimed ahead at a time
/// @param validateChecksum whether batches read from disk are verified
/// @param tailBytesMax bytes of recent batches kept in memory, a partition
/// @param readsMax reads of one shard that wait for the disk
/// @param frameBytesMax bytes of the largest frame
/// @param cleanerIntervalNanos between two passes that delete what retention lets go; 0 for none
/// @param segmentBytesMax no segment grows larger, whatever its topic says
/// @param waitsMax polls that wait for messages at the partitions of one shard
/// @param memoryWasLost whether written but unsynced bytes may be missing at start
public record PartitionSettings(
        int queueDepth,
        int dedupClientsMax,
        int consumerOffsetsMax,
        int reservationLease,
        boolean validateChecksum,
        long tailBytesMax,
        int readsMax,
        int waitsMax,
        long frameBytesMax,
        long cleanerIntervalNanos,
        long segmentBytesMax,
        boolean memoryWasLost) {
    /// Log bytes between two entries of the sparse index: what a read from disk may have to skip.
    private static final int INDEX_INTERVAL_BYTES = 64 << 10;

    /// The size at which a segment of a topic is sealed.
    long segmentBytes(TopicSettings topic) {
        return Math.min(topic.segmentBytesMax(), segmentBytesMax);
    }

    LogSettings logSettings(TopicSettings topic) {
        return new LogSettings(
                segmentBytes(topic),
                topic.persisted(),
                topic.preallocate(),
                validateChecksum,
                reservationLease,
                INDEX_INTERVAL_BYTES,
                tailBytesMax);
    }
}
