package io.galgo.broker.partition;

import io.galgo.protocol.ErrorCode;

/// A question for a stored consumer offset.
public final class OffsetReadRequest extends PartitionRequest {
    final boolean group;
    final int consumerKey;
    private boolean isStored;
    private long storedOffset;
    private long currentOffset;

    public OffsetReadRequest(Target target, Requester requester, int requesterShard, boolean group, int consumerKey) {
        super(target, requester, requesterShard);
        this.group = group;
        this.consumerKey = consumerKey;
    }

    /// Whether the consumer has an offset here.
    public boolean isStored() {
        return isStored;
    }

    public long storedOffset() {
        return storedOffset;
    }

    /// Offset of the partition's last committed message, 0 when there was none.
    public long currentOffset() {
        return currentOffset;
    }

    void fill(boolean stored, long offset, long current) {
        this.isStored = stored;
        this.storedOffset = offset;
        this.currentOffset = current;
    }

    @Override
    ErrorCode missing() {
        return ErrorCode.PARTITION_NOT_FOUND;
    }

    @Override
    public void release() {}
}
