package io.galgo.protocol.batch;

import java.nio.ByteBuffer;

/// A record without messages that pads a log, so that the next batch begins at a page. It is never sent to a
/// client.
///
/// It looks like a [BatchHeader] whose message_count is 0: batch_length is the length of the padding, this header
/// included; batch_checksum is computed as for a batch without frames; all else is 0. What follows the header is
/// skipped and may hold anything.
///
/// The shortest filler is a header long. Who needs less padding pads a page more.
public final class FillerRecord {
    public static final int BYTES_MIN = BatchHeader.BYTES;

    private FillerRecord() {}

    /// Writes the header of a filler of `length` bytes; what follows it is left as it is.
    public static void write(ByteBuffer bytes, int position, int length, BatchChecksum checksum) {
        if (length < BYTES_MIN) {
            throw new IllegalArgumentException("filler of " + length + " bytes, at least " + BYTES_MIN + " are needed");
        }
        BatchHeader.write(bytes, position, 0, 0, 0, 0, length, 0);
        BatchHeader.checksum(bytes, position, checksum.of(bytes, position));
    }

    /// Whether the 256 bytes at `position` are the header of an undamaged filler. Its length is
    /// [BatchHeader#length], at least [#BYTES_MIN]; whether the log goes on that far is for the caller to see.
    public static boolean isFiller(ByteBuffer bytes, int position, BatchChecksum checksum) {
        return BatchHeader.messageCount(bytes, position) == 0
                && BatchHeader.length(bytes, position) >= BYTES_MIN
                && (BatchHeader.partitionId(bytes, position)
                                | BatchHeader.baseOffset(bytes, position)
                                | BatchHeader.baseTimestamp(bytes, position)
                                | BatchHeader.originTimestamp(bytes, position))
                        == 0
                && BatchHeader.isReservedZero(bytes, position)
                && BatchHeader.checksum(bytes, position) == checksum.of(bytes, position);
    }
}
