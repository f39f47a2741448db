package io.galgo.storage.journal;

import io.galgo.protocol.Checksum;
import io.galgo.storage.Unreadable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// Which snapshot and which journal files belong together.
///
/// The files `superblock.a` and `superblock.b` hold one copy each, written in turn; the whole one with the higher
/// sequence counts. Little-endian:
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 8 | `GALGOMSB` |
/// | 8 | 4 | format version, 1 |
/// | 12 | 4 | 0 |
/// | 16 | 8 | sequence; odd ones are in `superblock.a` |
/// | 24 | 8 | op of the snapshot, 0 for none |
/// | 32 | 8 | header checksum of the snapshot file, 0 for none |
/// | 40 | 8 | first op of a journal file that must be there |
/// | 48 | 8 | XXH3-64 of bytes 0..47 |
///
/// @param sequence grows with each copy written
/// @param snapshotOp op of the snapshot, 0 for none
/// @param snapshotChecksum what the header of the snapshot file must carry
/// @param journalFirst first op of the newest journal file when this was written
record JournalSuperblock(long sequence, long snapshotOp, long snapshotChecksum, long journalFirst) {
    static final String NAME_A = "superblock.a";
    static final String NAME_B = "superblock.b";
    static final String TEMPORARY = "superblock.tmp";
    static final int BYTES = 56;
    static final int VERSION = 1;

    private static final long MAGIC = 0x4253_4d4f_474c_4147L;
    private static final int CHECKSUM = BYTES - 8;

    /// The file that this copy belongs in.
    String name() {
        return sequence % 2 == 1 ? NAME_A : NAME_B;
    }

    ByteBuffer encode() {
        ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(0, MAGIC);
        bytes.putInt(8, VERSION);
        bytes.putLong(16, sequence);
        bytes.putLong(24, snapshotOp);
        bytes.putLong(32, snapshotChecksum);
        bytes.putLong(40, journalFirst);
        bytes.putLong(CHECKSUM, Checksum.xxh3(bytes, 0, CHECKSUM));
        return bytes;
    }

    /// The copy in a file's content, or null when it is damaged.
    ///
    /// @throws Unreadable when it is whole and its format is of another program
    static @Nullable JournalSuperblock decode(String path, ByteBuffer bytes) {
        if (bytes.limit() < BYTES
                || bytes.getLong(0) != MAGIC
                || bytes.getLong(CHECKSUM) != Checksum.xxh3(bytes, 0, CHECKSUM)) {
            return null;
        }
        if (bytes.getInt(8) != VERSION) {
            throw Findings.unknownVersion(path, bytes.getInt(8), VERSION);
        }
        if (bytes.limit() != BYTES) {
            return null;
        }
        return new JournalSuperblock(bytes.getLong(16), bytes.getLong(24), bytes.getLong(32), bytes.getLong(40));
    }
}
