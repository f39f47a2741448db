package io.galgo.broker.partition;

/// How many reads of one shard may wait for the disk, and how many do.
final class ReadSlots {
    private final int count;
    private int taken;

    ReadSlots(int count) {
        this.count = count;
    }

    /// Takes a slot; false when none is free.
    boolean take() {
        if (taken == count) {
            return false;
        }
        taken++;
        return true;
    }

    void giveBack() {
        taken--;
    }
}
