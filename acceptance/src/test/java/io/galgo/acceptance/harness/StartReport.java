package io.galgo.acceptance.harness;

import io.galgo.torture.server.ServerProgram;
import io.galgo.torture.server.ServerSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/// How long every server start of a test run took, from the process to the first answered ping.
///
/// Each is a line of `target/acceptance/starts.tsv`; a summary is printed when all tests have run.
public final class StartReport implements TestExecutionListener {
    private static final Map<String, List<Duration>> STARTS = new TreeMap<>();

    static synchronized void add(ServerProgram.Start start) {
        ServerSettings settings = start.settings();
        String kind = settings.program().name() + " " + settings.disk() + (start.isFresh() ? " fresh" : " recovering");
        STARTS.computeIfAbsent(kind, _ -> new ArrayList<>()).add(start.taken());
        Path file = Checkout.output("").resolve("starts.tsv");
        try {
            Files.writeString(
                    file,
                    kind.replace(' ', '\t') + "\t" + start.taken().toMillis() + "\n",
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void testPlanExecutionFinished(TestPlan plan) {
        print();
    }

    private static synchronized void print() {
        STARTS.forEach((kind, durations) -> {
            List<Duration> sorted = durations.stream().sorted().toList();
            Figures.tell(String.format(
                    "start to first accept, %s: %d starts, min %d ms, median %d ms, max %d ms",
                    kind,
                    sorted.size(),
                    sorted.getFirst().toMillis(),
                    sorted.get(sorted.size() / 2).toMillis(),
                    sorted.getLast().toMillis()));
        });
        STARTS.clear();
    }
}
