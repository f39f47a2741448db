package io.galgo.simulator.world;

import io.galgo.broker.metadata.Outcome;
import io.galgo.broker.shard.EventLog;
import io.galgo.broker.shard.MetadataTap;
import io.galgo.broker.shard.Node;
import io.galgo.broker.shard.NodeAddress;
import io.galgo.broker.shard.NodeStatistics;
import io.galgo.broker.shard.RootUser;
import io.galgo.broker.shard.Shard;
import io.galgo.broker.shard.ShardEnvironment;
import io.galgo.broker.shard.SnapshotMaker;
import io.galgo.broker.shard.Timers;
import io.galgo.protocol.request.GetSnapshot;
import io.galgo.storage.Incident;
import io.galgo.storage.Incidents;
import io.galgo.storage.directory.KeyCheck;
import io.galgo.storage.directory.NodeState;
import io.galgo.storage.disk.MemoryDisk;
import io.galgo.storage.form.Encryption;
import io.galgo.storage.memory.BufferPool;
import io.galgo.storage.memory.MemoryBudget;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One life of the server: the production classes, and around them what a process has of its own: memory, timers,
/// threads that are woken.
///
/// Everything that it does is an event of its own, and none happens once it is dead or while it stands still.
final class SimulatedProcess implements Timers {
    private static final long WAKE_NANOS_MEAN = 20_000L;
    private static final long TIMER_LATENESS_NANOS_MEAN = 500_000L;
    private static final long SNAPSHOT_NANOS = 50_000_000L;
    private static final long HOARD_NANOS = 1_000_000L;

    private final SimulatedMachine machine;
    private final Universe universe;
    private final int number;
    private final SplittableRandom schedule;
    private final SplittableRandom entropy;
    private final SimulatedHasher hasher;
    private final List<BufferPool> pools = new ArrayList<>();
    private final MemoryBudget budget;
    private final Incidents incidents = new Incidents();
    private final ArrayDeque<Runnable> held = new ArrayDeque<>();
    private final List<Life.Replayed> replayed = new ArrayList<>();
    private final boolean[] isWoken;
    private long snapshotOp;
    private @Nullable Node node;
    private boolean isAlive = true;
    private boolean isPaused;
    private boolean wasPaused;
    private boolean isMakingSnapshot;
    private long hoardBytes;
    private boolean isHoarding;

    SimulatedProcess(SimulatedMachine machine, Universe universe, int number) {
        this.machine = machine;
        this.universe = universe;
        this.number = number;
        this.schedule = universe.random(Concern.SCHEDULE).split();
        this.entropy = universe.random(Concern.ENTROPY).split();
        this.hasher = new SimulatedHasher(this, schedule.split());
        this.budget = new MemoryBudget(universe.swarm().memoryBytesMax());
        this.isWoken = new boolean[universe.swarm().shards()];
    }

    // ---- events

    /// Lets the process do something later.
    Schedule.Event post(long nanos, Runnable task) {
        return universe.schedule().after(nanos, () -> deliver(task));
    }

    /// Lets the process do something now, or as soon as it goes on.
    void deliver(Runnable task) {
        if (!isAlive) {
            return;
        }
        if (isPaused) {
            held.add(task);
        } else {
            run(task);
        }
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (ProcessDied died) {
            machine.die();
        } catch (Violation violation) {
            throw violation;
        } catch (RuntimeException | Error bug) {
            throw new Violation("no bug stops the server", String.valueOf(bug), bug);
        }
    }

    void pause() {
        isPaused = true;
        wasPaused = true;
    }

    void resume() {
        isPaused = false;
        // What happens at once does so in the order in which it came up, unless it stops the process again.
        while (isAlive && !isPaused && !held.isEmpty()) {
            run(held.remove());
        }
    }

    boolean isAlive() {
        return isAlive;
    }

    boolean isPaused() {
        return isPaused;
    }

    boolean wasPaused() {
        return wasPaused;
    }

    /// Whether clients can connect.
    boolean isListening() {
        return isAlive && node != null;
    }

    Shard shard(int index) {
        Node running = node;
        if (running == null) {
            throw new IllegalStateException("the process has not recovered");
        }
        return running.shards().get(index);
    }

    /// Takes all memory that nobody has, but a little, and what others give back, until [#giveHoardBack].
    void hoard(long leftBytes) {
        if (!isHoarding) {
            isHoarding = true;
            deliver(() -> hoardOn(leftBytes));
        }
    }

    private void hoardOn(long leftBytes) {
        Node running = node;
        if (!isHoarding || !isAlive || running == null) {
            return;
        }
        // What is only kept in case it is wanted goes as soon as somebody else wants memory.
        for (int i = 0; i < pools.size(); i++) {
            running.shards().get(i).makeRoom(Long.MAX_VALUE);
            pools.get(i).freeIdle(Long.MAX_VALUE);
        }
        long free = budget.bytesMax() - budget.bytesHeld() - leftBytes;
        if (free > 0 && budget.claim(free)) {
            hoardBytes += free;
        }
        post(HOARD_NANOS, () -> hoardOn(leftBytes));
    }

    void giveHoardBack() {
        isHoarding = false;
        budget.giveBack(hoardBytes);
        hoardBytes = 0;
    }

    BufferPool pool(int shard) {
        return pools.get(shard);
    }

    // ---- life

    /// Recovers and serves.
    Life start(String bootId) {
        MemoryDisk disk = machine.disk();
        EventLog log = new Log();
        NodeState state = NodeState.open(disk, bootId, log::warn);
        Encryption encryption = encryption();
        KeyCheck.verify(disk, encryption, !disk.list("streams").isEmpty(), entropy::nextBytes, log::warn);
        List<ShardEnvironment> environments = new ArrayList<>();
        for (int i = 0; i < universe.swarm().shards(); i++) {
            int index = i;
            BufferPool pool = BufferPool.abandonable(budget);
            pools.add(pool);
            environments.add(new ShardEnvironment(
                    machine.clock(),
                    this,
                    disk,
                    pool,
                    entropy::nextBytes,
                    encryption,
                    new Snapshots(),
                    hasher,
                    hasher,
                    this::statistics,
                    () -> wake(index),
                    new Tap(index),
                    incidents,
                    log));
        }
        Node recovered =
                Node.recover(universe.swarm().settings(), environments, SimulatedProcess::root, state.memoryWasLost());
        if (recovered.isFullyRecovered()) {
            state.recovered();
        }
        recovered.publish(new NodeAddress("galgo.simulated", 8090, 0, 0, 0));
        node = recovered;
        return new Life(number, state.memoryWasLost(), snapshotOp, List.copyOf(replayed), recovered.isFullyRecovered());
    }

    private static RootUser root() {
        return new RootUser(
                SimulatedMachine.ROOT_NAME,
                SimulatedHasher.phc(SimulatedMachine.ROOT_PASSWORD.getBytes(StandardCharsets.UTF_8), 0));
    }

    private Encryption encryption() {
        if (!universe.swarm().isEncrypted()) {
            return Encryption.NONE;
        }
        byte[] key = new byte[Encryption.KEY_BYTES];
        Arrays.fill(key, (byte) 7);
        return Encryption.with(key, true);
    }

    /// Ends in good order.
    void stop(Runnable stopped) {
        int[] left = {universe.swarm().shards()};
        for (int i = 0; i < universe.swarm().shards(); i++) {
            shard(i).stop(() -> {
                left[0]--;
                if (left[0] == 0) {
                    stopped.run();
                }
            });
        }
    }

    /// It is gone: nothing of it happens any more, and its memory is free.
    ///
    /// The disk must have been told before, which may still write what was in flight.
    void end() {
        isAlive = false;
        for (Incident incident : Incident.values()) {
            if (incidents.countOf(incident) > 0) {
                universe.marks().hit(incident.text(), incidents.countOf(incident));
            }
        }
        held.clear();
        for (BufferPool pool : pools) {
            pool.abandon();
        }
    }

    // ---- what it has of the machine

    private void wake(int shard) {
        if (!isWoken[shard]) {
            isWoken[shard] = true;
            post(Universe.exponential(schedule, WAKE_NANOS_MEAN), () -> {
                isWoken[shard] = false;
                if (node != null) {
                    shard(shard).onParcels();
                }
            });
        }
    }

    @Override
    public Timer after(long delayNanos, Runnable task) {
        long nanos = machine.clock().trueNanos(delayNanos) + Universe.exponential(schedule, TIMER_LATENESS_NANOS_MEAN);
        return new Task(task, nanos);
    }

    /// A timer that is cancelled is so also when its time has come while the process stood still.
    private final class Task implements Timer {
        private final Schedule.Event event;
        private boolean isCancelled;

        Task(Runnable task, long nanos) {
            this.event = post(nanos, () -> {
                if (!isCancelled) {
                    task.run();
                }
            });
        }

        @Override
        public void cancel() {
            isCancelled = true;
            event.cancel();
        }
    }

    private NodeStatistics statistics() {
        return new NodeStatistics(
                42,
                1,
                2,
                3,
                4,
                5,
                60_000_000,
                1_700_000_000_000_000L,
                6,
                7,
                "machine" + machine.id(),
                "simulated",
                "1",
                "1",
                universe.swarm().shards(),
                8,
                9);
    }

    private final class Snapshots implements SnapshotMaker {
        @Override
        public boolean make(GetSnapshot request, int bytesMax, Consumer<@Nullable ByteBuffer> done) {
            if (isMakingSnapshot) {
                return false;
            }
            isMakingSnapshot = true;
            post(schedule.nextLong(SNAPSHOT_NANOS), () -> {
                isMakingSnapshot = false;
                byte[] archive = new byte[schedule.nextInt(1, 4_000)];
                done.accept(
                        archive.length > bytesMax
                                ? null
                                : ByteBuffer.wrap(archive).order(ByteOrder.LITTLE_ENDIAN));
            });
            return true;
        }
    }

    private final class Tap implements MetadataTap {
        private final int shard;

        Tap(int shard) {
            this.shard = shard;
        }

        @Override
        public void onSnapshot(long op, ByteBuffer state) {
            snapshotOp = op;
        }

        @Override
        public void onReplayed(long op, ByteBuffer operation, Outcome outcome) {
            ByteBuffer copy = ByteBuffer.allocate(operation.remaining()).order(ByteOrder.LITTLE_ENDIAN);
            copy.put(operation.duplicate()).flip();
            replayed.add(new Life.Replayed(op, copy, outcome));
        }

        @Override
        public void onApplied(long op, ByteBuffer operation, Outcome outcome) {
            universe.onApplied(machine, shard, op, operation, outcome);
        }
    }

    private final class Log implements EventLog {
        private void tell(String how, String line) {
            universe.say(how + line);
        }

        @Override
        public void info(String line) {
            tell("node: ", line);
        }

        @Override
        public void warn(String line) {
            tell("node warns: ", line);
        }

        @Override
        public void error(String line) {
            tell("node reports an error: ", line);
        }
    }
}
