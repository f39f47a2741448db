package io.galgo.server.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.storage.memory.BufferPool;
import io.galgo.storage.memory.MemoryBudget;
import io.galgo.storage.memory.PooledBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FrameReceiverTest {
    private static final int FRAME_BYTES_MAX = 1 << 20;

    /// Remembers frames as bytes and does what a test wants at each one.
    private static final class Frames implements FrameReceiver.Sink {
        final List<byte[]> frames = new ArrayList<>();
        final List<byte[]> refused = new ArrayList<>();
        final List<String> invalid = new ArrayList<>();
        int shortages;
        Runnable onFrame = () -> {};

        @Override
        public void onFrame(PooledBuffer frame, int length) {
            byte[] bytes = new byte[length];
            frame.bytes().get(0, bytes);
            frame.release();
            frames.add(bytes);
            onFrame.run();
        }

        @Override
        public void onMemoryShort(int bytes) {
            shortages++;
        }

        @Override
        public void onFrameWithoutMemory(ByteBuffer header) {
            byte[] bytes = new byte[header.remaining()];
            header.get(bytes);
            refused.add(bytes);
        }

        @Override
        public void onInvalid(String reason) {
            invalid.add(reason);
        }
    }

    private final MemoryBudget budget = new MemoryBudget(4 << 20);
    private final BufferPool pool = BufferPool.withOrigins(budget);
    private final Frames sink = new Frames();
    private final FrameReceiver receiver = new FrameReceiver(pool, FRAME_BYTES_MAX, sink);

    @AfterEach
    void everyBufferIsGivenBack() {
        receiver.discard();
        assertThat(pool.leaks()).isEmpty();
    }

    private static byte[] frame(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        ByteBuffer.wrap(bytes)
                .order(java.nio.ByteOrder.LITTLE_ENDIAN)
                .putInt(48, length)
                .put(60, (byte) 5);
        return bytes;
    }

    /// Frames in few words, so that a failure can be read.
    private static List<String> digests(List<byte[]> frames) {
        return frames.stream()
                .map(bytes -> bytes.length + " bytes, hash " + Arrays.hashCode(bytes))
                .toList();
    }

    private static byte[] joined(List<byte[]> frames) {
        int length = frames.stream().mapToInt(bytes -> bytes.length).sum();
        ByteBuffer joined = ByteBuffer.allocate(length);
        frames.forEach(joined::put);
        return joined.array();
    }

    /// Plays the socket: offers up to `chunk` bytes at a time to the memory that the receiver names.
    ///
    /// @return bytes taken before the receiver stopped reading
    private int receive(byte[] stream, int from, int chunk) {
        int at = from;
        while (at < stream.length && !receiver.isWaitingForMemory()) {
            ByteBuf memory = receiver.allocate(UnpooledByteBufAllocator.DEFAULT);
            int length = Math.min(Math.min(chunk, memory.writableBytes()), stream.length - at);
            assertThat(length).as("the socket is offered room").isPositive();
            memory.writeBytes(stream, at, length);
            receiver.lastBytesRead(length);
            receiver.onBytes(memory);
            at += length;
        }
        return at;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 47, 48, 49, 61, 255, 256, 257, 300, 511, 4096, 16 * 1024, 1 << 20})
    void anySplitGivesTheSameFrames(int chunk) {
        List<byte[]> sent = List.of(
                frame(256, 1),
                frame(257, 2),
                frame(256, 3),
                frame(4096, 4),
                frame(40_000, 5),
                frame(300, 6),
                frame(100_001, 7),
                frame(256, 8));
        receive(joined(sent), 0, chunk);
        assertThat(digests(sink.frames)).isEqualTo(digests(sent));
        assertThat(receiver.isInsideFrame()).isFalse();
        assertThat(sink.invalid).isEmpty();
    }

    @Test
    void randomFramesInRandomSplitsComeOutAsTheyWent() {
        for (long seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            List<byte[]> sent = new ArrayList<>();
            for (int i = random.nextInt(20); i >= 0; i--) {
                sent.add(frame(256 + random.nextInt(random.nextBoolean() ? 100 : 60_000), random.nextLong()));
            }
            byte[] stream = joined(sent);
            sink.frames.clear();
            for (int at = 0; at < stream.length; ) {
                int end = Math.min(stream.length, at + 1 + random.nextInt(20_000));
                at = receive(Arrays.copyOf(stream, end), at, 1 + random.nextInt(9_000));
            }
            assertThat(digests(sink.frames)).as("seed %d", seed).isEqualTo(digests(sent));
        }
    }

    @Test
    void aLargeFrameIsReceivedIntoItsOwnMemory() {
        byte[] sent = frame(200_000, 1);
        receive(sent, 0, FrameReceiver.STAGING_BYTES);
        assertThat(digests(sink.frames)).isEqualTo(digests(List.of(sent)));
        // What was received between the header and the end never passed through another buffer.
        FrameReceiver second = new FrameReceiver(pool, FRAME_BYTES_MAX, sink);
        ByteBuf staging = second.allocate(UnpooledByteBufAllocator.DEFAULT);
        staging.writeBytes(sent, 0, 1000);
        second.onBytes(staging);
        ByteBuf memory = second.allocate(UnpooledByteBufAllocator.DEFAULT);
        assertThat(memory).isInstanceOf(PooledView.class);
        assertThat(memory.writableBytes()).isEqualTo(200_000 - 1000);
        memory.release();
        second.discard();
    }

    @Test
    void aConnectionThatSendsNothingHoldsNoPooledMemory() {
        assertThat(pool.inUse()).isZero();
        receive(frame(256, 1), 0, 100);
        assertThat(pool.inUse()).isZero();
        receive(Arrays.copyOf(frame(5000, 2), 255), 0, 255);
        assertThat(pool.inUse()).isZero();
        assertThat(receiver.isInsideFrame()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 255, FRAME_BYTES_MAX + 1, Integer.MAX_VALUE, -1, Integer.MIN_VALUE})
    void aWrongSizeEndsTheStream(int size) {
        byte[] bytes = frame(256, 1);
        ByteBuffer.wrap(bytes).order(java.nio.ByteOrder.LITTLE_ENDIAN).putInt(48, size);
        receiver.onBytes(UnpooledByteBufAllocator.DEFAULT.directBuffer(256).writeBytes(bytes));
        assertThat(sink.invalid).hasSize(1);
        assertThat(sink.invalid.getFirst())
                .contains(Integer.toUnsignedString(size))
                .contains("256.." + FRAME_BYTES_MAX);
        assertThat(sink.frames).isEmpty();
    }

    @Test
    void theLargestFrameIsAllowed() {
        byte[] sent = frame(FRAME_BYTES_MAX, 1);
        receive(sent, 0, 1 << 20);
        assertThat(digests(sink.frames)).isEqualTo(digests(List.of(sent)));
    }

    @ParameterizedTest
    @ValueSource(ints = {30, 127, 128, 255})
    void aWrongCommandByteEndsTheStream(int command) {
        byte[] bytes = frame(256, 1);
        bytes[60] = (byte) command;
        receiver.onBytes(UnpooledByteBufAllocator.DEFAULT.directBuffer(256).writeBytes(bytes));
        assertThat(sink.invalid).singleElement().asString().contains("command byte " + command);
    }

    @Test
    void framesThatAreNoRequestsPass() {
        byte[] bytes = frame(256, 1);
        bytes[60] = 8;
        receive(bytes, 0, 256);
        assertThat(sink.frames).hasSize(1);
    }

    @Test
    void whileBlockedNothingIsHandedOverAndNothingIsLost() {
        List<byte[]> sent = List.of(frame(300, 1), frame(300, 2), frame(50_000, 3), frame(300, 4));
        sink.onFrame = () -> receiver.block(true);
        receive(joined(sent), 0, 700);
        assertThat(sink.frames).hasSize(1);
        for (int expected = 2; expected <= 4; expected++) {
            receiver.block(false);
            receiver.retry();
            assertThat(sink.frames).hasSize(expected);
        }
        assertThat(digests(sink.frames)).isEqualTo(digests(sent));
    }

    @Test
    void aFrameThatCompletesWhileBlockedWaits() {
        byte[] sent = frame(50_000, 1);
        int at = receive(Arrays.copyOf(sent, 20_000), 0, 1 << 20);
        receiver.block(true);
        receive(sent, at, 1 << 20);
        assertThat(sink.frames).isEmpty();
        assertThat(receiver.isInsideFrame()).isFalse();
        receiver.block(false);
        receiver.retry();
        assertThat(digests(sink.frames)).isEqualTo(digests(List.of(sent)));
    }

    private List<PooledBuffer> takeAllMemory() {
        List<PooledBuffer> taken = new ArrayList<>();
        for (PooledBuffer buffer = pool.acquire(4096); buffer != null; buffer = pool.acquire(4096)) {
            taken.add(buffer);
        }
        return taken;
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 256, 300, 16 * 1024})
    void aFrameWaitsForMemoryAndNothingIsLost(int chunk) {
        List<byte[]> sent = List.of(frame(256, 1), frame(9_000, 2), frame(256, 3));
        byte[] stream = joined(sent);
        List<PooledBuffer> taken = takeAllMemory();
        int at = receive(stream, 0, chunk);
        assertThat(sink.shortages).isEqualTo(1);
        assertThat(sink.frames).isEmpty();
        receiver.retry();
        assertThat(receiver.isWaitingForMemory()).isTrue();
        taken.forEach(PooledBuffer::release);
        receiver.retry();
        receive(stream, at, chunk);
        assertThat(digests(sink.frames)).isEqualTo(digests(sent));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 256, 300, 16 * 1024})
    void aFrameThatGetsNoMemoryIsSkippedAndItsHeaderKept(int chunk) {
        byte[] refused = frame(30_000, 1);
        byte[] next = frame(400, 2);
        byte[] stream = joined(List.of(refused, next));
        List<PooledBuffer> taken = takeAllMemory();
        int at = receive(stream, 0, chunk);
        assertThat(receiver.isWaitingForMemory()).isTrue();
        receiver.giveUpMemory();
        assertThat(digests(sink.refused)).isEqualTo(digests(List.of(Arrays.copyOf(refused, 256))));
        taken.forEach(PooledBuffer::release);
        receive(stream, at, chunk);
        assertThat(digests(sink.frames)).isEqualTo(digests(List.of(next)));
    }

    @Test
    void aFrameOfOnlyAHeaderCanBeRefusedToo() {
        List<PooledBuffer> taken = takeAllMemory();
        receive(frame(256, 1), 0, 256);
        receiver.giveUpMemory();
        assertThat(sink.refused).hasSize(1);
        assertThat(receiver.isInsideFrame()).isFalse();
        taken.forEach(PooledBuffer::release);
    }

    @Test
    void aCloseInTheMiddleOfEverythingGivesAllMemoryBack() {
        receive(Arrays.copyOf(frame(50_000, 1), 30_000), 0, 1 << 20);
        ByteBuf beingReceived = receiver.allocate(UnpooledByteBufAllocator.DEFAULT);
        receiver.discard();
        // The kernel may still write there, so the memory stays out of the pool.
        assertThat(pool.inUse()).isEqualTo(1);
        beingReceived.release();
        assertThat(pool.inUse()).isZero();
        receiver.onBytes(UnpooledByteBufAllocator.DEFAULT.directBuffer(256).writeBytes(frame(256, 2)));
        assertThat(sink.frames).isEmpty();
    }

    @Test
    void aFrameMayEndTheConnection() {
        sink.onFrame = receiver::discard;
        receive(joined(List.of(frame(300, 1), frame(300, 2))), 0, 600);
        assertThat(sink.frames).hasSize(1);
    }

    @Test
    void readingGoesOnWhileThereIsMoreAndRoom() {
        receiver.attemptedBytesRead(100);
        receiver.lastBytesRead(100);
        assertThat(receiver.continueReading()).isTrue();
        receiver.lastBytesRead(99);
        assertThat(receiver.continueReading()).isFalse();
        assertThat(receiver.continueReading(() -> true)).isTrue();
        receiver.block(true);
        assertThat(receiver.continueReading(() -> true)).isFalse();
        receiver.block(false);
        receiver.incMessagesRead(16);
        assertThat(receiver.continueReading(() -> true)).isFalse();
    }
}
