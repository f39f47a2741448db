package io.galgo.storage.memory;

import io.galgo.storage.Invariant;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A page-aligned block of off-heap memory from a [BufferPool], with a count of those who still need it.
///
/// It is born with one reference, which belongs to whoever acquired it. The last release gives it back to its pool.
/// References may be taken and released on any thread; the bytes follow the owner of the frame.
public final class PooledBuffer {
    static final int PAGE_BYTES = 4096;

    private final BufferPool pool;
    private final int sizeClass;
    private final Arena arena;
    private final ByteBuffer bytes;
    private final AtomicInteger references = new AtomicInteger();

    // The next one in the list that this buffer is in: of those that came back, or of those free. A buffer in use
    // is in none.
    @Nullable PooledBuffer next;

    @SuppressWarnings("MustBeClosedChecker") // by free(), when the pool gives memory back
    PooledBuffer(BufferPool pool, int sizeClass, int capacity) {
        this.pool = pool;
        this.sizeClass = sizeClass;
        this.arena = Arena.ofShared();
        this.bytes = arena.allocate(capacity, PAGE_BYTES).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    /// The whole block: position 0, limit and capacity the block's size, little-endian. Use absolute positions
    /// only, or a duplicate; the object is shared.
    public ByteBuffer bytes() {
        return bytes;
    }

    public int capacity() {
        return bytes.capacity();
    }

    /// A view of `length` bytes at `position`, little-endian, for one disk operation.
    public ByteBuffer slice(int position, int length) {
        return bytes.slice(position, length).order(ByteOrder.LITTLE_ENDIAN);
    }

    /// Takes one more reference.
    public PooledBuffer retain() {
        int before = references.getAndIncrement();
        Invariant.check(
                before > 0, "a buffer is retained while somebody holds it (references, bytes)", before, capacity());
        return this;
    }

    /// Gives one reference back. One release too many is a bug and stops the process.
    public void release() {
        int left = references.decrementAndGet();
        Invariant.check(
                left >= 0, "a buffer is released once for each reference (references left, bytes)", left, capacity());
        if (left == 0) {
            pool.onLastRelease(this);
        }
    }

    int sizeClass() {
        return sizeClass;
    }

    void onAcquired() {
        next = null;
        references.set(1);
    }

    void free() {
        arena.close();
    }
}
