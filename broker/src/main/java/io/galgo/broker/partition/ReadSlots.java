package io.galgo.broker.partition;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// How many reads of one shard may wait for the disk, how many do, and the polls that wait for their turn, in the
/// order in which they came.
///
/// Only polls that wait for messages wait for a turn too; there are no more of them than of [WaitSlots].
final class ReadSlots {
    private final int count;
    private final Set<PollRequest> queue = new LinkedHashSet<>();
    private int taken;
    private boolean isServing;
    private @Nullable Runnable idle;

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
        callIfIdle();
    }

    /// Calls `done` once as soon as no read waits for the disk, perhaps from inside this call. No new ones may be
    /// begun.
    void whenIdle(Runnable done) {
        idle = done;
        callIfIdle();
    }

    private void callIfIdle() {
        Runnable done = idle;
        if (taken == 0 && done != null) {
            idle = null;
            done.run();
        }
    }

    /// Where polls lie that wait for a slot.
    Set<PollRequest> queue() {
        return queue;
    }
}
