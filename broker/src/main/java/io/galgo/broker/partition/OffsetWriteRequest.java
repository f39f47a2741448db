package io.galgo.broker.partition;

import io.galgo.protocol.ErrorCode;
import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.DiskFault;
import org.jspecify.annotations.Nullable;

/// An explicit store or deletion of a consumer offset.
public final class OffsetWriteRequest extends PartitionRequest implements Completion {
    final Writer writer;
    final long number;
    final long content;
    final @Nullable GroupClaim claim;
    final boolean group;
    final int consumerKey;
    final boolean isDelete;
    final long offset;

    /// It has its turn when so many sends that were taken before it are finished.
    long turn;
    /// The purge generation when it was handed to the disk.
    long generation;

    private @Nullable Partition partition;

    /// @param content a hash of the whole body: what tells two writes under one number apart
    /// @param claim who writes for which group; null for a plain consumer
    /// @param offset the last consumed offset, unsigned; ignored by a deletion
    public OffsetWriteRequest(
            Target target,
            Requester requester,
            int requesterShard,
            Writer writer,
            long number,
            long content,
            @Nullable GroupClaim claim,
            int consumerKey,
            boolean isDelete,
            long offset) {
        super(target, requester, requesterShard);
        this.writer = writer;
        this.number = number;
        this.content = content;
        this.claim = claim;
        this.group = claim != null;
        this.consumerKey = consumerKey;
        this.isDelete = isDelete;
        this.offset = offset;
    }

    /// Whether this write and another are the same one, repeated.
    boolean isRepeatOf(OffsetWriteRequest other) {
        return number == other.number
                && content == other.content
                && isDelete == other.isDelete
                && writer.equals(other.writer);
    }

    void writeTo(Partition owner) {
        this.partition = owner;
    }

    @Override
    public void onComplete(int bytes, @Nullable DiskFault fault) {
        if (partition != null) {
            partition.onOffsetWritten(this, fault);
        }
    }

    @Override
    ErrorCode missing() {
        return ErrorCode.PARTITION_NOT_FOUND;
    }

    @Override
    public void release() {}
}
