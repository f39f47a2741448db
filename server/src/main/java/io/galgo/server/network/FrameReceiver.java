package io.galgo.server.network;

import io.galgo.storage.memory.BufferPool;
import io.galgo.storage.memory.PooledBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// The bytes of one connection that are not a frame yet.
///
/// It cuts the stream into frames and says into which memory the socket receives next. Between frames that is a
/// small buffer, which may bring many small frames at once; they are copied out. As soon as a header is complete,
/// the frame has a pooled buffer of its own, and the rest of a larger frame is received straight into it.
///
/// A connection that sends nothing holds no buffer, and one that stops inside a header holds that header.
///
/// Confined to the shard's thread.
final class FrameReceiver implements RecvByteBufAllocator, RecvByteBufAllocator.ExtendedHandle {
    static final int HEADER_BYTES = 256;

    /// Bytes that are received at once between frames. Of a large frame at most this much is copied.
    static final int STAGING_BYTES = 16 * 1024;

    private static final int SIZE_AT = 48;
    private static final int COMMAND_AT = 60;
    private static final int COMMAND_MAX = 29;

    /// Reads of one readiness event on a selector, so that a busy connection leaves room for others.
    private static final int READS_MAX = 16;

    private final BufferPool pool;
    private final int frameBytesMax;
    private final Sink sink;

    private @Nullable ByteBuf current;
    private @Nullable ArrayDeque<ByteBuf> later;

    private @Nullable ByteBuffer header;
    private int headerLength;

    private @Nullable PooledBuffer frame;
    private @Nullable PooledView frameView;
    private int frameLength;
    private int frameReceived;

    private boolean isBlocked;
    private boolean isWaitingForMemory;
    private boolean isDiscarding;
    private boolean isCutting;
    private int skipLeft;
    private long bytesSeen;

    private int attemptedBytes;
    private int lastBytes;
    private int reads;

    /// Hears what the bytes turned out to be.
    interface Sink {
        /// A whole frame; one reference of the buffer is handed over.
        void onFrame(PooledBuffer frame, int length);

        /// The budget has no room for the next frame. Said once a frame; nothing more is cut until [#retry] finds
        /// room or [#giveUpMemory] is called.
        void onMemoryShort(int bytes);

        /// A frame will not be received for want of memory.
        ///
        /// @param header valid during the call
        void onFrameWithoutMemory(ByteBuffer header);

        /// The stream cannot be cut any further; the rest of it is thrown away.
        void onInvalid(String reason);
    }

    FrameReceiver(BufferPool pool, int frameBytesMax, Sink sink) {
        this.pool = pool;
        this.frameBytesMax = frameBytesMax;
        this.sink = sink;
    }

    /// Bytes arrived; the receiver owns them now.
    // Which object it is decides, not what it holds.
    @SuppressWarnings("ReferenceEquality")
    void onBytes(ByteBuf bytes) {
        bytesSeen++;
        if (isDiscarding) {
            bytes.release();
        } else if (bytes == frameView) {
            frameReceived = bytes.writerIndex();
            bytes.release();
        } else if (current == null) {
            current = bytes;
        } else {
            if (later == null) {
                later = new ArrayDeque<>();
            }
            later.add(bytes);
        }
        cut();
    }

    /// While blocked no frame is handed over; bytes that arrive are kept.
    void block(boolean blocked) {
        isBlocked = blocked;
    }

    /// Goes on with what is there, after a block or when memory may be back.
    void retry() {
        if (isWaitingForMemory) {
            PooledBuffer buffer = pool.acquire(frameLength);
            if (buffer == null) {
                return;
            }
            isWaitingForMemory = false;
            beginFrame(buffer);
        }
        cut();
    }

    boolean isWaitingForMemory() {
        return isWaitingForMemory;
    }

    /// Bytes of the frame that waits for memory; 0 when none does.
    int bytesWanted() {
        return isWaitingForMemory ? frameLength : 0;
    }

    /// The frame that waits for memory is skipped.
    void giveUpMemory() {
        ByteBuffer kept = header;
        if (!isWaitingForMemory || kept == null) {
            throw new IllegalStateException("no frame waits for memory");
        }
        isWaitingForMemory = false;
        skipLeft = frameLength - HEADER_BYTES;
        headerLength = 0;
        header = null;
        sink.onFrameWithoutMemory(kept.clear());
        cut();
    }

    /// From now on everything that arrives is thrown away.
    void discard() {
        isDiscarding = true;
        releaseAll();
    }

    /// Whether a frame has begun and is not complete.
    boolean isInsideFrame() {
        return headerLength > 0 || skipLeft > 0 || (frame != null && frameReceived < frameLength);
    }

    /// Whether every whole frame that arrived was handed over.
    boolean hasHandedOverFrames() {
        return !isBlocked && !isWaitingForMemory;
    }

    /// Changes with every arrival.
    long arrivals() {
        return bytesSeen;
    }

    /// Gives all memory back. A receive that is under way keeps the frame's until it ends.
    void releaseAll() {
        headerLength = 0;
        header = null;
        isWaitingForMemory = false;
        if (frame != null) {
            frame.release();
            frame = null;
        }
        releaseView();
        if (current != null) {
            current.release();
            current = null;
        }
        while (later != null && !later.isEmpty()) {
            later.remove().release();
        }
    }

    private void releaseView() {
        if (frameView != null) {
            frameView.release();
            frameView = null;
        }
    }

    // ---- cutting

    private void cut() {
        if (isCutting) {
            return;
        }
        isCutting = true;
        try {
            boolean more = true;
            while (more && !isDiscarding && !isBlocked && !isWaitingForMemory) {
                more = step();
            }
        } finally {
            isCutting = false;
        }
    }

    /// @return whether there is more to do
    private boolean step() {
        if (frame != null && frameReceived == frameLength) {
            deliver(frame);
            return true;
        }
        ByteBuf bytes = current;
        if (bytes == null) {
            return false;
        }
        int readable = bytes.readableBytes();
        if (readable == 0) {
            bytes.release();
            current = later == null ? null : later.poll();
        } else if (skipLeft > 0) {
            int skipped = Math.min(skipLeft, readable);
            bytes.skipBytes(skipped);
            skipLeft -= skipped;
        } else if (frame != null) {
            copyIntoFrame(frame, bytes, Math.min(frameLength - frameReceived, readable));
        } else if (headerLength == 0 && readable >= HEADER_BYTES) {
            onHeader(bytes.getIntLE(bytes.readerIndex() + SIZE_AT), bytes.getByte(bytes.readerIndex() + COMMAND_AT));
        } else {
            collectHeader(bytes, readable);
        }
        return true;
    }

    private void deliver(PooledBuffer complete) {
        frame = null;
        releaseView();
        sink.onFrame(complete, frameLength);
    }

    private void copyIntoFrame(PooledBuffer target, ByteBuf bytes, int length) {
        // Where the bytes are in the view depends on the allocator: at its position, which is not always the index.
        ByteBuffer source = bytes.internalNioBuffer(bytes.readerIndex(), length);
        target.bytes().put(frameReceived, source, source.position(), length);
        bytes.skipBytes(length);
        frameReceived += length;
    }

    private ByteBuffer keptHeader() {
        if (header == null) {
            header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        }
        return header;
    }

    private void collectHeader(ByteBuf bytes, int readable) {
        ByteBuffer kept = keptHeader();
        int length = Math.min(HEADER_BYTES - headerLength, readable);
        kept.limit(headerLength + length).position(headerLength);
        bytes.readBytes(kept);
        headerLength += length;
        if (headerLength == HEADER_BYTES) {
            kept.clear();
            onHeader(kept.getInt(SIZE_AT), kept.get(COMMAND_AT));
        }
    }

    /// A header is complete, either at the front of `current` or in `header`.
    private void onHeader(int size, byte command) {
        if (size < HEADER_BYTES || size > frameBytesMax) {
            endStream("a frame of " + Integer.toUnsignedString(size) + " bytes, allowed are " + HEADER_BYTES + ".."
                    + frameBytesMax);
            return;
        }
        if (command < 0 || command > COMMAND_MAX) {
            endStream(
                    "a frame with the command byte " + Byte.toUnsignedInt(command) + ", allowed are 0.." + COMMAND_MAX);
            return;
        }
        frameLength = size;
        takeFrame();
    }

    private void endStream(String reason) {
        discard();
        sink.onInvalid(reason);
    }

    /// Takes memory for the frame whose header is complete.
    private void takeFrame() {
        PooledBuffer buffer = pool.acquire(frameLength);
        if (buffer != null) {
            beginFrame(buffer);
            return;
        }
        // The header is kept apart, so that the frame can be refused without its body.
        ByteBuf bytes = current;
        if (headerLength == 0 && bytes != null) {
            ByteBuffer kept = keptHeader();
            kept.clear();
            bytes.readBytes(kept);
            headerLength = HEADER_BYTES;
        }
        isWaitingForMemory = true;
        sink.onMemoryShort(frameLength);
    }

    private void beginFrame(PooledBuffer buffer) {
        ByteBuf bytes = current;
        frame = buffer;
        frameReceived = 0;
        ByteBuffer kept = header;
        if (headerLength == HEADER_BYTES && kept != null) {
            buffer.bytes().put(0, kept, 0, HEADER_BYTES);
            frameReceived = HEADER_BYTES;
        } else if (bytes != null) {
            copyIntoFrame(buffer, bytes, Math.min(frameLength, bytes.readableBytes()));
        }
        header = null;
        headerLength = 0;
    }

    // ---- where the socket receives

    @Override
    public ExtendedHandle newHandle() {
        return this;
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
        PooledBuffer target = frame;
        if (target == null || current != null || frameReceived == frameLength || isDiscarding) {
            return allocator.directBuffer(STAGING_BYTES, STAGING_BYTES);
        }
        if (frameView == null) {
            frameView = new PooledView(target.retain(), 0, frameLength, null);
            frameView.writerIndex(frameReceived);
        }
        return frameView.retain();
    }

    @Override
    public int guess() {
        return STAGING_BYTES;
    }

    @Override
    public void reset(ChannelConfig config) {
        reads = 0;
    }

    @Override
    public void incMessagesRead(int count) {
        reads += count;
    }

    @Override
    public void lastBytesRead(int bytes) {
        lastBytes = bytes;
    }

    @Override
    public int lastBytesRead() {
        return lastBytes;
    }

    @Override
    public void attemptedBytesRead(int bytes) {
        attemptedBytes = bytes;
    }

    @Override
    public int attemptedBytesRead() {
        return attemptedBytes;
    }

    @Override
    public boolean continueReading() {
        return mayContinue() && lastBytes == attemptedBytes;
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier more) {
        return mayContinue() && more.get();
    }

    private boolean mayContinue() {
        return !isBlocked && !isWaitingForMemory && reads < READS_MAX && lastBytes > 0;
    }

    @Override
    public void readComplete() {
        // Nothing is learnt from one round for the next.
    }
}
