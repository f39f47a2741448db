package io.galgo.torture;

import io.galgo.torture.campaign.Result;
import io.galgo.torture.history.Tally;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// What was done to a server, what held, and the figures: for people, on a terminal and as Markdown.
///
/// @param facts what was tortured, where and how, a line each
public record Report(List<String> facts, List<Result> results) {
    private static final int NOTHING_TESTED = 3;
    private static final List<String> HEAD = List.of(
            "campaign",
            "disk",
            "rounds",
            "verdict",
            "acknowledged",
            "lost",
            "changed",
            "reissued",
            "foreign",
            "torn",
            "gaps",
            "unanswered",
            "unavailable",
            "recoveries",
            "median ms",
            "longest ms");

    public boolean held() {
        return results.stream().allMatch(Result::held);
    }

    /// Whether at least one round was run, without which nothing can hold or fail to.
    public boolean hasTested() {
        return results.stream().anyMatch(Result::hasTested);
    }

    /// What the process ends with: 0 everything held, 1 something did not, 3 nothing was tested.
    int exitCode() {
        if (!held()) {
            return 1;
        }
        return hasTested() ? 0 : NOTHING_TESTED;
    }

    /// One sentence.
    public String verdict() {
        if (held() && !hasTested()) {
            return "Nothing was tested: every campaign was skipped or had no time for a round.";
        }
        long run = results.stream().filter(result -> !result.isSkipped()).count();
        long bad = results.stream().filter(result -> !result.held()).count();
        long skipped = results.size() - run;
        String verdict = bad == 0
                ? "Everything held in " + run + " campaigns"
                : bad + " of " + run + " campaigns found something that did not hold";
        return verdict + (skipped == 0 ? "." : "; " + skipped + " were skipped.");
    }

    private static List<String> row(Result result) {
        if (result.isSkipped()) {
            List<String> row = new ArrayList<>(List.of(result.campaign().name(), result.disk(), "0", "skipped"));
            while (row.size() < HEAD.size()) {
                row.add("");
            }
            return row;
        }
        Tally tally = result.tally();
        List<Duration> recoveries = result.recoveries();
        boolean isRecovered = !recoveries.isEmpty();
        return List.of(
                result.campaign().name(),
                result.disk(),
                Integer.toString(result.rounds()),
                result.held() ? (result.hasTested() ? "held" : "not tested") : "DID NOT HOLD",
                number(tally.acknowledged()),
                number(tally.lost()),
                number(tally.changed()),
                number(tally.reissued()),
                number(tally.foreign()),
                number(tally.torn()),
                number(tally.gaps()),
                number(tally.unanswered()),
                number(tally.unavailable() + tally.forgone()),
                Integer.toString(recoveries.size()),
                isRecovered ? number(recoveries.get(recoveries.size() / 2).toMillis()) : "",
                isRecovered ? number(recoveries.getLast().toMillis()) : "");
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value).replace(',', ' ');
    }

    /// A table whose columns are aligned.
    public String forTerminal() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEAD);
        results.forEach(result -> rows.add(row(result)));
        int[] widths = new int[HEAD.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String cell = row.get(i);
                String padding = " ".repeat(widths[i] - cell.length());
                boolean isWord = i < 2 || i == 3;
                line.append(isWord ? cell + padding : padding + cell).append("  ");
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        for (Result result : results) {
            if (result.skipped() != null) {
                text.append("\nskipped: ")
                        .append(result.campaign().name())
                        .append(' ')
                        .append(result.disk())
                        .append(": ")
                        .append(result.skipped());
            }
            for (String violation : result.violations()) {
                text.append("\nDID NOT HOLD: ")
                        .append(result.campaign().name())
                        .append(' ')
                        .append(result.disk())
                        .append(": ")
                        .append(violation);
            }
        }
        return text.append("\n\n").append(verdict()).append('\n').toString();
    }

    /// The whole report.
    public String asMarkdown() {
        StringBuilder text =
                new StringBuilder("# Torture report\n\n").append(verdict()).append("\n\n");
        facts.forEach(fact -> text.append("- ").append(fact).append('\n'));
        text.append("\n| ").append(String.join(" | ", HEAD)).append(" |\n");
        text.append("|---|---|--:|---|").append("--:|".repeat(HEAD.size() - 4)).append('\n');
        results.forEach(result ->
                text.append("| ").append(String.join(" | ", row(result))).append(" |\n"));
        text.append("""

                acknowledged: messages whose sends were confirmed. lost: of these, gone. changed: there with other bytes.
                reissued: offsets given to a second message. foreign: messages that nobody sent or that had been gone.
                torn: batches of which a part is there. gaps: offsets missing where none may be. unanswered: requests
                without an answer on a connection that stayed. unavailable: messages that were answered with an error for
                damage done to their file, or that were never promised to survive a power cut. recoveries: starts after
                harm, from the process to its first answer.
                """);
        for (Result result : results) {
            describe(result, text);
        }
        return text.toString();
    }

    private static void describe(Result result, StringBuilder text) {
        text.append("\n## ")
                .append(result.campaign().name())
                .append(", ")
                .append(result.disk())
                .append("\n\nThe server ")
                .append(result.campaign().deed())
                .append(".\n\n");
        if (result.skipped() != null) {
            text.append("Skipped: ").append(result.skipped()).append(".\n");
            return;
        }
        text.append(result.rounds())
                .append(" rounds in ")
                .append(result.taken().toSeconds())
                .append(" s, seed ")
                .append(result.seed())
                .append(". ")
                .append(result.tally())
                .append(".\n");
        result.notes().forEach(note -> text.append("- ").append(note).append('\n'));
        if (!result.held()) {
            text.append("\nDid not hold:\n\n");
            result.violations()
                    .forEach(violation -> text.append("- ")
                            .append(violation.strip().replace("\n", "\n  "))
                            .append('\n'));
            text.append("\nFiles and logs: `").append(result.evidence()).append("`\n");
        }
    }
}
