package io.galgo.server;

import io.galgo.server.configuration.ServerConfiguration.DiskChoice;
import io.galgo.server.configuration.ServerConfiguration.Shards;
import io.galgo.server.disk.FileChannelDisk;
import io.galgo.server.disk.RingDisk;
import io.galgo.server.loop.ShardLoop;
import io.galgo.server.loop.ShardLoops;
import io.galgo.storage.disk.Disk;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.DiskFile;
import io.netty.channel.uring.IoUring;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The threads of the shards and the way they reach files: rings where they work, otherwise selectors and a pool of
/// threads. A test with a real file decides.
final class Disks implements AutoCloseable {
    private static final String PROBE = "state/ring-test";
    private static final int PROBE_BYTES = 4096;
    private static final long PROBE_SECONDS = 5;

    /// How long the end of the node waits for removals. What is left is removed by the next start.
    private static final long REMOVAL_SECONDS = 1;

    private static final int FILE_THREADS_A_SHARD = 2;
    private static final int FILE_THREADS_MIN = 4;

    private final ShardLoops loops;
    private final List<Disk> disks;
    private final boolean isRing;
    private final String description;
    private final Threads threads;
    private final @Nullable ExecutorService pool;

    private Disks(
            ShardLoops loops,
            List<Disk> disks,
            boolean isRing,
            String description,
            Threads threads,
            @Nullable ExecutorService pool) {
        this.loops = loops;
        this.disks = disks;
        this.isRing = isRing;
        this.description = description;
        this.threads = threads;
        this.pool = pool;
    }

    /// Those that are no shards and serve every disk.
    ///
    /// @param syncs syncs directories
    /// @param removals removes files and whole directories, and may take long
    private record Threads(ExecutorService syncs, ExecutorService removals) {
        static Threads start() {
            return new Threads(
                    Executors.newSingleThreadExecutor(task -> daemon(task, "directory-syncs")),
                    Executors.newSingleThreadExecutor(task -> daemon(task, "removals")));
        }

        void shutdown() {
            syncs.shutdown();
            removals.shutdown();
        }
    }

    /// The ring was asked for and does not work.
    static final class Unavailable extends Exception {
        private static final long serialVersionUID = 1L;

        Unavailable(String message) {
            super(message);
        }
    }

    /// Starts the shards' threads and opens a disk for each.
    static Disks open(Path dataPath, Shards settings, Consumer<String> warnings, Consumer<Throwable> bugs)
            throws Unavailable, InterruptedException {
        Threads threads = Threads.start();
        if (settings.disk() == DiskChoice.FILE) {
            return openChannels(dataPath, settings, "file channels (GALGO_DISK=file)", threads, warnings, bugs);
        }
        String failure = IoUring.isAvailable() ? null : reasonOf(IoUring.unavailabilityCause());
        if (failure == null) {
            Disks rings = openRings(dataPath, settings, threads, warnings, bugs);
            failure = rings.probe();
            if (failure == null) {
                return rings;
            }
            rings.stopLoops(TimeUnit.SECONDS.toNanos(PROBE_SECONDS));
        }
        if (settings.disk() == DiskChoice.RING) {
            threads.shutdown();
            throw new Unavailable("GALGO_DISK = \"ring\": io_uring does not work here (" + failure
                    + "); allow it, or leave GALGO_DISK out");
        }
        return openChannels(
                dataPath,
                settings,
                "file channels, because io_uring does not work here: " + failure,
                threads,
                warnings,
                bugs);
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    private static String reasonOf(@Nullable Throwable cause) {
        Throwable last = cause;
        while (last != null && last.getCause() != null) {
            last = last.getCause();
        }
        String message = last == null ? null : last.getMessage();
        return message == null
                ? String.valueOf(last)
                : message.lines().findFirst().orElse(message);
    }

    private static Disks openRings(
            Path dataPath, Shards settings, Threads threads, Consumer<String> warnings, Consumer<Throwable> bugs)
            throws InterruptedException {
        ShardLoops loops =
                new ShardLoops(true, settings.ringEntries(), settings.cores(), settings.isPinned(), warnings, bugs);
        List<Disk> disks = new ArrayList<>();
        for (ShardLoop loop : loops.loops()) {
            disks.add(
                    new RingDisk(dataPath, loop, settings.ringEntries(), threads.syncs(), threads.removals(), warnings)
                            .register());
        }
        return new Disks(loops, disks, true, "io_uring rings for sockets and files", threads, null);
    }

    private static Disks openChannels(
            Path dataPath,
            Shards settings,
            String description,
            Threads threads,
            Consumer<String> warnings,
            Consumer<Throwable> bugs) {
        ShardLoops loops = new ShardLoops(false, 0, settings.cores(), settings.isPinned(), warnings, bugs);
        int poolSize = Math.max(
                FILE_THREADS_MIN, FILE_THREADS_A_SHARD * settings.cores().size());
        ExecutorService pool = Executors.newFixedThreadPool(poolSize, task -> daemon(task, "files"));
        List<Disk> disks = new ArrayList<>();
        for (ShardLoop loop : loops.loops()) {
            disks.add(new FileChannelDisk(dataPath, loop, pool, threads.syncs(), threads.removals(), warnings));
        }
        return new Disks(loops, disks, false, description, threads, pool);
    }

    /// Writes a file through the first ring, syncs it and reads it back.
    ///
    /// @return what went wrong, null when nothing did
    private @Nullable String probe() throws InterruptedException {
        Disk disk = disks.getFirst();
        CompletableFuture<@Nullable String> outcome = new CompletableFuture<>();
        loops.loops().getFirst().execute(() -> {
            try {
                DiskFile file = disk.open(PROBE, true);
                ByteBuffer written = ByteBuffer.allocateDirect(PROBE_BYTES);
                ByteBuffer read = ByteBuffer.allocateDirect(PROBE_BYTES);
                for (int i = 0; i < PROBE_BYTES; i++) {
                    written.put(i, (byte) (31 * i));
                }
                file.write(
                        0,
                        written,
                        (_, writeFault) -> file.sync((_, syncFault) -> file.read(0, read, (bytes, readFault) -> {
                            file.close();
                            disk.removeLater(PROBE);
                            outcome.complete(judge(writeFault, syncFault, readFault, bytes, written, read));
                        })));
            } catch (DiskException failed) {
                outcome.complete(failed.fault().toString());
            }
        });
        try {
            return outcome.get(PROBE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException silent) {
            return "a test file got no answer in " + PROBE_SECONDS + " s";
        } catch (ExecutionException failed) {
            return String.valueOf(failed.getCause());
        }
    }

    private static @Nullable String judge(
            @Nullable DiskFault writeFault,
            @Nullable DiskFault syncFault,
            @Nullable DiskFault readFault,
            int bytes,
            ByteBuffer written,
            ByteBuffer read) {
        for (DiskFault fault : new @Nullable DiskFault[] {writeFault, syncFault, readFault}) {
            // A full disk says nothing about the ring.
            if (fault != null && fault.kind() != DiskFault.Kind.NO_SPACE) {
                return fault.toString();
            }
        }
        boolean isWritten = writeFault == null;
        return isWritten && (bytes != PROBE_BYTES || !written.equals(read)) ? "a test file came back changed" : null;
    }

    ShardLoops loops() {
        return loops;
    }

    /// One a shard, in order.
    List<Disk> disks() {
        return disks;
    }

    boolean isRing() {
        return isRing;
    }

    /// How files are reached, and why, for people.
    String description() {
        return description;
    }

    /// Runs removals, one after the other; nobody waits for one.
    Executor removals() {
        return threads.removals();
    }

    void stopLoops(long timeoutNanos) {
        for (int i = 0; i < disks.size(); i++) {
            if (disks.get(i) instanceof RingDisk ring) {
                loops.loops().get(i).execute(ring::close);
            }
        }
        loops.stop(timeoutNanos);
    }

    /// Ends the threads that are no shards. What they were asked to remove is removed first, if that is quick.
    @Override
    public void close() {
        threads.shutdown();
        if (pool != null) {
            pool.shutdown();
        }
        try {
            if (!threads.removals().awaitTermination(REMOVAL_SECONDS, TimeUnit.SECONDS)) {
                threads.removals().shutdownNow();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
