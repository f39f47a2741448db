package io.galgo.simulator.world;

import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk;
import io.galgo.storage.disk.MemoryDisk.Operation;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// The disk of one machine: how long its operations take, in which order they end, how they fail, and the book of
/// what was done to its content.
///
/// Operations that are in flight at the same time end in any order.
final class SimulatedDisk implements MemoryDisk.Driver {
    private static final int SECTOR_BYTES = 512;
    private static final int SLOWNESS = 100;
    private static final String METADATA_COPIES = "metadata/superblock.";
    private static final int BRIM_BYTES = 256;
    private static final int ROOM_BYTES = 64 << 10;
    private static final int STRETCH_BYTES = 8 << 10;
    private static final int STRETCH_ODDS = 6;
    private static final long BYTES_PER_MICRO = 200;

    private final SimulatedMachine machine;
    private final Universe universe;
    private final MemoryDisk content;
    private final SplittableRandom random;
    /// A fault that waits for an operation.
    ///
    /// @param part of the path
    private record Armed(FaultClass fault, String part) {}

    private final EnumMap<Operation, Armed> armed = new EnumMap<>(Operation.class);
    private final List<DamageRecord> book = new ArrayList<>();
    private @Nullable FaultClass armedWrite;
    private int callsUntilDeath = -1;
    private final EnumMap<CrashPoint, End> armedPoints = new EnumMap<>(CrashPoint.class);
    private boolean isSlow;
    private boolean wasSlow;
    private boolean hasFailed;
    private boolean isLimited;

    SimulatedDisk(SimulatedMachine machine, Universe universe) {
        this.machine = machine;
        this.universe = universe;
        this.random = universe.random(Concern.DISK).split();
        this.content = new MemoryDisk(random.nextLong());
        content.driver(this);
        content.reserves(universe.swarm().disk().reserves());
    }

    MemoryDisk content() {
        return content;
    }

    /// Everything that was done to this disk, in order.
    List<DamageRecord> book() {
        return book;
    }

    /// Whether an operation of the process that runs now has failed, or would.
    boolean hasFailed() {
        return hasFailed || isLimited;
    }

    /// Whether it is slow, or was when the process that runs now was there.
    boolean isSlow() {
        return isSlow || wasSlow;
    }

    void onProcessStart() {
        wasSlow = false;
        hasFailed = false;
    }

    // ---- what the injector asks for

    void slow(boolean is) {
        isSlow = is;
        wasSlow |= is;
    }

    /// The next operation of a kind fails.
    ///
    /// @param part of the path, perhaps empty
    void arm(Operation operation, FaultClass fault, String part) {
        armed.put(operation, new Armed(fault, part));
    }

    /// The next write is lost or goes astray.
    void armWrite(FaultClass fault) {
        armedWrite = fault;
    }

    /// The process dies where it comes to this point next.
    void arm(CrashPoint point, End end) {
        armedPoints.put(point, end);
    }

    /// The process dies in the middle of one of its next calls.
    void dieIn(int calls) {
        callsUntilDeath = calls;
    }

    /// There is room and there are handles again.
    void lift() {
        isLimited = false;
        content.capacity(Long.MAX_VALUE);
        content.handlesMax(Integer.MAX_VALUE);
    }

    void heal() {
        lift();
        isSlow = false;
        armed.clear();
        armedWrite = null;
        armedPoints.clear();
        callsUntilDeath = -1;
    }

    /// Leaves room for a little more only.
    void fill() {
        isLimited = true;
        content.capacity(content.usedBytes() + random.nextLong(random.nextInt(3) == 0 ? BRIM_BYTES : ROOM_BYTES));
        note(FaultClass.NO_SPACE, "", 0, 0);
    }

    /// Leaves a few handles only.
    void limitHandles() {
        isLimited = true;
        content.handlesMax(content.openFiles() + random.nextInt(4));
        note(FaultClass.HANDLE_LIMIT, "", 0, 0);
    }

    /// Turns a stored bit round, or makes a sector unreadable.
    void damage(FaultClass fault) {
        // Metadata once in a while only: what does not start any more cannot be looked at any more.
        boolean isAnywhere = random.nextInt(8) == 0;
        // One copy of two is something that a start must get over.
        boolean isCopy = random.nextInt(12) == 0;
        List<String> files = new ArrayList<>();
        for (String file : content.files()) {
            if (isCopy ? file.startsWith(METADATA_COPIES) : isAnywhere || file.startsWith("streams/")) {
                files.add(file);
            }
        }
        if (files.isEmpty()) {
            return;
        }
        String path = files.get(random.nextInt(files.size()));
        long bytes = content.size(path);
        if (bytes == 0) {
            return;
        }
        long position = random.nextLong(bytes);
        if (fault == FaultClass.BIT_ROT && random.nextInt(STRETCH_ODDS) == 0) {
            garble(path, bytes);
            return;
        }
        universe.onFault(fault, "byte " + position + " of " + path);
        if (fault == FaultClass.BIT_ROT) {
            content.flipBit(path, position, random.nextInt(8));
            note(fault, path, position, 1);
        } else {
            content.spoilSector(path, position);
            note(fault, path, position / SECTOR_BYTES * SECTOR_BYTES, SECTOR_BYTES);
        }
    }

    /// Turns bits of some KiB round, of small files all.
    private void garble(String path, long bytes) {
        long length = Math.min(bytes, STRETCH_BYTES);
        long position = random.nextLong(bytes - length + 1);
        universe.onFault(FaultClass.BIT_ROT, length + " bytes from " + position + " of " + path);
        for (long at = position; at < position + length; at++) {
            content.flipBit(path, at, random.nextInt(8));
        }
        note(FaultClass.BIT_ROT, path, position, length);
    }

    private void note(FaultClass fault, String path, long position, long bytes) {
        DamageRecord damage = new DamageRecord(machine, fault, path, position, bytes, universe.nowNanos());
        book.add(damage);
        hasFailed = true;
        universe.onDamage(damage);
    }

    // ---- the disk asks

    @Override
    public void onSubmitted(Operation operation, String path, int bytes, Runnable run) {
        Swarm.DiskSettings settings = universe.swarm().disk();
        long mean = switch (operation) {
            case READ -> settings.readNanosMean();
            case WRITE -> settings.writeNanosMean();
            default -> settings.syncNanosMean();
        };
        long nanos = Universe.exponential(random, mean) + bytes * 1000L / BYTES_PER_MICRO;
        long wait = isSlow ? SLOWNESS * nanos : nanos;
        machine.process().post(wait, run);
        End end = endAt(operation, path);
        if (end != null) {
            SimulatedProcess dying = machine.process();
            dying.post(random.nextLong(2 * wait + 1), () -> machine.dieAt(end));
        }
    }

    @Override
    public void onCall(Operation operation, String path) {
        if (callsUntilDeath >= 0) {
            callsUntilDeath--;
            if (callsUntilDeath < 0) {
                universe.marks().hit(Universe.DIED_INSIDE);
                throw new ProcessDied();
            }
        }
        End end = endAt(operation, path);
        if (end != null) {
            if (random.nextBoolean()) {
                machine.dieInside(-1, end);
                throw new ProcessDied();
            }
            // It is carried out, and nothing after what is done with it.
            machine.process().post(0, () -> machine.dieAt(end));
        }
    }

    /// How the process ends here; null when it does not.
    private @Nullable End endAt(Operation operation, String path) {
        for (CrashPoint point : armedPoints.keySet()) {
            if (point.isAt(operation, path)) {
                universe.onFault(FaultClass.CRASH_POINT, point.name() + ", " + path);
                universe.marks().hit(point.mark());
                return armedPoints.remove(point);
            }
        }
        return null;
    }

    @Override
    public DiskFault.@Nullable Kind faultOf(Operation operation, String path) {
        Armed waiting = armed.get(operation);
        if (waiting == null || !path.contains(waiting.part)) {
            return null;
        }
        armed.remove(operation);
        FaultClass fault = waiting.fault;
        universe.onFault(fault, operation + " of " + path + " fails");
        note(fault, path, 0, 0);
        return DiskFault.Kind.IO;
    }

    @Override
    public long placeOfWrite(String path, long position, int bytes, long fileBytes) {
        FaultClass fault = armedWrite;
        if (fault == null || bytes == 0) {
            return position;
        }
        armedWrite = null;
        universe.onFault(fault, bytes + " bytes at " + position + " of " + path);
        note(fault, path, position, bytes);
        if (fault == FaultClass.LOST_WRITE) {
            return -1;
        }
        long place = random.nextLong(fileBytes + bytes) / SECTOR_BYTES * SECTOR_BYTES;
        note(fault, path, place, bytes);
        return place;
    }
}
