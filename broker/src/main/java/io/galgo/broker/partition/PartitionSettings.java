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
/// @param memoryWasLost whether written but unsynced bytes may be missing at start
public record PartitionSettings(
        int queueDepth,
        int dedupClientsMax,
        int consumerOffsetsMax,
        int reservationLease,
        boolean validateChecksum,
        long tailBytesMax,
        int readsMax,
        boolean memoryWasLost) {
    /// Log bytes between two entries of the sparse index: what a read from disk may have to skip.
    private static final int INDEX_INTERVAL_BYTES = 64 << 10;

    LogSettings logSettings(TopicSettings topic) {
        return new LogSettings(
                topic.segmentBytesMax(),
                topic.persisted(),
                topic.preallocate(),
                validateChecksum,
                reservationLease,
                INDEX_INTERVAL_BYTES,
                tailBytesMax);
    }
}
