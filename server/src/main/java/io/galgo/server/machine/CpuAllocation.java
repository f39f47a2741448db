package io.galgo.server.machine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which cores carry shards (spec config 4, `cpu-allocation`), before it is matched with the machine.
public sealed interface CpuAllocation {
    /// Every core that the process may use.
    record All() implements CpuAllocation {}

    /// The first `count` cores.
    record Count(long count) implements CpuAllocation {}

    /// The cores of `[first, end)`.
    record Range(int first, int end) implements CpuAllocation {}

    /// Cores of NUMA nodes.
    ///
    /// @param nodes the nodes, empty for all
    /// @param coresCount cores of each node, 0 for all
    /// @param noHyperThreads whether only one thread of a physical core is taken
    record Numa(List<Integer> nodes, int coresCount, boolean noHyperThreads) implements CpuAllocation {}

    /// Reads the text, or returns null when it is none of the forms.
    static @Nullable CpuAllocation parse(String text) {
        String stripped = text.strip();
        if (stripped.equals("all")) {
            return new All();
        }
        if (stripped.startsWith("numa:")) {
            return parseNuma(stripped.substring("numa:".length()));
        }
        int dots = stripped.indexOf("..");
        if (dots >= 0) {
            Integer first = parseIndex(stripped.substring(0, dots));
            Integer end = parseIndex(stripped.substring(dots + 2));
            return first == null || end == null ? null : new Range(first, end);
        }
        Integer count = parseIndex(stripped);
        return count == null ? null : new Count(count);
    }

    private static @Nullable CpuAllocation parseNuma(String text) {
        if (text.equals("auto")) {
            return new Numa(List.of(), 0, true);
        }
        List<Integer> nodes = new ArrayList<>();
        int coresCount = 0;
        boolean noHyperThreads = true;
        for (String part : text.split(";", -1)) {
            int equals = part.indexOf('=');
            if (equals < 0) {
                return null;
            }
            String value = part.substring(equals + 1).strip();
            switch (part.substring(0, equals).strip()) {
                case "nodes" -> {
                    for (String node : value.split(",", -1)) {
                        Integer index = parseIndex(node);
                        if (index == null) {
                            return null;
                        }
                        nodes.add(index);
                    }
                }
                case "cores" -> {
                    Integer cores = parseIndex(value);
                    if (cores == null) {
                        return null;
                    }
                    coresCount = cores;
                }
                case "no_ht" -> {
                    if (!value.equals("true") && !value.equals("false")) {
                        return null;
                    }
                    noHyperThreads = value.equals("true");
                }
                default -> {
                    return null;
                }
            }
        }
        return new Numa(List.copyOf(nodes), coresCount, noHyperThreads);
    }

    private static @Nullable Integer parseIndex(String text) {
        String stripped = text.strip();
        if (stripped.isEmpty() || stripped.length() > 9) {
            return null;
        }
        for (int i = 0; i < stripped.length(); i++) {
            if (stripped.charAt(i) < '0' || stripped.charAt(i) > '9') {
                return null;
            }
        }
        return Integer.valueOf(stripped);
    }
}
