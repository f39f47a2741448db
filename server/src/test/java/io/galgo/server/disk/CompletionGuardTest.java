package io.galgo.server.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.galgo.server.loop.ShardLoop;
import io.galgo.server.loop.ShardLoops;
import io.galgo.storage.disk.Disk;
import io.netty.channel.uring.IoUring;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A completion that throws has left its shard half way through a step, so the process must hear of it.
final class CompletionGuardTest {
    private static final long PATIENCE_SECONDS = 30;
    private static final int RING_ENTRIES = 64;

    @TempDir
    Path root;

    private final ExecutorService helpers = Executors.newCachedThreadPool();
    private final LinkedBlockingQueue<Throwable> bugs = new LinkedBlockingQueue<>();

    @AfterEach
    void stopHelpers() {
        helpers.shutdownNow();
    }

    private interface Maker {
        Disk make(ShardLoop shard) throws Exception;
    }

    private void completionOfASyncThrows(boolean ring, Maker maker) throws Exception {
        ShardLoops loops = new ShardLoops(ring, RING_ENTRIES, List.of(0), false, _ -> {}, bugs::add);
        try {
            ShardLoop shard = loops.loops().getFirst();
            Disk disk = maker.make(shard);
            RuntimeException thrown = new IllegalStateException("a step went wrong");
            shard.execute(() -> disk.syncDirectory("", (_, _) -> {
                throw thrown;
            }));
            assertThat(bugs.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isSameAs(thrown);
        } finally {
            loops.stop(TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS));
        }
    }

    @Test
    void theRingDiskTellsWhatACompletionThrew() throws Exception {
        assumeTrue(IoUring.isAvailable(), () -> "io_uring does not work here: " + IoUring.unavailabilityCause());
        completionOfASyncThrows(
                true, shard -> new RingDisk(root, shard, RING_ENTRIES, helpers, helpers, _ -> {}).register());
    }

    @Test
    void theFileChannelDiskTellsWhatACompletionThrew() throws Exception {
        completionOfASyncThrows(false, shard -> new FileChannelDisk(root, shard, helpers, helpers, helpers, _ -> {}));
    }

    @Test
    void whatCompletesAfterTheShardsEndIsNobodysBug() throws Exception {
        ShardLoops loops = new ShardLoops(false, 0, List.of(0), false, _ -> {}, bugs::add);
        ShardLoop shard = loops.loops().getFirst();
        LinkedBlockingQueue<Throwable> uncaught = new LinkedBlockingQueue<>();
        Executor syncs = task -> {
            try {
                task.run();
            } catch (Throwable thrown) {
                uncaught.add(thrown);
            }
        };
        Disk disk = new FileChannelDisk(root, shard, helpers, syncs, helpers, _ -> {});
        loops.stop(TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS));
        disk.syncDirectory("", (_, _) -> bugs.add(new AssertionError("nobody is there to hear it")));
        assertThat(uncaught).isEmpty();
        assertThat(bugs).isEmpty();
    }
}
