package io.galgo.broker.table;

import org.jspecify.annotations.Nullable;

/// A map from `long` keys to objects, without boxing.
///
/// Visits its entries in an order that depends on the history of puts and removes alone, so equal histories repeat
/// it. Not to be changed while it is visited.
public final class LongTable<V> {
    // Open addressing with linear probing; a removal shifts those behind it back, so there are no tombstones.

    private static final int CAPACITY_MIN = 8;

    /// Hears entries.
    @FunctionalInterface
    public interface Visitor<V> {
        void visit(long key, V value);
    }

    private long[] keys = new long[CAPACITY_MIN];
    private @Nullable Object[] values = new @Nullable Object[CAPACITY_MIN];
    private int size;

    public int size() {
        return size;
    }

    @SuppressWarnings("unchecked") // only put() fills values
    public @Nullable V get(long key) {
        int mask = keys.length - 1;
        for (int i = slot(key, mask); values[i] != null; i = (i + 1) & mask) {
            if (keys[i] == key) {
                return (V) values[i];
            }
        }
        return null;
    }

    /// Adds an entry, or replaces the value of its key.
    public void put(long key, V value) {
        int mask = keys.length - 1;
        int i = slot(key, mask);
        while (values[i] != null) {
            if (keys[i] == key) {
                values[i] = value;
                return;
            }
            i = (i + 1) & mask;
        }
        keys[i] = key;
        values[i] = value;
        size++;
        if (size * 2 > keys.length) {
            grow();
        }
    }

    /// Removes an entry if it is there.
    @SuppressWarnings("unchecked") // only put() fills values
    public @Nullable V remove(long key) {
        int mask = keys.length - 1;
        int i = slot(key, mask);
        while (values[i] != null && keys[i] != key) {
            i = (i + 1) & mask;
        }
        V removed = (V) values[i];
        if (removed == null) {
            return null;
        }
        size--;
        int gap = i;
        for (int j = (i + 1) & mask; values[j] != null; j = (j + 1) & mask) {
            // An entry may fill the gap unless its own slot lies behind the gap, up to where it is.
            int home = slot(keys[j], mask);
            if (((j - home) & mask) >= ((j - gap) & mask)) {
                keys[gap] = keys[j];
                values[gap] = values[j];
                gap = j;
            }
        }
        values[gap] = null;
        return removed;
    }

    public void clear() {
        keys = new long[CAPACITY_MIN];
        values = new @Nullable Object[CAPACITY_MIN];
        size = 0;
    }

    @SuppressWarnings("unchecked") // only put() fills values
    public void forEach(Visitor<V> visitor) {
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            if (value != null) {
                visitor.visit(keys[i], (V) value);
            }
        }
    }

    private void grow() {
        long[] oldKeys = keys;
        @Nullable Object[] oldValues = values;
        keys = new long[oldKeys.length * 2];
        values = new @Nullable Object[oldKeys.length * 2];
        int mask = keys.length - 1;
        for (int j = 0; j < oldKeys.length; j++) {
            if (oldValues[j] != null) {
                int i = slot(oldKeys[j], mask);
                while (values[i] != null) {
                    i = (i + 1) & mask;
                }
                keys[i] = oldKeys[j];
                values[i] = oldValues[j];
            }
        }
    }

    private static int slot(long key, int mask) {
        long mixed = key * 0x9E3779B97F4A7C15L;
        return (int) (mixed ^ mixed >>> 32) & mask;
    }
}
