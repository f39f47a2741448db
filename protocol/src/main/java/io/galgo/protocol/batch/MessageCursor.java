package io.galgo.protocol.batch;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Walks the messages of batch records that lie one behind the other: a polled body, a part of a log. Fillers are
/// skipped.
///
/// Trusts nothing but the limits that it was given, so it is safe on unchecked bytes; checksums are the caller's
/// matter. Reusable; one thread at a time.
public final class MessageCursor {
    private @Nullable ByteBuffer bytes;
    private int batch;
    private int batchEnd;
    private int frame;
    private int frameEnd;
    private int end;
    private int index;
    private int count;
    private boolean intact;

    public MessageCursor() {}

    /// Begins before the first message of the records in `length` bytes from `position`.
    public void reset(ByteBuffer bytes, int position, int length) {
        this.bytes = bytes;
        this.batch = position;
        this.batchEnd = position;
        this.frame = position;
        this.frameEnd = position;
        this.end = position + length;
        this.index = -1;
        this.count = 0;
        this.intact = true;
    }

    /// Goes to the next message.
    ///
    /// @return false behind the last one, or where the bytes are no batch records; [#isIntact] tells which
    public boolean next() {
        ByteBuffer bytes = bytes();
        if (!intact) {
            return false;
        }
        while (index + 1 == count) {
            if (frameEnd != batchEnd && count > 0) {
                intact = false;
                return false;
            }
            if (batchEnd == end) {
                return false;
            }
            if (!openBatch(bytes)) {
                intact = false;
                return false;
            }
        }
        frame = frameEnd;
        if (batchEnd - frame < MessageFrame.HEADER_BYTES || MessageFrame.length(bytes, frame) > batchEnd - frame) {
            intact = false;
            return false;
        }
        frameEnd = frame + (int) MessageFrame.length(bytes, frame);
        index++;
        return true;
    }

    private boolean openBatch(ByteBuffer bytes) {
        batch = batchEnd;
        if (end - batch < BatchHeader.BYTES) {
            return false;
        }
        long length = BatchHeader.length(bytes, batch);
        int messages = BatchHeader.messageCount(bytes, batch);
        if (length < BatchHeader.BYTES || length > end - batch || messages < 0) {
            return false;
        }
        batchEnd = batch + (int) length;
        frameEnd = batch + BatchHeader.BYTES;
        index = -1;
        count = messages;
        return true;
    }

    /// False once [#next] met bytes that are no batch records.
    public boolean isIntact() {
        return intact;
    }

    /// Where the record of the current message begins.
    public int batchPosition() {
        return batch;
    }

    /// Where the current message begins; see [MessageFrame].
    public int framePosition() {
        return frame;
    }

    public int frameLength() {
        return frameEnd - frame;
    }

    /// The current message's place in its record, from 0.
    public int index() {
        return index;
    }

    /// The offset of the current message as clients compute it: base offset plus delta.
    public long offset() {
        return BatchHeader.baseOffset(bytes(), batch)
                + Integer.toUnsignedLong(MessageFrame.offsetDelta(bytes(), frame));
    }

    /// When the server took the current message, microseconds.
    public long timestamp() {
        return BatchHeader.baseTimestamp(bytes(), batch);
    }

    /// When the producer says that it made the current message, microseconds.
    public long originTimestamp() {
        return BatchHeader.originTimestamp(bytes(), batch)
                + Integer.toUnsignedLong(MessageFrame.timestampDelta(bytes(), frame));
    }

    private ByteBuffer bytes() {
        ByteBuffer bytes = this.bytes;
        if (bytes == null) {
            throw new IllegalStateException("reset was not called");
        }
        return bytes;
    }
}
