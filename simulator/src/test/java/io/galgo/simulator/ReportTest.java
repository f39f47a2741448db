package io.galgo.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.CommandCode;
import io.galgo.simulator.world.FaultClass;
import io.galgo.simulator.world.Marks;
import io.galgo.simulator.world.Tally;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
    @TempDir
    private Path directory = Path.of("");

    private final Tally tally = new Tally();
    private final Marks marks = new Marks();

    private List<String> lines() {
        return Report.text(Report.tables(tally, marks, List.of(), 2)).lines().toList();
    }

    private String line(String word) {
        return lines().stream()
                .filter(line -> line.contains(word))
                .findFirst()
                .orElseThrow()
                .strip()
                .replaceAll(" +", " ");
    }

    @Test
    void aMarkIsToldWithItsHitsAndTheShareOfRunsThatHitIt() {
        Marks first = new Marks();
        first.hit("met", 7);
        first.declare("missed");
        Marks second = new Marks();
        second.hit("met", 0);
        marks.add(first);
        marks.add(second);
        tally.onRunEnd(1);
        tally.onRunEnd(1);
        assertThat(line("met")).isEqualTo("met 7 1 50.0 %");
        assertThat(line("missed")).isEqualTo("missed NEVER 0 0.0 %");
        assertThat(line("Coverage")).isEqualTo("Coverage marks: 1 of 2 hit, 1 never");
    }

    @Test
    void commandsAreToldByOutcomeAndThoseThatNobodySentAreToo() {
        for (int i = 0; i < 3; i++) {
            tally.onCommand(CommandCode.PING, Tally.DONE);
        }
        tally.onCommand(CommandCode.PING, Tally.UNANSWERED);
        tally.onCommand(CommandCode.PING, "58");
        tally.onCommand(CommandCode.PING, "40");
        tally.onCommand(CommandCode.PING, "40");
        assertThat(line(" ping")).isEqualTo("1 ping 3 1 2 x 40, 1 x 58");
        assertThat(line("stats")).isEqualTo("10 stats NEVER -");
    }

    @Test
    void aFaultThatNeverHappenedIsTold() {
        tally.onFault(FaultClass.KILL);
        assertThat(line("kill")).isEqualTo("kill 1");
        assertThat(line("power loss")).isEqualTo("power loss NEVER");
    }

    @Test
    void theReportOfACampaignIsAPageOfTables() throws InterruptedException, IOException {
        Path report = directory.resolve("report.md");
        PrintStream nowhere = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
        assertThat(Main.run(nowhere, "--from", "3", "--seeds", "2", "--threads", "1", "--report", report.toString()))
                .isZero();
        assertThat(Files.readString(report))
                .contains("Seeds from 3 on", "| runs | 2 |", "| broken promises | 0 |", "| share of runs |");
        try (var files = Files.list(directory)) {
            assertThat(files).as("files that are left").containsExactly(report);
        }
    }

    @Test
    void aReportThatCannotBeWrittenIsToldBeforeAnythingRuns() throws InterruptedException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8);
        String report = directory.resolve("missing").resolve("report.md").toString();
        assertThat(Main.run(out, "--minutes", "60", "--report", report)).isEqualTo(2);
        assertThat(text.toString(StandardCharsets.UTF_8)).contains(report);
    }
}
