package io.galgo.broker.metadata;

import io.galgo.storage.Invariant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Things with small ids: the lowest free id is given out first, and an id is free again when its thing is gone.
final class Slots<T> {
    private @Nullable Object[] slots = new @Nullable Object[4];
    private int lowestFree;
    private int end;
    private int count;

    /// The id that the next [#put] should use.
    int lowestFree() {
        return lowestFree;
    }

    @SuppressWarnings("unchecked") // only put writes, and only T
    @Nullable T get(int id) {
        return id >= 0 && id < end ? (T) slots[id] : null;
    }

    /// Fills a free id.
    void put(int id, T thing) {
        if (id >= slots.length) {
            slots = Arrays.copyOf(slots, Math.max(id + 1, slots.length * 2));
        }
        Invariant.check(slots[id] == null, "an id is given to one thing at a time", id, count);
        slots[id] = thing;
        count++;
        end = Math.max(end, id + 1);
        while (lowestFree < end && slots[lowestFree] != null) {
            lowestFree++;
        }
    }

    void remove(int id) {
        Invariant.check(get(id) != null, "an id that is given back was in use", id, count);
        slots[id] = null;
        count--;
        lowestFree = Math.min(lowestFree, id);
        while (end > 0 && slots[end - 1] == null) {
            end--;
        }
    }

    int count() {
        return count;
    }

    /// One more than the highest id in use.
    int end() {
        return end;
    }
}
