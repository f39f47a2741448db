package io.galgo.server.machine;

import java.util.ArrayList;
import java.util.List;

/// The cores that carry shards, chosen from a machine by `sharding.cpu_allocation`.
public sealed interface ShardCores {
    int SHARDS_MAX = 65_534;

    /// @param cores one processor number a shard, in the order of the shards
    record Chosen(List<Integer> cores) implements ShardCores {}

    /// @param allowed what would have been right, for a message
    record Refused(String allowed) implements ShardCores {}

    /// Matches an allocation with a machine.
    ///
    /// @param pinned whether each shard stays on its core; if not, only the number of shards matters
    static ShardCores choose(CpuAllocation allocation, Machine machine, boolean pinned) {
        ShardCores choice = switch (allocation) {
            case CpuAllocation.All _ -> firstOf(machine, machine.parallelism());
            case CpuAllocation.Count(long count) ->
                count < 1 || count > machine.parallelism()
                        ? new Refused("allowed are 1.." + machine.parallelism()
                                + " shards, as many as processors are available")
                        : firstOf(machine, (int) count);
            case CpuAllocation.Range range -> chooseRange(range, machine, pinned);
            case CpuAllocation.Numa numa -> chooseNuma(numa, machine);
        };
        return choice instanceof Chosen(List<Integer> cores) && cores.size() > SHARDS_MAX
                ? new Refused("allowed are up to " + SHARDS_MAX + " shards")
                : choice;
    }

    private static Chosen firstOf(Machine machine, int count) {
        return new Chosen(machine.processors().subList(0, count));
    }

    private static ShardCores chooseRange(CpuAllocation.Range range, Machine machine, boolean pinned) {
        int count = range.end() - range.first();
        if (count < 1) {
            return new Refused("the end of a range is exclusive and must be above its start");
        }
        if (count > machine.parallelism()) {
            return new Refused(
                    "a range may have up to " + machine.parallelism() + " processors, as many as are available");
        }
        List<Integer> cores = new ArrayList<>(count);
        for (int core = range.first(); core < range.end(); core++) {
            if (pinned && !machine.processors().contains(core)) {
                return new Refused("processor " + core + " is not available to this process; available are "
                        + machine.processors());
            }
            cores.add(core);
        }
        return new Chosen(List.copyOf(cores));
    }

    private static ShardCores chooseNuma(CpuAllocation.Numa numa, Machine machine) {
        List<Integer> cores = new ArrayList<>();
        List<Integer> ids = numa.nodes().isEmpty()
                ? machine.nodes().stream().map(Machine.Node::id).toList()
                : numa.nodes();
        for (int id : ids) {
            Machine.Node node = machine.nodes().stream()
                    .filter(candidate -> candidate.id() == id)
                    .findFirst()
                    .orElse(null);
            if (node == null) {
                return new Refused("there is no NUMA node " + id + " here; there are "
                        + machine.nodes().stream().map(Machine.Node::id).toList());
            }
            List<Integer> own = numa.noHyperThreads() ? onePerCore(node, machine) : node.processors();
            if (own.size() < numa.coresCount()) {
                return new Refused(
                        "NUMA node " + id + " has " + own.size() + " usable cores, fewer than " + numa.coresCount());
            }
            cores.addAll(numa.coresCount() == 0 ? own : own.subList(0, numa.coresCount()));
        }
        if (cores.isEmpty()) {
            return new Refused("none of these NUMA nodes has a processor that this process may use");
        }
        // A container's quota allows less than its mask. Shards beyond it would only wait for each other.
        boolean automatic = numa.nodes().isEmpty() && numa.coresCount() == 0;
        int count = automatic ? Math.min(cores.size(), machine.parallelism()) : cores.size();
        return new Chosen(List.copyOf(cores.subList(0, count)));
    }

    private static List<Integer> onePerCore(Machine.Node node, Machine machine) {
        List<Integer> firsts = new ArrayList<>();
        for (List<Integer> core : machine.cores()) {
            if (node.processors().contains(core.getFirst())) {
                firsts.add(core.getFirst());
            }
        }
        return firsts;
    }
}
