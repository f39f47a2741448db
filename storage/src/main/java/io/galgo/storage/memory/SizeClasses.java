package io.galgo.storage.memory;

/// The sizes of pooled buffers (spec semantics 20): powers of two, with steps between them where rounding up would
/// waste most.
final class SizeClasses {
    private static final int KIB = 1024;
    private static final int MIB = 1024 * KIB;
    private static final int[] BYTES = {
        4 * KIB,
        8 * KIB,
        16 * KIB,
        32 * KIB,
        64 * KIB,
        128 * KIB,
        256 * KIB,
        512 * KIB,
        768 * KIB,
        MIB,
        MIB + MIB / 2,
        2 * MIB,
        4 * MIB,
        6 * MIB,
        8 * MIB,
        10 * MIB,
        12 * MIB,
        16 * MIB,
        24 * MIB,
        32 * MIB,
        48 * MIB,
        64 * MIB,
        96 * MIB,
        128 * MIB,
        192 * MIB,
        256 * MIB,
        384 * MIB,
        512 * MIB
    };

    private SizeClasses() {}

    static int count() {
        return BYTES.length;
    }

    static int bytes(int sizeClass) {
        return BYTES[sizeClass];
    }

    static int bytesMax() {
        return BYTES[BYTES.length - 1];
    }

    /// The smallest class that holds `bytes`.
    static int fitting(int bytes) {
        int low = 0;
        int high = BYTES.length - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (BYTES[middle] < bytes) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
