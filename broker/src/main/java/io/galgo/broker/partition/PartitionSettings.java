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
/// @param indexIntervalBytes log bytes between two entries of the sparse index
/// @param tailBytesMax bytes of recent batches kept in memory, a partition
/// @param readsMax reads of one shard that wait for the disk
/// @param memoryWasLost whether written but unsynced bytes may be missing at start
public record PartitionSettings(
        int queueDepth,
        int dedupClientsMax,
        int consumerOffsetsMax,
        int reservationLease,
        boolean validateChecksum,
        int indexIntervalBytes,
        long tailBytesMax,
        int readsMax,
        boolean memoryWasLost) {
    LogSettings logSettings(TopicSettings topic) {
        return new LogSettings(
                topic.segmentBytesMax(),
                topic.persisted(),
                topic.preallocate(),
                validateChecksum,
                reservationLease,
                indexIntervalBytes,
                tailBytesMax);
    }
}
