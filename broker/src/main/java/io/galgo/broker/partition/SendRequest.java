package io.galgo.broker.partition;

import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.memory.PooledBuffer;
import org.jspecify.annotations.Nullable;

/// A batch for a partition. Owns one reference of the frame that holds it, until the log has taken its own.
public final class SendRequest extends PartitionRequest implements Completion {
    final Writer writer;
    final long number;
    final int messagesCount;

    // Of the batch as it came, and later of the record as it is stored.
    int batchPosition;
    int batchLength;

    /// The batch checksum as the client sent it: what tells two writes under one number apart.
    long content;

    long op;
    long baseOffset;
    /// Confirmed, but nowhere to be found: a purge came between.
    boolean isPurged;

    private @Nullable PooledBuffer frame;
    private @Nullable Partition partition;

    /// @param number the request number
    /// @param frame holds the batch; one reference is taken over
    /// @param messagesCount the count beside the batch, unsigned
    public SendRequest(
            Target target,
            Requester requester,
            int requesterShard,
            Writer writer,
            long number,
            PooledBuffer frame,
            int batchPosition,
            int batchLength,
            int messagesCount) {
        super(target, requester, requesterShard);
        this.writer = writer;
        this.number = number;
        this.frame = frame;
        this.batchPosition = batchPosition;
        this.batchLength = batchLength;
        this.messagesCount = messagesCount;
    }

    /// Whether a confirmation names a place: false when a purge overtook the send.
    public boolean isPlaced() {
        return !isPurged;
    }

    /// Offset of the first message. Meaningful after a success that [#isPlaced].
    public long baseOffset() {
        return baseOffset;
    }

    /// The write's place in the order of the partition.
    public long op() {
        return op;
    }

    PooledBuffer frame() {
        PooledBuffer held = frame;
        if (held == null) {
            throw new IllegalStateException("the frame was given away");
        }
        return held;
    }

    /// The record that is appended in place of the batch that came, or the same buffer again. Takes one reference
    /// over.
    void store(PooledBuffer record) {
        PooledBuffer held = frame();
        if (record != held) {
            batchPosition = 0;
            batchLength = (int) BatchHeader.length(record.bytes(), 0);
        }
        frame = record;
        held.release();
    }

    /// Whether this write and another are the same one, repeated.
    boolean isRepeatOf(SendRequest other) {
        return number == other.number && content == other.content && writer.equals(other.writer);
    }

    void appendTo(Partition owner) {
        this.partition = owner;
    }

    @Override
    public void onComplete(int bytes, @Nullable DiskFault fault) {
        if (partition != null) {
            partition.onAppended(this, bytes, fault);
        }
    }

    @Override
    ErrorCode missing() {
        return ErrorCode.RESOURCE_NOT_FOUND;
    }

    @Override
    public void release() {
        PooledBuffer held = frame;
        if (held != null) {
            frame = null;
            held.release();
        }
    }
}
