package io.galgo.server.disk;

import io.galgo.server.loop.ShardLoop;
import io.galgo.server.loop.ShardLoops;
import io.galgo.storage.disk.Disk;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;

final class FileChannelDiskTest extends DiskContract {
    private final ExecutorService pool = Executors.newFixedThreadPool(3);

    @AfterEach
    void stopPool() {
        pool.shutdownNow();
    }

    @Override
    ShardLoops startLoops(Consumer<Throwable> bugs) {
        return new ShardLoops(false, 0, List.of(0), false, _ -> {}, bugs);
    }

    @Override
    Disk open(Path directory, ShardLoop shard, ExecutorService helperPool) {
        return new FileChannelDisk(directory, shard, pool, helperPool, helperPool, _ -> {});
    }
}
