package io.galgo.storage.log;

import io.galgo.protocol.batch.BatchChecksum;
import io.galgo.protocol.batch.BatchCut;
import io.galgo.storage.Incidents;
import io.galgo.storage.disk.Abandoned;
import io.galgo.storage.disk.Disk;
import io.galgo.storage.form.Encryption;
import io.galgo.storage.form.StoredForms;
import io.galgo.storage.memory.BufferPool;
import io.galgo.storage.memory.PooledBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import org.jspecify.annotations.Nullable;

/// What the partition logs of one shard share: its disk, its buffers, and the bounds that hold for all of them
/// together, so that ten thousand partitions cost no more memory and handles than are allowed.
///
/// Confined to the shard's thread.
public final class LogStorage {
    private static final int CONTROL_BLOCK_BYTES = 4096;

    private final Disk disk;
    private final BufferPool buffers;
    private final OpenFiles files;
    private final Incidents incidents;
    private final long tailBytesMax;
    private final long indexBytesMax;

    // Scratch memory for what is computed within one call.
    private final BatchChecksum checksum = new BatchChecksum();
    private final BatchCut cut = new BatchCut();
    private final StoredForms forms;
    private final OpenedBatches opened = new OpenedBatches();
    private final Abandoned abandoned = new Abandoned();
    private final ArrayDeque<ByteBuffer> controlBlocks = new ArrayDeque<>();

    // Tails that hold memory, appended to longest ago first.
    private @Nullable Tail oldestTail;
    private @Nullable Tail newestTail;
    private long tailBytes;

    // Sealed segments whose index is in memory, longest unused first.
    private final LinkedHashSet<Segment> indexed = new LinkedHashSet<>();
    private long indexBytes;

    /// @param openFilesMax segment files that may be open at a time, those in use excepted; a file that is
    ///     closed for that is opened again when it is wanted
    /// @param tailBytesMax pooled memory that the tails of all logs may hold; beyond it the log that was
    ///     appended to longest ago gives way
    /// @param indexBytesMax memory for the indexes of sealed segments that were read lately
    /// @param forms how batches are stored
    /// @param incidents counts what happens to the logs
    public LogStorage(
            Disk disk,
            BufferPool buffers,
            int openFilesMax,
            long tailBytesMax,
            long indexBytesMax,
            StoredForms forms,
            Incidents incidents) {
        this.disk = disk;
        this.buffers = buffers;
        this.files = new OpenFiles(disk, openFilesMax);
        this.tailBytesMax = tailBytesMax;
        this.indexBytesMax = indexBytesMax;
        this.forms = forms;
        this.incidents = incidents;
    }

    /// As the other, for logs that encrypt nothing.
    public LogStorage(Disk disk, BufferPool buffers, int openFilesMax, long tailBytesMax, long indexBytesMax) {
        this(
                disk,
                buffers,
                openFilesMax,
                tailBytesMax,
                indexBytesMax,
                new StoredForms(Encryption.NONE, LogStorage::noChance),
                new Incidents());
    }

    private static void noChance(byte[] target) {
        throw new IllegalStateException("nothing is encrypted without a key");
    }

    /// Pooled memory that the tails of all logs hold.
    public long tailBytes() {
        return tailBytes;
    }

    /// Gives cached memory of any logs back: opened batches, then tails, from those appended to longest ago. What
    /// is not committed yet, and what readers hold, stays.
    ///
    /// @return bytes that were given back; a reader may still hold some of them
    public long evictTails(long bytes) {
        long freed = opened.dropAll();
        return freed + evict(bytes - freed);
    }

    private long evict(long bytes) {
        long freed = 0;
        Tail tail = oldestTail;
        while (tail != null && freed < bytes) {
            Tail next = tail.newer;
            freed += tail.evict(bytes - freed);
            tail = next;
        }
        return freed;
    }

    /// Segment files that are open.
    public int openFiles() {
        return files.openCount();
    }

    /// Counts what happens to the logs, and to the partitions that they are of.
    public Incidents incidents() {
        return incidents;
    }

    /// What purges and deletions left in flight.
    public Abandoned abandoned() {
        return abandoned;
    }

    Disk disk() {
        return disk;
    }

    OpenFiles files() {
        return files;
    }

    BufferPool buffers() {
        return buffers;
    }

    BatchChecksum checksum() {
        return checksum;
    }

    BatchCut cut() {
        return cut;
    }

    StoredForms forms() {
        return forms;
    }

    OpenedBatches opened() {
        return opened;
    }

    /// A buffer from the pool, for which tails give way.
    @Nullable PooledBuffer acquire(int bytes) {
        PooledBuffer buffer = buffers.acquire(bytes);
        // What a tail gives back may be held by a reader still.
        while (buffer == null && evictTails(bytes) > 0) {
            buffer = buffers.acquire(bytes);
        }
        return buffer;
    }

    /// Calls back later, as an operation of the disk completes: for outcomes that are known at once and must not be
    /// told from inside the call that asked. Rare: it costs a sync.
    void later(Runnable action) {
        disk.syncDirectory("", (_, _) -> action.run());
    }

    /// A page of memory outside of the pool for one small write, so that control data can be written when the pool
    /// is empty. There are as many as were ever in use at a time.
    ByteBuffer takeControlBlock() {
        ByteBuffer block = controlBlocks.poll();
        return block != null
                ? block
                : ByteBuffer.allocateDirect(CONTROL_BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    }

    void giveControlBlock(ByteBuffer block) {
        controlBlocks.push(block.clear());
    }

    // ------------------------------------------------------------------------------------ tails

    void onTailGrew(Tail tail, int bytes) {
        tailBytes += bytes;
        if (tail == newestTail) {
            return;
        }
        if (tail.isListed) {
            unlink(tail);
        }
        tail.isListed = true;
        tail.older = newestTail;
        if (newestTail == null) {
            oldestTail = tail;
        } else {
            newestTail.newer = tail;
        }
        newestTail = tail;
    }

    void onTailShrank(Tail tail, int bytes) {
        tailBytes -= bytes;
        if (tail.bytesHeld() == 0 && tail.isListed) {
            unlink(tail);
        }
    }

    void onTailClosed(Tail tail) {
        if (tail.isListed) {
            unlink(tail);
        }
    }

    /// Brings all tails together back below their bound.
    void trimTails() {
        if (tailBytes > tailBytesMax) {
            evict(tailBytes - tailBytesMax);
        }
    }

    private void unlink(Tail tail) {
        Tail older = tail.older;
        Tail newer = tail.newer;
        if (older == null) {
            oldestTail = newer;
        } else {
            older.newer = newer;
        }
        if (newer == null) {
            newestTail = older;
        } else {
            newer.older = older;
        }
        tail.older = null;
        tail.newer = null;
        tail.isListed = false;
    }

    // ------------------------------------------------------------------------------------ indexes

    /// The index of a sealed segment was used or came into memory. Others may leave it.
    void onIndexUsed(Segment segment) {
        SegmentIndex index = segment.index;
        if (index == null) {
            return;
        }
        if (indexed.remove(segment)) {
            indexBytes -= segment.indexBytesCounted;
        }
        indexed.add(segment);
        segment.indexBytesCounted = index.memoryBytes();
        indexBytes += segment.indexBytesCounted;
        while (indexBytes > indexBytesMax && indexed.size() > 1) {
            dropIndex(indexed.getFirst());
        }
    }

    /// Forgets the index of a sealed segment.
    void dropIndex(Segment segment) {
        if (indexed.remove(segment)) {
            indexBytes -= segment.indexBytesCounted;
        }
        segment.index = null;
    }
}
