package io.galgo.server;

import io.galgo.broker.shard.NodeStatistics;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/// What the node can say about its process and machine, read from `/proc` at each call; zeros where there is none.
///
/// Some small files are read, which takes well below a millisecond. Any thread may ask.
final class ProcessStatistics implements Supplier<NodeStatistics> {
    private static final long TICKS_A_SECOND = 100;
    private static final long MICROS = 1_000_000;

    private final Path dataPath;
    private final long startSeconds = Instant.now().getEpochSecond();
    private final long startNanos = System.nanoTime();
    private final String hostname;
    private final Map<String, String> release;

    private long lastNanos;
    private long lastOwnTicks;
    private long lastBusyTicks;
    private long lastAllTicks;
    private boolean isFirst = true;

    /// @param dataPath where disk space is asked for
    ProcessStatistics(Path dataPath) {
        this.dataPath = dataPath;
        this.hostname = firstLine(Path.of("/proc/sys/kernel/hostname"), "unknown_hostname");
        this.release = values(Path.of("/etc/os-release"), '=');
    }

    @Override
    public synchronized NodeStatistics get() {
        long nanos = System.nanoTime();
        Map<String, String> status = values(Path.of("/proc/self/status"), ':');
        Map<String, String> memory = values(Path.of("/proc/meminfo"), ':');
        Map<String, String> io = values(Path.of("/proc/self/io"), ':');
        long ownTicks = ownTicks();
        long busyTicks = 0;
        long allTicks = 0;
        String[] machine = firstLine(Path.of("/proc/stat"), "").trim().split(" +", -1);
        for (int i = 1; i < machine.length && i <= 8; i++) {
            long ticks = number(machine[i]);
            allTicks += ticks;
            // The fourth and fifth are idle and waiting for a disk.
            busyTicks += i == 4 || i == 5 ? 0 : ticks;
        }
        double seconds = (nanos - lastNanos) / 1e9;
        float own =
                isFirst || seconds <= 0 ? 0 : (float) (100.0 * (ownTicks - lastOwnTicks) / TICKS_A_SECOND / seconds);
        float all = isFirst || allTicks == lastAllTicks
                ? 0
                : (float) (100.0 * (busyTicks - lastBusyTicks) / (allTicks - lastAllTicks));
        isFirst = false;
        lastNanos = nanos;
        lastOwnTicks = ownTicks;
        lastBusyTicks = busyTicks;
        lastAllTicks = allTicks;
        long[] space = diskSpace();
        return new NodeStatistics(
                (int) ProcessHandle.current().pid(),
                own,
                all,
                kib(status.get("VmRSS")),
                kib(memory.get("MemTotal")),
                kib(memory.get("MemAvailable")),
                (nanos - startNanos) / 1_000_000_000L * MICROS,
                startSeconds * MICROS,
                number(io.getOrDefault("read_bytes", "")),
                number(io.getOrDefault("write_bytes", "")),
                hostname,
                release.getOrDefault("NAME", System.getProperty("os.name", "unknown_os_name")),
                release.getOrDefault("VERSION_ID", "unknown_os_version"),
                System.getProperty("os.version", "unknown_kernel_version"),
                (int) number(status.getOrDefault("Threads", "")),
                space[0],
                space[1]);
    }

    // The name in the second field may hold blanks, so counting starts behind its closing bracket.
    private static long ownTicks() {
        String line = firstLine(Path.of("/proc/self/stat"), "");
        String[] fields = line.substring(line.lastIndexOf(')') + 1).trim().split(" ", -1);
        return fields.length < 13 ? 0 : number(fields[11]) + number(fields[12]);
    }

    private long[] diskSpace() {
        try {
            FileStore store = Files.getFileStore(dataPath);
            return new long[] {store.getUsableSpace(), store.getTotalSpace()};
        } catch (IOException unknown) {
            return new long[] {0, 0};
        }
    }

    private static long kib(@org.jspecify.annotations.Nullable String text) {
        return text == null ? 0 : number(text.replace("kB", "").trim()) * 1024;
    }

    private static long number(String text) {
        return text.matches("[0-9]{1,18}") ? Long.parseLong(text) : 0;
    }

    private static String firstLine(Path file, String otherwise) {
        List<String> lines = lines(file);
        return lines.isEmpty() || lines.getFirst().isBlank() ? otherwise : lines.getFirst();
    }

    private static Map<String, String> values(Path file, char separator) {
        Map<String, String> values = new TreeMap<>();
        for (String line : lines(file)) {
            int at = line.indexOf(separator);
            if (at > 0) {
                values.put(
                        line.substring(0, at).trim(),
                        line.substring(at + 1).trim().replace("\"", ""));
            }
        }
        return values;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException absent) {
            return List.of();
        }
    }
}
