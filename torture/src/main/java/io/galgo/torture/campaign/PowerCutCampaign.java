package io.galgo.torture.campaign;

import io.galgo.torture.server.DiskBackend;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.server.ServerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// The power goes: the server is killed, and its files are taken back to what was synced, or to something between
/// that and what was written.
///
/// A library of ours, loaded before the C library, notes what every write and every change of a name replaces, and
/// what every sync makes safe ([UnsyncedChanges]). That sees the calls of the C library and nothing else, so it
/// works with files through channels (`GALGO_DISK=file`), not with those on the ring.
final class PowerCutCampaign extends WorkCampaign {
    private static final int ACKNOWLEDGEMENTS_MAX = 200;
    private static final int MILLIS_MAX = 500;
    private static final long STRIKE_NANOS = 10_000_000_000L;
    private static final int SYNC_MICROS = 300;

    private @Nullable Preload preload;
    private @Nullable Path changes;
    private long cuts;
    private long writesTaken;
    private long namesTaken;

    @Override
    public String name() {
        return "power-cut";
    }

    @Override
    public String deed() {
        return "loses its power: what it had not synced is gone, or there in part";
    }

    @Override
    public boolean fits(DiskBackend disk) {
        return disk != DiskBackend.RING;
    }

    @Override
    ServerSettings settings(Trial trial, Path data) throws IOException, InterruptedException, SkippedException {
        Preload library = preload;
        if (library == null) {
            library = Preload.compile("power", trial);
            preload = library;
        }
        Path folder = Files.createDirectories(trial.newPath("unsynced"));
        changes = folder;
        restorePower(folder);
        return library.with(trial.settings(data))
                .withVariable("TORTURE_DATA", data.toString())
                .withVariable("TORTURE_LOG", folder.resolve(UnsyncedChanges.LOG).toString())
                .withVariable(
                        "TORTURE_SAVED", folder.resolve(UnsyncedChanges.SAVED).toString())
                .withVariable("TORTURE_SYNC_MICROS", Integer.toString(SYNC_MICROS))
                .withVariable("TORTURE_BOOT_ID", folder.resolve("boot_id").toString());
    }

    private static void restorePower(Path folder) throws IOException {
        Trial.deleteTree(folder.resolve(UnsyncedChanges.SAVED));
        Files.createDirectories(folder.resolve(UnsyncedChanges.SAVED));
        Files.deleteIfExists(folder.resolve(UnsyncedChanges.LOG));
        Files.writeString(folder.resolve("boot_id"), UUID.randomUUID() + "\n");
    }

    @Override
    ServerProcess round(Trial trial, Workload workload, ServerProcess server, String when)
            throws IOException, InterruptedException, SkippedException {
        Path folder = Objects.requireNonNull(changes);
        Random random = trial.random();
        Shift shift = Shift.begin(workload, server, when, PATIENCE, WRITER_BYTES_MAX);
        if (random.nextBoolean()) {
            shift.killAfter(1 + random.nextInt(ACKNOWLEDGEMENTS_MAX));
            long end = System.nanoTime() + STRIKE_NANOS;
            while (server.isAlive() && System.nanoTime() < end) {
                LockSupport.parkNanos(500_000);
            }
        } else {
            pause(random.nextInt(MILLIS_MAX));
            mustLive(workload, server, when);
        }
        server.kill();
        shift.join();
        UnsyncedChanges unsynced = UnsyncedChanges.read(folder);
        if (!unsynced.hasSeenSyncs()) {
            throw new SkippedException("the server does not write or sync through the C library");
        }
        cuts++;
        writesTaken += unsynced.writeCount();
        namesTaken += unsynced.nameCount();
        unsynced.cut(server.settings().data(), random);
        restorePower(folder);
        cutPower(workload);
        return trial.recovered(server.startAgain());
    }

    @Override
    void tell(Trial trial) {
        trial.note(cuts + " cuts, with " + writesTaken + " writes and " + namesTaken
                + " changes of names not synced; half of the cuts took all of them, the others a part, by pages");
        trial.note("covers write, pwrite, writev, pwritev, ftruncate, open, rename, unlink, mkdir, rmdir, fsync and"
                + " fdatasync of the C library, and the names in folders; not io_uring, not memory maps");
        cuts = 0;
        writesTaken = 0;
        namesTaken = 0;
        preload = null;
    }
}
