package io.galgo.server.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.Operation;
import io.galgo.protocol.ReplyHeader;
import io.galgo.protocol.RequestHeader;
import io.galgo.storage.Invariant;
import io.galgo.storage.memory.PooledBuffer;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a client sees when its connection cannot have what it needs.
final class TcpLinkTest {
    private static final int FRAME_BYTES_MAX = 4 << 20;
    private static final long FOREVER_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final int PATIENCE_MILLIS = 30_000;

    @TempDir
    Path directory;

    private static ConnectionLimits memoryWaitMillis(long millis) {
        return new ConnectionLimits(
                FRAME_BYTES_MAX, TimeUnit.MILLISECONDS.toNanos(millis), FOREVER_NANOS, TimeUnit.SECONDS.toNanos(1));
    }

    /// A client that reads whole frames, or fails.
    private static final class Client implements AutoCloseable {
        private final Socket socket;
        private long number;

        Client(TestShards shards) throws IOException {
            socket = new Socket(shards.address().getAddress(), shards.address().getPort());
            socket.setSoTimeout(PATIENCE_MILLIS);
        }

        /// @return the request's number
        long ping(int bodyBytes) throws IOException {
            number++;
            int length = FrameHeader.BYTES + bodyBytes;
            ByteBuffer frame = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
            RequestHeader.write(
                    frame, 0, length, Operation.NON_REPLICATED, new ClientId(7, 7), 0, number, CommandCode.PING.code());
            socket.getOutputStream().write(frame.array());
            return number;
        }

        ByteBuffer reply() throws IOException {
            InputStream input = socket.getInputStream();
            ByteBuffer header =
                    ByteBuffer.wrap(input.readNBytes(FrameHeader.BYTES)).order(ByteOrder.LITTLE_ENDIAN);
            assertThat(header.remaining()).as("a whole header came").isEqualTo(FrameHeader.BYTES);
            input.skipNBytes(FrameHeader.size(header, 0) - FrameHeader.BYTES);
            return header;
        }

        boolean isEnded() throws IOException {
            return socket.getInputStream().read() < 0;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static List<PooledBuffer> takeAllMemory(TestShards shards) {
        List<PooledBuffer> taken = new ArrayList<>();
        for (int bytes = 1 << 20; bytes >= 4096; bytes /= 2) {
            PooledBuffer buffer = shards.pools.getFirst().acquire(bytes);
            while (buffer != null) {
                taken.add(buffer);
                buffer = shards.pools.getFirst().acquire(bytes);
            }
        }
        return taken;
    }

    /// Runs a step on the shard's thread and waits for it.
    private static void onShard(SocketChannel channel, Runnable step) {
        channel.eventLoop().submit(step).syncUninterruptibly();
    }

    @Test
    void aFrameThatGetsNoMemoryIsRefusedAfterTheLimitAndTheNextIsServed() throws Exception {
        try (TestShards shards = new TestShards(directory, memoryWaitMillis(300), _ -> {});
                Client client = new Client(shards)) {
            List<PooledBuffer> taken = new ArrayList<>();
            SocketChannel channel = shards.accepted.take();
            onShard(channel, () -> taken.addAll(takeAllMemory(shards)));
            long refused = client.ping(100_000);
            ByteBuffer reply = client.reply();
            assertThat(ReplyHeader.status(reply, 0)).isEqualTo(ErrorCode.TRANSIENT_NOT_ACCEPTED.code());
            assertThat(ReplyHeader.request(reply, 0)).isEqualTo(refused);
            assertThat(shards.warnings).anyMatch(line -> line.contains("memory_pool.size"));
            onShard(channel, () -> taken.forEach(PooledBuffer::release));
            long served = client.ping(100_000);
            reply = client.reply();
            assertThat(ReplyHeader.status(reply, 0)).isZero();
            assertThat(ReplyHeader.request(reply, 0)).isEqualTo(served);
            assertThat(shards.bugs).isEmpty();
        }
    }

    @Test
    void everyFrameBehindARefusedOneHasAWaitOfItsOwn() throws Exception {
        try (TestShards shards = new TestShards(directory, memoryWaitMillis(100), _ -> {});
                Client client = new Client(shards)) {
            List<PooledBuffer> taken = new ArrayList<>();
            SocketChannel channel = shards.accepted.take();
            onShard(channel, () -> taken.addAll(takeAllMemory(shards)));
            long began = System.nanoTime();
            // Larger than the buffers of refusals, which come back to the pool.
            for (int i = 0; i < 3; i++) {
                client.ping(10_000);
            }
            for (int i = 1; i <= 3; i++) {
                ByteBuffer reply = client.reply();
                assertThat(ReplyHeader.status(reply, 0)).isEqualTo(ErrorCode.TRANSIENT_NOT_ACCEPTED.code());
                assertThat(ReplyHeader.request(reply, 0)).isEqualTo(i);
            }
            assertThat(System.nanoTime() - began).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(300));
            onShard(channel, () -> taken.forEach(PooledBuffer::release));
        }
    }

    @Test
    void aFrameThatGetsMemoryWithinTheLimitIsServed() throws Exception {
        try (TestShards shards = new TestShards(directory, memoryWaitMillis(FOREVER_NANOS / 1_000_000), _ -> {});
                Client client = new Client(shards)) {
            List<PooledBuffer> taken = new ArrayList<>();
            SocketChannel channel = shards.accepted.take();
            onShard(channel, () -> taken.addAll(takeAllMemory(shards)));
            client.ping(100_000);
            onShard(channel, () -> taken.forEach(PooledBuffer::release));
            assertThat(ReplyHeader.status(client.reply(), 0)).isZero();
        }
    }

    /// Runs out of memory when told to.
    private static final class Failing extends AbstractByteBufAllocator {
        private final AtomicBoolean isOut;

        Failing(AtomicBoolean isOut) {
            super(true);
            this.isOut = isOut;
        }

        @Override
        protected ByteBuf newDirectBuffer(int bytes, int bytesMax) {
            if (isOut.get()) {
                throw new OutOfMemoryError("Cannot reserve " + bytes + " bytes of direct buffer memory");
            }
            return UnpooledByteBufAllocator.DEFAULT.directBuffer(bytes, bytesMax);
        }

        @Override
        protected ByteBuf newHeapBuffer(int bytes, int bytesMax) {
            return UnpooledByteBufAllocator.DEFAULT.heapBuffer(bytes, bytesMax);
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }

    @Test
    void aConnectionThatFindsNoDirectMemoryIsClosedAndTheOthersGoOn() throws Exception {
        AtomicBoolean isOut = new AtomicBoolean();
        try (TestShards shards = new TestShards(
                        directory,
                        memoryWaitMillis(1_000),
                        channel -> channel.config().setAllocator(new Failing(isOut)));
                Client failing = new Client(shards);
                Client other = new Client(shards)) {
            failing.ping(0);
            assertThat(ReplyHeader.status(failing.reply(), 0)).isZero();
            isOut.set(true);
            failing.ping(0);
            assertThat(failing.isEnded()).isTrue();
            isOut.set(false);
            other.ping(0);
            assertThat(ReplyHeader.status(other.reply(), 0)).isZero();
            assertThat(shards.bugs).isEmpty();
            assertThat(shards.warnings)
                    .filteredOn(line -> line.contains("direct buffer memory"))
                    .hasSize(1);
        }
    }

    @Test
    void aBrokenInvariantIsNotTheConnectionsAffair() throws Exception {
        Invariant.Violation broken = null;
        try {
            Invariant.check(false, "this holds");
        } catch (Invariant.Violation violation) {
            broken = violation;
        }
        assertThat(broken).isNotNull();
        try (TestShards shards = new TestShards(directory, memoryWaitMillis(1_000), _ -> {});
                Client client = new Client(shards)) {
            client.ping(0);
            client.reply();
            SocketChannel channel = shards.accepted.take();
            Invariant.Violation thrown = broken;
            onShard(channel, () -> channel.pipeline().fireExceptionCaught(thrown));
            assertThat(shards.bugs).containsExactly(thrown);
        }
    }
}
