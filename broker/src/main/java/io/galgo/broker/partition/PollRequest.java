package io.galgo.broker.partition;

import io.galgo.protocol.ErrorCode;
import io.galgo.storage.log.BatchSlice;
import io.galgo.storage.log.LogRead;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A poll of a partition: what is wanted, and then the bytes.
public final class PollRequest extends PartitionRequest implements Consumer<LogRead> {
    /// Where a poll starts (spec protocol 5.6).
    public enum Start {
        OFFSET,
        TIMESTAMP,
        FIRST,
        LAST,
        NEXT
    }

    final Start start;
    final long value;
    final long messagesMax;
    final int bytesMax;
    final @Nullable GroupClaim claim;
    final boolean group;
    final int consumerKey;
    final boolean autoCommit;
    private final @Nullable PollWait wait;

    /// The purge generation when the read began.
    long generation;

    boolean isSecondTry;

    /// Whether it has a slot to read from the disk with.
    boolean hasReadSlot;

    // From when it first waits until it is answered.
    PollWait.@Nullable Going going;

    // Nobody wants it to wait any longer, nor messages to be taken for it. Only the partition's shard looks at it.
    boolean isWaitOver;

    private boolean isRoomGivenBack;

    private @Nullable Partition partition;
    private List<BatchSlice> slices = List.of();
    private int messagesCount;
    private long currentOffset;

    /// @param value offset or timestamp of those strategies, unsigned
    /// @param messagesMax the count asked for, 0..2^32-1
    /// @param bytesMax about how many bytes of batches fit the reply
    /// @param claim who polls for which group; null for a plain consumer
    /// @param consumerKey the key under which the consumer's offset is stored: of a group its id
    /// @param wait how long to wait for messages when there are none; null for not at all
    public PollRequest(
            Target target,
            Requester requester,
            int requesterShard,
            Start start,
            long value,
            long messagesMax,
            int bytesMax,
            @Nullable GroupClaim claim,
            int consumerKey,
            boolean autoCommit,
            @Nullable PollWait wait) {
        super(target, requester, requesterShard);
        this.start = start;
        this.value = value;
        this.messagesMax = messagesMax;
        this.bytesMax = bytesMax;
        this.claim = claim;
        this.group = claim != null;
        this.consumerKey = consumerKey;
        this.autoCommit = autoCommit;
        this.wait = wait;
    }

    @Nullable PollWait pollWait() {
        return wait;
    }

    /// Whether it waits for messages when there are none.
    public boolean isPatient() {
        return wait != null;
    }

    /// The room for the answer is not reserved any more: an answer may be a long time coming.
    public void giveRoomBack() {
        isRoomGivenBack = true;
    }

    /// Whether the room for the answer has to be reserved anew.
    public boolean isRoomGivenBack() {
        return isRoomGivenBack;
    }

    /// Whether it is for a consumer group.
    public boolean isForGroup() {
        return group;
    }

    /// The batches, owned by whoever takes the answer.
    public List<BatchSlice> slices() {
        return slices;
    }

    public int messagesCount() {
        return messagesCount;
    }

    /// Offset of the partition's last committed message, 0 when there was none.
    public long currentOffset() {
        return currentOffset;
    }

    void readFrom(Partition owner) {
        this.partition = owner;
    }

    void fill(List<BatchSlice> batches, int count, long current) {
        this.slices = batches;
        this.messagesCount = count;
        this.currentOffset = current;
    }

    /// It waits no longer, and will not again.
    ///
    /// @return the wait that was going on, or null
    PollWait.@Nullable Going endWait() {
        PollWait.Going ended = going;
        going = null;
        return ended;
    }

    /// There is a slot to read from the disk with.
    void onReadSlot() {
        if (partition != null) {
            partition.onReadSlot(this);
        }
    }

    @Override
    public void accept(LogRead read) {
        if (partition != null) {
            partition.onRead(this, read);
        }
    }

    @Override
    ErrorCode missing() {
        return ErrorCode.PARTITION_NOT_FOUND;
    }

    @Override
    public void release() {
        List<BatchSlice> held = slices;
        slices = List.of();
        for (int i = 0; i < held.size(); i++) {
            held.get(i).release();
        }
    }
}
