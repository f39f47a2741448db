package io.galgo.simulator.world;

import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Virtual time, and what is to happen in it.
///
/// Events run in the order of their times; those of the same moment in an order that the seed decides.
final class Schedule {
    /// Something that happens at a moment, unless it is cancelled before.
    static final class Event implements Comparable<Event> {
        private final long atNanos;
        private final int tie;
        private final long number;
        private @Nullable Runnable action;

        private Event(long atNanos, int tie, long number, Runnable action) {
            this.atNanos = atNanos;
            this.tie = tie;
            this.number = number;
            this.action = action;
        }

        void cancel() {
            action = null;
        }

        @Override
        public int compareTo(Event other) {
            int order = Long.compare(atNanos, other.atNanos);
            if (order == 0) {
                order = Integer.compare(tie, other.tie);
            }
            return order == 0 ? Long.compare(number, other.number) : order;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(number);
        }
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final SplittableRandom random;
    private final Digest digest;
    private long nowNanos;
    private long made;
    private long ran;

    Schedule(SplittableRandom random, Digest digest) {
        this.random = random;
        this.digest = digest;
    }

    long nowNanos() {
        return nowNanos;
    }

    /// Events that ran.
    long ran() {
        return ran;
    }

    Event at(long nanos, Runnable action) {
        Event event = new Event(Math.max(nanos, nowNanos), random.nextInt(), made, action);
        made++;
        events.add(event);
        return event;
    }

    Event after(long nanos, Runnable action) {
        return at(nowNanos + Math.max(0, nanos), action);
    }

    /// Runs the next event; false when there is none.
    boolean runNext() {
        while (true) {
            Event next = events.poll();
            if (next == null) {
                return false;
            }
            Runnable action = next.action;
            if (action != null) {
                nowNanos = next.atNanos;
                ran++;
                digest.add(next.atNanos);
                digest.add(next.number);
                action.run();
                return true;
            }
        }
    }
}
