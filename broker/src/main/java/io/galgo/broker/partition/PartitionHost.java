package io.galgo.broker.partition;

import io.galgo.storage.log.LogStorage;
import io.galgo.storage.offsets.OffsetsStorage;

/// What partitions need from the shard that owns them.
public interface PartitionHost {
    /// What the logs of the shard share.
    LogStorage logs();

    /// What the consumer offset files of the shard share.
    OffsetsStorage offsets();

    /// Microseconds since the Unix epoch. May jump either way.
    long wallMicros();

    /// Nanoseconds that only grow.
    long monotonicNanos();

    /// Runs a task once on the shard's thread, not before `delayNanos` have passed.
    void after(long delayNanos, Runnable task);

    /// How many partitions a topic has.
    int partitionsCount(int streamId, int topicId);

    /// Takes an answered request back for its requester, for good.
    void onAnswered(PartitionRequest request);

    /// Whether a client may poll a partition for a consumer group, by the metadata that this shard has applied: it
    /// owns the partition and need not give it up.
    boolean isPollable(Target target, GroupClaim claim);

    /// Whether a client owns a partition in a consumer group, by the same metadata.
    boolean isAssigned(Target target, GroupClaim claim);

    /// Whether a topic has a consumer group, by the same metadata.
    boolean hasGroup(int streamId, int topicId, int groupId);

    /// A consumer group has stored or deleted its offset of a partition.
    void onGroupOffset(Target target, int groupId);

    /// Whether the session that a poll waits in lives, and its user may still poll the partition, by the same
    /// metadata.
    boolean mayPoll(Target target, PollWait wait);

    /// Runs a task on the shard's thread, not before `delayNanos` have passed.
    ///
    /// @return forgets the task
    Runnable timer(long delayNanos, Runnable task);

    /// The answer of a request is not to be expected soon: room for it is reserved when it comes. Called once for a
    /// request, before its answer.
    void onWaiting(PollRequest request);

    /// Gives cached memory back so that a read can go on.
    ///
    /// @return whether any was given back
    boolean makeRoom(long bytes);

    /// Takes a directory out of sight at once and removes it later.
    void discard(String directory);

    /// One line for people: something was noticed that they may want to know.
    void info(String line);

    /// One line for people: a fault.
    void warn(String line);

    /// One line for people: a fault that somebody has to do something about.
    default void error(String line) {
        warn(line);
    }

    /// How people call a partition.
    default String nameOf(int streamId, int topicId, int partitionId) {
        return streamId + "/" + topicId + "/" + partitionId;
    }
}
