package io.galgo.storage.offsets;

import java.util.Arrays;

/// What the consumers of one partition have stored: a map from keys to offsets, without objects.
///
/// A key is a number of 33 bits. Open addressing; a removal moves the entries behind it up.
final class OffsetTable {
    private static final long FREE = -1;
    private static final int CAPACITY_MIN = 8;

    private long[] keys = new long[0];
    private long[] offsets = new long[0];
    private int size;

    int size() {
        return size;
    }

    /// How many places there are, each free or holding one entry.
    int places() {
        return keys.length;
    }

    boolean isFree(int place) {
        return keys[place] == FREE;
    }

    long key(int place) {
        return keys[place];
    }

    long offset(int place) {
        return offsets[place];
    }

    void put(long key, long offset) {
        if (4 * (size + 1) > 3 * keys.length) {
            grow();
        }
        int place = find(key);
        if (keys[place] == FREE) {
            keys[place] = key;
            size++;
        }
        offsets[place] = offset;
    }

    void remove(long key) {
        if (size == 0) {
            return;
        }
        int hole = find(key);
        if (keys[hole] == FREE) {
            return;
        }
        int mask = keys.length - 1;
        for (int place = (hole + 1) & mask; keys[place] != FREE; place = (place + 1) & mask) {
            int home = home(keys[place]);
            // An entry moves up unless that would put it before its home.
            if (((place - home) & mask) >= ((place - hole) & mask)) {
                keys[hole] = keys[place];
                offsets[hole] = offsets[place];
                hole = place;
            }
        }
        keys[hole] = FREE;
        size--;
    }

    void clear() {
        keys = new long[0];
        offsets = new long[0];
        size = 0;
    }

    private int find(long key) {
        int place = home(key);
        while (keys[place] != FREE && keys[place] != key) {
            place = (place + 1) & (keys.length - 1);
        }
        return place;
    }

    private int home(long key) {
        return (int) ((key * 0x9e37_79b9_7f4a_7c15L) >>> 32) & (keys.length - 1);
    }

    private void grow() {
        long[] oldKeys = keys;
        long[] oldOffsets = offsets;
        keys = new long[Math.max(CAPACITY_MIN, 2 * oldKeys.length)];
        offsets = new long[keys.length];
        Arrays.fill(keys, FREE);
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != FREE) {
                int place = find(oldKeys[i]);
                keys[place] = oldKeys[i];
                offsets[place] = oldOffsets[i];
            }
        }
    }
}
