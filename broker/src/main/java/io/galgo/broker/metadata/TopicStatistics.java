package io.galgo.broker.metadata;

/// The sums over the partitions of topics that are no metadata (spec semantics 14.2). Whoever answers a read
/// supplies them.
public interface TopicStatistics {
    /// The committed bytes that are kept.
    long sizeBytes(Topic topic);

    /// The committed messages that are kept.
    long messagesCount(Topic topic);
}
