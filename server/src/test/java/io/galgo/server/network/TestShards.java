package io.galgo.server.network;

import io.galgo.broker.shard.BrokerSettings;
import io.galgo.broker.shard.EventLog;
import io.galgo.broker.shard.MetadataTap;
import io.galgo.broker.shard.Node;
import io.galgo.broker.shard.NodeStatistics;
import io.galgo.broker.shard.PasswordHasher;
import io.galgo.broker.shard.RootUser;
import io.galgo.broker.shard.Shard;
import io.galgo.broker.shard.ShardEnvironment;
import io.galgo.server.disk.FileChannelDisk;
import io.galgo.server.loop.ShardLoop;
import io.galgo.server.loop.ShardLoops;
import io.galgo.server.password.Blake3TokenHasher;
import io.galgo.storage.Incidents;
import io.galgo.storage.form.Encryption;
import io.galgo.storage.memory.BufferPool;
import io.galgo.storage.memory.MemoryBudget;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Shards of a node on real threads, behind a real port; what is around them is the test's.
final class TestShards implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 30;

    final MemoryBudget budget = new MemoryBudget(16 << 20);
    final List<BufferPool> pools = new ArrayList<>();

    /// What a shard threw, and what a guard caught.
    final Queue<Throwable> bugs = new ConcurrentLinkedQueue<>();

    /// What people were told.
    final Queue<String> warnings = new ConcurrentLinkedQueue<>();

    /// The server's side of the connections, in the order in which they were accepted.
    final LinkedBlockingQueue<SocketChannel> accepted = new LinkedBlockingQueue<>();

    private final ExecutorService files = Executors.newCachedThreadPool();
    private final ShardLoops loops;
    private final Node node;
    private final Channel port;

    /// @param prepare sees each of the server's channels before it is used
    TestShards(Path directory, ConnectionLimits limits, Consumer<SocketChannel> prepare) {
        loops = new ShardLoops(false, 0, List.of(0), false, warnings::add, bugs::add);
        List<ShardEnvironment> environments = new ArrayList<>();
        List<@Nullable Shard> shards = new ArrayList<>();
        for (ShardLoop loop : loops.loops()) {
            BufferPool pool = new BufferPool(budget);
            pools.add(pool);
            shards.add(null);
            environments.add(new ShardEnvironment(
                    loop,
                    loop,
                    new FileChannelDisk(directory, loop, files, files, files, warnings::add),
                    pool,
                    _ -> {},
                    Encryption.NONE,
                    (_, _, _) -> false,
                    new NoPasswords(),
                    new Blake3TokenHasher(),
                    TestShards::statistics,
                    loop.signal(() -> {
                        Shard shard = shards.get(loop.index());
                        if (shard != null) {
                            shard.onParcels();
                        }
                    }),
                    MetadataTap.NONE,
                    new Incidents(),
                    new Log()));
        }
        loops.hold();
        node = Node.recover(settings(limits.frameBytesMax()), environments, () -> new RootUser("root", "x"), false);
        List<Connections> connections = new ArrayList<>();
        for (Shard shard : node.shards()) {
            shards.set(shard.index(), shard);
            ShardLoop loop = loops.loops().get(shard.index());
            connections.add(new Connections(loop, shard, pools.get(shard.index()), limits, warnings::add));
        }
        connections.forEach(some -> some.meet(connections));
        loops.letLoose();
        port = new ServerBootstrap()
                .group(loops.loops().getFirst().eventLoop(), loops.group())
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel client) {
                        prepare.accept(client);
                        connections.getFirst().accept(client);
                        accepted.add(client);
                    }
                })
                .bind("127.0.0.1", 0)
                .syncUninterruptibly()
                .channel();
    }

    InetSocketAddress address() {
        return (InetSocketAddress) port.localAddress();
    }

    @Override
    public void close() {
        port.close().syncUninterruptibly();
        for (Shard shard : node.shards()) {
            CompletableFuture<Void> stopped = new CompletableFuture<>();
            loops.loops().get(shard.index()).execute(() -> shard.stop(() -> stopped.complete(null)));
            stopped.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
        }
        loops.stop(TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS));
        files.shutdownNow();
    }

    private static BrokerSettings settings(int frameBytesMax) {
        return new BrokerSettings(
                "galgo-test",
                "test-cluster",
                frameBytesMax,
                64,
                1_000,
                4,
                64,
                100,
                4,
                100,
                100,
                1_000,
                100,
                4 << 20,
                1 << 20,
                100,
                100,
                true,
                true,
                30_000_000_000L,
                30_000_000_000L,
                30_000_000_000L,
                100,
                100,
                true,
                60_000_000_000L,
                true,
                60_000_000_000L,
                Long.MAX_VALUE);
    }

    private static NodeStatistics statistics() {
        return new NodeStatistics(
                42, 1.5f, 12f, 1, 2, 3, 60_000_000, 1_700_000_000_000_000L, 4, 5, "host", "os", "1", "2", 7, 8, 9);
    }

    /// Nobody logs in here.
    private static final class NoPasswords implements PasswordHasher {
        @Override
        public boolean verify(String phc, byte[] password, Consumer<Boolean> done) {
            return false;
        }

        @Override
        public boolean hash(byte[] password, Consumer<String> done) {
            return false;
        }
    }

    private final class Log implements EventLog {
        @Override
        public void info(String line) {}

        @Override
        public void warn(String line) {
            warnings.add(line);
        }

        @Override
        public void error(String line) {
            warnings.add(line);
        }
    }
}
