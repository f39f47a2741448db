package io.galgo.storage.offsets;

import io.galgo.protocol.Checksum;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The layout of a consumer offsets file. Little-endian:
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 8 | `GALGOOFS` |
/// | 8 | 4 | format version, 1 |
/// | 12 | 4 | 0 |
/// | 16 | 8 | metadata op that created the partition |
/// | 24 | 8 | metadata op of the last purge, 0 for none |
/// | 32 | 24 | 0 |
/// | 56 | 8 | XXH3-64 of bytes 0..55 |
/// | 64 | | records, one behind the other |
///
/// A record; of two with one key the later one counts:
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 2 | kind: 1 stored, 2 deleted |
/// | 2 | 2 | 1 for a consumer group, 0 for a consumer |
/// | 4 | 4 | key |
/// | 8 | 8 | offset; 0 when deleted |
/// | 16 | 8 | number of the record in the file, from 0 |
/// | 24 | 8 | XXH3-64 of bytes 0..23 and of both ops of the header |
final class OffsetsFormat {
    // A record proves by itself which partition and purge it belongs to, so a damaged header costs nothing.

    static final int VERSION = 1;
    static final int HEADER_BYTES = 64;
    static final int RECORD_BYTES = 32;

    /// A record is built in so many bytes; what exceeds it is overwritten by the next one.
    static final int SCRATCH_BYTES = 40;

    static final int STORED = 1;
    static final int DELETED = 2;

    private static final long MAGIC = 0x5346_4f4f_474c_4147L;
    private static final int HEADER_CHECKSUM = HEADER_BYTES - 8;
    private static final int RECORD_CHECKSUM = RECORD_BYTES - 8;
    private static final long GROUP = 1L << 32;

    private OffsetsFormat() {}

    static long tableKey(boolean group, int key) {
        return (group ? GROUP : 0) | Integer.toUnsignedLong(key);
    }

    static boolean isGroup(long tableKey) {
        return (tableKey & GROUP) != 0;
    }

    static long position(long recordsCount) {
        return HEADER_BYTES + recordsCount * RECORD_BYTES;
    }

    static void putHeader(ByteBuffer target, long created, long generation) {
        for (int i = 0; i < HEADER_BYTES; i += 8) {
            target.putLong(i, 0);
        }
        target.putLong(0, MAGIC);
        target.putInt(8, VERSION);
        target.putLong(16, created);
        target.putLong(24, generation);
        target.putLong(HEADER_CHECKSUM, Checksum.xxh3(target, 0, HEADER_CHECKSUM));
    }

    static boolean isHeader(ByteBuffer bytes) {
        return bytes.limit() >= HEADER_BYTES
                && bytes.getLong(0) == MAGIC
                && bytes.getLong(HEADER_CHECKSUM) == Checksum.xxh3(bytes, 0, HEADER_CHECKSUM);
    }

    static int version(ByteBuffer header) {
        return header.getInt(8);
    }

    static long created(ByteBuffer header) {
        return header.getLong(16);
    }

    static long generation(ByteBuffer header) {
        return header.getLong(24);
    }

    /// Builds a record at `at`, in [#SCRATCH_BYTES].
    static void putRecord(
            ByteBuffer target,
            int at,
            int kind,
            long tableKey,
            long offset,
            long number,
            long created,
            long generation) {
        target.putShort(at, (short) kind);
        target.putShort(at + 2, (short) (isGroup(tableKey) ? 1 : 0));
        target.putInt(at + 4, (int) tableKey);
        target.putLong(at + 8, offset);
        target.putLong(at + 16, number);
        target.putLong(at + RECORD_CHECKSUM, created);
        target.putLong(at + RECORD_CHECKSUM + 8, generation);
        target.putLong(at + RECORD_CHECKSUM, Checksum.xxh3(target, at, SCRATCH_BYTES));
    }

    /// Whether the record at `at` is whole, has this number and belongs to this partition and purge.
    ///
    /// @param scratch of [#SCRATCH_BYTES], little-endian, for this call
    static boolean isRecord(ByteBuffer bytes, int at, long number, long created, long generation, ByteBuffer scratch) {
        scratch.put(0, bytes, at, RECORD_CHECKSUM);
        scratch.putLong(RECORD_CHECKSUM, created);
        scratch.putLong(RECORD_CHECKSUM + 8, generation);
        int kind = kind(bytes, at);
        return bytes.getLong(at + RECORD_CHECKSUM) == Checksum.xxh3(scratch, 0, SCRATCH_BYTES)
                && bytes.getLong(at + 16) == number
                && (kind == STORED || kind == DELETED);
    }

    static int kind(ByteBuffer bytes, int at) {
        return bytes.getShort(at);
    }

    static long tableKey(ByteBuffer bytes, int at) {
        return tableKey(bytes.getShort(at + 2) != 0, bytes.getInt(at + 4));
    }

    static long offset(ByteBuffer bytes, int at) {
        return bytes.getLong(at + 8);
    }

    static ByteBuffer scratch() {
        return ByteBuffer.allocate(SCRATCH_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    }
}
