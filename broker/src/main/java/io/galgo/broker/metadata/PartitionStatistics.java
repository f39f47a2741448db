package io.galgo.broker.metadata;

/// The numbers of partitions that are no metadata (spec semantics 14.2). Whoever answers a read supplies them.
///
/// A partition that exists in the catalog and is not serving yet has size 0, no messages, offset 0 and one segment.
public interface PartitionStatistics {
    /// The committed bytes that are kept.
    long sizeBytes(Topic topic, int partition);

    /// The committed messages that are kept.
    long messagesCount(Topic topic, int partition);

    /// Offset of the last committed message, 0 when there was none.
    long currentOffset(Topic topic, int partition);

    /// At least 1.
    int segmentsCount(Topic topic, int partition);
}
