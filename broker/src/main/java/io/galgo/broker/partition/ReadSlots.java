package io.galgo.broker.partition;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// How many reads of one shard may wait for the disk, how many do, and the polls that wait for their turn, in the
/// order in which they came.
///
/// Only polls that wait for messages wait for a turn too; there are no more of them than of [WaitSlots]. While some
/// do, the slots that become free are for them and for ordinary polls by turns.
final class ReadSlots {
    // An ordinary poll cannot wait for its turn, so a slot is left open for the next one that comes. One at most,
    // and only while another one is taken: when that one is given back, those that wait go on. So they never wait
    // for an ordinary poll that may not come, and there is no turn for ordinary polls where there is one slot
    // alone.

    private final int count;
    private final Set<PollRequest> queue = new LinkedHashSet<>();
    private int taken;
    private boolean isOneOpen;
    private boolean wasQueueServed;
    private @Nullable PollRequest served;
    private @Nullable Runnable idle;

    ReadSlots(int count) {
        this.count = count;
    }

    /// Takes a slot for a poll; false when none is free for it now.
    boolean take(PollRequest poll) {
        boolean isBehindOthers = !queue.isEmpty() && poll != served;
        if (taken == count || (isBehindOthers && (poll.isPatient() || !isOneOpen))) {
            return false;
        }
        taken++;
        if (isBehindOthers || taken == count) {
            isOneOpen = false;
        }
        return true;
    }

    /// Gives a slot back; those that wait go on, as far as there are slots for them.
    void giveBack() {
        taken--;
        if (served != null) {
            return;
        }
        while (!queue.isEmpty() && taken + (isOneOpen ? 1 : 0) < count) {
            if (wasQueueServed && !isOneOpen && taken > 0) {
                isOneOpen = true;
                wasQueueServed = false;
            } else {
                serveNext();
            }
        }
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

    private void serveNext() {
        PollRequest next = queue.iterator().next();
        queue.remove(next);
        wasQueueServed = true;
        served = next;
        next.onReadSlot();
        served = null;
    }

    /// Where polls lie that wait for a slot.
    Set<PollRequest> queue() {
        return queue;
    }
}
