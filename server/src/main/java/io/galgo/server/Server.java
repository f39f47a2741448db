package io.galgo.server;

import io.galgo.broker.shard.MetadataTap;
import io.galgo.broker.shard.Node;
import io.galgo.broker.shard.NodeAddress;
import io.galgo.broker.shard.RootUser;
import io.galgo.broker.shard.Shard;
import io.galgo.broker.shard.ShardEnvironment;
import io.galgo.server.configuration.RootCredentials;
import io.galgo.server.configuration.ServerConfiguration;
import io.galgo.server.disk.Causes;
import io.galgo.server.logging.LogArchives;
import io.galgo.server.logging.ServerLog;
import io.galgo.server.loop.ShardLoop;
import io.galgo.server.machine.Machine;
import io.galgo.server.network.ConnectionLimits;
import io.galgo.server.network.Connections;
import io.galgo.server.network.TcpListener;
import io.galgo.server.password.Argon2Hasher;
import io.galgo.server.password.Blake3TokenHasher;
import io.galgo.server.password.ShardPasswords;
import io.galgo.server.password.ShownPassword;
import io.galgo.server.password.SystemEntropy;
import io.galgo.server.snapshot.ShardSnapshots;
import io.galgo.server.snapshot.SnapshotArchives;
import io.galgo.storage.Incidents;
import io.galgo.storage.Unreadable;
import io.galgo.storage.directory.KeyCheck;
import io.galgo.storage.directory.NodeState;
import io.galgo.storage.disk.Disk;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.memory.BufferPool;
import io.galgo.storage.memory.MemoryBudget;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A running node: its directory, its threads, its core and its port.
///
/// [#start] and [#stop] are for the thread that owns the process.
final class Server {
    private static final int PASSWORD_THREADS_MAX = 2;
    private static final String CURRENT_CONFIGURATION = "current_config.toml";

    private final ServerConfiguration configuration;
    private final ServerLog log;
    private final DataDirectory directory;
    private final Disks disks;
    private final Argon2Hasher hasher;
    private final Node node;
    private final List<BufferPool> pools;
    private final List<Connections> connections;
    private final @Nullable TcpListener listener;

    private Server(
            ServerConfiguration configuration,
            ServerLog log,
            DataDirectory directory,
            Disks disks,
            Argon2Hasher hasher,
            Node node,
            List<BufferPool> pools,
            List<Connections> connections,
            @Nullable TcpListener listener) {
        this.configuration = configuration;
        this.log = log;
        this.directory = directory;
        this.disks = disks;
        this.hasher = hasher;
        this.node = node;
        this.pools = pools;
        this.connections = connections;
        this.listener = listener;
    }

    /// The node cannot start; the message is one sentence.
    static final class Failed extends Exception {
        private static final long serialVersionUID = 1L;

        Failed(String message) {
            super(message);
        }
    }

    /// Brings a node up; when this returns it serves.
    ///
    /// @param directory locked and prepared; the server closes it
    /// @param root for the first user of an empty directory, null for a random password
    /// @param limits what one connection may cost the others
    /// @param bugs hears what must never happen
    static Server start(
            ServerConfiguration configuration,
            Machine machine,
            DataDirectory directory,
            @Nullable RootCredentials root,
            ConnectionLimits limits,
            ServerLog log,
            Consumer<Throwable> bugs)
            throws Failed, InterruptedException {
        checkPort(configuration);
        return start(configuration, machine, directory, root, limits, false, log, bugs);
    }

    /// Gives the root user of a node that does not run another password.
    ///
    /// @param given the password, and the name to be sure who gets it; null for one that is made up and told
    static void resetRoot(
            ServerConfiguration configuration,
            Machine machine,
            DataDirectory directory,
            @Nullable RootCredentials given,
            ConnectionLimits limits,
            ServerLog log,
            Consumer<Throwable> bugs)
            throws Failed, InterruptedException {
        if (!start(configuration, machine, directory, given, limits, true, log, bugs)
                .stop()) {
            throw new Failed("the password was changed, but not everything could be closed in time");
        }
    }

    private static Server start(
            ServerConfiguration configuration,
            Machine machine,
            DataDirectory directory,
            @Nullable RootCredentials root,
            ConnectionLimits limits,
            boolean isReset,
            ServerLog log,
            Consumer<Throwable> bugs)
            throws Failed, InterruptedException {
        Disks disks;
        try {
            disks = Disks.open(configuration.dataPath(), configuration.shards(), log::warn, bugs);
        } catch (Disks.Unavailable unavailable) {
            throw new Failed(String.valueOf(unavailable.getMessage()));
        }
        Argon2Hasher hasher = null;
        try {
            SystemEntropy entropy = new SystemEntropy();
            hasher = new Argon2Hasher(Math.min(PASSWORD_THREADS_MAX, machine.parallelism()), entropy);
            logShards(configuration, disks, log);
            List<BufferPool> pools = new ArrayList<>();
            long begin = System.nanoTime();
            Node node = recover(configuration, root, isReset, disks, hasher, entropy, pools, log);
            if (directory.wasKilled()) {
                log.info("the server before this one did not stop by itself; " + node.partitionsCount()
                        + " partitions were recovered in " + (System.nanoTime() - begin) / 1_000_000 + " ms");
            }
            List<Connections> connections = connect(limits, node, disks, pools, log);
            disks.loops().letLoose();
            TcpListener listener = isReset ? null : listen(configuration, disks, connections, log);
            Server server =
                    new Server(configuration, log, directory, disks, hasher, node, pools, connections, listener);
            if (!isReset) {
                server.publish();
                server.cleanArchives();
                directory.onReady();
            }
            if (listener != null) {
                listener.open();
            }
            return server;
        } catch (Failed | RuntimeException failed) {
            if (hasher != null) {
                hasher.close();
            }
            disks.stopLoops(configuration.shards().joinTimeoutNanos());
            disks.close();
            throw failed;
        }
    }

    private static void logShards(ServerConfiguration configuration, Disks disks, ServerLog log) {
        List<Integer> cores = configuration.shards().cores();
        String where = configuration.shards().isPinned()
                ? (cores.size() == 1 ? " on core " : " on cores ")
                        + cores.toString().replace("[", "").replace("]", "")
                : ", not pinned";
        log.info(cores.size() + (cores.size() == 1 ? " shard" : " shards") + where + "; disk: " + disks.description());
    }

    private static Node recover(
            ServerConfiguration configuration,
            @Nullable RootCredentials root,
            boolean isReset,
            Disks disks,
            Argon2Hasher hasher,
            SystemEntropy entropy,
            List<BufferPool> pools,
            ServerLog log)
            throws Failed {
        MemoryBudget budget = new MemoryBudget(configuration.memoryBytesMax());
        Incidents incidents = new Incidents();
        SnapshotArchives snapshots = new SnapshotArchives(
                configuration.runtimePath(),
                configuration.runtimePath().resolve(CURRENT_CONFIGURATION),
                configuration.logging().directory(),
                incidents,
                log::warn);
        ProcessStatistics statistics = new ProcessStatistics(configuration.dataPath());
        List<ShardEnvironment> environments = new ArrayList<>();
        List<AtomicReference<@Nullable Shard>> shards = new ArrayList<>();
        for (ShardLoop loop : disks.loops().loops()) {
            BufferPool pool = new BufferPool(budget);
            pools.add(pool);
            AtomicReference<@Nullable Shard> shard = new AtomicReference<>();
            shards.add(shard);
            environments.add(new ShardEnvironment(
                    loop,
                    loop,
                    disks.disks().get(loop.index()),
                    pool,
                    entropy,
                    configuration.encryption(),
                    new ShardSnapshots(snapshots, loop),
                    new ShardPasswords(hasher, loop),
                    new Blake3TokenHasher(),
                    statistics,
                    loop.signal(() -> onParcels(shard.get())),
                    MetadataTap.NONE,
                    incidents,
                    log));
        }
        AtomicBoolean isRootMade = new AtomicBoolean();
        AtomicReference<@Nullable ResetRoot> resetRoot = new AtomicReference<>();
        // From here to letLoose() what belongs to the shards belongs to this thread.
        disks.loops().hold();
        try {
            Disk disk = disks.disks().getFirst();
            NodeState state = NodeState.open(disk, DataDirectory.bootId(), log::warn);
            boolean hasMessages = !disk.list(DataDirectory.STREAMS).isEmpty();
            KeyCheck.verify(disk, configuration.encryption(), hasMessages, entropy::fill, log::warn);
            Node node = Node.recover(
                    configuration.broker(),
                    environments,
                    () -> {
                        if (isReset) {
                            throw new Unreadable("there is no user in it yet, and nothing to reset");
                        }
                        isRootMade.set(true);
                        return makeRoot(root, hasher, entropy, log);
                    },
                    isReset
                            ? name -> {
                                ResetRoot reset = newRootPassword(name, root, entropy);
                                resetRoot.set(reset);
                                return hasher.hashNow(Argon2Hasher.bytesOf(reset.password));
                            }
                            : null,
                    state.memoryWasLost());
            ResetRoot reset = resetRoot.get();
            if (reset != null) {
                reset.announce(log);
            }
            noteRecovery(state, node, log);
            if (root != null && !isReset && !isRootMade.get()) {
                warnOfUnusedRoot(root, node, hasher, log);
            }
            for (Shard shard : node.shards()) {
                shards.get(shard.index()).set(shard);
            }
            return node;
        } catch (Unreadable unreadable) {
            throw new Failed(
                    "the data directory " + configuration.dataPath() + " cannot be used: " + unreadable.getMessage());
        } catch (DiskException failed) {
            throw new Failed("the data directory " + configuration.dataPath() + " cannot be used: " + failed.fault()
                    + (failed.fault().kind() == DiskFault.Kind.NO_SPACE ? "; make room and start again" : ""));
        }
    }

    /// A partition that could not be opened has not been told what the machine lost. So the next start is told so
    /// again, and skips offsets that it need not skip rather than give one out twice.
    private static void noteRecovery(NodeState state, Node node, ServerLog log) {
        if (node.isFullyRecovered()) {
            try {
                state.recovered();
            } catch (DiskException failed) {
                // On a full disk people must be able to log in and delete something.
                log.warn("the next start goes on as after a restart of the machine, with offsets left out: "
                        + failed.fault());
            }
        } else if (state.memoryWasLost()) {
            log.warn("the machine was restarted and not every partition could be opened; until a start opens all of"
                    + " them, each start goes on as after a restart of the machine, with offsets left out");
        }
    }

    private static void onParcels(@Nullable Shard shard) {
        if (shard != null) {
            shard.onParcels();
        }
    }

    private static RootUser makeRoot(
            @Nullable RootCredentials given, Argon2Hasher hasher, SystemEntropy entropy, ServerLog log) {
        if (given != null) {
            log.info(
                    given.isWellKnown()
                            ? "the first user is \"" + given.name() + "\", with the well-known password of"
                                    + " --with-default-root-credentials; change it before others can reach this server"
                            : "Using the custom root user credentials.");
            return new RootUser(given.name(), hasher.hashNow(Argon2Hasher.bytesOf(given.password())));
        }
        String password = Argon2Hasher.randomPassword(entropy);
        log.secret(ShownPassword.line(password));
        return new RootUser("iggy", hasher.hashNow(Argon2Hasher.bytesOf(password)));
    }

    /// A new password of the first user. It counts once the journal holds it, and is told no earlier.
    private record ResetRoot(String name, String password, boolean isGenerated) {
        void announce(ServerLog log) {
            if (isGenerated) {
                log.secret("New password of the user \"" + name + "\": " + password
                        + " (shown this once, and in no file)");
            }
            log.warn("the first user \"" + name + "\" has another password and is active from now on");
        }
    }

    private static ResetRoot newRootPassword(String name, @Nullable RootCredentials given, SystemEntropy entropy) {
        if (given != null && !given.name().equals(name)) {
            throw new Unreadable(
                    "its first user is called \"" + name + "\" and not \"" + given.name() + "\"; nothing was changed");
        }
        return given == null
                ? new ResetRoot(name, Argon2Hasher.randomPassword(entropy), true)
                : new ResetRoot(name, given.password(), false);
    }

    /// Credentials count for the first user of a new directory only. Whoever believes that they count here too is
    /// told so, unless they happen to be right.
    private static void warnOfUnusedRoot(RootCredentials given, Node node, Argon2Hasher hasher, ServerLog log) {
        String phc = node.passwordOf(given.name());
        if (phc == null || !hasher.verifyNow(phc, Argon2Hasher.bytesOf(given.password()))) {
            log.warn((given.isWellKnown() ? "--with-default-root-credentials" : "the given root name and password")
                    + " changed nothing: this data directory has users already, and \"" + given.name()
                    + "\" cannot log in with that password; change passwords through a client");
        }
    }

    private static List<Connections> connect(
            ConnectionLimits limits, Node node, Disks disks, List<BufferPool> pools, ServerLog log) {
        List<Connections> connections = new ArrayList<>();
        for (ShardLoop loop : disks.loops().loops()) {
            connections.add(
                    new Connections(loop, node.shards().get(loop.index()), pools.get(loop.index()), limits, log::warn));
        }
        for (Connections some : connections) {
            some.meet(connections);
        }
        return connections;
    }

    private static @Nullable TcpListener listen(
            ServerConfiguration configuration, Disks disks, List<Connections> connections, ServerLog log)
            throws Failed {
        if (!configuration.tcp().isEnabled()) {
            log.warn("tcp.enabled = false and this version has no other transport: no client can connect");
            return null;
        }
        InetSocketAddress wanted = configuration.tcp().address();
        try {
            return TcpListener.bind(
                    wanted,
                    disks.loops(),
                    disks.isRing(),
                    connections,
                    configuration.tcp().connectionsMax(),
                    log::warn);
        } catch (IOException failed) {
            throw cannotBind(wanted, failed);
        }
    }

    /// Finds out early that the port cannot be had: a start that fails for it leaves no first user behind, whose
    /// password is shown once.
    private static void checkPort(ServerConfiguration configuration) throws Failed {
        if (configuration.tcp().isEnabled()) {
            InetSocketAddress wanted = configuration.tcp().address();
            try {
                TcpListener.checkFree(wanted);
            } catch (IOException failed) {
                throw cannotBind(wanted, failed);
            }
        }
    }

    private static Failed cannotBind(InetSocketAddress wanted, IOException failed) {
        return new Failed("tcp.address = " + text(wanted) + " cannot be bound: " + reasonOf(wanted, failed));
    }

    private static String reasonOf(InetSocketAddress wanted, IOException failed) {
        String cause = String.valueOf(failed.getMessage());
        String wording = cause.toLowerCase(Locale.ROOT);
        if (wording.contains("cannot assign requested address") || wording.contains("can't assign requested address")) {
            return wanted.getAddress().getHostAddress() + " is no address of this machine; take one that \"ip address\""
                    + " lists, or 0.0.0.0 for all of them";
        }
        if (wording.contains("permission denied")) {
            return "ports below 1024 need a right that this process does not have; take a higher one";
        }
        if (wording.contains("address already in use")) {
            String holder = PortHolder.find(wanted);
            return "port " + wanted.getPort() + " is in use by "
                    + (holder == null ? "a process that this user may not see" : holder)
                    + "; stop it, or choose another port";
        }
        return cause;
    }

    private static String text(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    /// Tells the core and the outside where this node is.
    private void publish() throws Failed {
        InetSocketAddress bound = listener == null ? null : listener.address();
        String host = configuration.advertisedHost();
        if (host == null) {
            InetSocketAddress wanted = configuration.tcp().address();
            host = wanted.getAddress().isAnyLocalAddress()
                    ? ""
                    : wanted.getAddress().getHostAddress();
        }
        node.publish(new NodeAddress(host, bound == null ? 0 : bound.getPort(), 0, 0, 0));
        Map<String, String> addresses = bound == null ? Map.of() : Map.of("tcp.address", boundText(bound));
        Path file = configuration.runtimePath().resolve(CURRENT_CONFIGURATION);
        Path partial = configuration.runtimePath().resolve(CURRENT_CONFIGURATION + ".new");
        try {
            // Whoever waits for the file must never read half of it.
            Files.writeString(partial, configuration.effective().toToml(addresses, configuration.unservedTransports()));
            Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failed) {
            throw new Failed(file + " cannot be written: " + Causes.of(file, failed));
        }
        if (bound != null) {
            log.info("listening on tcp " + boundText(bound));
        }
        if (!configuration.unservedTransports().isEmpty()) {
            log.info("not served by this version, nothing listens for it: "
                    + String.join(", ", configuration.unservedTransports()));
        }
    }

    // A socket of both families reports an IPv6 wildcard for an IPv4 one; what was asked for is said.
    private String boundText(InetSocketAddress bound) {
        return text(new InetSocketAddress(configuration.tcp().address().getAddress(), bound.getPort()));
    }

    private void cleanArchives() {
        ServerConfiguration.Logging logging = configuration.logging();
        Path logs = logging.directory();
        if (logs == null) {
            return;
        }
        LogArchives archives = new LogArchives(logs, logging);
        Runnable pass = () -> {
            try {
                archives.clean(System.currentTimeMillis());
            } catch (IOException failed) {
                log.warn("old log files were not removed: " + failed.getMessage());
            }
        };
        ShardLoop timer = disks.loops().loops().getFirst();
        timer.every(logging.checkIntervalNanos(), () -> disks.removals().execute(pass));
        disks.removals().execute(pass);
    }

    /// Stops: no new clients, then what is running, then the logs.
    ///
    /// @return whether everything was stopped in time
    boolean stop() throws InterruptedException {
        if (listener != null) {
            listener.close();
        }
        List<ShardLoop> loops = disks.loops().loops();
        CountDownLatch stopped = new CountDownLatch(loops.size());
        for (ShardLoop loop : loops) {
            Shard shard = node.shards().get(loop.index());
            loop.execute(() -> shard.stop(stopped::countDown));
        }
        long timeoutNanos = configuration.shards().joinTimeoutNanos();
        boolean inTime = stopped.await(timeoutNanos, TimeUnit.NANOSECONDS);
        for (ShardLoop loop : loops) {
            loop.execute(connections.get(loop.index())::dropAll);
        }
        hasher.close();
        disks.stopLoops(timeoutNanos);
        disks.close();
        if (inTime) {
            directory.closeCleanly();
        } else {
            directory.close();
        }
        return inTime;
    }

    /// Whether every file was synced and closed without a fault. To be asked after [#stop].
    boolean isEverythingOnDisk() {
        return node.isClosedCleanly();
    }

    /// Pooled buffers that somebody still holds. After [#stop] every one of them was given back, or has leaked.
    long buffersInUse() {
        long count = 0;
        for (BufferPool pool : pools) {
            count += pool.inUse();
        }
        return count;
    }

    /// Connections of each shard now.
    List<Integer> connectionCounts() {
        List<Integer> counts = new ArrayList<>();
        for (Connections some : connections) {
            counts.add(some.count());
        }
        return counts;
    }

    /// The bound TCP address, null when TCP is off.
    @Nullable InetSocketAddress tcpAddress() {
        return listener == null ? null : listener.address();
    }
}
