package io.galgo.storage.memory;

import java.nio.ByteBuffer;

/// A page-aligned block of off-heap memory from a [BufferPool], with a count of those who still need it.
///
/// It is born with one reference, which belongs to whoever acquired it. The last release gives it back to its pool.
/// References may be taken and released on any thread; the bytes follow the owner of the frame.
public abstract class PooledBuffer {
    protected PooledBuffer() {}

    /// The whole block: position 0, limit and capacity the block's size, little-endian. Use absolute positions
    /// only, or a duplicate; the object is shared.
    public abstract ByteBuffer bytes();

    public abstract int capacity();

    /// Takes one more reference.
    public abstract PooledBuffer retain();

    /// Gives one reference back. One release too many is a bug and stops the process.
    public abstract void release();
}
