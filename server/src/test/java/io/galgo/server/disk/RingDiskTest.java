package io.galgo.server.disk;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.galgo.server.loop.ShardLoop;
import io.galgo.server.loop.ShardLoops;
import io.galgo.storage.disk.Disk;
import io.netty.channel.uring.IoUring;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;

final class RingDiskTest extends DiskContract {
    // Small, so that a test with thousands of operations overruns the ring and what waits for it is seen to start.
    private static final int RING_ENTRIES = 64;

    @Override
    ShardLoops startLoops(Consumer<Throwable> bugs) {
        assumeTrue(IoUring.isAvailable(), () -> "io_uring does not work here: " + IoUring.unavailabilityCause());
        return new ShardLoops(true, RING_ENTRIES, List.of(0), false, _ -> {}, bugs);
    }

    @Override
    Disk open(Path directory, ShardLoop shard, ExecutorService helperPool) throws Exception {
        return new RingDisk(directory, shard, RING_ENTRIES, helperPool, helperPool, _ -> {}).register();
    }
}
