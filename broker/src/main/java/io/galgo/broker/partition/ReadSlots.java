package io.galgo.broker.partition;

import java.util.LinkedHashSet;
import java.util.Set;

/// How many reads of one shard may wait for the disk, how many do, and the polls that wait for their turn, in the
/// order in which they came.
///
/// Only polls that wait for messages wait for a turn too; there are no more of them than of [WaitSlots].
final class ReadSlots {
    private final int count;
    private final Set<PollRequest> queue = new LinkedHashSet<>();
    private int taken;
    private boolean isServing;

    ReadSlots(int count) {
        this.count = count;
    }

    /// Takes a slot; false when none is free for whoever comes now.
    boolean take() {
        if (taken == count || (!queue.isEmpty() && !isServing)) {
            return false;
        }
        taken++;
        return true;
    }

    /// Gives a slot back; those that wait go on, as far as there are slots.
    void giveBack() {
        taken--;
        if (isServing) {
            return;
        }
        isServing = true;
        while (taken < count && !queue.isEmpty()) {
            PollRequest next = queue.iterator().next();
            queue.remove(next);
            next.onReadSlot();
        }
        isServing = false;
    }

    /// Where polls lie that wait for a slot.
    Set<PollRequest> queue() {
        return queue;
    }
}
