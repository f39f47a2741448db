package io.galgo.simulator.check;

import io.galgo.protocol.ClientId;
import io.galgo.simulator.world.Violation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// In one generation of a consumer group a partition has one owner, and generations never go back.
public final class GroupChecker {
    static final String PROMISE = "a partition of a group has one owner at a time";
    static final String GENERATION = "the generations of a group never go back";

    private record Told(String group, long generation, int partition) {}

    private record Served(String group, long changes, int partition) {}

    private final Map<Told, ClientId> told = new HashMap<>();
    private final Map<Served, ClientId> served = new HashMap<>();
    private final Map<String, Long> generations = new HashMap<>();
    private long checksCount;

    /// A member was told what it may poll.
    ///
    /// @param group its path by ids, which are never given twice
    /// @param generationBefore the highest that anyone was told before the member asked, 0 for none
    public void onAssigned(
            String group, long generation, List<Integer> partitions, ClientId client, long generationBefore) {
        checksCount++;
        if (generation < generationBefore) {
            throw new Violation(
                    GENERATION,
                    client + " is told generation " + generation + " of group " + group + ", and " + generationBefore
                            + " was told before it asked");
        }
        generations.merge(group, generation, Math::max);
        for (int partition : partitions) {
            ClientId other = told.putIfAbsent(new Told(group, generation, partition), client);
            if (other != null && !other.equals(client)) {
                throw new Violation(
                        PROMISE,
                        "partition " + partition + " of group " + group + " belongs in generation " + generation
                                + " to " + client + " and to " + other);
            }
        }
    }

    /// The highest generation that anyone was told.
    public long generation(String group) {
        return generations.getOrDefault(group, 0L);
    }

    /// A member was served, and between its question and its answer nothing changed in the group.
    ///
    /// @param changes how many changes there have been
    public void onServed(String group, long changes, int partition, ClientId client) {
        checksCount++;
        ClientId other = served.putIfAbsent(new Served(group, changes, partition), client);
        if (other != null && !other.equals(client)) {
            throw new Violation(
                    PROMISE,
                    "partition " + partition + " of group " + group + " is served to " + client + " and to " + other
                            + ", and nobody joined or left in between");
        }
    }

    public long checksCount() {
        return checksCount;
    }
}
