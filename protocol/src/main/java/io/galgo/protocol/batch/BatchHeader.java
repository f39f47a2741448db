package io.galgo.protocol.batch;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The header of a batch record (spec protocol 7.1); message frames follow it. One layout serves for sending,
/// storing and polling.
///
/// | offset | size | field | as sent | as stored |
/// |---|---|---|---|---|
/// | 0 | 8 | partition_id | 0 | partition |
/// | 8 | 8 | base_offset | 0 | offset of the first message produced in the batch |
/// | 16 | 8 | base_timestamp | 0 | when the server took the batch, us |
/// | 24 | 8 | origin_timestamp | smallest producer timestamp, us | same |
/// | 32 | 8 | batch_length | header and frames | same |
/// | 40 | 8 | batch_checksum | [BatchChecksum] | made anew |
/// | 48 | 4 | message_count | at least 1 | same; 0 only in a [FillerRecord] |
/// | 52 | 204 | reserved | 0 | 0 |
///
/// `position` is where the record begins; access is absolute, the buffer's byte order must be little-endian.
public final class BatchHeader {
    public static final int BYTES = 256;

    private static final int PARTITION_ID = 0;
    private static final int BASE_OFFSET = 8;
    private static final int BASE_TIMESTAMP = 16;
    private static final int ORIGIN_TIMESTAMP = 24;
    private static final int LENGTH = 32;
    private static final int CHECKSUM = 40;
    private static final int MESSAGE_COUNT = 48;
    private static final int RESERVED = 52;

    private BatchHeader() {}

    public static long partitionId(ByteBuffer bytes, int position) {
        return u64(bytes, position + PARTITION_ID);
    }

    public static long baseOffset(ByteBuffer bytes, int position) {
        return u64(bytes, position + BASE_OFFSET);
    }

    public static long baseTimestamp(ByteBuffer bytes, int position) {
        return u64(bytes, position + BASE_TIMESTAMP);
    }

    public static long originTimestamp(ByteBuffer bytes, int position) {
        return u64(bytes, position + ORIGIN_TIMESTAMP);
    }

    /// Length of the record, header included, as it says itself: any 64 bits in a record not yet checked.
    public static long length(ByteBuffer bytes, int position) {
        return u64(bytes, position + LENGTH);
    }

    public static long checksum(ByteBuffer bytes, int position) {
        return u64(bytes, position + CHECKSUM);
    }

    public static int messageCount(ByteBuffer bytes, int position) {
        assert bytes.order() == ByteOrder.LITTLE_ENDIAN;
        return bytes.getInt(position + MESSAGE_COUNT);
    }

    public static boolean isReservedZero(ByteBuffer bytes, int position) {
        long bits = bytes.getInt(position + RESERVED);
        for (int i = RESERVED + 4; i < BYTES; i += 8) {
            bits |= bytes.getLong(position + i);
        }
        return bits == 0;
    }

    public static void partitionId(ByteBuffer bytes, int position, long partitionId) {
        bytes.putLong(position + PARTITION_ID, partitionId);
    }

    public static void baseOffset(ByteBuffer bytes, int position, long baseOffset) {
        bytes.putLong(position + BASE_OFFSET, baseOffset);
    }

    public static void baseTimestamp(ByteBuffer bytes, int position, long timestampMicros) {
        bytes.putLong(position + BASE_TIMESTAMP, timestampMicros);
    }

    public static void checksum(ByteBuffer bytes, int position, long checksum) {
        bytes.putLong(position + CHECKSUM, checksum);
    }

    /// Writes a whole header, reserved bytes included, with checksum 0.
    public static void write(
            ByteBuffer bytes,
            int position,
            long partitionId,
            long baseOffset,
            long baseTimestamp,
            long originTimestamp,
            long length,
            int messageCount) {
        assert bytes.order() == ByteOrder.LITTLE_ENDIAN;
        bytes.putLong(position + PARTITION_ID, partitionId);
        bytes.putLong(position + BASE_OFFSET, baseOffset);
        bytes.putLong(position + BASE_TIMESTAMP, baseTimestamp);
        bytes.putLong(position + ORIGIN_TIMESTAMP, originTimestamp);
        bytes.putLong(position + LENGTH, length);
        bytes.putLong(position + CHECKSUM, 0);
        bytes.putInt(position + MESSAGE_COUNT, messageCount);
        bytes.putInt(position + RESERVED, 0);
        for (int i = RESERVED + 4; i < BYTES; i += 8) {
            bytes.putLong(position + i, 0);
        }
    }

    private static long u64(ByteBuffer bytes, int position) {
        assert bytes.order() == ByteOrder.LITTLE_ENDIAN;
        return bytes.getLong(position);
    }
}
