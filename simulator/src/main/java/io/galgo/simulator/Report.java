package io.galgo.simulator;

import io.galgo.simulator.world.FaultClass;
import io.galgo.simulator.world.Marks;
import io.galgo.simulator.world.Swarm;
import io.galgo.simulator.world.Tally;
import io.galgo.simulator.world.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// What runs came to, as a person reads it.
final class Report {
    private static final int TRACE_LINES = 60;
    private static final int STACK_LINES = 12;

    private Report() {}

    /// The command that repeats a run.
    static String command(Swarm swarm) {
        Swarm drawn = Swarm.of(swarm.seed());
        StringBuilder command = new StringBuilder("./galgo simulate --seed ").append(swarm.seed());
        List<String> off = new ArrayList<>();
        for (FaultClass fault : drawn.faults()) {
            if (!swarm.isOn(fault)) {
                off.add(fault.name());
            }
        }
        if (!off.isEmpty()) {
            command.append(" --without ").append(String.join(",", off));
        }
        if (swarm.clients() != drawn.clients()) {
            command.append(" --clients ").append(swarm.clients());
        }
        return command.toString();
    }

    /// Everything about one run that failed.
    static String failure(Verdict verdict) {
        StringBuilder text = new StringBuilder();
        Violation violation = verdict.violation();
        text.append("BROKEN PROMISE ").append(violation).append('\n');
        if (violation != null) {
            StackTraceElement[] stack = violation.getCause() == null
                    ? violation.getStackTrace()
                    : violation.getCause().getStackTrace();
            for (int i = 0; i < Math.min(STACK_LINES, stack.length); i++) {
                text.append("    at ").append(stack[i]).append('\n');
            }
        }
        text.append(verdict.swarm()).append('\n');
        text.append("after ").append(verdict.events()).append(" events, digest ");
        text.append(String.format(Locale.ROOT, "%016x", verdict.digest())).append('\n');
        List<String> trace = verdict.trace();
        for (String line : trace.subList(Math.max(0, trace.size() - TRACE_LINES), trace.size())) {
            text.append("  ").append(line).append('\n');
        }
        text.append("repeat it with: ").append(command(verdict.swarm())).append('\n');
        return text.toString();
    }

    /// The figures of many runs.
    static String figures(Tally tally, Marks marks, int failures, double seconds) {
        StringBuilder text = new StringBuilder();
        line(text, "runs", String.format(Locale.ROOT, "%,d", tally.runs()));
        line(text, "broken promises", String.valueOf(failures));
        line(text, "virtual hours", String.format(Locale.ROOT, "%.2f", tally.virtualNanos() / 3.6e12));
        line(text, "events", String.format(Locale.ROOT, "%,d", tally.events()));
        line(
                text,
                "real time",
                String.format(Locale.ROOT, "%.0f s, %.1f runs a second", seconds, tally.runs() / seconds));
        text.append("faults that happened\n");
        for (FaultClass fault : FaultClass.values()) {
            line(
                    text,
                    "  " + fault.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                    String.format(Locale.ROOT, "%,d", tally.faults().getOrDefault(fault, 0L)));
        }
        if (!tally.counts().isEmpty()) {
            text.append("counts\n");
            tally.counts().forEach((what, count) -> line(text, "  " + what, String.format(Locale.ROOT, "%,d", count)));
        }
        long hit = marks.hits().values().stream().filter(count -> count > 0).count();
        line(text, "marks hit", hit + " of " + marks.hits().size());
        for (Map.Entry<String, Long> mark : marks.hits().entrySet()) {
            line(text, "  " + mark.getKey(), mark.getValue() == 0 ? "NEVER" : String.valueOf(mark.getValue()));
        }
        return text.toString();
    }

    private static void line(StringBuilder text, String name, String value) {
        text.append(String.format(Locale.ROOT, "%-48s %16s%n", name, value));
    }
}
