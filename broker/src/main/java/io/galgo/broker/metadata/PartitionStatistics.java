package io.galgo.broker.metadata;

/// The numbers of partitions that are no metadata (spec semantics 14.2). Whoever answers a read supplies them.
///
/// A partition that exists in the catalog and is not serving yet has size 0, no messages, offset 0 and one segment.
public interface PartitionStatistics extends TopicStatistics {
    /// The committed bytes that are kept.
    long sizeBytes(Topic topic, int partition);

    /// The committed messages that are kept.
    long messagesCount(Topic topic, int partition);

    /// Offset of the last committed message, 0 when there was none.
    long currentOffset(Topic topic, int partition);

    /// At least 1.
    int segmentsCount(Topic topic, int partition);

    @Override
    default long sizeBytes(Topic topic) {
        long bytes = 0;
        for (int partition = 0; partition < topic.partitionsCount(); partition++) {
            bytes += sizeBytes(topic, partition);
        }
        return bytes;
    }

    @Override
    default long messagesCount(Topic topic) {
        long messages = 0;
        for (int partition = 0; partition < topic.partitionsCount(); partition++) {
            messages += messagesCount(topic, partition);
        }
        return messages;
    }
}
