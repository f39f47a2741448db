package io.galgo.simulator.world;

import java.util.Map;
import java.util.TreeMap;

/// Rare branches that somebody wants to see taken, and how often they were. A mark that no run hits shows a hole in
/// the simulation.
public final class Marks {
    private final TreeMap<String, Long> hits = new TreeMap<>();

    /// Makes a mark known without hitting it.
    public void declare(String mark) {
        hits.putIfAbsent(mark, 0L);
    }

    public void hit(String mark) {
        hits.merge(mark, 1L, Long::sum);
    }

    /// All marks in the order of their names.
    public Map<String, Long> hits() {
        return hits;
    }

    /// Adds what another run hit.
    public void add(Marks other) {
        other.hits.forEach((mark, count) -> hits.merge(mark, count, Long::sum));
    }
}
