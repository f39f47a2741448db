package io.galgo.simulator.world;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/// The figures of one run, or of many.
public final class Tally {
    private long runs;
    private long events;
    private long virtualNanos;
    private final EnumMap<FaultClass, Long> faults = new EnumMap<>(FaultClass.class);
    private final TreeMap<String, Long> counts = new TreeMap<>();

    /// Counts something that has no place of its own here.
    public void count(String what, long more) {
        counts.merge(what, more, Long::sum);
    }

    public void onFault(FaultClass fault) {
        faults.merge(fault, 1L, Long::sum);
    }

    public void onEvent() {
        events++;
    }

    public void onRunEnd(long nanos) {
        runs++;
        virtualNanos += nanos;
    }

    public void add(Tally other) {
        runs += other.runs;
        events += other.events;
        virtualNanos += other.virtualNanos;
        other.faults.forEach((fault, count) -> faults.merge(fault, count, Long::sum));
        other.counts.forEach((what, count) -> counts.merge(what, count, Long::sum));
    }

    public long runs() {
        return runs;
    }

    public long events() {
        return events;
    }

    public long virtualNanos() {
        return virtualNanos;
    }

    public Map<FaultClass, Long> faults() {
        return faults;
    }

    public Map<String, Long> counts() {
        return counts;
    }
}
