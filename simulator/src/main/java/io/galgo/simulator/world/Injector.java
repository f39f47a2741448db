package io.galgo.simulator.world;

import io.galgo.storage.disk.MemoryDisk.Operation;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;

/// Lets happen what the run has drawn, at times of its own.
///
/// Each fault has its own stream of chance, so that switching one off leaves the times of the others.
final class Injector {
    private static final long SECOND = 1_000_000_000L;
    private static final long HOUR = 3_600 * SECOND;
    private static final Operation[] CALLS = {
        Operation.OPEN, Operation.RENAME, Operation.TRUNCATE, Operation.SYNC_DIRECTORY
    };

    /// A part of the paths that a failure waits for; of some there are few.
    private static final String[] FILES = {
        "", "", "", "metadata/", "streams/", ".log", ".index", "/superblock", "/offsets", "/partitions/"
    };
    /// The same of names that change.
    private static final String[] RENAMED = {"", "streams/", ".log", "/offsets", "/partitions/"};
    private static final long LONG_SHORTAGE_NANOS = 7 * SECOND;
    private static final CrashPoint[] POINTS = CrashPoint.values();

    private final Universe universe;
    private final Map<FaultClass, SplittableRandom> chances = new EnumMap<>(FaultClass.class);
    private boolean isHealed;

    Injector(Universe universe) {
        this.universe = universe;
        SplittableRandom seeds = universe.random(Concern.FAULTS).split();
        for (FaultClass fault : FaultClass.values()) {
            chances.put(fault, seeds.split());
        }
    }

    void begin() {
        for (FaultClass fault : universe.swarm().faults()) {
            again(fault);
        }
    }

    /// Everything works from now on.
    void heal() {
        isHealed = true;
        universe.network().heal();
        for (SimulatedMachine machine : universe.machines()) {
            boolean hasFailed = machine.simulatedDisk().hasFailed();
            machine.simulatedDisk().heal();
            SimulatedProcess process = machine.processOrNull();
            if (process != null) {
                process.giveHoardBack();
            }
            machine.resume();
            // What failed may be fenced until the next start; an operator would have started it again.
            if (hasFailed && machine.isUp()) {
                machine.kill(End.KILL);
            }
        }
    }

    private void again(FaultClass fault) {
        long mean = meanNanos(fault);
        if (mean > 0) {
            universe.schedule().after(Universe.exponential(chance(fault), mean), () -> {
                if (!isHealed) {
                    inject(fault);
                    again(fault);
                }
            });
        }
    }

    @SuppressWarnings("NullAway") // every fault has one
    private SplittableRandom chance(FaultClass fault) {
        return chances.get(fault);
    }

    /// How long it takes on average until it happens again; 0 for what happens elsewhere.
    private long meanNanos(FaultClass fault) {
        double rarity = 1 - universe.swarm().strength(fault);
        return (long)
                (switch (fault) {
                    case KILL -> (0.7 + 6 * rarity) * SECOND;
                    case POWER_LOSS, STOP -> (1 + 8 * rarity) * SECOND;
                    case PAUSE, SLOW_DISK, CLOCK_JUMP, NO_SPACE, HANDLE_LIMIT -> (1.5 + 8 * rarity) * SECOND;
                    case SYNC_FAILURE, WRITE_FAILURE, CALL_FAILURE, READ_FAILURE -> (0.5 + 6 * rarity) * SECOND;
                    case LATENT_ERROR, BIT_ROT -> (1 + 8 * rarity) * SECOND;
                    case MISDIRECTED_WRITE, LOST_WRITE -> (2 + 10 * rarity) * SECOND;
                    case STALLED_CONNECTION, BROKEN_CONNECTION -> (0.2 + 3 * rarity) * SECOND;
                    case CRASH_POINT -> (0.7 + 5 * rarity) * SECOND;
                    case MEMORY_SHORTAGE -> (1 + 8 * rarity) * SECOND;
                    case CLOCK_DRIFT, SEGMENT_LOSS, BIT_FLIP, SLOW_READER, RUDE_CLIENT -> 0;
                });
    }

    private static String any(SplittableRandom random) {
        return FILES[random.nextInt(FILES.length)];
    }

    private void inject(FaultClass fault) {
        SplittableRandom random = chance(fault);
        SimulatedMachine machine =
                universe.machines().get(random.nextInt(universe.machines().size()));
        SimulatedDisk disk = machine.simulatedDisk();
        switch (fault) {
            case KILL, POWER_LOSS -> {
                End how = fault == FaultClass.KILL ? End.KILL : End.POWER_LOSS;
                if (random.nextInt(3) == 0) {
                    machine.dieInside(random.nextInt(random.nextBoolean() ? 3 : 40), how);
                } else {
                    machine.kill(how);
                }
            }
            case STOP -> {
                universe.onFault(fault, "machine " + machine.id());
                machine.stop(true);
            }
            case PAUSE -> {
                if (machine.isUp() && !machine.isPaused()) {
                    universe.onFault(fault, "machine " + machine.id());
                    machine.pause();
                    universe.after(
                            Universe.exponential(random, random.nextInt(4) == 0 ? 10 * SECOND : SECOND),
                            machine::resume);
                }
            }
            case SLOW_DISK -> {
                universe.onFault(fault, "machine " + machine.id());
                disk.slow(true);
                universe.after(Universe.exponential(random, SECOND), () -> disk.slow(false));
            }
            case NO_SPACE -> {
                universe.onFault(fault, "machine " + machine.id());
                disk.fill();
                universe.after(Universe.exponential(random, SECOND), disk::lift);
            }
            case HANDLE_LIMIT -> {
                universe.onFault(fault, "machine " + machine.id());
                disk.limitHandles();
                universe.after(Universe.exponential(random, SECOND), disk::lift);
            }
            case CRASH_POINT -> {
                CrashPoint point = POINTS[random.nextInt(POINTS.length)];
                boolean isPower = universe.swarm().isOn(FaultClass.POWER_LOSS) && random.nextBoolean();
                disk.arm(point, isPower ? End.POWER_LOSS : End.KILL);
            }
            case MEMORY_SHORTAGE -> {
                SimulatedProcess process = machine.processOrNull();
                if (process != null) {
                    long left = random.nextBoolean() ? 0 : random.nextLong(64 << 10);
                    universe.onFault(fault, "machine " + machine.id() + ", but " + left + " bytes");
                    process.hoard(left);
                    long nanos = random.nextBoolean() ? LONG_SHORTAGE_NANOS : Universe.exponential(random, 2 * SECOND);
                    universe.after(nanos, process::giveHoardBack);
                }
            }
            case SYNC_FAILURE -> disk.arm(Operation.SYNC, fault, any(random));
            case WRITE_FAILURE -> disk.arm(Operation.WRITE, fault, any(random));
            case READ_FAILURE -> disk.arm(Operation.READ, fault, any(random));
            case CALL_FAILURE -> {
                Operation call = CALLS[random.nextInt(CALLS.length)];
                String[] files = call == Operation.RENAME ? RENAMED : FILES;
                disk.arm(call, fault, files[random.nextInt(files.length)]);
            }
            case LATENT_ERROR, BIT_ROT -> disk.damage(fault);
            case MISDIRECTED_WRITE, LOST_WRITE -> disk.armWrite(fault);
            case CLOCK_JUMP -> {
                long by = random.nextLong(-HOUR, HOUR);
                universe.onFault(fault, by / SECOND + " s");
                machine.clock().jump(by);
            }
            case STALLED_CONNECTION, BROKEN_CONNECTION -> universe.network().harm(fault);
            case CLOCK_DRIFT, SEGMENT_LOSS, BIT_FLIP, SLOW_READER, RUDE_CLIENT -> {}
        }
    }
}
