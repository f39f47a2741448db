package io.galgo.storage.log;

import io.galgo.storage.Invariant;
import io.galgo.storage.disk.Completion;
import io.galgo.storage.form.StoredForm;
import io.galgo.storage.memory.PooledBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The newest batches of a log, in memory: those on their way to the disk, and behind them those that stay for
/// readers until memory is wanted back.
///
/// Batches are numbered from 0 as they come; the number is called sequence here. In this order always
/// `first <= committed <= acked <= end`: evicted below `first`, readable below `committed`, as safe as asked for
/// below `acked`.
///
/// Confined to the shard's thread.
final class Tail {
    // A frame buffer is at least 4 KiB and may be half empty, so a short batch that stayed in the frame it came in
    // would hold several times its size. It is copied behind the one before it, and the frame goes back at once.
    // What this buys besides memory: short batches lie one behind the other, so that they are written from one
    // address, and a reader gets one slice for all of them. A copy of 16 KiB costs about as much as one system call
    // saved. Longer batches stay where they are: their frame fits them, and copying would cost more than it gives.
    static final int COPIED_BYTES_MAX = 16 * 1024;

    private static final int GATHER_BYTES_MIN = 4 * 1024;
    private static final int GATHER_BYTES_MAX = 64 * 1024;
    private static final int BATCHES_MIN = 8;

    // A log that is at rest holds no arrays.
    private static final long[] NO_LONGS = {};
    private static final int[] NO_INTS = {};
    private static final @Nullable PooledBuffer[] NO_BUFFERS = {};
    private static final @Nullable Completion[] NO_COMPLETIONS = {};

    private final LogStorage storage;

    // A ring: batch `sequence` is at `sequence & mask` of each array.
    private int mask = -1;
    private long[] baseOffsets = NO_LONGS;
    private long[] endOffsets = NO_LONGS;
    private long[] timestamps = NO_LONGS;
    private int[] positions = NO_INTS;
    private int[] lengths = NO_INTS;
    private @Nullable PooledBuffer[] buffers = NO_BUFFERS;
    private @Nullable Completion[] completions = NO_COMPLETIONS;

    private long first;
    private long committed;
    private long acked;
    private long end;
    private long coveredFrom;

    private @Nullable PooledBuffer gather;
    private int gathered;
    private int gatherBytes = GATHER_BYTES_MIN;

    // Whole buffers are counted, once for each run of neighbours that share one.
    private long bytesHeld;

    // Links of the storage's list of tails that hold memory.
    @Nullable Tail older;

    @Nullable Tail newer;

    boolean isListed;

    /// @param coveredFrom the offset from which on every committed batch will be here
    Tail(LogStorage storage, long coveredFrom) {
        this.storage = storage;
        this.coveredFrom = coveredFrom;
    }

    long first() {
        return first;
    }

    long committed() {
        return committed;
    }

    long acked() {
        return acked;
    }

    long end() {
        return end;
    }

    /// Every committed batch with messages at or behind this offset is in the tail.
    long coveredFrom() {
        return coveredFrom;
    }

    long bytesHeld() {
        return bytesHeld;
    }

    long baseOffset(long sequence) {
        return baseOffsets[(int) sequence & mask];
    }

    /// The offset behind the batch's last message.
    long endOffset(long sequence) {
        return endOffsets[(int) sequence & mask];
    }

    long timestamp(long sequence) {
        return timestamps[(int) sequence & mask];
    }

    /// Where the batch begins in its buffer.
    int position(long sequence) {
        return positions[(int) sequence & mask];
    }

    int length(long sequence) {
        return lengths[(int) sequence & mask];
    }

    /// What the batch counts in sizes.
    long accountedLength(long sequence) {
        return StoredForm.accountedLength(buffer(sequence).bytes(), position(sequence));
    }

    PooledBuffer buffer(long sequence) {
        PooledBuffer buffer = buffers[(int) sequence & mask];
        Invariant.check(buffer != null, "a batch of the tail has its bytes");
        return Objects.requireNonNull(buffer);
    }

    /// Takes the batch in, with a reference or a copy of its bytes.
    void add(
            PooledBuffer source,
            int position,
            int length,
            long baseOffset,
            long endOffset,
            long timestamp,
            Completion done) {
        if (end - first > mask) {
            grow();
        }
        int place = position;
        PooledBuffer buffer = length <= COPIED_BYTES_MAX ? gatherFor(length) : null;
        if (buffer == null) {
            buffer = source;
        } else {
            place = gathered;
            buffer.bytes().put(place, source.bytes(), position, length);
            gathered += length;
        }
        buffer.retain();
        if (end == first || buffers[(int) (end - 1) & mask] != buffer) {
            bytesHeld += buffer.capacity();
            storage.onTailGrew(this, buffer.capacity());
        }
        int i = (int) end & mask;
        baseOffsets[i] = baseOffset;
        endOffsets[i] = endOffset;
        timestamps[i] = timestamp;
        positions[i] = place;
        lengths[i] = length;
        buffers[i] = buffer;
        completions[i] = done;
        end++;
    }

    /// The buffer in which the next short batch goes, or null when there is no memory for one.
    private @Nullable PooledBuffer gatherFor(int length) {
        if (gather != null && gathered + length <= gather.capacity()) {
            return gather;
        }
        if (gather != null) {
            gather.release();
            gatherBytes = Math.min(GATHER_BYTES_MAX, gatherBytes * 2);
        }
        gathered = 0;
        gather = storage.buffers().acquire(Math.max(gatherBytes, length));
        return gather;
    }

    /// The oldest batch that is not acked is now as safe as asked for.
    ///
    /// @return who waits for it
    Completion ack() {
        int i = (int) acked & mask;
        Completion done = completions[i];
        Invariant.check(acked < end && done != null, "a batch is acked once, in order", acked, end);
        completions[i] = null;
        acked++;
        return Objects.requireNonNull(done);
    }

    /// Who waits for a batch that is not acked.
    Completion completion(long sequence) {
        return Objects.requireNonNull(completions[(int) sequence & mask]);
    }

    /// Makes the next acked batch readable.
    void commitNext() {
        Invariant.check(committed < acked, "only what is acked is committed", committed, acked);
        committed++;
    }

    /// The oldest readable batch with messages at or behind `offset`; [#committed] when there is none.
    long findOffset(long offset) {
        long low = first;
        long high = committed;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (endOffset(middle) <= offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /// The oldest readable batch that is not older than `timestamp`; [#committed] when there is none.
    long findTimestamp(long timestamp) {
        long low = first;
        long high = committed;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (timestamp(middle) < timestamp) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /// Drops the batches that are not acked.
    void dropUnacked() {
        while (end > acked) {
            end--;
            int i = (int) end & mask;
            PooledBuffer buffer = buffer(end);
            if (end == first || buffers[(int) (end - 1) & mask] != buffer) {
                shrink(buffer);
            }
            buffers[i] = null;
            completions[i] = null;
            buffer.release();
        }
        releaseGatherIfEmpty();
    }

    /// Gives memory back, oldest readable batch first.
    ///
    /// @return bytes given back
    long evict(long bytes) {
        long before = bytesHeld;
        while (first < committed && before - bytesHeld < bytes) {
            evictFirst();
        }
        releaseGatherIfEmpty();
        return before - bytesHeld;
    }

    /// Drops the readable batches whose messages are all below `offset`: they were deleted.
    void dropBelow(long offset) {
        while (first < committed && endOffset(first) <= offset) {
            evictFirst();
        }
        releaseGatherIfEmpty();
    }

    private void evictFirst() {
        int i = (int) first & mask;
        PooledBuffer buffer = buffer(first);
        coveredFrom = endOffsets[i];
        if (first + 1 == end || buffers[(int) (first + 1) & mask] != buffer) {
            shrink(buffer);
        }
        buffers[i] = null;
        buffer.release();
        first++;
    }

    /// Gives all memory back; the tail is not used any more.
    void close() {
        dropUnacked();
        committed = acked;
        evict(Long.MAX_VALUE);
        storage.onTailClosed(this);
    }

    private void shrink(PooledBuffer buffer) {
        bytesHeld -= buffer.capacity();
        storage.onTailShrank(this, buffer.capacity());
    }

    private void releaseGatherIfEmpty() {
        if (first == end && gather != null) {
            gather.release();
            gather = null;
            gatherBytes = GATHER_BYTES_MIN;
        }
    }

    private void grow() {
        int capacity = Math.max(BATCHES_MIN, (mask + 1) * 2);
        long[] newBaseOffsets = new long[capacity];
        long[] newEndOffsets = new long[capacity];
        long[] newTimestamps = new long[capacity];
        int[] newPositions = new int[capacity];
        int[] newLengths = new int[capacity];
        @Nullable PooledBuffer[] newBuffers = new @Nullable PooledBuffer[capacity];
        @Nullable Completion[] newCompletions = new @Nullable Completion[capacity];
        for (long sequence = first; sequence < end; sequence++) {
            int from = (int) sequence & mask;
            int to = (int) sequence & (capacity - 1);
            newBaseOffsets[to] = baseOffsets[from];
            newEndOffsets[to] = endOffsets[from];
            newTimestamps[to] = timestamps[from];
            newPositions[to] = positions[from];
            newLengths[to] = lengths[from];
            newBuffers[to] = buffers[from];
            newCompletions[to] = completions[from];
        }
        baseOffsets = newBaseOffsets;
        endOffsets = newEndOffsets;
        timestamps = newTimestamps;
        positions = newPositions;
        lengths = newLengths;
        buffers = newBuffers;
        completions = newCompletions;
        mask = capacity - 1;
    }
}
