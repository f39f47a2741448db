package io.galgo.simulator;

import io.galgo.protocol.CommandCode;
import io.galgo.simulator.world.FaultClass;
import io.galgo.simulator.world.Marks;
import io.galgo.simulator.world.Swarm;
import io.galgo.simulator.world.Tally;
import io.galgo.simulator.world.Violation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// What runs came to, as a person reads it.
final class Report {
    static final String NEVER = "NEVER";

    private static final int TRACE_LINES = 60;
    private static final int STACK_LINES = 12;
    private static final int REFUSALS_MAX = 8;

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
    ///
    /// @param failures the runs that broke a promise
    static List<Table> tables(Tally tally, Marks marks, List<Verdict> failures, double seconds) {
        List<Table> tables = new ArrayList<>();
        tables.add(Table.of("Runs", "figure", "value")
                .row("runs", number(tally.runs()))
                .row("broken promises", number(failures.size()))
                .row("virtual hours", String.format(Locale.ROOT, "%,.2f", tally.virtualNanos() / 3.6e12))
                .row("events", number(tally.events()))
                .row("real seconds", String.format(Locale.ROOT, "%,.0f", seconds))
                .row("runs a second", String.format(Locale.ROOT, "%,.1f", tally.runs() / seconds)));
        Table faults = Table.of("Faults that happened", "fault", "times");
        for (FaultClass fault : FaultClass.values()) {
            faults.row(
                    fault.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                    orNever(tally.faults().getOrDefault(fault, 0L)));
        }
        tables.add(faults);
        if (!tally.counts().isEmpty()) {
            Table counts = Table.of("What was compared", "figure", "value");
            tally.counts().forEach((what, count) -> counts.row(what, number(count)));
            tables.add(counts);
        }
        if (!tally.commands().isEmpty()) {
            tables.add(commands(tally.commands()));
        }
        tables.add(marks(marks, tally.runs()));
        if (!failures.isEmpty()) {
            Table failed = Table.of("Broken promises", "promise", "what was seen", "repeat it with");
            for (Verdict failure : failures) {
                Violation violation = failure.violation();
                failed.row(
                        violation == null ? "" : violation.promise(),
                        violation == null ? "" : String.valueOf(violation.getMessage()),
                        command(failure.swarm()));
            }
            tables.add(failed);
        }
        return tables;
    }

    private static Table commands(Map<CommandCode, Map<String, Long>> commands) {
        Table table = Table.of("Commands that clients sent", "code", "command", "done", "unanswered", "refused");
        for (CommandCode command : CommandCode.values()) {
            Map<String, Long> outcomes = commands.get(command);
            if (outcomes == null) {
                table.row(String.valueOf(command.code()), command.label(), NEVER, "-", "");
                continue;
            }
            List<String> refusals = outcomes.entrySet().stream()
                    .filter(outcome -> !outcome.getKey().equals(Tally.DONE)
                            && !outcome.getKey().equals(Tally.UNANSWERED))
                    .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                            .thenComparing(Map.Entry.comparingByKey()))
                    .map(outcome -> number(outcome.getValue()) + " x " + outcome.getKey())
                    .toList();
            boolean areMore = refusals.size() > REFUSALS_MAX;
            table.row(
                    String.valueOf(command.code()),
                    command.label(),
                    number(outcomes.getOrDefault(Tally.DONE, 0L)),
                    number(outcomes.getOrDefault(Tally.UNANSWERED, 0L)),
                    String.join(", ", areMore ? refusals.subList(0, REFUSALS_MAX) : refusals)
                            + (areMore ? " and others" : ""));
        }
        return table;
    }

    private static Table marks(Marks marks, long runs) {
        Table table = Table.of(
                "Coverage marks: " + marks.hitCount() + " of " + marks.counts().size() + " hit, "
                        + (marks.counts().size() - marks.hitCount()) + " never",
                "mark",
                "hits",
                "runs",
                "share of runs");
        marks.counts()
                .forEach((mark, count) -> table.row(
                        mark,
                        orNever(count.hits()),
                        number(count.runs()),
                        String.format(Locale.ROOT, "%.1f %%", 100.0 * count.runs() / Math.max(1, runs))));
        return table;
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String orNever(long value) {
        return value == 0 ? NEVER : number(value);
    }

    /// For a terminal.
    static String text(List<Table> tables) {
        StringBuilder text = new StringBuilder();
        tables.forEach(table -> text.append(table.text()).append('\n'));
        return text.toString();
    }

    /// As a page.
    ///
    /// @param said one sentence: which runs these were
    static String markdown(String said, List<Table> tables) {
        StringBuilder text = new StringBuilder("# Simulation\n\n").append(said).append("\n\n");
        tables.forEach(table -> text.append(table.markdown()).append('\n'));
        return text.toString();
    }
}
