package io.galgo.storage.log;

import io.galgo.storage.disk.Disk;
import io.galgo.storage.memory.BufferPool;

/// What the partition logs of one shard share: its disk, its buffers, and the bounds that hold for all of them
/// together, so that ten thousand partitions cost no more memory and handles than one.
///
/// Confined to the shard's thread.
public final class LogStorage {
    /// @param openFilesMax segment files that stay open while nothing uses them
    /// @param tailBytesMax pooled memory that the tails of all logs may hold; beyond it the log that was
    ///     appended to longest ago gives way
    /// @param indexBytesMax memory for the indexes of sealed segments that were read lately
    public LogStorage(Disk disk, BufferPool buffers, int openFilesMax, long tailBytesMax, long indexBytesMax) {}

    /// Pooled memory that the tails of all logs hold.
    public long tailBytes() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Gives tail memory of any logs back, from those appended to longest ago. What is not committed yet, and what
    /// readers hold, stays.
    ///
    /// @return bytes given back
    public long evictTails(long bytes) {
        throw new UnsupportedOperationException("not written yet");
    }
}
