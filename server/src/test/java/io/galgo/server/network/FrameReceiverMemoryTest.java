package io.galgo.server.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.storage.memory.BufferPool;
import io.galgo.storage.memory.MemoryBudget;
import io.galgo.storage.memory.PooledBuffer;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Where the bytes of a frame come from and go to.
final class FrameReceiverMemoryTest {
    private static final int FRAME_BYTES_MAX = 1 << 20;

    private final BufferPool pool = new BufferPool(new MemoryBudget(1 << 20));
    private final List<byte[]> frames = new ArrayList<>();
    private int shortages;

    private final FrameReceiver receiver = new FrameReceiver(pool, FRAME_BYTES_MAX, new FrameReceiver.Sink() {
        @Override
        public void onFrame(PooledBuffer frame, int length) {
            byte[] bytes = new byte[length];
            frame.bytes().get(0, bytes);
            frame.release();
            frames.add(bytes);
        }

        @Override
        public void onMemoryShort(int bytes) {
            shortages++;
        }

        @Override
        public void onFrameWithoutMemory(ByteBuffer header) {
            throw new AssertionError("nothing was given up");
        }

        @Override
        public void onInvalid(String reason) {
            throw new AssertionError(reason);
        }
    });

    private static byte[] frame(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(48, length).put(60, (byte) 5);
        return bytes;
    }

    static Stream<ByteBufAllocator> allocators() {
        return Stream.of(
                new UnpooledByteBufAllocator(true),
                new PooledByteBufAllocator(true),
                new AdaptiveByteBufAllocator(true));
    }

    @ParameterizedTest
    @MethodSource("allocators")
    void anyAllocatorOfTheSocketBringsTheSameBytes(ByteBufAllocator allocator) {
        // The first buffer of a chunk begins where the chunk does, so only a second one shows the difference.
        ByteBuf neighbour = allocator.directBuffer(FrameReceiver.STAGING_BYTES, FrameReceiver.STAGING_BYTES);
        byte[] first = frame(300, 1);
        byte[] second = frame(1000, 2);
        ByteBuf staging = receiver.allocate(allocator);
        staging.writeBytes(first).writeBytes(second);
        receiver.onBytes(staging);
        neighbour.release();
        assertThat(frames).containsExactly(first, second);
    }

    @Test
    void aShortageIsSaidOnceAFrameHoweverOftenItIsTriedAgain() {
        List<PooledBuffer> taken = new ArrayList<>();
        for (PooledBuffer buffer = pool.acquire(4096); buffer != null; buffer = pool.acquire(4096)) {
            taken.add(buffer);
        }
        byte[] sent = frame(300, 1);
        receiver.onBytes(UnpooledByteBufAllocator.DEFAULT.directBuffer(300).writeBytes(sent));
        for (int i = 0; i < 5; i++) {
            receiver.retry();
            assertThat(receiver.bytesWanted()).isEqualTo(300);
        }
        assertThat(shortages).isEqualTo(1);
        taken.forEach(PooledBuffer::release);
        receiver.retry();
        assertThat(receiver.bytesWanted()).isZero();
        assertThat(frames).containsExactly(sent);
    }
}
