package io.galgo.acceptance.groups;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/// What the members of one group received and stored, all of them together. Any thread.
final class GroupLedger {
    private final String group;
    private final boolean isExact;
    private final AtomicIntegerArray[] deliveries;
    private final AtomicLongArray stored;
    private final AtomicLong twice = new AtomicLong();

    /// @param isExact whether a message may be delivered only once: offsets move with the polls
    GroupLedger(String group, boolean isExact, int partitions, int messagesMax) {
        this.group = group;
        this.isExact = isExact;
        this.deliveries = new AtomicIntegerArray[partitions];
        for (int i = 0; i < partitions; i++) {
            deliveries[i] = new AtomicIntegerArray(messagesMax);
        }
        this.stored = new AtomicLongArray(partitions);
        for (int i = 0; i < partitions; i++) {
            stored.set(i, -1);
        }
    }

    String group() {
        return group;
    }

    /// Whether the offset is stored by the poll itself.
    boolean isExact() {
        return isExact;
    }

    /// An offset is stored for sure.
    void onStored(int partition, long offset) {
        stored.accumulateAndGet(partition, offset, Math::max);
    }

    /// The highest offset that is stored for sure, -1 for none.
    long stored(int partition) {
        return stored.get(partition);
    }

    /// A message arrived at a member.
    ///
    /// @param storedBefore what [#stored] said when the poll was sent
    void onDelivered(int partition, long offset, long storedBefore) {
        if (offset <= storedBefore) {
            throw new AssertionError(group + ": message " + offset + " of partition " + partition
                    + " was delivered although " + storedBefore + " had been stored");
        }
        int count = deliveries[partition].incrementAndGet((int) offset);
        if (count > 1) {
            twice.incrementAndGet();
            if (isExact) {
                throw new AssertionError(group + ": message " + offset + " of partition " + partition
                        + " was delivered for the " + count + ". time");
            }
        }
    }

    /// The first message that nobody received, or -1.
    long missing(int partition, long messages) {
        for (int offset = 0; offset < messages; offset++) {
            if (deliveries[partition].get(offset) == 0) {
                return offset;
            }
        }
        return -1;
    }

    /// Messages that were delivered more than once.
    long twiceCount() {
        return twice.get();
    }
}
