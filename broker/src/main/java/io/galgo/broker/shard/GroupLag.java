package io.galgo.broker.shard;

/// How far a consumer group is behind in one partition of a topic.
///
/// @param storedOffset offset of the last message that the group has consumed, -1 when it stored none
/// @param currentOffset offset of the last message of the partition, 0 when there was none
/// @param messages that are kept and not consumed; see `Backlog` in storage for how exact that is
/// @param bytes of those messages, headers included, likewise
public record GroupLag(
        int streamId,
        int topicId,
        int groupId,
        int partition,
        long storedOffset,
        long currentOffset,
        long messages,
        long bytes) {}
