package io.galgo.storage.memory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Where a shard takes its buffers from. All pools of a process share one [MemoryBudget].
///
/// Acquiring and asking for sums is confined to the thread of the owning shard, which is whoever made the pool
/// until the shard's thread starts. Releasing a buffer is for any thread.
public final class BufferPool {
    // A released buffer goes on its class's `returned` stack, whoever released it; the owner takes that stack as a
    // whole when its own list is empty. Pushing compares the head and taking replaces it by null, so no thread ever
    // pops a single buffer: there is no ABA, and nothing is allocated. Releases on the owner's thread go the same
    // way. That costs them one uncontended exchange and spares everybody the question on which thread they are.
    private static final class Shelf {
        final AtomicReference<@Nullable PooledBuffer> returned = new AtomicReference<>();

        @Nullable PooledBuffer free;
    }

    private final MemoryBudget budget;
    private final Shelf[] shelves = new Shelf[SizeClasses.count()];
    private final @Nullable Map<PooledBuffer, Throwable> origins;
    private final @Nullable Throwable unknownOrigin;
    private long bytesHeld;
    private long buffersHeld;
    private long shortagesSeen;

    public BufferPool(MemoryBudget budget) {
        this(budget, null, null);
    }

    private BufferPool(
            MemoryBudget budget, @Nullable Map<PooledBuffer, Throwable> origins, @Nullable Throwable unknownOrigin) {
        this.budget = budget;
        this.origins = origins;
        this.unknownOrigin = unknownOrigin;
        for (int i = 0; i < shelves.length; i++) {
            shelves[i] = new Shelf();
        }
    }

    /// A pool that remembers where each buffer in use was acquired, for [#leaks]. Slow: for tests and for the
    /// search of a leak.
    public static BufferPool withOrigins(MemoryBudget budget) {
        return new BufferPool(budget, Collections.synchronizedMap(new LinkedHashMap<>()), null);
    }

    /// A pool that knows which buffers are in use and not where they were acquired: for simulations that kill a process
    /// a thousand times and may not run out of memory.
    public static BufferPool abandonable(MemoryBudget budget) {
        return new BufferPool(budget, new LinkedHashMap<>(), new Throwable("acquired somewhere"));
    }

    /// The largest buffer there is; a larger one is refused as a bug.
    public static int bufferBytesMax() {
        return SizeClasses.bytesMax();
    }

    /// What a buffer of at least `bytes` bytes takes of the budget.
    public static long bytesTaken(int bytes) {
        return SizeClasses.bytes(SizeClasses.fitting(bytes));
    }

    /// The whole budget: buffers that take more together are never to be had at a time, whoever gives way.
    public long bytesMax() {
        return budget.bytesMax();
    }

    /// A buffer of at least `bytes` bytes, or null when the budget has no room for it now.
    ///
    /// The content is undefined. Buffers that lie idle in this pool give way when the budget is full.
    public @Nullable PooledBuffer acquire(int bytes) {
        if (bytes < 0 || bytes > SizeClasses.bytesMax()) {
            throw new IllegalArgumentException("a buffer of " + bytes + " bytes, at most " + SizeClasses.bytesMax());
        }
        giveWayIfShort();
        int sizeClass = SizeClasses.fitting(bytes);
        PooledBuffer buffer = takeFree(shelves[sizeClass]);
        if (buffer == null) {
            buffer = create(sizeClass);
        }
        if (buffer != null) {
            buffer.onAcquired();
            if (origins != null) {
                origins.put(buffer, unknownOrigin == null ? new Throwable("acquired here") : unknownOrigin);
            }
        }
        return buffer;
    }

    /// Gives at least `bytes` bytes of idle buffers back to the budget, or all there are, the largest first.
    ///
    /// @return bytes given back
    public long freeIdle(long bytes) {
        long freed = 0;
        for (int i = shelves.length - 1; i >= 0 && freed < bytes; i--) {
            PooledBuffer idle = takeFree(shelves[i]);
            while (idle != null) {
                freed += idle.capacity();
                free(idle);
                idle = freed < bytes ? takeFree(shelves[i]) : null;
            }
        }
        return freed;
    }

    /// Gives all idle buffers back when another pool found the budget empty since the last time. Also part of every
    /// [#acquire]; a shard that is at rest calls it now and then, or its idle memory is out of the others' reach.
    public void giveWayIfShort() {
        long shortages = budget.shortages();
        if (shortages != shortagesSeen) {
            shortagesSeen = shortages;
            freeIdle(Long.MAX_VALUE);
        }
    }

    /// Buffers that somebody holds. 0 when everything was given back.
    public long inUse() {
        long idle = 0;
        for (int i = 0; i < shelves.length; i++) {
            idle += idleCount(i);
        }
        return buffersHeld - idle;
    }

    /// Bytes of the buffers that somebody holds, whole buffers counted.
    public long bytesInUse() {
        return bytesHeld - bytesIdle();
    }

    /// Bytes of the buffers that are kept for reuse.
    public long bytesIdle() {
        long bytes = 0;
        for (int i = 0; i < shelves.length; i++) {
            bytes += idleCount(i) * SizeClasses.bytes(i);
        }
        return bytes;
    }

    /// Where the buffers that are still in use were acquired, oldest first; empty unless made by [#withOrigins].
    public List<Throwable> leaks() {
        if (origins == null) {
            return List.of();
        }
        synchronized (origins) {
            return new ArrayList<>(origins.values());
        }
    }

    /// Frees all memory, also of buffers in use, which must not be touched any more: the process that they belonged
    /// to was killed in a simulation. Only a pool made by [#withOrigins] or [#abandonable] knows those.
    public void abandon() {
        freeIdle(Long.MAX_VALUE);
        if (origins != null) {
            for (PooledBuffer buffer : List.copyOf(origins.keySet())) {
                origins.remove(buffer);
                free(buffer);
            }
        }
    }

    /// On any thread.
    void onLastRelease(PooledBuffer buffer) {
        if (origins != null) {
            origins.remove(buffer);
        }
        AtomicReference<@Nullable PooledBuffer> returned = shelves[buffer.sizeClass()].returned;
        PooledBuffer head;
        do {
            head = returned.get();
            buffer.next = head;
        } while (!returned.compareAndSet(head, buffer));
    }

    private static @Nullable PooledBuffer takeFree(Shelf shelf) {
        PooledBuffer buffer = shelf.free;
        if (buffer == null) {
            buffer = shelf.returned.get() == null ? null : shelf.returned.getAndSet(null);
        }
        if (buffer != null) {
            shelf.free = buffer.next;
            buffer.next = null;
        }
        return buffer;
    }

    private @Nullable PooledBuffer create(int sizeClass) {
        int bytes = SizeClasses.bytes(sizeClass);
        // Another pool may claim what this one gives back, so freeing goes on while there is something to free.
        while (!budget.claim(bytes)) {
            if (freeIdle(bytes) == 0) {
                budget.onShortage();
                shortagesSeen = budget.shortages();
                return null;
            }
        }
        PooledBuffer buffer = new PooledBuffer(this, sizeClass, bytes);
        bytesHeld += bytes;
        buffersHeld++;
        return buffer;
    }

    private void free(PooledBuffer buffer) {
        bytesHeld -= buffer.capacity();
        buffersHeld--;
        budget.giveBack(buffer.capacity());
        buffer.free();
    }

    private long idleCount(int sizeClass) {
        Shelf shelf = shelves[sizeClass];
        PooledBuffer returned = shelf.returned.getAndSet(null);
        while (returned != null) {
            PooledBuffer next = returned.next;
            returned.next = shelf.free;
            shelf.free = returned;
            returned = next;
        }
        long count = 0;
        for (PooledBuffer buffer = shelf.free; buffer != null; buffer = buffer.next) {
            count++;
        }
        return count;
    }
}
