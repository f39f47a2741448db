package io.galgo.server.network;

import io.galgo.broker.shard.Connection;
import io.galgo.broker.shard.Link;
import io.galgo.broker.shard.Reply;
import io.galgo.broker.shard.Timers;
import io.galgo.storage.Invariant;
import io.galgo.storage.log.BatchSlice;
import io.galgo.storage.memory.PooledBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One TCP socket of a client, between Netty and the core's [Connection].
///
/// Confined to the shard's thread.
final class TcpLink extends ChannelInboundHandlerAdapter implements Link, FrameReceiver.Sink {
    private static final int TCP = 1;

    private final Connections connections;
    private final SocketChannel channel;
    private final FrameReceiver receiver;
    private @Nullable Connection connection;

    private boolean isPausedByCore;
    private boolean isUnwritable;
    private boolean isClosing;
    private boolean isInputEnded;
    private boolean isGone;
    private Timers.@Nullable Timer closeTimer;

    // Lengths of the replies whose bytes are not out yet, oldest first, in a ring.
    private long[] lengths = new long[8];
    private int oldest;
    private int waiting;
    private int repliesOut;

    // What the sweep saw last time, to tell a connection that moves from one that does not.
    private long arrivalsSeen;
    private long unsentSeen;
    private long movedNanos;
    private long memoryWaitBeganNanos;

    /// The view of a reply's last piece is gone.
    private final Runnable onReplyOut = this::onReplyOut;

    // Place in the shard's lists; see Connections.
    int listIndex = -1;
    boolean isListedToFlush;
    boolean isListedToTell;
    boolean isListedAsStarved;

    TcpLink(Connections connections, SocketChannel channel) {
        this.connections = connections;
        this.channel = channel;
        this.receiver =
                new FrameReceiver(connections.pool(), connections.limits().frameBytesMax(), this);
        this.movedNanos = connections.nanos();
    }

    FrameReceiver receiver() {
        return receiver;
    }

    // ---- Netty's side

    @Override
    public void channelActive(ChannelHandlerContext context) {
        guard(() -> {
            connections.add(this);
            connection = connections.connect(this);
        });
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            connections.beforeFrames();
            receiver.onBytes((ByteBuf) message);
        } catch (Throwable thrown) {
            connections.bug(thrown);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        guard(() -> {
            // A client that does not read its replies gets no more of its requests read.
            isUnwritable = !channel.isWritable();
            applyReading();
        });
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        guard(() -> {
            if (isGone) {
                return;
            }
            isGone = true;
            if (closeTimer != null) {
                closeTimer.cancel();
            }
            receiver.discard();
            connections.remove(this);
            if (connection != null) {
                connection.onClosed();
            }
        });
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            guard(() -> {
                isInputEnded = true;
                if (isClosing) {
                    // Either the last reply is out already, or the end of its write closes the channel.
                    if (channel.isOutputShutdown()) {
                        closeChannel();
                    }
                } else {
                    endInputOnceHandedOver();
                }
            });
        }
    }

    /// A client that only ended its sending side still reads: it gets what it asked for, and then the end.
    private void endInputOnceHandedOver() {
        if (isInputEnded && !isGone && !isClosing && receiver.hasHandedOverFrames()) {
            // A frame that was begun will never be complete.
            receiver.discard();
            if (connection != null) {
                connection.onInputEnded();
            }
        }
    }

    /// What Netty could not do for this connection. What our own steps throw does not come here: see [#guard].
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof Invariant.Violation) {
            connections.bug(cause);
        } else if (cause instanceof IOException) {
            // The peer reset the connection or vanished. That is its right, and the close that follows says it all.
            closeChannel();
        } else if (!isGone && !isClosing) {
            // No memory for its bytes, or whatever else: its failure is no reason to end the others.
            connections.logFailed("the connection of " + remoteAddress() + " failed and is closed: " + cause);
            closeNow();
        }
    }

    private void guard(Runnable step) {
        try {
            step.run();
        } catch (Throwable thrown) {
            connections.bug(thrown);
        }
    }

    // ---- what the receiver found

    @Override
    public void onFrame(PooledBuffer frame, int length) {
        Connection core = connection;
        if (core == null) {
            throw new IllegalStateException("a frame before the connection");
        }
        core.onFrame(frame, length);
    }

    @Override
    public void onMemoryShort(int bytes) {
        memoryWaitBeganNanos = connections.nanos();
        connections.waitForMemory(this);
        applyReading();
    }

    @Override
    public void onFrameWithoutMemory(ByteBuffer header) {
        if (connection != null) {
            connection.onFrameWithoutMemory(header);
        }
    }

    @Override
    public void onInvalid(String reason) {
        connections.logInvalid(remoteAddress() + " sent " + reason + "; its connection is closed");
        closeNow();
    }

    /// Memory may be back.
    ///
    /// @return whether the link still waits for some
    boolean retryMemory() {
        if (isGone || isClosing) {
            return false;
        }
        receiver.retry();
        long limit = connections.limits().memoryWaitNanos();
        if (receiver.isWaitingForMemory() && connections.nanos() - memoryWaitBeganNanos > limit) {
            connections.logMemory("no memory for a frame of " + receiver.bytesWanted() + " bytes of " + remoteAddress()
                    + " within " + limit / 1_000_000L + " ms (memory_pool.size); it is refused");
            receiver.giveUpMemory();
        }
        endInputOnceHandedOver();
        applyReading();
        return receiver.isWaitingForMemory();
    }

    /// Bytes of the frame that waits for memory.
    int bytesWanted() {
        return receiver.bytesWanted();
    }

    // ---- the core's side

    @Override
    public void send(Reply reply) {
        if (isGone || isClosing) {
            reply.release();
            return;
        }
        rememberLength(reply.length());
        List<BatchSlice> pieces = reply.pieces();
        int last = pieces.size() - 1;
        for (int i = 0; i <= last; i++) {
            BatchSlice piece = pieces.get(i);
            ChannelFuture _ = channel.write(
                    new PooledView(piece.buffer(), piece.position(), piece.length(), i == last ? onReplyOut : null),
                    channel.voidPromise());
        }
        connections.flushSoon(this);
    }

    void flush() {
        channel.flush();
    }

    private void rememberLength(long length) {
        if (waiting == lengths.length) {
            long[] wider = new long[2 * waiting];
            for (int i = 0; i < waiting; i++) {
                wider[i] = lengths[(oldest + i) % waiting];
            }
            lengths = wider;
            oldest = 0;
        }
        lengths[(oldest + waiting) % lengths.length] = length;
        waiting++;
    }

    // Called from inside Netty's bookkeeping, where the core must not send: it is told a little later.
    private void onReplyOut() {
        repliesOut++;
        connections.tellSoon(this);
    }

    /// Tells the core about the replies that left.
    void tell() {
        while (repliesOut > 0) {
            repliesOut--;
            long length = lengths[oldest];
            oldest = (oldest + 1) % lengths.length;
            waiting--;
            if (!isGone && channel.isActive() && connection != null) {
                connection.onSent(length);
            }
        }
    }

    @Override
    public void pauseReading() {
        isPausedByCore = true;
        applyReading();
    }

    @Override
    public void resumeReading() {
        if (isPausedByCore) {
            isPausedByCore = false;
            applyReading();
        }
    }

    private void applyReading() {
        if (isGone || isClosing) {
            return;
        }
        boolean blocked = isPausedByCore || isUnwritable;
        receiver.block(blocked);
        channel.config().setAutoRead(!blocked && !receiver.isWaitingForMemory());
        if (!blocked) {
            // Not from inside the caller: it may be a frame's handler, or the end of a write.
            connections.resumeSoon(this);
        }
    }

    /// Hands over what arrived while nothing was wanted.
    void resume() {
        if (!isGone && !isClosing && !receiver.isWaitingForMemory()) {
            receiver.retry();
            endInputOnceHandedOver();
        }
    }

    @Override
    public void close() {
        if (isGone || isClosing) {
            return;
        }
        isClosing = true;
        // Closing a socket that has unread input makes the kernel drop the last reply. So the sending side is shut
        // first, input is thrown away, and the socket is closed when the client has closed or the grace is over.
        receiver.discard();
        closeTimer = connections.after(connections.limits().closeGraceNanos(), this::closeChannel);
        ChannelFuture _ = channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(_ -> {
            if (isInputEnded) {
                closeChannel();
            } else if (!isGone) {
                ChannelFuture _ = channel.shutdownOutput();
                channel.config().setAutoRead(true);
            }
        });
    }

    private void closeNow() {
        isClosing = true;
        receiver.discard();
        closeChannel();
    }

    // How closing went is nobody's question: channelInactive comes either way.
    private void closeChannel() {
        ChannelFuture _ = channel.close();
    }

    /// Drops the connection without a word, at the end of the node.
    void drop() {
        closeChannel();
    }

    // ---- watching

    /// Closes the connection if it holds memory or replies and has not moved for too long.
    void sweep(long now) {
        ChannelOutboundBuffer outbound = channel.unsafe().outboundBuffer();
        long unsent = outbound == null ? 0 : outbound.totalPendingWriteBytes() - outbound.currentProgress();
        boolean isMoving = receiver.arrivals() != arrivalsSeen || unsent != unsentSeen;
        long limit = connections.limits().stallNanos();
        boolean owes = receiver.isInsideFrame() && !isPausedByCore && !isUnwritable && !receiver.isWaitingForMemory();
        arrivalsSeen = receiver.arrivals();
        unsentSeen = unsent;
        if (isMoving || (!owes && unsent == 0)) {
            movedNanos = now;
        } else if (now - movedNanos > limit && !isClosing) {
            String what = unsent > 0 ? "did not read its replies" : "did not go on with the frame that it began";
            connections.logStalled(
                    remoteAddress() + " " + what + " for " + limit / 1_000_000_000L + " s; its connection is closed");
            closeNow();
        }
    }

    @Override
    public String remoteAddress() {
        InetSocketAddress address = channel.remoteAddress();
        return address == null ? "unknown" : withPort(address.getAddress(), address.getPort());
    }

    private static String withPort(InetAddress address, int port) {
        String host = literal(address);
        return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
    }

    @Override
    public String localIp() {
        InetSocketAddress address = channel.localAddress();
        return address == null ? "127.0.0.1" : literal(address.getAddress());
    }

    // An IPv6 socket reports an IPv4 client as a mapped address; people know it as IPv4.
    private static String literal(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length == 16 && bytes[10] == -1 && bytes[11] == -1) {
            boolean mapped = true;
            for (int i = 0; i < 10; i++) {
                mapped &= bytes[i] == 0;
            }
            if (mapped) {
                byte[] inner = Arrays.copyOfRange(bytes, 12, 16);
                return (inner[0] & 0xff) + "." + (inner[1] & 0xff) + "." + (inner[2] & 0xff) + "." + (inner[3] & 0xff);
            }
        }
        String text = address.getHostAddress();
        int scope = address instanceof Inet6Address ? text.indexOf('%') : -1;
        return scope < 0 ? text : text.substring(0, scope);
    }

    @Override
    public int transportCode() {
        return TCP;
    }
}
