package io.galgo.storage.journal;

import io.galgo.protocol.Checksum;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The layout of a journal file. Its name is its first op in 20 digits and `.journal`. Little-endian:
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 8 | `GALGOJNL` |
/// | 8 | 4 | format version, 1 |
/// | 12 | 4 | 0 |
/// | 16 | 8 | first op |
/// | 24 | 8 | XXH3-64 of bytes 0..23 |
/// | 32 | | records, one behind the other |
///
/// A record, followed by 0 up to a multiple of 8 bytes:
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 4 | `GREC` |
/// | 4 | 4 | kind: 1 operation, 2 mark |
/// | 8 | 4 | bytes of the body |
/// | 12 | 4 | 0 |
/// | 16 | 8 | position of the record in the file |
/// | 24 | 8 | bytes of the file that were synced before the record was written |
/// | 32 | 8 | op; of a mark the one before it |
/// | 40 | 8 | XXH3-64 of the body |
/// | 48 | 8 | XXH3-64 of bytes 0..47 |
/// | 56 | | body |
///
/// A mark has no body. It is written where nothing follows for a while: after a start and at a clean stop.
final class JournalFile {
    // What was synced says which operations may have been acknowledged. A record that proves that the bytes of a
    // bad record were synced shows damage; without such a record the bad one is what a crash left of the last
    // write, also when later parts of that write are whole. A mark is such a proof for the last operation.

    static final String SUFFIX = ".journal";
    static final String TEMPORARY = "journal.tmp";
    static final int HEADER_BYTES = 32;
    static final int VERSION = 1;

    static final int RECORD_BYTES = 56;
    static final int KIND_OPERATION = 1;
    static final int KIND_MARK = 2;
    static final int ALIGNMENT = 8;

    /// The body of a request is at most 64 MiB; an operation adds a little to it.
    static final int BODY_BYTES_MAX = 96 * 1024 * 1024;

    private static final long MAGIC = 0x4c4e_4a4f_474c_4147L;
    private static final int CHECKSUM = HEADER_BYTES - 8;
    private static final int RECORD_MAGIC = 0x4345_5247;
    private static final int RECORD_CHECKSUM = RECORD_BYTES - 8;

    private JournalFile() {}

    static String name(long firstOp) {
        return digits(firstOp) + SUFFIX;
    }

    static String digits(long op) {
        String digits = Long.toString(op);
        return "0".repeat(20 - digits.length()) + digits;
    }

    static ByteBuffer header(long firstOp) {
        ByteBuffer header = ByteBuffer.allocateDirect(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(0, MAGIC);
        header.putInt(8, VERSION);
        header.putLong(16, firstOp);
        header.putLong(CHECKSUM, Checksum.xxh3(header, 0, CHECKSUM));
        return header;
    }

    static void checkHeader(String path, ByteBuffer bytes, int found, long firstOp) {
        if (found < HEADER_BYTES
                || bytes.getLong(0) != MAGIC
                || bytes.getLong(CHECKSUM) != Checksum.xxh3(bytes, 0, CHECKSUM)) {
            throw Findings.damaged("the header of the metadata journal " + path + " is damaged at position 0");
        }
        if (bytes.getInt(8) != VERSION) {
            throw Findings.unknownVersion(path, bytes.getInt(8), VERSION);
        }
        if (bytes.getLong(16) != firstOp) {
            throw Findings.damaged("the header of the metadata journal " + path + " says that it begins with op "
                    + bytes.getLong(16) + ", its name says another");
        }
    }

    /// Bytes that a record occupies.
    static int recordBytes(int bodyBytes) {
        return RECORD_BYTES + (bodyBytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    /// Puts a record without what [#seal] adds at the buffer's position and moves it behind.
    static void put(ByteBuffer target, int kind, long op, ByteBuffer body) {
        int at = target.position();
        int length = body.remaining();
        target.putInt(at, RECORD_MAGIC);
        target.putInt(at + 4, kind);
        target.putInt(at + 8, length);
        target.putInt(at + 12, 0);
        target.putLong(at + 32, op);
        target.put(at + RECORD_BYTES, body, body.position(), length);
        int end = at + recordBytes(length);
        for (int i = at + RECORD_BYTES + length; i < end; i++) {
            target.put(i, (byte) 0);
        }
        target.putLong(at + 40, Checksum.xxh3(target, at + RECORD_BYTES, length));
        target.position(end);
    }

    /// Completes the record at `at` of a buffer for its place in the file.
    static void seal(ByteBuffer bytes, int at, long position, long synced) {
        bytes.putLong(at + 16, position);
        bytes.putLong(at + 24, synced);
        bytes.putLong(at + RECORD_CHECKSUM, Checksum.xxh3(bytes, at, RECORD_CHECKSUM));
    }

    /// Whether the header of a record that belongs at `position` of the file is at `at` of the buffer.
    static boolean isRecord(ByteBuffer bytes, int at, long position) {
        return bytes.getInt(at) == RECORD_MAGIC
                && bytes.getLong(at + 16) == position
                && bytes.getLong(at + RECORD_CHECKSUM) == Checksum.xxh3(bytes, at, RECORD_CHECKSUM);
    }

    static int kind(ByteBuffer bytes, int at) {
        return bytes.getInt(at + 4);
    }

    static int bodyBytes(ByteBuffer bytes, int at) {
        return bytes.getInt(at + 8);
    }

    static long synced(ByteBuffer bytes, int at) {
        return bytes.getLong(at + 24);
    }

    static long op(ByteBuffer bytes, int at) {
        return bytes.getLong(at + 32);
    }

    static long bodyChecksum(ByteBuffer bytes, int at) {
        return bytes.getLong(at + 40);
    }
}
