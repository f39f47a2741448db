package io.galgo.simulator.world;

import java.util.Map;
import java.util.TreeMap;

/// Rare branches that somebody wants to see taken, and how often they were. A mark that no run hits shows a hole in
/// the simulation.
public final class Marks {
    /// How often a mark was hit.
    ///
    /// @param hits in all runs
    /// @param runs that hit it at least once
    public record Count(long hits, long runs) {
        private Count plus(Count other) {
            return new Count(hits + other.hits, runs + other.runs);
        }
    }

    private final TreeMap<String, Count> counts = new TreeMap<>();

    /// No run has ended yet.
    public Marks() {}

    /// Makes a mark known without hitting it.
    public void declare(String mark) {
        counts.putIfAbsent(mark, new Count(0, 0));
    }

    public void hit(String mark) {
        hit(mark, 1);
    }

    /// @param times may be 0
    public void hit(String mark, long times) {
        declare(mark);
        if (times > 0) {
            counts.computeIfPresent(mark, (_, count) -> new Count(count.hits + times, 1));
        }
    }

    /// All marks in the order of their names.
    public Map<String, Count> counts() {
        return counts;
    }

    /// How many marks were hit.
    public int hitCount() {
        return (int) counts.values().stream().filter(count -> count.hits > 0).count();
    }

    /// Adds what other runs hit.
    public void add(Marks other) {
        other.counts.forEach((mark, count) -> counts.merge(mark, count, Count::plus));
    }
}
