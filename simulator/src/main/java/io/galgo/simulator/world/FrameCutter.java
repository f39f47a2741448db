package io.galgo.simulator.world;

import io.galgo.protocol.FrameHeader;
import io.galgo.storage.memory.BufferPool;
import io.galgo.storage.memory.PooledBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// The bytes of one connection that are not a frame yet, at the server's end.
final class FrameCutter {
    /// Hears what the bytes turned out to be.
    interface Sink {
        void onFrame(PooledBuffer frame, int length);

        /// There is no memory for the next frame. Nothing more is cut until [#retry] or [#giveUp].
        void onMemoryShort(int bytes);

        void onFrameWithoutMemory(ByteBuffer header);

        void onInvalid(String reason);
    }

    private final BufferPool pool;
    private final int frameBytesMax;
    private final Sink sink;
    private final ArrayDeque<ByteBuffer> arrived = new ArrayDeque<>();
    private final ByteBuffer header = ByteBuffer.allocate(FrameHeader.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private @Nullable PooledBuffer frame;
    private int frameLength;
    private int frameReceived;
    private int skipLeft;
    private boolean isBlocked;
    private boolean isStarved;
    private boolean isDiscarding;
    private boolean isCutting;

    FrameCutter(BufferPool pool, int frameBytesMax, Sink sink) {
        this.pool = pool;
        this.frameBytesMax = frameBytesMax;
        this.sink = sink;
    }

    void onBytes(byte[] bytes) {
        if (!isDiscarding) {
            arrived.add(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
            cut();
        }
    }

    void block(boolean blocked) {
        isBlocked = blocked;
    }

    void retry() {
        if (isStarved) {
            PooledBuffer buffer = pool.acquire(frameLength);
            if (buffer == null) {
                return;
            }
            isStarved = false;
            begin(buffer);
        }
        cut();
    }

    boolean isStarved() {
        return isStarved;
    }

    int bytesWanted() {
        return frameLength;
    }

    /// The frame that waits for memory is skipped.
    void giveUp() {
        isStarved = false;
        skipLeft = frameLength - FrameHeader.BYTES;
        ByteBuffer kept = ByteBuffer.allocate(FrameHeader.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        kept.put(header.clear()).clear();
        header.clear();
        sink.onFrameWithoutMemory(kept);
        cut();
    }

    /// From now on everything that arrives is thrown away.
    void discard() {
        isDiscarding = true;
        isStarved = false;
        arrived.clear();
        PooledBuffer begun = frame;
        if (begun != null) {
            frame = null;
            begun.release();
        }
    }

    /// Whether a frame has begun and is not complete.
    boolean isInsideFrame() {
        return header.position() > 0 || skipLeft > 0 || frame != null;
    }

    boolean hasHandedOverFrames() {
        return !isBlocked && !isStarved;
    }

    private void cut() {
        if (isCutting) {
            return;
        }
        isCutting = true;
        while (!isDiscarding && !isBlocked && !isStarved && step()) {
            // step by step
        }
        isCutting = false;
    }

    private boolean step() {
        PooledBuffer begun = frame;
        if (begun != null && frameReceived == frameLength) {
            frame = null;
            sink.onFrame(begun, frameLength);
            return true;
        }
        ByteBuffer bytes = arrived.peek();
        if (bytes == null) {
            return false;
        }
        if (!bytes.hasRemaining()) {
            arrived.remove();
        } else if (skipLeft > 0) {
            int skipped = Math.min(skipLeft, bytes.remaining());
            bytes.position(bytes.position() + skipped);
            skipLeft -= skipped;
        } else if (begun != null) {
            int length = Math.min(frameLength - frameReceived, bytes.remaining());
            begun.bytes().put(frameReceived, bytes, bytes.position(), length);
            bytes.position(bytes.position() + length);
            frameReceived += length;
        } else {
            while (bytes.hasRemaining() && header.hasRemaining()) {
                header.put(bytes.get());
            }
            if (!header.hasRemaining()) {
                onHeader();
            }
        }
        return true;
    }

    private void onHeader() {
        long size = FrameHeader.size(header, 0);
        int command = FrameHeader.command(header, 0);
        if (size < FrameHeader.BYTES || size > frameBytesMax || command > FrameHeader.COMMAND_MAX) {
            discard();
            sink.onInvalid("a frame of " + size + " bytes with command " + command);
            return;
        }
        frameLength = (int) size;
        PooledBuffer buffer = pool.acquire(frameLength);
        if (buffer == null) {
            isStarved = true;
            sink.onMemoryShort(frameLength);
        } else {
            begin(buffer);
        }
    }

    private void begin(PooledBuffer buffer) {
        buffer.bytes().put(0, header, 0, FrameHeader.BYTES);
        header.clear();
        frame = buffer;
        frameReceived = FrameHeader.BYTES;
    }
}
