package io.galgo.broker.partition;

import io.galgo.protocol.ErrorCode;

/// The question where the oldest sealed segments of a partition end: the first step of deleting them.
public final class SegmentEndRequest extends PartitionRequest {
    final long segmentsMax;
    private long endOffset;
    private long begun;

    /// @param segmentsMax how many of them are meant, 0..2^32-1
    public SegmentEndRequest(Target target, Requester requester, int requesterShard, long segmentsMax) {
        super(target, requester, requesterShard);
        this.segmentsMax = segmentsMax;
    }

    /// The first offset behind these segments, 0 when there are none.
    public long endOffset() {
        return endOffset;
    }

    /// The op at which the offsets of the partition began: its creation or its last purge.
    public long begun() {
        return begun;
    }

    void fill(long end, long beginning) {
        this.endOffset = end;
        this.begun = beginning;
    }

    @Override
    ErrorCode missing() {
        return ErrorCode.PARTITION_NOT_FOUND;
    }

    @Override
    public void release() {}
}
