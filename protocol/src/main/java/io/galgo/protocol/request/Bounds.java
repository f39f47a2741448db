package io.galgo.protocol.request;

/// Bounds of numbers that a request holds wider than the wire does.
final class Bounds {
    private static final long COUNT_MAX = 0xFFFF_FFFFL;

    private Bounds() {}

    static void requireByte(int value) {
        if (value < 0 || value > 255) {
            throw new IllegalArgumentException(value + " does not fit in 8 bits");
        }
    }

    static void requireCount(long count) {
        if (count < 0 || count > COUNT_MAX) {
            throw new IllegalArgumentException(count + " does not fit in 32 bits");
        }
    }
}
