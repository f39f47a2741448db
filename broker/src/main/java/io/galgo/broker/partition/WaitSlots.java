package io.galgo.broker.partition;

/// How many polls wait for messages at the partitions of one shard.
final class WaitSlots {
    private final int countMax;
    private int count;
    private boolean isClosed;

    WaitSlots(int countMax) {
        this.countMax = countMax;
    }

    /// Takes a slot; false when none is free.
    boolean take() {
        if (isClosed || count >= countMax) {
            return false;
        }
        count++;
        return true;
    }

    /// Whether polls do not wait any more, because the shard stops.
    boolean isClosed() {
        return isClosed;
    }

    void close() {
        isClosed = true;
    }

    void giveBack() {
        count--;
    }

    int count() {
        return count;
    }
}
