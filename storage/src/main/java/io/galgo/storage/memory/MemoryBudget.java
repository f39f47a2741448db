package io.galgo.storage.memory;

import java.util.concurrent.atomic.AtomicLong;

/// How much pooled memory the process may hold, and how much it holds (`memory_pool.size`).
///
/// Shared by all shards.
public final class MemoryBudget {
    private final long bytesMax;
    private final AtomicLong bytesHeld = new AtomicLong();
    private final AtomicLong shortages = new AtomicLong();

    public MemoryBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /// Claims room; false when there is none.
    public boolean claim(long bytes) {
        while (true) {
            long held = bytesHeld.get();
            if (bytes > bytesMax - held) {
                return false;
            }
            if (bytesHeld.compareAndSet(held, held + bytes)) {
                return true;
            }
        }
    }

    public void giveBack(long bytes) {
        bytesHeld.addAndGet(-bytes);
    }

    public long bytesMax() {
        return bytesMax;
    }

    /// Bytes claimed now, in use or kept for reuse.
    public long bytesHeld() {
        return bytesHeld.get();
    }

    /// A pool wanted memory and neither the budget nor the pool itself had any left.
    void onShortage() {
        shortages.incrementAndGet();
    }

    /// How often that happened. Whoever sees the number grow gives back what lies idle.
    long shortages() {
        return shortages.get();
    }
}
