package io.galgo.storage.log;

import io.galgo.storage.memory.PooledBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Long batches that were decrypted or unpacked lately, as on the wire: consumers that take a batch in several
/// polls, and all that read the newest ones, share the work.
///
/// A few per shard, the oldest gives way; the newest is kept whatever its size, or every poll would open it again. Each
/// holds a reference of its buffer. Confined to the shard's thread.
final class OpenedBatches {
    /// Shorter ones are opened again instead.
    static final int BYTES_MIN = 16 * 1024;

    private static final int COUNT_MAX = 16;
    private static final long BYTES_MAX = 16L << 20;

    private final @Nullable PartitionLog[] logs = new @Nullable PartitionLog[COUNT_MAX];
    private final long[] baseOffsets = new long[COUNT_MAX];
    private final @Nullable PooledBuffer[] buffers = new @Nullable PooledBuffer[COUNT_MAX];
    private final int[] positions = new int[COUNT_MAX];
    private int next;
    private long bytesHeld;

    /// Where the batch is in here, -1 when it is not.
    int find(PartitionLog log, long baseOffset) {
        for (int i = 0; i < COUNT_MAX; i++) {
            if (logs[i] == log && baseOffsets[i] == baseOffset) {
                return i;
            }
        }
        return -1;
    }

    PooledBuffer buffer(int index) {
        return Objects.requireNonNull(buffers[index]);
    }

    /// Where the batch begins in its buffer.
    int position(int index) {
        return positions[index];
    }

    /// Keeps a batch that is not in here; takes a reference of its buffer.
    void put(PartitionLog log, long baseOffset, PooledBuffer buffer, int position) {
        remove(next);
        for (int i = 1; i < COUNT_MAX && bytesHeld + buffer.capacity() > BYTES_MAX; i++) {
            remove((next + i) % COUNT_MAX);
        }
        logs[next] = log;
        baseOffsets[next] = baseOffset;
        buffers[next] = buffer.retain();
        positions[next] = position;
        bytesHeld += buffer.capacity();
        next = (next + 1) % COUNT_MAX;
    }

    /// Forgets the batches of a log.
    void drop(PartitionLog log) {
        for (int i = 0; i < COUNT_MAX; i++) {
            if (logs[i] == log) {
                remove(i);
            }
        }
    }

    /// Gives all memory back.
    ///
    /// @return how many bytes
    long dropAll() {
        long before = bytesHeld;
        for (int i = 0; i < COUNT_MAX; i++) {
            remove(i);
        }
        return before;
    }

    private void remove(int index) {
        PooledBuffer buffer = buffers[index];
        if (buffer != null) {
            bytesHeld -= buffer.capacity();
            buffer.release();
        }
        buffers[index] = null;
        logs[index] = null;
    }
}
