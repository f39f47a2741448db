package io.galgo.broker.partition;

import org.jspecify.annotations.Nullable;

/// The polls that wait for messages at the partitions of one shard: how many there may be, and how many are.
///
/// A poll that once waited keeps its slot until it is answered, whatever happens to it in between, so that it is
/// never too late for it to go on waiting.
final class WaitSlots {
    /// One partition may have this part of the slots of its shard, so that a topic that everybody waits at leaves
    /// some to the others, and a commit wakes no more than that.
    private static final int PARTITION_PART = 4;

    /// It may have so many in any case, as far as there are.
    private static final int PARTITION_COUNT_MIN = 1024;

    private final int countMax;
    private int count;
    private long begunCount;
    private boolean isClosed;

    WaitSlots(int countMax) {
        this.countMax = countMax;
    }

    /// How many polls may wait at one partition.
    int partitionCountMax() {
        return Math.min(countMax, Math.max(PARTITION_COUNT_MIN, countMax / PARTITION_PART));
    }

    /// Takes a slot for a poll that begins to wait; null when none is free.
    PollWait.@Nullable Going take(long untilNanos) {
        if (isClosed || count >= countMax) {
            return null;
        }
        count++;
        begunCount++;
        return new PollWait.Going(untilNanos, begunCount);
    }

    /// A request is answered: if it is a poll that waited, its slot is free.
    void onAnswered(PartitionRequest request) {
        PollWait.Going going = request instanceof PollRequest poll ? poll.endWait() : null;
        if (going != null) {
            count--;
            if (going.cancelTimer != null) {
                going.cancelTimer.run();
            }
        }
    }

    /// Whether polls do not wait any more, because the shard stops.
    boolean isClosed() {
        return isClosed;
    }

    void close() {
        isClosed = true;
    }

    int count() {
        return count;
    }
}
