package io.galgo.broker.shard;

import io.galgo.storage.log.BatchSlice;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// A transport without a network: what the connection sends is copied and released when the client "reads".
final class TestLink implements Link {
    private final ArrayDeque<Reply> unsent = new ArrayDeque<>();
    private final ArrayDeque<ByteBuffer> received = new ArrayDeque<>();
    private final int transportCode;
    private @Nullable Connection connection;
    private boolean isPaused;
    private boolean isClosed;
    private boolean isReading = true;

    TestLink(int transportCode) {
        this.transportCode = transportCode;
    }

    void carries(Connection carried) {
        connection = carried;
    }

    @Override
    public void send(Reply reply) {
        if (isClosed) {
            throw new IllegalStateException("a reply after the end");
        }
        unsent.add(reply);
    }

    /// Moves replies to the client; false when nothing moved.
    boolean transmit() {
        Reply reply = isReading ? unsent.poll() : null;
        if (reply == null) {
            return false;
        }
        ByteBuffer bytes = ByteBuffer.allocate((int) reply.length()).order(ByteOrder.LITTLE_ENDIAN);
        for (BatchSlice piece : reply.pieces()) {
            bytes.put(bytes.position(), piece.buffer().bytes(), piece.position(), piece.length());
            bytes.position(bytes.position() + piece.length());
        }
        received.add(bytes.flip());
        long length = reply.length();
        reply.release();
        if (connection != null) {
            connection.onSent(length);
        }
        return true;
    }

    /// The client sends no more, but may still read.
    void endInput() {
        if (connection != null) {
            connection.onInputEnded();
        }
    }

    @Override
    public void close() {
        isClosed = true;
    }

    @Override
    public void pauseReading() {
        isPaused = true;
    }

    @Override
    public void resumeReading() {
        isPaused = false;
    }

    @Override
    public String remoteAddress() {
        return "127.0.0.1:50123";
    }

    @Override
    public String localIp() {
        return "10.1.2.3";
    }

    @Override
    public int transportCode() {
        return transportCode;
    }

    boolean isPaused() {
        return isPaused;
    }

    boolean isClosed() {
        return isClosed;
    }

    /// Whether the client takes replies.
    void reading(boolean is) {
        isReading = is;
    }

    /// The next reply the client got, or null.
    @Nullable ByteBuffer next() {
        return received.poll();
    }

    int receivedCount() {
        return received.size();
    }

    int unsentCount() {
        return unsent.size();
    }

    /// The transport breaks: what was not sent is gone.
    void cut() {
        isClosed = true;
        while (!unsent.isEmpty()) {
            unsent.remove().release();
        }
        if (connection != null) {
            connection.onClosed();
        }
    }
}
