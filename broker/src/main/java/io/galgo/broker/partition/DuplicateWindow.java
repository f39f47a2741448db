package io.galgo.broker.partition;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The writes that one partition remembers, so that a repeated one is answered and not executed (spec protocol
/// 3.5).
///
/// Of each writer the last [#NUMBERS] request numbers below the highest are kept, each with the content and the
/// result of the last write under it. When there are too many writers, the one whose latest write is oldest is
/// forgotten. In memory only: empty after a restart.
final class DuplicateWindow {
    /// Request numbers remembered, a writer.
    static final int NUMBERS = 128;

    /// [#find]: the write is not known.
    static final long UNKNOWN = -1;

    private final int writersMax;
    // Least recent writer first.
    private final LinkedHashMap<Writer, Numbers> writers = new LinkedHashMap<>();

    DuplicateWindow(int writersMax) {
        this.writersMax = writersMax;
    }

    /// The result of a committed write, or [#UNKNOWN].
    ///
    /// @param content what the write was, operation included
    long find(Writer writer, long number, long content) {
        Numbers numbers = writers.get(writer);
        return numbers == null ? UNKNOWN : numbers.find(number, content);
    }

    /// A write was committed.
    ///
    /// @param result what its repetition is answered with, not [#UNKNOWN]
    void remember(Writer writer, long number, long content, long result) {
        Numbers numbers = writers.get(writer);
        if (numbers == null) {
            if (writers.size() == writersMax) {
                writers.pollFirstEntry();
            }
            numbers = new Numbers();
        }
        writers.putLast(writer, numbers);
        numbers.remember(number, content, result);
    }

    int writersCount() {
        return writers.size();
    }

    @Nullable Writer oldestWriter() {
        Map.Entry<Writer, Numbers> oldest = writers.firstEntry();
        return oldest == null ? null : oldest.getKey();
    }

    /// The writes of one writer: a ring over request numbers that grows until it spans the window.
    private static final class Numbers {
        private static final int CAPACITY_MIN = 4;

        // Three numbers a slot: request number, content, result. A request number is never 0, so 0 is empty.
        private long[] slots = new long[CAPACITY_MIN * 3];
        private long highest;

        long find(long number, long content) {
            int at = slot(number);
            return isInWindow(number) && slots[at] == number && slots[at + 1] == content ? slots[at + 2] : UNKNOWN;
        }

        void remember(long number, long content, long result) {
            if (Long.compareUnsigned(number, highest) > 0) {
                highest = number;
            } else if (!isInWindow(number)) {
                return;
            }
            while (slots.length < NUMBERS * 3 && isTaken(slot(number), number)) {
                grow();
            }
            int at = slot(number);
            slots[at] = number;
            slots[at + 1] = content;
            slots[at + 2] = result;
        }

        private boolean isInWindow(long number) {
            return Long.compareUnsigned(highest - number, NUMBERS) < 0;
        }

        private boolean isTaken(int at, long number) {
            return slots[at] != 0 && slots[at] != number && isInWindow(slots[at]);
        }

        private int slot(long number) {
            return (int) (number & (slots.length / 3 - 1)) * 3;
        }

        private void grow() {
            long[] old = slots;
            slots = new long[old.length * 2];
            for (int at = 0; at < old.length; at += 3) {
                if (old[at] != 0) {
                    System.arraycopy(old, at, slots, slot(old[at]), 3);
                }
            }
        }
    }
}
