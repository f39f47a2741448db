package io.galgo.protocol.batch;

import io.galgo.protocol.ErrorCode;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Decides whether bytes are a batch record that may be stored or served (spec protocol 7.4).
///
/// Reads each byte once and allocates nothing. Nothing that the bytes say is believed before it was compared with
/// the limits given, so it is safe on anything.
public final class BatchCheck {
    private BatchCheck() {}

    /// Checks a batch that a client sent.
    ///
    /// When several things are wrong, those of the header are found first, then those of the first bad frame.
    ///
    /// @param position where the record begins
    /// @param length bytes of the request body from there to its end
    /// @param messagesCount the count that the request named beside the batch, unsigned
    /// @return null when the batch is good, else the code of the denial
    public static @Nullable ErrorCode refusal(
            ByteBuffer bytes, int position, int length, int messagesCount, BatchChecksum checksum) {
        if (length < BatchHeader.BYTES) {
            return ErrorCode.INVALID_COMMAND;
        }
        int count = BatchHeader.messageCount(bytes, position);
        if (count == 0 || count != messagesCount) {
            return ErrorCode.INVALID_MESSAGES_COUNT;
        }
        return damage(bytes, position, length, checksum);
    }

    /// Whether a stored record is whole and undamaged: it fills `length` bytes exactly and all its checksums hold.
    /// A [FillerRecord] is not a batch.
    public static boolean isIntact(ByteBuffer bytes, int position, int length, BatchChecksum checksum) {
        return length >= BatchHeader.BYTES
                && BatchHeader.messageCount(bytes, position) != 0
                && damage(bytes, position, length, checksum) == null;
    }

    private static @Nullable ErrorCode damage(ByteBuffer bytes, int position, int length, BatchChecksum checksum) {
        if (BatchHeader.length(bytes, position) != length) {
            return ErrorCode.INVALID_COMMAND;
        }
        if (!BatchHeader.isReservedZero(bytes, position)) {
            return ErrorCode.INVALID_RESERVED_FIELD;
        }
        return frameDamage(bytes, position, length, checksum);
    }

    /// Whether the frames tile the record's `length` bytes and all checksums hold. The record's header has been
    /// looked at; its reserved bytes are not.
    public static boolean isFrameContentIntact(ByteBuffer bytes, int position, int length, BatchChecksum checksum) {
        return frameDamage(bytes, position, length, checksum) == null;
    }

    private static @Nullable ErrorCode frameDamage(ByteBuffer bytes, int position, int length, BatchChecksum checksum) {
        int count = BatchHeader.messageCount(bytes, position);
        checksum.start(bytes, position, length, count);
        int frame = position + BatchHeader.BYTES;
        int end = position + length;

        // The count is unsigned; as a long it cannot run the loop backwards, and the frames' room bounds it.
        for (long left = Integer.toUnsignedLong(count); left > 0; left--) {
            if (end - frame < MessageFrame.HEADER_BYTES) {
                return ErrorCode.INVALID_COMMAND;
            }
            long frameLength = MessageFrame.length(bytes, frame);
            if (frameLength > end - frame) {
                return ErrorCode.INVALID_COMMAND;
            }
            if (MessageFrame.reserved(bytes, frame) != 0) {
                return ErrorCode.INVALID_RESERVED_FIELD;
            }
            long frameChecksum = MessageFrame.checksum(bytes, frame);
            if (frameChecksum != MessageFrame.computedChecksum(bytes, frame, (int) frameLength)) {
                return ErrorCode.INVALID_MESSAGE_CHECKSUM;
            }
            checksum.add(frameChecksum);
            frame += (int) frameLength;
        }
        if (frame != end) {
            return ErrorCode.INVALID_COMMAND;
        }
        return checksum.value() == BatchHeader.checksum(bytes, position) ? null : ErrorCode.INVALID_BATCH_CHECKSUM;
    }
}
