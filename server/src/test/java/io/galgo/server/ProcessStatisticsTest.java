package io.galgo.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.broker.shard.NodeStatistics;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProcessStatisticsTest {
    @TempDir
    Path data;

    @Test
    void aProcessKnowsItself() throws Exception {
        Assumptions.assumeTrue(Files.exists(Path.of("/proc/self/stat")), "the figures come from /proc");
        ProcessStatistics statistics = new ProcessStatistics(data);
        NodeStatistics first = statistics.get();
        assertThat(first.processId()).isEqualTo((int) ProcessHandle.current().pid());
        assertThat(first.cpuUsage()).as("there is no call before the first").isZero();
        assertThat(first.memoryUsageBytes()).isBetween(10L << 20, first.memoryTotalBytes());
        assertThat(first.memoryAvailableBytes()).isBetween(1L, first.memoryTotalBytes());
        assertThat(first.threadsCount()).isGreaterThan(3);
        assertThat(first.diskTotalBytes()).isGreaterThanOrEqualTo(first.diskFreeBytes());
        assertThat(first.startTimeMicros() % 1_000_000).as("whole seconds").isZero();
        assertThat(first.hostname()).isNotBlank();
        assertThat(first.kernelVersion()).isEqualTo(System.getProperty("os.version"));
        long busyUntil = System.nanoTime() + 300_000_000L;
        long sum = 0;
        while (System.nanoTime() < busyUntil) {
            sum += sum ^ System.nanoTime();
        }
        Files.writeString(data.resolve("x"), String.valueOf(sum));
        NodeStatistics second = statistics.get();
        assertThat(second.cpuUsage()).isBetween(1f, 100f * Runtime.getRuntime().availableProcessors());
        assertThat(second.cpuUsageTotal()).isBetween(0.1f, 100f);
    }
}
