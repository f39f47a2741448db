package io.galgo.torture.campaign;

import io.galgo.torture.history.Tally;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How one campaign went on one disk.
///
/// @param disk `ring`, `file` or, where the server has no choice, `own`
/// @param skipped why it did not run, null when it did
/// @param recoveries every start after harm: from the process to its first answer, ascending
/// @param notes what else is worth knowing
/// @param violations what did not hold, empty when all did
/// @param evidence where files and logs were left when something did not hold
public record Result(
        Campaign campaign,
        String disk,
        long seed,
        int rounds,
        Duration taken,
        @Nullable String skipped,
        Tally tally,
        List<Duration> recoveries,
        List<String> notes,
        List<String> violations,
        Path evidence) {
    public boolean isSkipped() {
        return skipped != null;
    }

    /// Whether a round was run.
    public boolean hasTested() {
        return skipped == null && rounds > 0;
    }

    public boolean held() {
        return violations.isEmpty();
    }

    /// One line.
    public String figures() {
        if (skipped != null) {
            return campaign.name() + " " + disk + ": skipped: " + skipped;
        }
        return campaign.name() + " " + disk + ", " + rounds + " rounds, seed " + seed + ": " + tally + recoveryText()
                + (notes.isEmpty() ? "" : "; " + String.join("; ", notes));
    }

    private String recoveryText() {
        return recoveries.isEmpty()
                ? ""
                : "; " + recoveries.size() + " recoveries, median "
                        + recoveries.get(recoveries.size() / 2).toMillis() + " ms, longest "
                        + recoveries.getLast().toMillis() + " ms";
    }

    /// Throws when something did not hold.
    public void mustHold() {
        if (!held()) {
            throw new AssertionError(figures() + "\n" + String.join("\n", violations) + "\nfiles: " + evidence);
        }
    }
}
