package io.galgo.simulator.world;

import io.galgo.storage.Unreadable;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.MemoryDisk;
import io.galgo.storage.memory.BufferPool;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Everything that belongs to one machine: its disk, its clock and the process on it.
public final class SimulatedMachine {
    /// Who is there from the beginning.
    public static final String ROOT_NAME = "root";

    public static final String ROOT_PASSWORD = "secret";

    private static final long RETRY_NANOS = 300_000_000L;
    private static final long STOP_NANOS_MAX = 20_000_000_000L;
    private static final long MINUTE = 60_000_000_000L;

    private final Universe universe;
    private final int id;
    private final SimulatedDisk disk;
    private final VirtualClock clock;
    private final SplittableRandom random;
    private @Nullable SimulatedProcess process;
    private @Nullable SimulatedProcess stopping;
    private int lives;
    private int boots = 1;
    private boolean isStarting;
    private boolean isPowered = true;
    private End nextDeath = End.KILL;
    private boolean isHopeless;

    SimulatedMachine(Universe universe, int id) {
        this.universe = universe;
        this.id = id;
        this.disk = new SimulatedDisk(this, universe);
        this.random = universe.random(Concern.FAULTS).split();
        boolean isOff = universe.swarm().isOn(FaultClass.CLOCK_DRIFT);
        double drift = random.nextDouble(-0.05, 0.05);
        long offset = random.nextLong(-10 * MINUTE, 10 * MINUTE);
        this.clock = new VirtualClock(universe.schedule(), isOff ? 1 + drift : 1, isOff ? offset : 0);
        clock.switchOn(random.nextLong(1000 * MINUTE));
        if (isOff) {
            universe.tally().onFault(FaultClass.CLOCK_DRIFT);
        }
    }

    /// Counted from 0.
    public int id() {
        return id;
    }

    /// The content of its disk, to look at.
    public MemoryDisk disk() {
        return disk.content();
    }

    /// Everything that was done to its disk, in order.
    public List<DamageRecord> damage() {
        return disk.book();
    }

    /// What its wall clock shows.
    public long wallMicros() {
        return clock.wallMicros();
    }

    /// Whether its process lives and serves, even if it stands still.
    public boolean isUp() {
        return process != null && process.isListening();
    }

    /// Bytes that its process holds in buffers, whole buffers counted.
    public long bytesInUse() {
        SimulatedProcess running = process;
        long bytes = 0;
        for (int i = 0;
                running != null && running.isListening() && i < universe.swarm().shards();
                i++) {
            bytes += running.pool(i).bytesInUse();
        }
        return bytes;
    }

    SimulatedDisk simulatedDisk() {
        return disk;
    }

    VirtualClock clock() {
        return clock;
    }

    SimulatedProcess process() {
        SimulatedProcess running = process;
        if (running == null) {
            throw new IllegalStateException("no process runs on machine " + id);
        }
        return running;
    }

    @Nullable SimulatedProcess processOrNull() {
        return process;
    }

    /// Whether somebody answers on the network, be it only to say that nobody listens.
    boolean isPowered() {
        return isPowered;
    }

    /// Whether damage keeps the server from ever starting again.
    boolean isHopeless() {
        return isHopeless;
    }

    boolean isPaused() {
        return process != null && process.isPaused();
    }

    // ---- life and death

    /// Starts a process after so long, if none runs then.
    void startLater(long nanos) {
        if (!isStarting) {
            isStarting = true;
            universe.schedule().after(nanos, this::start);
        }
    }

    private void start() {
        isStarting = false;
        if (process != null) {
            return;
        }
        if (!isPowered) {
            isPowered = true;
            boots++;
            clock.switchOn(random.nextLong(1000 * MINUTE));
        }
        lives++;
        disk.onProcessStart();
        SimulatedProcess starting = new SimulatedProcess(this, universe, lives);
        process = starting;
        starting.deliver(() -> {
            try {
                Life life = starting.start("boot-" + boots);
                universe.onStarted(this, life);
            } catch (Unreadable unreadable) {
                onRefusedStart(String.valueOf(unreadable.getMessage()));
                if (!isMetadataDamaged()) {
                    throw new Violation(
                            "undamaged metadata can be read", String.valueOf(unreadable.getMessage()), unreadable);
                }
                isHopeless = true;
            } catch (DiskException failed) {
                onRefusedStart(failed.fault().toString());
                if (!disk.hasFailed() && !isMetadataDamaged()) {
                    throw new Violation(
                            "a start that fails was made to", failed.fault().toString(), failed);
                }
                if (isMetadataDamaged() && universe.phase() != Phase.SAFETY) {
                    isHopeless = true;
                } else {
                    startLater(RETRY_NANOS);
                }
            }
        });
    }

    private void onRefusedStart(String reason) {
        universe.say("machine " + id + " cannot start: " + reason);
        forget(End.KILL);
        universe.onRefusedStart(this, reason);
    }

    private boolean isMetadataDamaged() {
        for (DamageRecord damage : disk.book()) {
            if (damage.fault().isDamage() && !damage.path().startsWith("streams/")) {
                return true;
            }
        }
        return false;
    }

    /// How the process dies that is made to die inside a call.
    void dieInside(int calls, End how) {
        nextDeath = how;
        disk.dieIn(calls);
    }

    /// The process dies now, at a point that was chosen.
    void dieAt(End how) {
        nextDeath = how;
        throw new ProcessDied();
    }

    /// The process dies now, inside a call.
    void die() {
        if (!process().isListening()) {
            universe.marks().hit(Universe.DIED_RECOVERING);
        }
        kill(nextDeath);
    }

    /// The process dies now, between two of its events.
    void kill(End how) {
        if (process == null) {
            if (how == End.POWER_LOSS && isPowered) {
                // Between two processes. What the former one had written may be lost all the same.
                universe.onFault(FaultClass.POWER_LOSS, "machine " + id);
                disk.content().powerLoss();
                isPowered = false;
                universe.onDied(this, how);
            }
            return;
        }
        universe.onFault(how == End.KILL ? FaultClass.KILL : FaultClass.POWER_LOSS, "machine " + id);
        forget(how);
        startLater(restartNanos());
    }

    private void noteUnsyncedNames() {
        if (disk.content().unsyncedNames() > 0) {
            universe.marks().hit(Universe.LOST_NAMES);
        }
    }

    private long restartNanos() {
        return Universe.exponential(random, 300_000_000L) + 1_000_000L;
    }

    private void forget(End how) {
        SimulatedProcess ended = process();
        boolean wasUp = ended.isListening();
        disk.dieIn(-1);
        switch (how) {
            case STOP, KILL -> disk.content().kill();
            case POWER_LOSS -> {
                noteUnsyncedNames();
                disk.content().powerLoss();
                isPowered = false;
            }
        }
        ended.end();
        process = null;
        universe.network().onProcessEnded(ended, how);
        // A power loss matters to those who watch also when the process had not come up yet.
        if (wasUp || how == End.POWER_LOSS) {
            universe.onDied(this, how);
        }
    }

    /// Ends the process, for good or to be started again.
    void end(End how, boolean again) {
        if (how == End.STOP) {
            stop(again);
        } else if (process != null) {
            forget(how);
            if (again) {
                startLater(restartNanos());
            }
        }
    }

    /// Stops the process in good order. What it leaves open is a violation.
    ///
    /// @param again whether it is started again
    void stop(boolean again) {
        SimulatedProcess running = process;
        if (running == null || !running.isListening()) {
            return;
        }
        if (stopping != running) {
            stopping = running;
            running.deliver(() -> running.stop(() -> universe.schedule().after(0, () -> onStopped(running, again))));
            universe.after(STOP_NANOS_MAX, () -> onStopOverdue(running));
        }
    }

    private void onStopOverdue(SimulatedProcess stopping) {
        if (process != stopping) {
            return;
        }
        if (!disk.hasFailed() && !disk.isSlow() && !stopping.isPaused() && !stopping.wasPaused()) {
            throw new Violation(
                    "a server that is told to stop does so",
                    "it is still there after " + STOP_NANOS_MAX / 1_000_000_000L + " s");
        }
        kill(End.KILL);
    }

    private void onStopped(SimulatedProcess stopped, boolean again) {
        if (process != stopped) {
            return;
        }
        checkNothingIsLeft(stopped);
        forget(End.STOP);
        if (again) {
            startLater(restartNanos());
        }
    }

    private void checkNothingIsLeft(SimulatedProcess stopped) {
        universe.network().dropAll(stopped);
        for (int i = 0; i < universe.swarm().shards(); i++) {
            BufferPool pool = stopped.pool(i);
            if (pool.inUse() != 0) {
                throw new Violation(
                        "a stopped server holds no memory", pool.inUse() + " buffers of shard " + i + " are in use");
            }
        }
        if (disk.content().openFiles() != 0) {
            throw new Violation(
                    "a stopped server holds no file",
                    "open are " + disk.content().openPaths());
        }
    }

    void pause() {
        SimulatedProcess running = process;
        if (running != null && !running.isPaused()) {
            running.pause();
        }
    }

    void resume() {
        SimulatedProcess running = process;
        if (running != null && running.isPaused()) {
            universe.say("machine " + id + " goes on");
            running.resume();
        }
    }
}
