package io.galgo.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.torture.campaign.Campaigns;
import io.galgo.torture.campaign.Result;
import io.galgo.torture.history.Tally;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReportTest {
    private static final Result HELD = result(3, null);
    private static final Result FAILED = result(3, null, "a message is lost");
    private static final Result SKIPPED = result(0, "there is no compiler");
    private static final Result WITHOUT_A_ROUND = result(0, null);

    private static Result result(int rounds, @Nullable String skipped, String... violations) {
        return new Result(
                Campaigns.all().getFirst(),
                "file",
                1,
                rounds,
                Duration.ZERO,
                skipped,
                Tally.NONE,
                List.of(),
                List.of(),
                List.of(violations),
                Path.of("evidence"));
    }

    private static Report report(Result... results) {
        return new Report(List.of(), List.of(results));
    }

    @Test
    void whatHeldIsZero() {
        assertThat(report(HELD, SKIPPED, WITHOUT_A_ROUND).exitCode()).isZero();
        assertThat(report(HELD, SKIPPED).verdict()).startsWith("Everything held");
    }

    @Test
    void whatDidNotHoldIsOneWhateverElseHappened() {
        assertThat(report(FAILED, HELD, SKIPPED).exitCode()).isEqualTo(1);
        assertThat(report(result(0, null, "the server does not start"), SKIPPED).exitCode())
                .isEqualTo(1);
    }

    @Test
    void aRunThatTestedNothingIsNoSuccess() {
        for (Report report : List.of(report(), report(SKIPPED, SKIPPED), report(WITHOUT_A_ROUND, SKIPPED))) {
            assertThat(report.exitCode()).as("exit code of %s", report).isEqualTo(3);
            assertThat(report.verdict()).startsWith("Nothing was tested");
            assertThat(report.forTerminal()).doesNotContain("  held").doesNotContain("Everything held");
        }
    }
}
