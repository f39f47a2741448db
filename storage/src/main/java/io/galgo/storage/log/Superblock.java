package io.galgo.storage.log;

import io.galgo.protocol.Checksum;
import java.nio.ByteBuffer;

/// The little that a partition's log must remember beside its batches.
///
/// The file `superblock` holds two copies of 4096 bytes, written in turn, so that one is whole whatever happens;
/// the whole one with the higher sequence counts. Little-endian:
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 8 | `GALGOSUP` |
/// | 8 | 4 | format version, 1 |
/// | 12 | 4 | 1 after a clean stop, else 0 |
/// | 16 | 8 | sequence of this copy; odd ones lie second |
/// | 24 | 8 | metadata op that created the partition |
/// | 32 | 8 | metadata op of the last purge whose removal is complete, 0 for none |
/// | 40 | 8 | reserved offset |
/// | 48 | 8 | floor offset |
/// | 56 | 8 | kept offset, 0 while no segment was deleted |
/// | 64 | 8 | where the messages ended when that was written |
/// | 72 | 4016 | 0 |
/// | 4088 | 8 | XXH3-64 of bytes 0..4087 |
///
/// @param created the op that created the partition; files of another one are not this partition's
/// @param generation the op of the last purge; content of an older one is purged
/// @param reserved no message of a replicated topic at or behind this offset was ever confirmed or readable, so
///     that the log goes on here when messages may be lost. Persisted topics lose none and do not keep it up
/// @param floor the log goes on here or behind, whatever its files say: messages behind their end were lost before,
///     or given up
/// @param isClean whether the log was closed and nothing was appended since: its files are as they should be
/// @param kept segments that start below this offset are given up: whichever of them a crash leaves is removed
/// @param ended the offset behind the last message when `kept` was written; tells where the log was when nothing
///     of it is left
record Superblock(long created, long generation, long reserved, long floor, boolean isClean, long kept, long ended) {
    static final String NAME = "superblock";
    static final int COPY_BYTES = 4096;
    static final int VERSION = 1;

    private static final long MAGIC = 0x5055_534f_474c_4147L;
    private static final int CHECKSUM = COPY_BYTES - 8;

    void encode(ByteBuffer target, long sequence) {
        for (int i = 0; i < COPY_BYTES; i += 8) {
            target.putLong(i, 0);
        }
        target.putLong(0, MAGIC);
        target.putInt(8, VERSION);
        target.putInt(12, isClean ? 1 : 0);
        target.putLong(16, sequence);
        target.putLong(24, created);
        target.putLong(32, generation);
        target.putLong(40, reserved);
        target.putLong(48, floor);
        target.putLong(56, kept);
        target.putLong(64, ended);
        target.putLong(CHECKSUM, Checksum.xxh3(target, 0, CHECKSUM));
    }

    /// Whether a whole copy begins at `at`.
    static boolean isWhole(ByteBuffer bytes, int at) {
        return bytes.getLong(at) == MAGIC && bytes.getLong(at + CHECKSUM) == Checksum.xxh3(bytes, at, CHECKSUM);
    }

    static int version(ByteBuffer bytes, int at) {
        return bytes.getInt(at + 8);
    }

    static long sequence(ByteBuffer bytes, int at) {
        return bytes.getLong(at + 16);
    }

    static Superblock decode(ByteBuffer bytes, int at) {
        return new Superblock(
                bytes.getLong(at + 24),
                bytes.getLong(at + 32),
                bytes.getLong(at + 40),
                bytes.getLong(at + 48),
                bytes.getInt(at + 12) == 1,
                bytes.getLong(at + 56),
                bytes.getLong(at + 64));
    }
}
