package io.galgo.protocol.batch;

import java.nio.ByteBuffer;

/// The part of a stored batch that answers a range of offsets, with the header that it needs (spec protocol 8.8.2).
///
/// The message at index `i` of a record has offset `base_offset + i`, whatever its offset_delta says, because the
/// server counts messages and does not check deltas. The base offset stays in a cut header, as the deltas do.
///
/// Reusable; one thread at a time.
public final class BatchCut {
    private int framesPosition;
    private int framesLength;
    private int messagesCount;
    private long firstOffset;
    private boolean whole;

    public BatchCut() {}

    /// Finds the messages with offsets in `[offset, offset + messagesMax)`.
    ///
    /// The record must be a checked one, as it was stored: never the result of a cut.
    ///
    /// @param offset unsigned; from 2^63 on it is behind every message
    /// @param messagesMax not negative
    /// @param bytesMax when the header and the frames found would be longer, later messages are left away; the
    ///     first one is kept whatever its length
    /// @return whether there is at least one
    public boolean find(ByteBuffer bytes, int position, long offset, long messagesMax, long bytesMax) {
        long baseOffset = BatchHeader.baseOffset(bytes, position);
        int count = BatchHeader.messageCount(bytes, position);
        long skipped = Math.max(0, offset - baseOffset);
        long wanted = Math.min(count - skipped, messagesMax - Math.max(0, baseOffset - offset));
        messagesCount = 0;
        framesLength = 0;
        if (wanted <= 0 || offset < 0) {
            return false;
        }
        long length = BatchHeader.length(bytes, position);
        firstOffset = baseOffset + skipped;
        whole = wanted == count && length <= bytesMax;
        if (whole) {
            framesPosition = position + BatchHeader.BYTES;
            framesLength = (int) length - BatchHeader.BYTES;
            messagesCount = count;
            return true;
        }
        int frame = position + BatchHeader.BYTES;
        for (long i = 0; i < skipped; i++) {
            frame += (int) MessageFrame.length(bytes, frame);
        }
        framesPosition = frame;
        for (long i = 0; i < wanted; i++) {
            int frameLength = (int) MessageFrame.length(bytes, frame);
            if (i > 0 && BatchHeader.BYTES + (long) framesLength + frameLength > bytesMax) {
                break;
            }
            frame += frameLength;
            framesLength += frameLength;
            messagesCount++;
        }
        return true;
    }

    /// Whether the whole record answers, so that it goes out as it is, with its own header.
    public boolean isWhole() {
        return whole;
    }

    /// Where the first frame found begins.
    public int framesPosition() {
        return framesPosition;
    }

    public int framesLength() {
        return framesLength;
    }

    public int messagesCount() {
        return messagesCount;
    }

    public long firstOffset() {
        return firstOffset;
    }

    public long lastOffset() {
        return firstOffset + messagesCount - 1;
    }

    /// Writes the header that goes before the frames found: that of the record, with length, count and checksum of
    /// the part.
    ///
    /// @param position of the record given to [#find]
    /// @param target may be the same buffer
    public void writeHeader(
            ByteBuffer bytes, int position, ByteBuffer target, int targetPosition, BatchChecksum checksum) {
        long length = BatchHeader.BYTES + (long) framesLength;
        checksum.start(bytes, position, length, messagesCount);
        int frame = framesPosition;
        for (int i = 0; i < messagesCount; i++) {
            checksum.add(MessageFrame.checksum(bytes, frame));
            frame += (int) MessageFrame.length(bytes, frame);
        }
        BatchHeader.write(
                target,
                targetPosition,
                BatchHeader.partitionId(bytes, position),
                BatchHeader.baseOffset(bytes, position),
                BatchHeader.baseTimestamp(bytes, position),
                BatchHeader.originTimestamp(bytes, position),
                length,
                messagesCount);
        BatchHeader.checksum(target, targetPosition, checksum.value());
    }
}
