package io.galgo.broker.partition;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The polls of one partition that wait for messages, or for their turn to read them, each by what it waits for.
///
/// A poll is here for as long as nothing happens: it costs a timer and no work. A commit looks at those that it may
/// serve and at no other, and so does a stored offset.
final class WaitingPolls {
    // Those that wait for an offset are sorted by it, those that wait for a time by that. What a poll with the
    // strategy `next` waits for moves with its consumer's offset. When that goes on, the poll stays where it is: it
    // is looked at too early then, once, and lies down behind. When it goes back, the consumer's polls are looked
    // at.

    /// Does something about a poll that waited for as long as it wanted.
    @FunctionalInterface
    interface TimeoutHandler {
        void onTimeout(PollRequest poll);
    }

    private static final Comparator<PollRequest> SOONEST = Comparator.comparingLong(
                    (PollRequest poll) -> going(poll).awaited)
            .thenComparingLong(poll -> going(poll).number);

    private final PartitionHost host;
    private final WaitSlots slots;
    private final TimeoutHandler timeouts;
    private final TreeSet<PollRequest> byOffset = new TreeSet<>(SOONEST);
    private final TreeSet<PollRequest> byTime = new TreeSet<>(SOONEST);
    private final Map<Long, Set<PollRequest>> byConsumer = new LinkedHashMap<>();
    private int count;

    WaitingPolls(PartitionHost host, WaitSlots slots, TimeoutHandler timeouts) {
        this.host = host;
        this.slots = slots;
        this.timeouts = timeouts;
    }

    /// Whether a poll that found nothing has time left to wait.
    boolean mayWait(PollRequest poll) {
        return poll.pollWait() != null
                && !poll.isWaitOver
                && !slots.isClosed()
                && (poll.going == null || host.monotonicNanos() < poll.going.untilNanos);
    }

    /// Lets a poll that may wait lie here until a message with that offset or a later one is there.
    ///
    /// @return false when too many wait
    boolean addForOffset(PollRequest poll, long offset) {
        return add(poll, byOffset, offset);
    }

    /// Lets a poll that may wait lie here until a batch of that time or a later one is there.
    ///
    /// @return false when too many wait
    boolean addForTime(PollRequest poll, long timestampMicros) {
        return add(poll, byTime, timestampMicros);
    }

    /// Lets a poll that may wait lie here until it is its turn to read from the disk.
    ///
    /// @return false when too many wait
    boolean addForSlot(PollRequest poll, ReadSlots reads) {
        return add(poll, reads.queue(), 0);
    }

    private boolean add(PollRequest poll, Set<PollRequest> place, long awaited) {
        PollWait.Going going = poll.going == null ? begin(poll) : poll.going;
        if (going == null) {
            return false;
        }
        going.awaited = awaited;
        going.place = place;
        place.add(poll);
        byConsumer
                .computeIfAbsent(consumer(poll.group, poll.consumerKey), _ -> LinkedHashSet.newLinkedHashSet(1))
                .add(poll);
        count++;
        return true;
    }

    /// A poll lies down for the first time; null when too many wait.
    private PollWait.@Nullable Going begin(PollRequest poll) {
        long nanosMax = Objects.requireNonNull(poll.pollWait()).nanosMax();
        PollWait.Going going = count < slots.partitionCountMax() ? slots.take(host.monotonicNanos() + nanosMax) : null;
        if (going == null) {
            return null;
        }
        poll.going = going;
        host.onWaiting(poll);
        going.cancelTimer = host.timer(nanosMax, () -> {
            if (remove(poll)) {
                timeouts.onTimeout(poll);
            }
        });
        return going;
    }

    /// A poll lies here no longer; false when it did not.
    boolean remove(PollRequest poll) {
        PollWait.Going going = poll.going;
        if (going == null || going.place == null) {
            return false;
        }
        going.place.remove(poll);
        going.place = null;
        long consumer = consumer(poll.group, poll.consumerKey);
        Set<PollRequest> others = Objects.requireNonNull(byConsumer.get(consumer));
        others.remove(poll);
        if (others.isEmpty()) {
            byConsumer.remove(consumer);
        }
        count--;
        return true;
    }

    /// Those that may find something now.
    ///
    /// @param nextOffset the first offset that cannot be read yet
    /// @param lastTimestamp of the newest batch
    List<PollRequest> due(long nextOffset, long lastTimestamp) {
        if (count == 0
                || ((byOffset.isEmpty() || going(byOffset.first()).awaited >= nextOffset)
                        && (byTime.isEmpty() || going(byTime.first()).awaited > lastTimestamp))) {
            return List.of();
        }
        List<PollRequest> due = new ArrayList<>();
        for (PollRequest poll : byOffset) {
            if (going(poll).awaited >= nextOffset) {
                break;
            }
            due.add(poll);
        }
        for (PollRequest poll : byTime) {
            if (going(poll).awaited > lastTimestamp) {
                break;
            }
            due.add(poll);
        }
        return due;
    }

    /// Those of a consumer or a group that wait now, in the order in which they lay down.
    List<PollRequest> of(boolean group, int consumerKey) {
        Set<PollRequest> polls = count == 0 ? null : byConsumer.get(consumer(group, consumerKey));
        return polls == null ? List.of() : List.copyOf(polls);
    }

    /// Those that wait now. Others may come while the list is gone through, and some of it may go.
    List<PollRequest> all() {
        if (count == 0) {
            return List.of();
        }
        List<PollRequest> all = new ArrayList<>(count);
        byConsumer.values().forEach(all::addAll);
        return all;
    }

    private static long consumer(boolean group, int consumerKey) {
        return (group ? 1L << 32 : 0) | Integer.toUnsignedLong(consumerKey);
    }

    private static PollWait.Going going(PollRequest poll) {
        return Objects.requireNonNull(poll.going);
    }
}
