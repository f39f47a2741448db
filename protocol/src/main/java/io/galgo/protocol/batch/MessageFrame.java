package io.galgo.protocol.batch;

import io.galgo.protocol.Checksum;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// One message in a batch record (spec protocol 7.3).
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 8 | checksum: XXH3-64 of bytes 8..47, payload and user headers |
/// | 8 | 16 | id |
/// | 24 | 4 | offset_delta |
/// | 28 | 4 | timestamp_delta, us |
/// | 32 | 4 | user_headers_length |
/// | 36 | 4 | payload_length |
/// | 40 | 8 | reserved, 0 |
/// | 48 | payload_length | payload |
/// | | user_headers_length | user headers |
///
/// `position` is where the frame begins; access is absolute, the buffer's byte order must be little-endian.
public final class MessageFrame {
    /// Bytes before the payload.
    public static final int HEADER_BYTES = 48;

    private static final int CHECKSUM = 0;
    private static final int ID = 8;
    private static final int OFFSET_DELTA = 24;
    private static final int TIMESTAMP_DELTA = 28;
    private static final int USER_HEADERS_LENGTH = 32;
    private static final int PAYLOAD_LENGTH = 36;
    private static final int RESERVED = 40;

    private MessageFrame() {}

    public static long checksum(ByteBuffer bytes, int position) {
        return u64(bytes, position + CHECKSUM);
    }

    /// The low 64 bits of the message id: its first 8 bytes.
    public static long idLow(ByteBuffer bytes, int position) {
        return u64(bytes, position + ID);
    }

    public static long idHigh(ByteBuffer bytes, int position) {
        return u64(bytes, position + ID + 8);
    }

    /// The producer's count within the batch, unsigned; servers do not check it.
    public static int offsetDelta(ByteBuffer bytes, int position) {
        return u32(bytes, position + OFFSET_DELTA);
    }

    /// Microseconds after the batch's origin timestamp, unsigned.
    public static int timestampDelta(ByteBuffer bytes, int position) {
        return u32(bytes, position + TIMESTAMP_DELTA);
    }

    /// Unsigned; trust it only in a checked frame.
    public static int userHeadersLength(ByteBuffer bytes, int position) {
        return u32(bytes, position + USER_HEADERS_LENGTH);
    }

    /// Unsigned; trust it only in a checked frame.
    public static int payloadLength(ByteBuffer bytes, int position) {
        return u32(bytes, position + PAYLOAD_LENGTH);
    }

    public static long reserved(ByteBuffer bytes, int position) {
        return u64(bytes, position + RESERVED);
    }

    /// Length of the whole frame as its fields say: 48..8589934638 in a frame not yet checked.
    public static long length(ByteBuffer bytes, int position) {
        return HEADER_BYTES
                + Integer.toUnsignedLong(u32(bytes, position + USER_HEADERS_LENGTH))
                + Integer.toUnsignedLong(u32(bytes, position + PAYLOAD_LENGTH));
    }

    public static int payloadPosition(int position) {
        return position + HEADER_BYTES;
    }

    public static int userHeadersPosition(ByteBuffer bytes, int position) {
        return position + HEADER_BYTES + payloadLength(bytes, position);
    }

    /// The checksum that a frame of `length` bytes ought to carry.
    public static long computedChecksum(ByteBuffer bytes, int position, int length) {
        return Checksum.xxh3(bytes, position + ID, length - ID);
    }

    /// Writes the 48 bytes before the payload with checksum 0. Payload and user headers follow, then
    /// [#stampChecksum].
    public static void write(
            ByteBuffer bytes,
            int position,
            long idHigh,
            long idLow,
            int offsetDelta,
            int timestampDelta,
            int userHeadersLength,
            int payloadLength) {
        assert bytes.order() == ByteOrder.LITTLE_ENDIAN;
        bytes.putLong(position + CHECKSUM, 0);
        bytes.putLong(position + ID, idLow);
        bytes.putLong(position + ID + 8, idHigh);
        bytes.putInt(position + OFFSET_DELTA, offsetDelta);
        bytes.putInt(position + TIMESTAMP_DELTA, timestampDelta);
        bytes.putInt(position + USER_HEADERS_LENGTH, userHeadersLength);
        bytes.putInt(position + PAYLOAD_LENGTH, payloadLength);
        bytes.putLong(position + RESERVED, 0);
    }

    /// Writes the lengths of what follows the header; the checksum is wrong then until [#stampChecksum].
    public static void lengths(ByteBuffer bytes, int position, int userHeadersLength, int payloadLength) {
        bytes.putInt(position + USER_HEADERS_LENGTH, userHeadersLength);
        bytes.putInt(position + PAYLOAD_LENGTH, payloadLength);
    }

    /// Computes and writes the checksum of a frame that is otherwise complete.
    public static void stampChecksum(ByteBuffer bytes, int position) {
        int length = Math.toIntExact(length(bytes, position));
        bytes.putLong(position + CHECKSUM, computedChecksum(bytes, position, length));
    }

    private static int u32(ByteBuffer bytes, int position) {
        assert bytes.order() == ByteOrder.LITTLE_ENDIAN;
        return bytes.getInt(position);
    }

    private static long u64(ByteBuffer bytes, int position) {
        assert bytes.order() == ByteOrder.LITTLE_ENDIAN;
        return bytes.getLong(position);
    }
}
