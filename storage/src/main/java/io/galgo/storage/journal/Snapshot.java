package io.galgo.storage.journal;

import io.galgo.protocol.Checksum;
import io.galgo.storage.disk.Disk;
import io.galgo.storage.disk.DiskFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The file of one snapshot: the state after all operations up to an op.
///
/// Its name is the op in 20 digits and `.snapshot`. Little-endian:
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 8 | `GALGOSNP` |
/// | 8 | 4 | format version, 1 |
/// | 12 | 4 | 0 |
/// | 16 | 8 | op |
/// | 24 | 8 | bytes of state |
/// | 32 | 8 | XXH3-64 of the state |
/// | 40 | 8 | XXH3-64 of bytes 0..39; the superblock repeats it |
/// | 48 | | state |
final class Snapshot {
    static final String SUFFIX = ".snapshot";
    static final String TEMPORARY = "snapshot.tmp";
    static final int HEADER_BYTES = 48;
    static final int VERSION = 1;

    private static final long MAGIC = 0x504e_534f_474c_4147L;
    private static final int CHECKSUM = HEADER_BYTES - 8;
    private static final int PIECE_BYTES = 4 * 1024 * 1024;

    private Snapshot() {}

    static String name(long op) {
        return JournalFile.digits(op) + SUFFIX;
    }

    /// @param state from position 0 to its limit, little-endian
    static ByteBuffer header(long op, ByteBuffer state) {
        ByteBuffer header = ByteBuffer.allocateDirect(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(0, MAGIC);
        header.putInt(8, VERSION);
        header.putLong(16, op);
        header.putLong(24, state.limit());
        header.putLong(32, Checksum.xxh3(state, 0, state.limit()));
        header.putLong(CHECKSUM, Checksum.xxh3(header, 0, CHECKSUM));
        return header;
    }

    static long checksum(ByteBuffer header) {
        return header.getLong(CHECKSUM);
    }

    /// Reads the state that the superblock names.
    static ByteBuffer read(Disk disk, String directory, JournalSuperblock superblock) {
        String path = directory + "/" + name(superblock.snapshotOp());
        if (!disk.exists(path)) {
            throw Findings.damaged("the metadata snapshot " + path + " is missing");
        }
        DiskFile file = disk.open(path, false);
        try {
            return read(file, path, superblock);
        } finally {
            file.close();
        }
    }

    private static ByteBuffer read(DiskFile file, String path, JournalSuperblock superblock) {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        int found = file.readNow(0, header);
        if (found < HEADER_BYTES
                || header.getLong(0) != MAGIC
                || header.getLong(CHECKSUM) != Checksum.xxh3(header, 0, CHECKSUM)) {
            throw Findings.damaged("the header of the metadata snapshot " + path + " is damaged at position 0");
        }
        if (header.getInt(8) != VERSION) {
            throw Findings.unknownVersion(path, header.getInt(8), VERSION);
        }
        if (checksum(header) != superblock.snapshotChecksum() || header.getLong(16) != superblock.snapshotOp()) {
            throw Findings.damaged("the metadata snapshot " + path + " is not the one that the superblock names");
        }
        long length = header.getLong(24);
        if (file.size() - HEADER_BYTES != length || length > Integer.MAX_VALUE - 8) {
            throw Findings.damaged("the metadata snapshot " + path + " ends at position " + file.size() + ", not at "
                    + (HEADER_BYTES + length));
        }
        ByteBuffer state = ByteBuffer.allocate((int) length).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at < length; at += PIECE_BYTES) {
            state.limit((int) Math.min(length, at + (long) PIECE_BYTES)).position(at);
            file.readNow(HEADER_BYTES + (long) at, state);
        }
        state.clear();
        if (header.getLong(32) != Checksum.xxh3(state, 0, (int) length)) {
            throw Findings.damaged(
                    "the state in the metadata snapshot " + path + " is damaged behind position " + HEADER_BYTES);
        }
        return state;
    }
}
