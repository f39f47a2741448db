package io.galgo.acceptance.differential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ComparisonTest {
    private static final Transcript RECORDED = Transcript.parse(
            "s", List.of("> c1 ping", "outcome = OK", "", "> c1 get_me", "outcome = OK", "client.user_id = 0"));

    @Test
    void equalRepliesDifferInNothing() {
        assertThat(compare(RECORDED, List.of(), "c1 ping", "c1 get_me").isClean())
                .isTrue();
    }

    @Test
    void aFieldWithAnotherValueIsNamedWithBothValuesAndItsPlace() {
        Comparison comparison = compare(with(1, "client.user_id", "7"), List.of(), "c1 ping", "c1 get_me");

        assertThat(comparison.unexplained())
                .containsExactly(new Difference("s:2", "c1 get_me", "get_me", "client.user_id", "0", "7"));
    }

    @Test
    void aFieldThatIsMissingOrNewIsADifference() {
        assertThat(compare(with(0, "body", "empty"), List.of(), "c1 ping", "c1 get_me")
                        .unexplained())
                .extracting(Difference::expected, Difference::got)
                .containsExactly(tuple(Comparison.MISSING, "empty"));
        assertThat(compare(with(0, "outcome", null), List.of(), "c1 ping", "c1 get_me")
                        .unexplained())
                .extracting(Difference::expected, Difference::got)
                .containsExactly(tuple("OK", Comparison.MISSING));
    }

    @Test
    void everyFieldOfEveryRecordingMatters() throws IOException {
        for (Script script : Library.scripts()) {
            List<Step.Request> requests = script.withoutDeviations().requests();
            Transcript recorded = Library.recorded(script);
            for (int i = 0; i < requests.size(); i++) {
                Script alone = new Script(script.name(), Map.of(), List.of(requests.get(i)));
                Transcript reply = new Transcript(List.of(recorded.entries().get(i)));
                for (String field : recorded.entries().get(i).fields().keySet()) {
                    assertThat(Comparison.of(alone, reply, changed(reply, 0, field, "another value"), List.of())
                                    .unexplained())
                            .as("%s with another %s", requests.get(i).text(), field)
                            .hasSize(1);
                }
            }
        }
    }

    @Test
    void aDeviationBelowTheRequestExplainsItsFieldAndNoOther() {
        String deviation = "  galgo client.user_id=7 because: it says so";

        assertThat(compare(with(1, "client.user_id", "7"), List.of(), "c1 ping", "c1 get_me", deviation)
                        .isClean())
                .isTrue();
        assertThat(compare(with(1, "client.user_id", "8"), List.of(), "c1 ping", "c1 get_me", deviation)
                        .isClean())
                .isFalse();
        assertThat(compare(with(0, "client.user_id", "7"), List.of(), "c1 ping", "c1 get_me", deviation)
                        .isClean())
                .isFalse();
    }

    @Test
    void aDeviationThatExplainsNothingIsSuperfluous() {
        Comparison comparison =
                compare(RECORDED, List.of(), "c1 ping", "c1 get_me", "  galgo outcome=EVICT because: it says so");

        assertThat(comparison.superfluous()).hasSize(1);
        assertThat(comparison.isClean()).isFalse();
    }

    @Test
    void aLineOfTheTableExplainsTheFieldsOfItsCommandsAndIsToldAsUsed() {
        List<Deviation> table = Deviation.table("t", List.of("release\tget_.*\tclient\\..*\t0\t7\tthe release"));

        Comparison comparison = compare(with(1, "client.user_id", "7"), table, "c1 ping", "c1 get_me");
        assertThat(comparison.isClean()).isTrue();
        assertThat(comparison.used()).containsExactlyElementsOf(table);
        assertThat(compare(with(0, "client.user_id", "7"), table, "c1 ping", "c1 get_me")
                        .isClean())
                .isFalse();
    }

    @Test
    void aLineOfTheTableWithoutAReasonIsRefused() {
        assertThatThrownBy(() -> Deviation.table("t", List.of("release\t.*\t.*\t*\t*\t")))
                .isInstanceOf(ScriptException.class);
    }

    @Test
    void aRecordingOfOtherRequestsHasToBeMadeAnew() {
        assertThatThrownBy(() -> compare(RECORDED, List.of(), "c1 ping", "c1 get_stats"))
                .hasMessageContaining("record it again");
        assertThatThrownBy(() -> compare(RECORDED, List.of(), "c1 ping")).hasMessageContaining("record it again");
    }

    @Test
    void aTranscriptIsReadAsItWasWritten(@TempDir Path folder) throws IOException {
        Transcript transcript = with(0, "text", "two\nlines = more");

        transcript.write(folder.resolve("t"), "remark");

        assertThat(Transcript.parse("t", Files.readAllLines(folder.resolve("t"))))
                .isEqualTo(transcript);
    }

    private static Comparison compare(Transcript got, List<Deviation> table, String... lines) {
        return Comparison.of(Script.parse("s", List.of(lines)), RECORDED, got, table);
    }

    private static Transcript with(int entry, String field, @Nullable String value) {
        return changed(RECORDED, entry, field, value);
    }

    private static Transcript changed(Transcript transcript, int entry, String field, @Nullable String value) {
        List<Transcript.Entry> entries = new ArrayList<>(transcript.entries());
        Map<String, String> fields = new LinkedHashMap<>(entries.get(entry).fields());
        if (value == null) {
            fields.remove(field);
        } else {
            fields.put(field, value);
        }
        entries.set(entry, new Transcript.Entry(entries.get(entry).request(), fields));
        return new Transcript(entries);
    }
}
