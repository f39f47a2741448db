package io.galgo.server.network;

import io.galgo.server.loop.ShardLoops;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.uring.IoUringServerSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Consumer;

/// The TCP port: accepts clients and deals them out to the shards in turn.
public final class TcpListener {
    private static final int BACKLOG = 1024;

    /// Unsent bytes of a connection at which its requests are no longer read, and below which they are again.
    private static final int UNSENT_BYTES_HIGH = 8 << 20;

    private static final int UNSENT_BYTES_LOW = 2 << 20;
    private static final long LOG_PERIOD_NANOS = 10_000_000_000L;

    private final Channel channel;

    private TcpListener(Channel channel) {
        this.channel = channel;
    }

    /// Binds the port. Nothing is accepted before [#open].
    ///
    /// @param ring whether the loops are rings
    /// @param connections those of each shard, in order
    /// @param connectionsMax connections of the whole node; more are closed at once
    /// @param warnings hears about clients that were turned away
    /// @throws IOException when the port cannot be had
    public static TcpListener bind(
            InetSocketAddress address,
            ShardLoops loops,
            boolean ring,
            List<Connections> connections,
            int connectionsMax,
            Consumer<String> warnings)
            throws IOException {
        Class<? extends ServerChannel> kind = ring ? IoUringServerSocketChannel.class : NioServerSocketChannel.class;
        LimitedLog refused = new LimitedLog(warnings, System::nanoTime, LOG_PERIOD_NANOS);
        LimitedLog failed = new LimitedLog(warnings, System::nanoTime, LOG_PERIOD_NANOS);
        IdentityHashMap<EventLoop, Connections> byLoop = new IdentityHashMap<>();
        for (int i = 0; i < connections.size(); i++) {
            byLoop.put(loops.loops().get(i).eventLoop(), connections.get(i));
        }
        ChannelInitializer<SocketChannel> dealer = new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel client) {
                Connections own = byLoop.get(client.eventLoop());
                int count = 0;
                for (Connections some : connections) {
                    count += some.count();
                }
                if (own == null || count >= connectionsMax) {
                    refused.line("a client was turned away: " + count
                            + " connections are open, as many as the limit of open files (ulimit -n) leaves room for");
                    ChannelFuture _ = client.close();
                } else {
                    own.accept(client);
                }
            }
        };
        // Accepting is little work, and the first shard does it on the side.
        ChannelFuture bound = new ServerBootstrap()
                .group(loops.loops().getFirst().eventLoop(), loops.group())
                .channel(kind)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(
                        ChannelOption.WRITE_BUFFER_WATER_MARK,
                        new WriteBufferWaterMark(UNSENT_BYTES_LOW, UNSENT_BYTES_HIGH))
                .handler(new AcceptFailures(failed))
                .childHandler(dealer)
                .bind(address)
                .awaitUninterruptibly();
        Throwable cause = bound.cause();
        if (cause != null) {
            throw cause instanceof IOException io ? io : new IOException(cause);
        }
        return new TcpListener(bound.channel());
    }

    /// Whether [#bind] would find the port free now. Nothing listens meanwhile.
    ///
    /// @throws IOException when the port cannot be had
    public static void checkFree(InetSocketAddress address) throws IOException {
        try (Socket probe = new Socket()) {
            probe.setReuseAddress(true);
            probe.bind(address);
        }
    }

    /// Where the port really is; port 0 was resolved.
    public InetSocketAddress address() {
        return (InetSocketAddress) channel.localAddress();
    }

    /// Begins to accept.
    public void open() {
        channel.config().setAutoRead(true);
    }

    /// Gives the port back.
    public void close() {
        channel.close().awaitUninterruptibly();
    }

    /// Says that accepting failed. Netty then waits a second before it tries again, so a lack of handles does not
    /// spin.
    private static final class AcceptFailures extends ChannelInboundHandlerAdapter {
        private final LimitedLog log;

        AcceptFailures(LimitedLog log) {
            this.log = log;
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            log.line("a client could not be accepted: " + cause.getMessage());
            context.fireExceptionCaught(cause);
        }
    }
}
