package io.galgo.storage.log;

import io.galgo.protocol.Checksum;
import io.galgo.protocol.batch.BatchChecksum;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.batch.FillerRecord;
import java.nio.ByteBuffer;

/// A filler record that says: the offsets from here to there were never confirmed and are skipped. It lies in the
/// log before the first batch behind the jump, so that a jump can be told from a loss.
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 256 | header of a [FillerRecord] of 512 bytes |
/// | 256 | 8 | `GALGOJMP` |
/// | 264 | 8 | the offset behind the last message before the jump |
/// | 272 | 8 | the offset at which the log goes on |
/// | 280 | 8 | XXH3-64 of bytes 256..279 |
/// | 288 | 224 | 0 |
final class JumpRecord {
    static final int BYTES = 2 * BatchHeader.BYTES;

    private static final long MAGIC = 0x504d_4a4f_474c_4147L;
    private static final int BODY = FillerRecord.BYTES_MIN;
    private static final int FROM = BODY + 8;
    private static final int TO = BODY + 16;
    private static final int CHECKSUM = BODY + 24;

    private JumpRecord() {}

    static void write(ByteBuffer bytes, int position, long fromOffset, long toOffset, BatchChecksum checksum) {
        FillerRecord.write(bytes, position, BYTES, checksum);
        for (int i = BODY; i < BYTES; i += 8) {
            bytes.putLong(position + i, 0);
        }
        bytes.putLong(position + BODY, MAGIC);
        bytes.putLong(position + FROM, fromOffset);
        bytes.putLong(position + TO, toOffset);
        bytes.putLong(position + CHECKSUM, Checksum.xxh3(bytes, position + BODY, CHECKSUM - BODY));
    }

    /// Whether the whole filler record of `length` bytes at `position` is a jump.
    static boolean isJump(ByteBuffer bytes, int position, long length) {
        return length == BYTES
                && bytes.getLong(position + BODY) == MAGIC
                && bytes.getLong(position + CHECKSUM) == Checksum.xxh3(bytes, position + BODY, CHECKSUM - BODY);
    }

    static long fromOffset(ByteBuffer bytes, int position) {
        return bytes.getLong(position + FROM);
    }

    static long toOffset(ByteBuffer bytes, int position) {
        return bytes.getLong(position + TO);
    }
}
