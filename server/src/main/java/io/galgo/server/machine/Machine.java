package io.galgo.server.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The processors and the memory that this process may use.
///
/// @param processors numbers of the processors it may run on, ascending
/// @param parallelism how many of them it may keep busy at a time; a container's quota counts
/// @param nodes NUMA nodes with their processors; one node with everything where the system tells nothing
/// @param cores physical cores, each the processors that share it, ascending; one a processor where unknown
/// @param memoryBytes memory of the machine or of the container, whichever is less
/// @param openFilesMax files and sockets that the process may have open
public record Machine(
        List<Integer> processors,
        int parallelism,
        List<Node> nodes,
        List<List<Integer>> cores,
        long memoryBytes,
        long openFilesMax) {

    /// A NUMA node.
    public record Node(int id, List<Integer> processors) {}

    private static final Path ROOT = Path.of("/");
    private static final long OPEN_FILES_ASSUMED = 10_240;

    /// Looks at the machine that this process runs on.
    public static Machine detect() {
        return detect(ROOT, Runtime.getRuntime().availableProcessors());
    }

    /// Reads the files below `root` as Linux lays them out; what is missing is assumed to be plain.
    static Machine detect(Path root, int parallelism) {
        List<Integer> processors = parseList(valueOf(root.resolve("proc/self/status"), "Cpus_allowed_list:"));
        if (processors.isEmpty()) {
            for (int i = 0; i < parallelism; i++) {
                processors.add(i);
            }
        }
        return new Machine(
                List.copyOf(processors),
                Math.clamp(parallelism, 1, processors.size()),
                findNodes(root, processors),
                findCores(root, processors),
                memory(root),
                openFiles(root));
    }

    private static List<Node> findNodes(Path root, List<Integer> processors) {
        List<Node> nodes = new ArrayList<>();
        for (int id : parseList(line(root.resolve("sys/devices/system/node/online")))) {
            List<Integer> own = parseList(line(root.resolve("sys/devices/system/node/node" + id + "/cpulist")));
            own.retainAll(processors);
            nodes.add(new Node(id, List.copyOf(own)));
        }
        return nodes.isEmpty() ? List.of(new Node(0, List.copyOf(processors))) : List.copyOf(nodes);
    }

    private static List<List<Integer>> findCores(Path root, List<Integer> processors) {
        List<List<Integer>> cores = new ArrayList<>();
        TreeSet<Integer> left = new TreeSet<>(processors);
        while (!left.isEmpty()) {
            int first = left.first();
            String siblings =
                    line(root.resolve("sys/devices/system/cpu/cpu" + first + "/topology/thread_siblings_list"));
            List<Integer> core = parseList(siblings);
            core.retainAll(left);
            if (core.isEmpty()) {
                core.add(first);
            }
            cores.add(List.copyOf(core));
            core.forEach(left::remove);
            left.remove(first);
        }
        return List.copyOf(cores);
    }

    private static long openFiles(Path root) {
        String soft = valueOf(root.resolve("proc/self/limits"), "Max open files");
        String first = soft == null ? "" : soft.split(" ", 2)[0];
        return first.matches("[0-9]{1,18}") ? Long.parseLong(first) : OPEN_FILES_ASSUMED;
    }

    private static long memory(Path root) {
        long bytes = Long.MAX_VALUE;
        String total = valueOf(root.resolve("proc/meminfo"), "MemTotal:");
        if (total != null && total.endsWith(" kB")) {
            bytes = Long.parseLong(total.substring(0, total.length() - 3).strip()) * 1024;
        }
        for (String limit : List.of("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes")) {
            String text = line(root.resolve(limit));
            if (text != null && text.matches("[0-9]{1,18}")) {
                bytes = Math.min(bytes, Long.parseLong(text));
            }
        }
        if (bytes < Long.MAX_VALUE) {
            return bytes;
        }
        // Elsewhere the virtual machine knows. Asking it loads a whole module, so it is the last resort.
        return java.lang.management.ManagementFactory.getOperatingSystemMXBean()
                        instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getTotalMemorySize()
                : Runtime.getRuntime().maxMemory() * 4;
    }

    /// Parses a list of numbers and ranges, `0-3,8`.
    static List<Integer> parseList(@Nullable String text) {
        List<Integer> numbers = new ArrayList<>();
        if (text == null || !text.matches("[0-9,\\- ]+")) {
            return numbers;
        }
        for (String part : text.split(",", -1)) {
            String[] ends = part.strip().split("-", -1);
            if (ends.length > 2 || ends[0].isEmpty() || ends[ends.length - 1].isEmpty()) {
                return new ArrayList<>();
            }
            int last = Integer.parseInt(ends[ends.length - 1]);
            for (int number = Integer.parseInt(ends[0]); number <= last; number++) {
                numbers.add(number);
            }
        }
        return numbers;
    }

    private static @Nullable String valueOf(Path file, String label) {
        for (String line : lines(file)) {
            if (line.startsWith(label)) {
                return line.substring(label.length()).strip();
            }
        }
        return null;
    }

    private static @Nullable String line(Path file) {
        List<String> lines = lines(file);
        return lines.isEmpty() ? null : lines.getFirst().strip();
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException absent) {
            return List.of();
        }
    }
}
