package io.galgo.torture.wire;

/// From where a poll reads.
public record Strategy(int kind, long value) {
    public static Strategy offset(long offset) {
        return new Strategy(1, offset);
    }

    public static Strategy timestamp(long micros) {
        return new Strategy(2, micros);
    }

    public static Strategy first() {
        return new Strategy(3, 0);
    }

    public static Strategy last() {
        return new Strategy(4, 0);
    }

    public static Strategy next() {
        return new Strategy(5, 0);
    }
}
