package io.galgo.storage.form;

import io.galgo.protocol.Checksum;
import io.galgo.protocol.batch.BatchCheck;
import io.galgo.protocol.batch.BatchChecksum;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.batch.MessageFrame;
import io.galgo.storage.memory.BufferPool;
import java.nio.ByteBuffer;

/// The header of a batch record in a log, which tells in what form its messages are stored.
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 52 | as in [BatchHeader]; batch_length is the record's length on disk |
/// | 52 | 4 | form: 0, `ENC1`, `DFL1` or `DFE1` |
/// | 56 | 8 | accounted length, in `DFL1` and `DFE1`: what the record would take if it were not deflated |
/// | 64 | 8 | plain length, in `DFL1` and `DFE1`: batch_length on the wire |
/// | 72 | 8 | plain checksum, in `DFL1` and `DFE1`: batch_checksum on the wire |
/// | 80 | 176 | 0 |
///
/// | form | what follows | batch_checksum |
/// |---|---|---|
/// | 0 | frames, as on the wire | as on the wire |
/// | `ENC1` | frames in which payload, and user headers if there are any, are a section of [SectionCipher] each;
/// lengths and checksums are those of the sections | computed as on the wire |
/// | `DFL1` | the frames, deflated; at least a byte a message | XXH3-64 of 44 bytes of the header as on the wire, form,
/// the three fields above, and the XXH3-64 of all that follows the header |
/// | `DFE1` | the deflated frames as one section | as `DFL1` |
///
/// The digit is the version. A form that is not known is damage to readers.
///
/// `position` is where the record begins; access is absolute, the buffer's byte order must be little-endian.
public final class StoredForm {
    /// As on the wire.
    static final int PLAIN = 0;

    static final int ENCRYPTED = 0x3143_4e45;
    static final int DEFLATED = 0x314c_4644;
    static final int DEFLATED_ENCRYPTED = 0x3145_4644;

    private static final int FORM = 52;
    private static final int ACCOUNTED_LENGTH = 56;
    private static final int PLAIN_LENGTH = 64;
    private static final int PLAIN_CHECKSUM = 72;
    private static final int DEFLATED_END = 80;

    // No frame and so no batch is longer, and a length that damage made up asks for no more memory than there is.
    private static final int RECORD_BYTES_MAX = BufferPool.bufferBytesMax();

    private StoredForm() {}

    static int form(ByteBuffer bytes, int position) {
        return bytes.getInt(position + FORM);
    }

    static boolean isDeflated(int form) {
        return form == DEFLATED || form == DEFLATED_ENCRYPTED;
    }

    /// Whether the record can be sent as it is.
    public static boolean isPlain(ByteBuffer bytes, int position) {
        return form(bytes, position) == PLAIN;
    }

    /// Whether deflated frames must be decrypted before they can be unpacked, which takes memory for them.
    public static boolean isDeflatedAndEncrypted(ByteBuffer bytes, int position) {
        return form(bytes, position) == DEFLATED_ENCRYPTED;
    }

    /// Bytes that the record counts in sizes: deflating changes no statistics.
    public static long accountedLength(ByteBuffer bytes, int position) {
        return isDeflated(form(bytes, position))
                ? bytes.getLong(position + ACCOUNTED_LENGTH)
                : BatchHeader.length(bytes, position);
    }

    /// Bytes of the batch as on the wire, at most.
    public static int plainLengthMax(ByteBuffer bytes, int position) {
        return isDeflated(form(bytes, position))
                ? (int) plainLength(bytes, position)
                : (int) BatchHeader.length(bytes, position);
    }

    static long plainLength(ByteBuffer bytes, int position) {
        return bytes.getLong(position + PLAIN_LENGTH);
    }

    static long plainChecksum(ByteBuffer bytes, int position) {
        return bytes.getLong(position + PLAIN_CHECKSUM);
    }

    /// Whether the fields of a batch's header fit each other.
    ///
    /// @param length the record's length as the header says
    public static boolean hasRightHeader(ByteBuffer bytes, int position, long length) {
        long count = BatchHeader.messageCount(bytes, position);
        if (count <= 0
                || length < BatchHeader.BYTES
                || length > RECORD_BYTES_MAX
                || BatchHeader.baseOffset(bytes, position) < 0) {
            return false;
        }
        long frames = length - BatchHeader.BYTES;
        return switch (form(bytes, position)) {
            case PLAIN -> frames >= MessageFrame.HEADER_BYTES * count && isZero(bytes, position, ACCOUNTED_LENGTH);
            case ENCRYPTED ->
                frames >= (MessageFrame.HEADER_BYTES + SectionCipher.OVERHEAD_BYTES) * count
                        && isZero(bytes, position, ACCOUNTED_LENGTH);
            case DEFLATED, DEFLATED_ENCRYPTED -> {
                long plain = plainLength(bytes, position);
                yield frames >= count
                        && plain >= BatchHeader.BYTES + MessageFrame.HEADER_BYTES * count
                        && plain <= RECORD_BYTES_MAX
                        && accountedLength(bytes, position) >= plain
                        && accountedLength(bytes, position) <= 3 * plain
                        && isZero(bytes, position, DEFLATED_END);
            }
            default -> false;
        };
    }

    /// Whether a record with a right header and `length` bytes is whole and undamaged.
    ///
    /// @param verifies whether checksums are compared, otherwise only that lengths fit each other
    public static boolean isIntact(
            ByteBuffer bytes, int position, int length, boolean verifies, BatchChecksum checksum) {
        if (isDeflated(form(bytes, position))) {
            return !verifies
                    || BatchHeader.checksum(bytes, position) == deflatedChecksum(bytes, position, length, checksum);
        }
        return verifies
                ? BatchCheck.isFrameContentIntact(bytes, position, length, checksum)
                : tiles(bytes, position, length, BatchHeader.messageCount(bytes, position));
    }

    /// Whether `count` frames fill the record's `length` bytes.
    static boolean tiles(ByteBuffer bytes, int position, int length, int count) {
        int end = position + length;
        int frame = position + BatchHeader.BYTES;
        int found = 0;
        while (frame < end) {
            long frameLength =
                    end - frame < MessageFrame.HEADER_BYTES ? Long.MAX_VALUE : MessageFrame.length(bytes, frame);
            if (frameLength > end - frame) {
                return false;
            }
            frame += (int) frameLength;
            found++;
        }
        return found == count;
    }

    /// Marks a record whose header is otherwise written.
    static void writeEncrypted(ByteBuffer bytes, int position, BatchChecksum checksum) {
        bytes.putInt(position + FORM, ENCRYPTED);
        BatchHeader.checksum(bytes, position, checksum.of(bytes, position));
    }

    /// Completes the header of a record that is otherwise written.
    static void writeDeflated(
            ByteBuffer bytes,
            int position,
            int length,
            int form,
            long accountedLength,
            long plainLength,
            long plainChecksum,
            BatchChecksum checksum) {
        bytes.putInt(position + FORM, form);
        bytes.putLong(position + ACCOUNTED_LENGTH, accountedLength);
        bytes.putLong(position + PLAIN_LENGTH, plainLength);
        bytes.putLong(position + PLAIN_CHECKSUM, plainChecksum);
        BatchHeader.checksum(bytes, position, deflatedChecksum(bytes, position, length, checksum));
    }

    private static long deflatedChecksum(ByteBuffer bytes, int position, int length, BatchChecksum checksum) {
        checksum.start(bytes, position, length, BatchHeader.messageCount(bytes, position));
        checksum.add(form(bytes, position));
        for (int at = ACCOUNTED_LENGTH; at < DEFLATED_END; at += 8) {
            checksum.add(bytes.getLong(position + at));
        }
        checksum.add(Checksum.xxh3(bytes, position + BatchHeader.BYTES, length - BatchHeader.BYTES));
        return checksum.value();
    }

    private static boolean isZero(ByteBuffer bytes, int position, int from) {
        long bits = 0;
        for (int at = from; at < BatchHeader.BYTES; at += 8) {
            bits |= bytes.getLong(position + at);
        }
        return bits == 0;
    }
}
