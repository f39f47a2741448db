package io.galgo.broker.partition;

import io.galgo.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/// One request on one partition, on its way to the partition's owner and back.
///
/// The shard that received the request makes it and hands it over for good; the owner answers it and hands it back
/// for good. At any time one shard holds it, and only that one may look inside. Answered exactly once.
public abstract sealed class PartitionRequest
        permits SendRequest, PollRequest, OffsetWriteRequest, OffsetReadRequest, SegmentEndRequest {
    final Target target;
    private final Requester requester;
    private final int requesterShard;
    private @Nullable ErrorCode refusal;
    private boolean isAnswered;

    PartitionRequest(Target target, Requester requester, int requesterShard) {
        this.target = target;
        this.requester = requester;
        this.requesterShard = requesterShard;
    }

    public final Target target() {
        return target;
    }

    public final Requester requester() {
        return requester;
    }

    /// The shard that made the request and waits for it.
    public final int requesterShard() {
        return requesterShard;
    }

    /// Why nothing happened, or null for a success. Meaningful once answered.
    public final @Nullable ErrorCode refusal() {
        return refusal;
    }

    final boolean isAnswered() {
        return isAnswered;
    }

    final void answer(@Nullable ErrorCode code) {
        this.refusal = code;
        this.isAnswered = true;
    }

    /// The answer when the partition is gone by the time the request reaches it.
    abstract ErrorCode missing();

    /// Gives back the memory that the request holds. For whoever ends it without success, or never sends it.
    public abstract void release();
}
