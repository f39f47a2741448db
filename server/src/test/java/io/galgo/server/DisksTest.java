package io.galgo.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.server.configuration.ServerConfiguration.DiskChoice;
import io.galgo.server.configuration.ServerConfiguration.Shards;
import io.galgo.storage.disk.Disk;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DisksTest {
    private static final long PATIENCE_SECONDS = 30;

    @TempDir
    Path data;

    @Test
    void aSyncOfADirectoryDoesNotWaitForARemoval() throws Exception {
        Shards settings = new Shards(List.of(0), false, 64, DiskChoice.FILE, 0, 0);
        CountDownLatch removalMayEnd = new CountDownLatch(1);
        CountDownLatch synced = new CountDownLatch(1);
        try (Disks disks = Disks.open(data, settings, _ -> {}, _ -> {})) {
            disks.removals().execute(() -> {
                try {
                    removalMayEnd.await();
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                }
            });
            Disk disk = disks.disks().getFirst();
            disks.loops().loops().getFirst().execute(() -> {
                disk.removeLater("a large topic");
                disk.syncDirectory("", (_, _) -> synced.countDown());
            });
            assertThat(synced.await(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("the directory was synced while a removal ran")
                    .isTrue();
            removalMayEnd.countDown();
            disks.stopLoops(TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS));
        } finally {
            removalMayEnd.countDown();
        }
    }
}
