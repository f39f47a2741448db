package io.galgo.storage.log;

import io.galgo.protocol.Checksum;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The file beside a segment's log that keeps its [SegmentIndex] and what adding up the log gave, little-endian.
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 8 | `GALGOIDX` |
/// | 8 | 4 | format version, 1 |
/// | 12 | 4 | entries |
/// | 16 | 8 | start offset of the segment |
/// | 24 | 8 | bytes of the log that this describes: all of it |
/// | 32 | 8 | bytes of the batches in it, filler not counted |
/// | 40 | 8 | messages |
/// | 48 | 8 | first offset |
/// | 56 | 8 | offset behind the last message |
/// | 64 | 8 | base timestamp of the last batch |
/// | 72 | 8 | partition id |
/// | 80 | 8 | bytes between two entries, at least |
/// | 88 | 24 | 0 |
/// | 112 | 8 | XXH3-64 of the entries |
/// | 120 | 8 | XXH3-64 of bytes 0..119 |
/// | 128 | 24 each | entries, in order: base offset, base timestamp, position of a batch |
///
/// It is written as a whole when a segment is sealed or the log is closed, and never trusted when anything of it
/// does not fit: then the log itself is read.
final class IndexFile {
    static final int HEADER_BYTES = 128;
    static final int ENTRY_BYTES = 24;

    private static final long MAGIC = 0x5844_494f_474c_4147L;
    private static final int VERSION = 1;

    private IndexFile() {}

    static int length(SegmentIndex index) {
        return HEADER_BYTES + ENTRY_BYTES * index.count();
    }

    /// Writes the file's bytes at the beginning of `target`.
    static void encode(Segment segment, SegmentIndex index, ByteBuffer target) {
        for (int i = 0; i < HEADER_BYTES; i += 8) {
            target.putLong(i, 0);
        }
        target.putLong(0, MAGIC);
        target.putInt(8, VERSION);
        target.putInt(12, index.count());
        target.putLong(16, segment.startOffset());
        target.putLong(24, segment.bytes());
        target.putLong(32, segment.contentBytes());
        target.putLong(40, segment.messagesCount());
        target.putLong(48, segment.firstOffset());
        target.putLong(56, segment.endOffset());
        target.putLong(64, segment.lastTimestamp());
        target.putLong(72, segment.partitionId());
        target.putLong(80, index.intervalBytes());
        for (int i = 0; i < index.count(); i++) {
            int at = HEADER_BYTES + ENTRY_BYTES * i;
            target.putLong(at, index.offset(i));
            target.putLong(at + 8, index.timestamp(i));
            target.putLong(at + 16, index.position(i));
        }
        target.putLong(112, Checksum.xxh3(target, HEADER_BYTES, ENTRY_BYTES * index.count()));
        target.putLong(120, Checksum.xxh3(target, 0, 120));
    }

    /// Whether the header in the first 128 bytes is whole and describes a log of `logBytes` bytes of this segment.
    static boolean isHeaderOf(Segment segment, long logBytes, ByteBuffer bytes, int length) {
        return length >= HEADER_BYTES
                && bytes.getLong(0) == MAGIC
                && bytes.getInt(8) == VERSION
                && bytes.getLong(120) == Checksum.xxh3(bytes, 0, 120)
                && bytes.getLong(16) == segment.startOffset()
                && bytes.getLong(24) == logBytes;
    }

    /// Takes over what the header says. The header was found good.
    static void restore(Segment segment, ByteBuffer bytes) {
        segment.restore(
                bytes.getLong(24),
                bytes.getLong(32),
                bytes.getLong(40),
                bytes.getLong(48),
                bytes.getLong(56),
                bytes.getLong(64),
                bytes.getLong(72));
    }

    /// The index in a whole file, or null when it is not good or does not describe the segment as it is.
    static @Nullable SegmentIndex decode(Segment segment, ByteBuffer bytes, int length) {
        if (!isHeaderOf(segment, segment.bytes(), bytes, length)) {
            return null;
        }
        int count = bytes.getInt(12);
        if (count < 0 || length != HEADER_BYTES + (long) ENTRY_BYTES * count) {
            return null;
        }
        if (bytes.getLong(112) != Checksum.xxh3(bytes, HEADER_BYTES, ENTRY_BYTES * count)) {
            return null;
        }
        SegmentIndex index = new SegmentIndex((int) bytes.getLong(80));
        for (int i = 0; i < count; i++) {
            int at = HEADER_BYTES + ENTRY_BYTES * i;
            index.add(bytes.getLong(at), bytes.getLong(at + 8), bytes.getLong(at + 16));
        }
        index.coveredBytes(segment.bytes());
        return index;
    }
}
