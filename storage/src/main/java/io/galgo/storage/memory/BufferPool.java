package io.galgo.storage.memory;

import org.jspecify.annotations.Nullable;

/// Where a shard takes its buffers from. All pools of a process share one [MemoryBudget].
///
/// Acquiring is confined to the owning shard's thread; releasing is not.
public interface BufferPool {
    /// A buffer of at least `bytes` bytes, or null when the budget has no room for it now.
    ///
    /// The content is undefined.
    @Nullable PooledBuffer acquire(int bytes);
}
