package io.galgo.storage.form;

import io.galgo.protocol.batch.BatchChecksum;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.batch.MessageFrame;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/// Turns batches into the form in which they are stored, and back into exactly the bytes that they were.
///
/// What this needs, it reuses; it allocates nothing a message but what the platform's cipher does. Confined to the
/// shard's thread.
public final class StoredForms {
    // A batch is deflated before it is encrypted: ciphertext does not shrink. Deflated frames are encrypted as one
    // section, because they cannot be read one by one anyway. Otherwise each payload is a section of its own, as
    // the spec has it.

    /// [#open] when a section is not one of the key at hand.
    public static final int UNDECRYPTABLE = -1;

    /// [#open] when what is stored is not what was stored once.
    public static final int DAMAGED = -2;

    // Below that the header outweighs what could be saved.
    private static final int DEFLATED_BYTES_MIN = 1024;

    /// Longer batches would hold up the other clients of the shard for too long, each time they are packed or unpacked.
    private static final int DEFLATED_BYTES_MAX = 4 << 20;

    // Frames that do not shrink by an eighth are not worth the unpacking.
    private static final int WORTH_SHIFT = 3;

    // Of long frames a part is tried first, so that content which was packed already costs little.
    private static final int TRIED_BYTES = 16 * 1024;
    private static final int TRIED_FROM_BYTES = 4 * TRIED_BYTES;

    private final boolean encrypts;
    private final @Nullable SectionCipher cipher;
    private @Nullable Packing packing;

    /// @param chance fills an array with random bytes
    public StoredForms(Encryption encryption, Consumer<byte[]> chance) {
        SecretKey key = encryption.key();
        this.encrypts = encryption.isOn();
        this.cipher = key == null ? null : new SectionCipher(key, chance);
    }

    /// The most bytes that a batch takes in its stored form; 0 when it is stored as it is.
    ///
    /// @param bytes a batch that was checked
    /// @param deflates whether it is to be deflated if that is worth while
    public long roomFor(ByteBuffer bytes, int position, boolean deflates) {
        long length = BatchHeader.length(bytes, position);
        if (encrypts) {
            return length + sectionsOverhead(bytes, position);
        }
        return deflates && isDeflatable(length) ? length : 0;
    }

    private static boolean isDeflatable(long length) {
        return DEFLATED_BYTES_MIN <= length && length <= DEFLATED_BYTES_MAX;
    }

    /// Writes the stored form of a stamped batch at the beginning of `target`, which has room for it.
    ///
    /// @return its length; 0 when the batch is stored as it is
    public int store(ByteBuffer source, int position, ByteBuffer target, boolean deflates, BatchChecksum checksum) {
        int stored = deflates && isDeflatable(BatchHeader.length(source, position))
                ? deflate(source, position, target, checksum)
                : 0;
        return stored == 0 && encrypts ? encrypt(source, position, target, checksum) : stored;
    }

    /// Writes a batch as on the wire at `targetPosition` of `target`, from a record that is in another form.
    ///
    /// @param source a whole record with a right header
    /// @param scratch as long as the record, when it is deflated and encrypted
    /// @return the batch's length, or [#UNDECRYPTABLE] or [#DAMAGED]
    public int open(
            ByteBuffer source,
            int position,
            ByteBuffer target,
            int targetPosition,
            @Nullable ByteBuffer scratch,
            BatchChecksum checksum) {
        return StoredForm.isDeflated(StoredForm.form(source, position))
                ? inflate(source, position, target, targetPosition, scratch)
                : decrypt(source, position, target, targetPosition, checksum);
    }

    private static long sectionsOverhead(ByteBuffer bytes, int position) {
        long sections = 0;
        int frame = position + BatchHeader.BYTES;
        for (int left = BatchHeader.messageCount(bytes, position); left > 0; left--) {
            sections += MessageFrame.userHeadersLength(bytes, frame) == 0 ? 1 : 2;
            frame += (int) MessageFrame.length(bytes, frame);
        }
        return sections * SectionCipher.OVERHEAD_BYTES;
    }

    // Encryption

    private int encrypt(ByteBuffer source, int position, ByteBuffer target, BatchChecksum checksum) {
        SectionCipher sections = cipher();
        ByteBuffer from = view(source);
        ByteBuffer to = view(target);
        int frame = position + BatchHeader.BYTES;
        int end = BatchHeader.BYTES;
        for (int left = BatchHeader.messageCount(source, position); left > 0; left--) {
            target.put(end, source, frame, MessageFrame.HEADER_BYTES);
            int payloadLength = MessageFrame.payloadLength(source, frame);
            int headersLength = MessageFrame.userHeadersLength(source, frame);
            int payload = MessageFrame.payloadPosition(frame);
            to.limit(target.capacity()).position(MessageFrame.payloadPosition(end));
            int sealedPayload = sections.seal(between(from, payload, payloadLength), to);
            int sealedHeaders =
                    headersLength == 0 ? 0 : sections.seal(between(from, payload + payloadLength, headersLength), to);
            MessageFrame.lengths(target, end, sealedHeaders, sealedPayload);
            MessageFrame.stampChecksum(target, end);
            frame += MessageFrame.HEADER_BYTES + payloadLength + headersLength;
            end += MessageFrame.HEADER_BYTES + sealedPayload + sealedHeaders;
        }
        copyHeader(source, position, target, 0, end);
        StoredForm.writeEncrypted(target, 0, checksum);
        return end;
    }

    private int decrypt(
            ByteBuffer source, int position, ByteBuffer target, int targetPosition, BatchChecksum checksum) {
        SectionCipher sections = cipher;
        if (sections == null) {
            return UNDECRYPTABLE;
        }
        ByteBuffer from = view(source);
        // A section that cannot be opened wipes the whole view.
        ByteBuffer to = target.slice(targetPosition, target.capacity() - targetPosition);
        int frame = position + BatchHeader.BYTES;
        int end = targetPosition + BatchHeader.BYTES;
        for (int left = BatchHeader.messageCount(source, position); left > 0; left--) {
            target.put(end, source, frame, MessageFrame.HEADER_BYTES);
            int sealedPayload = MessageFrame.payloadLength(source, frame);
            int sealedHeaders = MessageFrame.userHeadersLength(source, frame);
            int payload = MessageFrame.payloadPosition(frame);
            to.position(MessageFrame.payloadPosition(end) - targetPosition);
            int payloadLength = sections.open(between(from, payload, sealedPayload), to);
            int headersLength = payloadLength < 0 || sealedHeaders == 0
                    ? 0
                    : sections.open(between(from, payload + sealedPayload, sealedHeaders), to);
            if (payloadLength < 0 || headersLength < 0) {
                return UNDECRYPTABLE;
            }
            MessageFrame.lengths(target, end, headersLength, payloadLength);
            MessageFrame.stampChecksum(target, end);
            frame += MessageFrame.HEADER_BYTES + sealedPayload + sealedHeaders;
            end += MessageFrame.HEADER_BYTES + payloadLength + headersLength;
        }
        int length = end - targetPosition;
        copyHeader(source, position, target, targetPosition, length);
        BatchHeader.checksum(target, targetPosition, checksum.of(target, targetPosition));
        return length;
    }

    // Deflation

    private int deflate(ByteBuffer source, int position, ByteBuffer target, BatchChecksum checksum) {
        int length = (int) BatchHeader.length(source, position);
        int frames = position + BatchHeader.BYTES;
        int framesLength = length - BatchHeader.BYTES;
        int worth = framesLength - (framesLength >>> WORTH_SHIFT);
        ByteBuffer from = view(source);
        ByteBuffer to = view(target);
        if (framesLength >= TRIED_FROM_BYTES && !shrinks(from, frames + framesLength / 2, to)) {
            return 0;
        }
        int body = BatchHeader.BYTES + (encrypts ? SectionCipher.NONCE_BYTES : 0);
        int packed = packing().pack(between(from, frames, framesLength), between(to, body, worth));
        if (packed < 0) {
            return 0;
        }
        int count = BatchHeader.messageCount(source, position);
        while (packed < count) {
            target.put(body + packed, (byte) 0);
            packed++;
        }
        int end = body + packed;
        long accounted = length;
        if (encrypts) {
            ByteBuffer section = view(target);
            section.limit(target.capacity()).position(BatchHeader.BYTES);
            end = BatchHeader.BYTES + cipher().seal(between(to, body, packed), section);
            accounted += sectionsOverhead(source, position);
        }
        copyHeader(source, position, target, 0, end);
        StoredForm.writeDeflated(
                target,
                0,
                end,
                encrypts ? StoredForm.DEFLATED_ENCRYPTED : StoredForm.DEFLATED,
                accounted,
                length,
                BatchHeader.checksum(source, position),
                checksum);
        return end;
    }

    private boolean shrinks(ByteBuffer source, int position, ByteBuffer target) {
        int worth = TRIED_BYTES - (TRIED_BYTES >>> WORTH_SHIFT);
        return packing().pack(between(source, position, TRIED_BYTES), between(target, BatchHeader.BYTES, worth)) >= 0;
    }

    private int inflate(
            ByteBuffer source, int position, ByteBuffer target, int targetPosition, @Nullable ByteBuffer scratch) {
        int length = (int) StoredForm.plainLength(source, position);
        int framesLength = (int) BatchHeader.length(source, position) - BatchHeader.BYTES;
        ByteBuffer packed = between(view(source), position + BatchHeader.BYTES, framesLength);
        if (StoredForm.form(source, position) == StoredForm.DEFLATED_ENCRYPTED) {
            if (cipher == null || scratch == null) {
                return UNDECRYPTABLE;
            }
            ByteBuffer opened = view(scratch);
            opened.clear();
            int openedLength = cipher.open(packed, opened);
            if (openedLength < 0) {
                return UNDECRYPTABLE;
            }
            packed = between(opened, 0, openedLength);
        }
        ByteBuffer frames = between(view(target), targetPosition + BatchHeader.BYTES, length - BatchHeader.BYTES);
        if (!packing().unpack(packed, frames)
                || !StoredForm.tiles(target, targetPosition, length, BatchHeader.messageCount(source, position))) {
            return DAMAGED;
        }
        copyHeader(source, position, target, targetPosition, length);
        BatchHeader.checksum(target, targetPosition, StoredForm.plainChecksum(source, position));
        return length;
    }

    /// Writes the header of the record with another length, without form and checksum.
    private static void copyHeader(ByteBuffer source, int position, ByteBuffer target, int targetPosition, int length) {
        BatchHeader.write(
                target,
                targetPosition,
                BatchHeader.partitionId(source, position),
                BatchHeader.baseOffset(source, position),
                BatchHeader.baseTimestamp(source, position),
                BatchHeader.originTimestamp(source, position),
                length,
                BatchHeader.messageCount(source, position));
    }

    private static ByteBuffer view(ByteBuffer bytes) {
        return bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }

    private static ByteBuffer between(ByteBuffer view, int position, int length) {
        return view.limit(position + length).position(position);
    }

    private SectionCipher cipher() {
        SectionCipher found = cipher;
        if (found == null) {
            throw new IllegalStateException("nothing is encrypted without a key");
        }
        return found;
    }

    private Packing packing() {
        Packing found = packing;
        if (found == null) {
            found = new Packing();
            packing = found;
        }
        return found;
    }
}
