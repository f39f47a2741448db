package io.galgo.server.network;

import io.galgo.storage.memory.PooledBuffer;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Part of a pooled buffer as Netty wants to see it, to be received into or sent from without a copy.
///
/// It owns one reference of the buffer and gives it back when Netty lets go of the view: after a write has left or
/// has failed, after a read has completed or was cancelled. So the kernel never touches memory that is in use
/// again.
final class PooledView extends UnpooledDirectByteBuf {
    private final PooledBuffer buffer;
    private final long address;
    private final @Nullable Runnable onGone;

    /// @param buffer one reference of it passes to the view
    /// @param onGone hears that the view is gone, on the thread that let go of it
    PooledView(PooledBuffer buffer, int position, int length, @Nullable Runnable onGone) {
        this(buffer, buffer.bytes().slice(position, length), onGone);
    }

    private PooledView(PooledBuffer buffer, ByteBuffer bytes, @Nullable Runnable onGone) {
        super(UnpooledByteBufAllocator.DEFAULT, bytes, bytes.capacity());
        this.buffer = buffer;
        this.address = MemorySegment.ofBuffer(bytes).address();
        this.onGone = onGone;
    }

    @Override
    public boolean hasMemoryAddress() {
        return true;
    }

    @Override
    public long memoryAddress() {
        return address;
    }

    @Override
    protected void deallocate() {
        super.deallocate();
        buffer.release();
        if (onGone != null) {
            onGone.run();
        }
    }
}
