package io.galgo.protocol;

import java.nio.ByteBuffer;

/// Where a poll starts (spec protocol 5.6): kind in 8 bits, value in 64.
///
/// Other kinds decode as they are, because they are refused only after other checks (8.8.2).
///
/// @param kind the byte as sent, 0..255
/// @param value an offset or microseconds, unsigned; sent but ignored for the other kinds
public record PollingStrategy(int kind, long value) {
    public static final int KIND_OFFSET = 1;
    public static final int KIND_TIMESTAMP = 2;
    public static final int KIND_FIRST = 3;
    public static final int KIND_LAST = 4;
    public static final int KIND_NEXT = 5;

    public static final PollingStrategy FIRST = new PollingStrategy(KIND_FIRST, 0);
    public static final PollingStrategy LAST = new PollingStrategy(KIND_LAST, 0);
    public static final PollingStrategy NEXT = new PollingStrategy(KIND_NEXT, 0);

    static final int BYTES = 9;

    public PollingStrategy {
        if (kind < 0 || kind > 255) {
            throw new IllegalArgumentException("polling strategy kind " + kind + " is no byte");
        }
    }

    public static PollingStrategy offset(long offset) {
        return new PollingStrategy(KIND_OFFSET, offset);
    }

    public static PollingStrategy timestamp(long timestampMicros) {
        return new PollingStrategy(KIND_TIMESTAMP, timestampMicros);
    }

    public boolean isKnownKind() {
        return KIND_OFFSET <= kind && kind <= KIND_NEXT;
    }

    public static PollingStrategy read(BodyReader in) {
        int kind = in.u8();
        long value = in.u64();
        return kind == KIND_NEXT && value == 0 ? NEXT : new PollingStrategy(kind, value);
    }

    public int encodedBytes() {
        return BYTES;
    }

    /// Appends the bytes; the target is little-endian.
    public void put(ByteBuffer target) {
        target.put((byte) kind).putLong(value);
    }
}
