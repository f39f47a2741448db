package io.galgo.broker.partition;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// The polls of one partition that wait for messages, in the order in which they came.
///
/// A poll is here for as long as nothing happens: it costs a timer and no work.
final class WaitingPolls {
    /// Does something about a poll that waited for as long as it wanted.
    @FunctionalInterface
    interface TimeoutHandler {
        void onTimeout(PollRequest poll);
    }

    private final PartitionHost host;
    private final WaitSlots slots;
    private final TimeoutHandler timeouts;
    private final Set<PollRequest> polls = new LinkedHashSet<>();

    WaitingPolls(PartitionHost host, WaitSlots slots, TimeoutHandler timeouts) {
        this.host = host;
        this.slots = slots;
        this.timeouts = timeouts;
    }

    boolean isEmpty() {
        return polls.isEmpty();
    }

    /// Whether a poll that found nothing has time left to wait.
    boolean mayWait(PollRequest poll) {
        PollWait wanted = poll.pollWait();
        return wanted != null
                && !poll.isWaitOver
                && !slots.isClosed()
                && (poll.going == null || host.monotonicNanos() < poll.going.untilNanos);
    }

    /// Lets a poll wait that may.
    ///
    /// @return false when too many do
    boolean add(PollRequest poll) {
        PollWait wanted = poll.pollWait();
        if (wanted == null || !slots.take()) {
            return false;
        }
        PollWait.Going going = poll.going;
        if (going == null) {
            going = new PollWait.Going(host.monotonicNanos() + wanted.nanosMax());
            poll.going = going;
            host.onWaiting(poll);
        }
        polls.add(poll);
        going.cancelTimer = host.timer(going.untilNanos - host.monotonicNanos(), () -> {
            if (remove(poll)) {
                timeouts.onTimeout(poll);
            }
        });
        return true;
    }

    /// A poll waits no longer; false when it did not.
    boolean remove(PollRequest poll) {
        if (!polls.remove(poll)) {
            return false;
        }
        slots.giveBack();
        if (poll.going != null && poll.going.cancelTimer != null) {
            poll.going.cancelTimer.run();
            poll.going.cancelTimer = null;
        }
        return true;
    }

    /// Those that wait now. Others may come while the list is gone through, and some of it may go.
    List<PollRequest> all() {
        return polls.isEmpty() ? List.of() : List.copyOf(polls);
    }
}
