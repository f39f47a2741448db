package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.ClientId;
import io.galgo.storage.Incidents;
import io.galgo.storage.disk.MemoryDisk;
import io.galgo.storage.form.Encryption;
import io.galgo.storage.memory.BufferPool;
import io.galgo.storage.memory.MemoryBudget;
import io.galgo.storage.memory.PooledBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/// A whole node in the test's thread: a disk in memory, a clock that the test moves, links without a network.
///
/// Nothing happens until [#run] or [#step].
final class TestNode {
    static final String ROOT_NAME = "root";
    static final String ROOT_PASSWORD = "secret";

    static final BrokerSettings SETTINGS = new BrokerSettings(
            "galgo-test",
            "test-cluster",
            1 << 20,
            8,
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
            3,
            100,
            true,
            60_000_000_000L,
            true,
            60_000_000_000L,
            Long.MAX_VALUE);

    final MemoryDisk disk;
    final TestClock clock = new TestClock();
    final TestPasswords passwords = new TestPasswords();
    final TestLog log = new TestLog();
    final Incidents incidents = new Incidents();
    private final SplittableRandom chance = new SplittableRandom(1);
    final TestSnapshots snapshots = new TestSnapshots();
    private Encryption encryption = Encryption.NONE;
    final MemoryBudget budget;
    final List<TestClient> clients = new ArrayList<>();
    private final int shardsCount;
    private BrokerSettings settings;
    private List<BufferPool> pools = List.of();
    private boolean[] isWoken;
    private Node node;
    private long clientsMade;
    private long starvedBytes;
    private final ArrayDeque<PooledBuffer> hoard = new ArrayDeque<>();

    TestNode(int shardsCount) {
        this(shardsCount, SETTINGS, 1);
    }

    TestNode(int shardsCount, BrokerSettings settings, long seed) {
        this(shardsCount, settings, new MemoryDisk(seed), 64 << 20);
    }

    TestNode(int shardsCount, BrokerSettings settings, MemoryDisk disk, long budgetBytes) {
        this.shardsCount = shardsCount;
        this.settings = settings;
        this.disk = disk;
        this.budget = new MemoryBudget(budgetBytes);
        this.isWoken = new boolean[shardsCount];
        this.node = recover(false);
    }

    private Node recover(boolean memoryWasLost) {
        clients.clear();
        // The memory of a process goes with it.
        budget.giveBack(budget.bytesHeld());
        starvedBytes = 0;
        hoard.clear();
        isWoken = new boolean[shardsCount];
        List<ShardEnvironment> environments = new ArrayList<>();
        List<BufferPool> made = new ArrayList<>();
        for (int i = 0; i < shardsCount; i++) {
            int shard = i;
            made.add(BufferPool.withOrigins(budget));
            environments.add(new ShardEnvironment(
                    clock,
                    clock,
                    disk,
                    made.get(i),
                    chance::nextBytes,
                    encryption,
                    snapshots,
                    passwords,
                    TestPasswords::token,
                    TestNode::statistics,
                    () -> isWoken[shard] = true,
                    MetadataTap.NONE,
                    incidents,
                    log));
        }
        pools = made;
        Node recovered = Node.recover(
                settings, environments, () -> new RootUser(ROOT_NAME, TestPasswords.phc(ROOT_PASSWORD)), memoryWasLost);
        recovered.publish(new NodeAddress("galgo.example", 8090, 8080, 3000, 8092));
        return recovered;
    }

    private static NodeStatistics statistics() {
        return new NodeStatistics(
                42, 1.5f, 12f, 1, 2, 3, 60_000_000, 1_700_000_000_000_000L, 4, 5, "host", "os", "1", "2", 7, 8, 9);
    }

    // Driving

    /// Works until nothing is left to do.
    void run() {
        for (int steps = 0; step(); steps++) {
            if (steps > 1_000_000) {
                throw new AssertionError("the node does not come to rest");
            }
        }
    }

    /// Works until nothing is left to do but the oldest disk operations.
    void runKeeping(int diskOperations) {
        boolean isBusy = true;
        while (isBusy) {
            isBusy = runParcels() || transmit() || passwords.runNext();
            if (!isBusy && disk.pendingCount() > diskOperations) {
                disk.run(diskOperations);
                isBusy = true;
            }
        }
    }

    /// Does one thing in a fixed order: a shard's parcels, a reply, a password, a disk operation.
    boolean step() {
        return runParcels() || transmit() || passwords.runNext() || snapshots.runNext() || disk.runNext();
    }

    /// Does any one thing that waits.
    boolean step(SplittableRandom random) {
        int first = random.nextInt(4);
        for (int i = 0; i < 4; i++) {
            boolean done = switch ((first + i) % 4) {
                case 0 -> runParcels(random);
                case 1 -> transmit();
                case 2 -> passwords.runNext();
                default -> disk.runAny();
            };
            if (done) {
                return true;
            }
        }
        return false;
    }

    boolean runParcels() {
        for (int i = 0; i < shardsCount; i++) {
            if (isWoken[i]) {
                isWoken[i] = false;
                shard(i).onParcels();
                return true;
            }
        }
        return false;
    }

    private boolean runParcels(SplittableRandom random) {
        int first = random.nextInt(shardsCount);
        for (int i = 0; i < shardsCount; i++) {
            if (runParcels((first + i) % shardsCount)) {
                return true;
            }
        }
        return false;
    }

    /// Lets one shard look into its mailbox, if it was woken.
    boolean runParcels(int shard) {
        boolean was = isWoken[shard];
        if (was) {
            isWoken[shard] = false;
            shard(shard).onParcels();
        }
        return was;
    }

    boolean transmit() {
        for (TestClient client : clients) {
            if (client.link.transmit()) {
                return true;
            }
        }
        return false;
    }

    void publish(NodeAddress address) {
        node.publish(address);
    }

    /// Takes all room that is left in a shard's mailbox.
    ///
    /// @return gives it back
    Runnable fillMailbox(int shard) {
        int taken = 0;
        while (node.mailbox(shard).reserve()) {
            taken++;
        }
        int count = taken;
        return () -> {
            for (int i = 0; i < count; i++) {
                node.mailbox(shard).unreserve();
            }
        };
    }

    int shardsCount() {
        return shardsCount;
    }

    // Clients

    Shard shard(int index) {
        return node.shards().get(index);
    }

    BufferPool buffers(Shard shard) {
        return pools.get(shard.index());
    }

    TestClient connect(int shard) {
        return connect(shard, 1);
    }

    TestClient connect(int shard, int transportCode) {
        TestLink link = new TestLink(transportCode);
        Connection connection = shard(shard).connect(link);
        link.carries(connection);
        clientsMade++;
        TestClient client =
                new TestClient(this, shard(shard), link, connection, new ClientId(clientsMade, 1_000 + clientsMade));
        clients.add(client);
        return client;
    }

    /// A client of a shard that is logged in as root.
    TestClient root(int shard) {
        return connect(shard).login();
    }

    // Life and death

    boolean isFullyRecovered() {
        return node.isFullyRecovered();
    }

    /// How messages are stored from the next start on.
    void encryption(Encryption changed) {
        encryption = changed;
    }

    void settings(UnaryOperator<BrokerSettings> change) {
        settings = change.apply(settings);
    }

    /// Kills the process and starts another one on what is left.
    void killAndRestart() {
        disk.kill();
        passwords.forget();
        clock.forget();
        node = recover(false);
    }

    void losePowerAndRestart(MemoryDisk.PowerLoss extent) {
        disk.powerLoss(extent);
        passwords.forget();
        clock.forget();
        node = recover(true);
    }

    /// Stops in good order and starts again.
    void stopAndRestart() {
        stop();
        restart();
    }

    /// Starts on what a stopped process left.
    void restart() {
        clock.forget();
        node = recover(false);
    }

    /// What the buffers hold that a pool gives out next, `count` of them.
    static String contents(BufferPool pool, int count) {
        StringBuilder contents = new StringBuilder();
        List<PooledBuffer> buffers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            PooledBuffer buffer = Objects.requireNonNull(pool.acquire(1));
            byte[] content = new byte[buffer.capacity()];
            buffer.bytes().get(0, content);
            contents.append(new String(content, StandardCharsets.ISO_8859_1));
            buffers.add(buffer);
        }
        buffers.forEach(PooledBuffer::release);
        return contents.toString();
    }

    static boolean contains(byte[] bytes, String text) {
        return new String(bytes, StandardCharsets.ISO_8859_1).contains(text);
    }

    /// Whether all memory that is left is taken away.
    void starve(boolean is) {
        if (is) {
            for (long bytes = budget.bytesMax(); bytes > 0; bytes /= 2) {
                while (budget.claim(bytes)) {
                    starvedBytes += bytes;
                }
            }
            for (BufferPool pool : pools) {
                for (PooledBuffer buffer = pool.acquire(1); buffer != null; buffer = pool.acquire(1)) {
                    hoard.add(buffer);
                }
            }
        } else {
            budget.giveBack(starvedBytes);
            starvedBytes = 0;
            while (!hoard.isEmpty()) {
                hoard.remove().release();
            }
        }
    }

    void stop() {
        int[] stopped = new int[1];
        for (Shard shard : node.shards()) {
            shard.stop(() -> stopped[0]++);
        }
        run();
        clock.advance(3_000_000_000L);
        run();
        assertThat(stopped[0]).as("shards that have stopped").isEqualTo(shardsCount);
    }

    /// Cuts all connections and checks that nobody holds memory but the caches, which give it back.
    void assertNoMemoryIsHeld() {
        for (TestClient client : List.copyOf(clients)) {
            client.link.cut();
        }
        clients.clear();
        run();
        clock.advance(1_000_000_000L);
        run();
        stop();
        for (BufferPool pool : pools) {
            assertThat(pool.leaks()).as("buffers that nobody gave back").isEmpty();
            assertThat(pool.inUse()).isZero();
        }
    }
}
