package io.galgo.simulator.world;

import io.galgo.protocol.CommandCode;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/// The figures of one run, or of many.
public final class Tally {
    /// The outcome of a request whose connection was lost before the answer.
    public static final String UNANSWERED = "unanswered";

    /// The outcome of a request that was done.
    public static final String DONE = "done";

    private long runs;
    private long events;
    private long virtualNanos;
    private final EnumMap<FaultClass, Long> faults = new EnumMap<>(FaultClass.class);
    private final EnumMap<CommandCode, Map<String, Long>> commands = new EnumMap<>(CommandCode.class);
    private final TreeMap<String, Long> counts = new TreeMap<>();

    /// Nothing has happened yet.
    public Tally() {}

    /// Counts something that has no place of its own here.
    public void count(String what, long more) {
        counts.merge(what, more, Long::sum);
    }

    public void onFault(FaultClass fault) {
        faults.merge(fault, 1L, Long::sum);
    }

    /// A frame with a command went to a server, and this came of it.
    public void onCommand(CommandCode command, String outcome) {
        onCommand(command, outcome, 1);
    }

    private void onCommand(CommandCode command, String outcome, long times) {
        commands.computeIfAbsent(command, _ -> new TreeMap<>()).merge(outcome, times, Long::sum);
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
        other.commands.forEach(
                (command, outcomes) -> outcomes.forEach((outcome, count) -> onCommand(command, outcome, count)));
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

    /// What became of each command, by outcome.
    public Map<CommandCode, Map<String, Long>> commands() {
        return commands;
    }

    public Map<String, Long> counts() {
        return counts;
    }
}
