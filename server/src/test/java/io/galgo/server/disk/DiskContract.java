package io.galgo.server.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.galgo.server.loop.ShardLoop;
import io.galgo.server.loop.ShardLoops;
import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.Disk;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the core may rely on, whichever disk it runs on.
abstract class DiskContract {
    private static final Path FULL_DEVICE = Path.of("/dev/full");
    private static final long PATIENCE_SECONDS = 30;

    /// How an operation ended.
    record Outcome(int bytes, @Nullable DiskFault fault) {}

    @TempDir
    Path root;

    private final ExecutorService helper = Executors.newSingleThreadExecutor();
    private final AtomicReference<@Nullable Throwable> bug = new AtomicReference<>();
    private ShardLoops loops;
    private ShardLoop loop;
    private Disk disk;

    abstract ShardLoops startLoops(Consumer<Throwable> bugs);

    abstract Disk open(Path directory, ShardLoop shard, ExecutorService helperPool) throws Exception;

    @BeforeEach
    void start() throws Exception {
        loops = startLoops(thrown -> bug.compareAndSet(null, thrown));
        loop = loops.loops().getFirst();
        disk = open(root, loop, helper);
    }

    @AfterEach
    void stop() throws Exception {
        onShard(() -> {
            if (disk instanceof RingDisk ring) {
                ring.close();
            }
            return true;
        });
        loops.stop(TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS));
        helper.shutdownNow();
        assertThat(bug.get()).as("no completion failed").isNull();
    }

    // ---- on the shard's thread

    private <T> T onShard(Callable<T> work) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        loop.execute(() -> {
            try {
                result.complete(work.call());
            } catch (Exception | Error thrown) {
                result.completeExceptionally(thrown);
            }
        });
        try {
            return result.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw failed;
        }
    }

    /// Something that completes later.
    private interface Operation {
        void start(Completion done);
    }

    private Outcome await(Operation operation) throws Exception {
        CompletableFuture<Outcome> result = new CompletableFuture<>();
        onShard(() -> {
            boolean[] isInside = {true};
            Thread shard = Thread.currentThread();
            operation.start((bytes, fault) -> {
                if (isInside[0] || Thread.currentThread() != shard) {
                    result.completeExceptionally(new AssertionError("completed inside the call or on another thread"));
                }
                if (!result.complete(new Outcome(bytes, fault)) && !result.isCompletedExceptionally()) {
                    bug.compareAndSet(null, new AssertionError("completed twice"));
                }
            });
            isInside[0] = false;
            return true;
        });
        return result.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private DiskFile file(String path) throws Exception {
        return onShard(() -> disk.open(path, true));
    }

    private void close(DiskFile file) throws Exception {
        onShard(() -> {
            file.close();
            return true;
        });
    }

    private static ByteBuffer pattern(int length, long seed) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(length);
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return buffer.put(0, bytes);
    }

    private static ByteBuffer empty(int length) {
        return ByteBuffer.allocateDirect(length);
    }

    // ---- content

    @Test
    void whatIsWrittenIsRead() throws Exception {
        DiskFile file = file("a");
        ByteBuffer written = pattern(10_000, 1);
        assertThat(await(done -> file.write(0, written, done))).isEqualTo(new Outcome(10_000, null));
        ByteBuffer read = empty(10_000);
        assertThat(await(done -> file.read(0, read, done))).isEqualTo(new Outcome(10_000, null));
        assertThat(read).isEqualTo(written);
        assertThat(onShard(file::size)).isEqualTo(10_000);
        assertThat(file.path()).isEqualTo("a");
        close(file);
    }

    @Test
    void onlyTheBytesBetweenPositionAndLimitAreMovedAndThePositionStays() throws Exception {
        DiskFile file = file("a");
        ByteBuffer source = pattern(100, 2).position(13).limit(64);
        await(done -> file.write(7, source, done));
        assertThat(source.position()).isEqualTo(13);
        ByteBuffer target = empty(100).position(20).limit(71);
        assertThat(await(done -> file.read(7, target, done)).bytes()).isEqualTo(51);
        assertThat(target.position()).isEqualTo(20);
        assertThat(target).isEqualTo(source);
        assertThat(target.get(19)).isZero();
        assertThat(target.duplicate().clear().get(71)).isZero();
        close(file);
    }

    @Test
    void aReadAtTheEndIsShort() throws Exception {
        DiskFile file = file("a");
        await(done -> file.write(0, pattern(100, 3), done));
        assertThat(await(done -> file.read(60, empty(100), done))).isEqualTo(new Outcome(40, null));
        assertThat(await(done -> file.read(100, empty(10), done))).isEqualTo(new Outcome(0, null));
        assertThat(await(done -> file.read(5000, empty(10), done))).isEqualTo(new Outcome(0, null));
        close(file);
    }

    @Test
    void manyPiecesAreWrittenOneBehindTheOther() throws Exception {
        DiskFile file = file("a");
        // More pieces than one vectored write of the kernel takes, of odd lengths, some empty.
        int count = 2500;
        ByteBuffer whole = pattern(count * 7, 4);
        ByteBuffer[] pieces = new ByteBuffer[count + 5];
        int at = 0;
        for (int i = 0; i < count; i++) {
            int length = i % 15;
            pieces[i] = whole.duplicate().position(at).limit(at + length);
            at += length;
        }
        int total = at;
        assertThat(await(done -> {
                    file.write(11, pieces, count, done);
                    java.util.Arrays.fill(pieces, null);
                }))
                .isEqualTo(new Outcome(total, null));
        ByteBuffer read = empty(total);
        assertThat(await(done -> file.read(11, read, done)).bytes()).isEqualTo(total);
        assertThat(read).isEqualTo(whole.duplicate().limit(total));
        close(file);
    }

    @Test
    void largeWritesAreWhole() throws Exception {
        DiskFile file = file("a");
        ByteBuffer written = pattern(48 << 20, 5);
        assertThat(await(done -> file.write(3, written, done)).bytes()).isEqualTo(48 << 20);
        assertThat(await(done -> file.sync(done))).isEqualTo(new Outcome(0, null));
        ByteBuffer read = empty(48 << 20);
        assertThat(await(done -> file.read(3, read, done)).bytes()).isEqualTo(48 << 20);
        assertThat(read.mismatch(written)).isEqualTo(-1);
        close(file);
    }

    @Test
    void buffersOnTheHeapWorkToo() throws Exception {
        DiskFile file = file("a");
        ByteBuffer written = ByteBuffer.wrap(new byte[] {9, 8, 7, 6, 5}).position(1);
        assertThat(await(done -> file.write(0, written, done)).bytes()).isEqualTo(4);
        assertThat(await(done -> file.write(4, new ByteBuffer[] {written, pattern(3, 1)}, 2, done))
                        .bytes())
                .isEqualTo(7);
        ByteBuffer read = ByteBuffer.allocate(6).position(2);
        assertThat(await(done -> file.read(0, read, done)).bytes()).isEqualTo(4);
        assertThat(read).isEqualTo(written);
        ByteBuffer now = ByteBuffer.allocate(4);
        assertThat(onShard(() -> file.readNow(4, now))).isEqualTo(4);
        assertThat(now).isEqualTo(written);
        close(file);
    }

    @Test
    void operationsThatAnswerAtOnceAgreeWithThoseThatComplete() throws Exception {
        DiskFile file = file("a");
        ByteBuffer written = pattern(5000, 6);
        onShard(() -> {
            file.writeNow(17, written);
            file.syncNow();
            return true;
        });
        assertThat(written.position()).isZero();
        ByteBuffer read = empty(5000);
        assertThat(await(done -> file.read(17, read, done)).bytes()).isEqualTo(5000);
        assertThat(read).isEqualTo(written);
        ByteBuffer now = empty(6000);
        assertThat(onShard(() -> file.readNow(17, now))).isEqualTo(5000);
        assertThat(now.limit(5000)).isEqualTo(written);
        close(file);
    }

    @Test
    void aFileIsCutAndGrown() throws Exception {
        DiskFile file = file("a");
        await(done -> file.write(0, pattern(100, 7), done));
        onShard(() -> {
            file.truncate(30);
            return true;
        });
        assertThat(onShard(file::size)).isEqualTo(30);
        onShard(() -> {
            file.truncate(50);
            return true;
        });
        assertThat(onShard(file::size)).isEqualTo(50);
        ByteBuffer grown = empty(20);
        assertThat(onShard(() -> file.readNow(30, grown))).isEqualTo(20);
        assertThat(grown).isEqualTo(empty(20));
        close(file);
    }

    @Test
    void reservingRoomLeavesTheSizeAlone() throws Exception {
        DiskFile file = file("a");
        onShard(() -> file.preallocate(1 << 20));
        assertThat(onShard(file::size)).isZero();
        close(file);
    }

    @Test
    void manyOperationsAreInFlightAtOnce() throws Exception {
        int files = 40;
        int writesEach = 200;
        int length = 3001;
        List<DiskFile> opened = new ArrayList<>();
        for (int i = 0; i < files; i++) {
            opened.add(file("f" + i));
        }
        CompletableFuture<Integer> all = new CompletableFuture<>();
        int[] left = {files * writesEach};
        onShard(() -> {
            for (int i = 0; i < files; i++) {
                for (int j = 0; j < writesEach; j++) {
                    opened.get(i).write((long) j * length, pattern(length, i * 1000L + j), (bytes, fault) -> {
                        if (bytes != length || fault != null) {
                            all.completeExceptionally(new AssertionError(bytes + " " + fault));
                        }
                        left[0]--;
                        if (left[0] == 0) {
                            all.complete(0);
                        }
                    });
                }
            }
            return true;
        });
        all.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        Random random = new Random(8);
        for (int n = 0; n < 100; n++) {
            int i = random.nextInt(files);
            int j = random.nextInt(writesEach);
            ByteBuffer read = empty(length);
            await(done -> opened.get(i).read((long) j * length, read, done));
            assertThat(read).as("file %s, write %s", i, j).isEqualTo(pattern(length, i * 1000L + j));
        }
        for (DiskFile file : opened) {
            close(file);
        }
    }

    @Test
    void aFileIsClosedWhenItsLastOperationHasCompleted() throws Exception {
        DiskFile file = file("a");
        ByteBuffer written = pattern(4 << 20, 9);
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        onShard(() -> {
            file.write(0, written, (bytes, fault) -> outcome.complete(new Outcome(bytes, fault)));
            file.close();
            return true;
        });
        assertThat(outcome.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo(new Outcome(4 << 20, null));
        assertThat(Files.size(root.resolve("a"))).isEqualTo(4 << 20);
    }

    @Test
    void aClosedFileIsNotUsed() throws Exception {
        DiskFile file = file("a");
        close(file);
        assertThatThrownBy(() -> onShard(() -> {
                    file.write(0, empty(1), (_, _) -> {});
                    return true;
                }))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void handlesAreGivenBack() throws Exception {
        for (int i = 0; i < 3000; i++) {
            DiskFile file = file("f" + i % 7);
            await(done -> file.write(0, empty(10), done));
            close(file);
        }
        Path handles = Path.of("/proc/self/fd");
        assumeTrue(Files.isDirectory(handles), "open files can be counted on Linux only");
        try (var entries = Files.list(handles)) {
            assertThat(entries.count()).isLessThan(1000);
        }
    }

    // ---- faults

    private DiskFault fault(Callable<?> work) throws Exception {
        try {
            onShard(work);
        } catch (DiskException failed) {
            return failed.fault();
        }
        throw new AssertionError("nothing failed");
    }

    @Test
    void aMissingFileIsNotFound() throws Exception {
        assertThat(fault(() -> disk.open("none", false)))
                .extracting(DiskFault::kind, DiskFault::operation, DiskFault::path)
                .containsExactly(DiskFault.Kind.NOT_FOUND, "open", "none");
        assertThat(fault(() -> disk.open("no/folder", true)).kind()).isEqualTo(DiskFault.Kind.NOT_FOUND);
        assertThat(fault(() -> {
                            disk.rename("none", "other");
                            return true;
                        })
                        .kind())
                .isEqualTo(DiskFault.Kind.NOT_FOUND);
    }

    @Test
    void aFullDiskIsToldApart() throws Exception {
        assumeTrue(Files.exists(FULL_DEVICE), "there is no device that is always full");
        Files.createSymbolicLink(root.resolve("full"), FULL_DEVICE);
        DiskFile file = onShard(() -> disk.open("full", false));
        for (int length : new int[] {1, 4096, 1 << 20}) {
            Outcome outcome = await(done -> file.write(0, pattern(length, 1), done));
            assertThat(outcome.fault()).isNotNull().extracting(DiskFault::kind).isEqualTo(DiskFault.Kind.NO_SPACE);
            assertThat(outcome.bytes()).isZero();
            assertThat(outcome.fault().path()).isEqualTo("full");
        }
        ByteBuffer[] pieces = {pattern(10, 1), pattern(20, 2)};
        assertThat(await(done -> file.write(0, pieces, 2, done)).fault())
                .isNotNull()
                .extracting(DiskFault::kind)
                .isEqualTo(DiskFault.Kind.NO_SPACE);
        assertThat(fault(() -> {
                            file.writeNow(0, empty(10));
                            return true;
                        })
                        .kind())
                .isEqualTo(DiskFault.Kind.NO_SPACE);
        close(file);
        Files.delete(root.resolve("full"));
    }

    @Test
    void aFullFileSystemTakesAPartAndSaysSo() throws Exception {
        Path mount = Files.createDirectory(root.resolve("small"));
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", mount.toString()),
                "a small file system can be mounted by root only");
        try {
            DiskFile file = onShard(() -> disk.open("small/a", true));
            Outcome outcome = await(done -> file.write(0, pattern(3 << 20, 1), done));
            assertThat(outcome.fault()).isNotNull().extracting(DiskFault::kind).isEqualTo(DiskFault.Kind.NO_SPACE);
            assertThat(onShard(() -> file.preallocate(10 << 20))).isFalse();
            onShard(() -> {
                file.truncate(0);
                return true;
            });
            assertThat(await(done -> file.write(0, pattern(1000, 2), done))).isEqualTo(new Outcome(1000, null));
            close(file);
        } finally {
            assertThat(run("umount", mount.toString())).isTrue();
        }
    }

    private static boolean run(String... command) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor() == 0;
        } catch (IOException missing) {
            return false;
        }
    }

    @Test
    void aDirectoryIsNoFile() throws Exception {
        onShard(() -> {
            disk.createDirectories("d");
            return true;
        });
        assertThatThrownBy(() -> onShard(() -> disk.open("d", false)))
                .asInstanceOf(type(DiskException.class))
                .extracting(failed -> failed.fault().kind())
                .isEqualTo(DiskFault.Kind.IO);
    }

    @Test
    void noPathLeavesTheDataDirectory() {
        assertThatThrownBy(() -> onShard(() -> disk.open("../outside", true)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    // ---- names

    @Test
    void namesAreMadeListedRenamedAndRemoved() throws Exception {
        onShard(() -> {
            disk.createDirectories("x/y/z");
            disk.createDirectories("x/y/z");
            disk.open("x/b", true).close();
            disk.open("x/a", true).close();
            return true;
        });
        assertThat(onShard(() -> disk.list("x"))).containsExactly("a", "b", "y");
        assertThat(onShard(() -> disk.list("nowhere"))).isEmpty();
        assertThat(onShard(() -> disk.exists("x/a"))).isTrue();
        onShard(() -> {
            disk.rename("x/a", "x/b");
            disk.rename("x/y", "w");
            return true;
        });
        assertThat(onShard(() -> disk.list("x"))).containsExactly("b");
        assertThat(onShard(() -> disk.exists("w/z"))).isTrue();
        onShard(() -> {
            disk.removeLater("w");
            disk.removeLater("never-was");
            return true;
        });
        assertThat(await(done -> disk.syncDirectory("", done))).isEqualTo(new Outcome(0, null));
        // The helper works in order, so the removal is done when the sync behind it is.
        assertThat(onShard(() -> disk.exists("w"))).isFalse();
    }

    @Test
    void aRemovedFileStaysReadableForWhoHasItOpen() throws Exception {
        DiskFile file = file("a");
        await(done -> file.write(0, pattern(100, 1), done));
        onShard(() -> {
            disk.removeLater("a");
            return true;
        });
        await(done -> disk.syncDirectory("", done));
        ByteBuffer read = empty(100);
        assertThat(await(done -> file.read(0, read, done)).bytes()).isEqualTo(100);
        assertThat(read).isEqualTo(pattern(100, 1));
        close(file);
    }

    @Test
    void aDirectoryIsSynced() throws Exception {
        onShard(() -> {
            disk.createDirectories("d");
            disk.syncDirectoryNow("d");
            return true;
        });
        assertThat(await(done -> disk.syncDirectory("d", done))).isEqualTo(new Outcome(0, null));
        Outcome missing = await(done -> disk.syncDirectory("none", done));
        assertThat(missing.fault()).isNotNull().extracting(DiskFault::kind).isEqualTo(DiskFault.Kind.NOT_FOUND);
    }

    // ---- start-up

    @Test
    void theStartUpThreadMayUseAHeldShard() throws Exception {
        loops.hold();
        DiskFile file = disk.open("a", true);
        file.writeNow(0, pattern(100, 1));
        assertThat(file.size()).isEqualTo(100);
        CompletableFuture<String> completedOn = new CompletableFuture<>();
        file.write(
                100,
                pattern(50, 2),
                (_, _) -> completedOn.complete(Thread.currentThread().getName()));
        assertThat(completedOn).isNotDone();
        loops.letLoose();
        assertThat(completedOn.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("shard-0");
        assertThat(onShard(file::size)).isEqualTo(150);
        close(file);
    }
}
