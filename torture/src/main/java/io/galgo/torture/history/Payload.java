package io.galgo.torture.history;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/// Payloads that a number determines, so that the number is all that has to be remembered.
///
/// The low 24 bits of the number are the length. The first eight bytes of the payload are the number, the rest
/// follows from it.
public final class Payload {
    public static final int BYTES_MIN = 8;
    public static final int BYTES_MAX = (1 << 24) - 1;

    private Payload() {}

    public static long id(long sequence, int length) {
        if (length < BYTES_MIN || BYTES_MAX < length) {
            throw new IllegalArgumentException("a payload of " + length + " bytes");
        }
        return (sequence << 24) | length;
    }

    public static byte[] of(long id) {
        int length = (int) (id & BYTES_MAX);
        ByteBuffer bytes = ByteBuffer.allocate((length + 7) & ~7).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(id);
        long state = id;
        while (bytes.hasRemaining()) {
            state += 0x9E3779B97F4A7C15L;
            long mixed = (state ^ (state >>> 30)) * 0xBF58476D1CE4E5B9L;
            bytes.putLong(mixed ^ (mixed >>> 27));
        }
        return Arrays.copyOf(bytes.array(), length);
    }

    /// The number that this payload claims to come from, -1 when it is too short to name one.
    public static long idOf(byte[] payload) {
        return payload.length < BYTES_MIN
                ? -1
                : ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }

    /// Whether the payload is, to the last byte, the one of the number in its front.
    public static boolean isWhole(byte[] payload) {
        long id = idOf(payload);
        return id >= 0 && (id & BYTES_MAX) == payload.length && Arrays.equals(payload, of(id));
    }
}
