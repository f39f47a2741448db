package io.galgo.simulator.sabotage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.simulator.Probe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The test of the tests: a server with a deliberate fault must be found out.
///
/// Every build looks for a few faults. `-Dgalgo.simulator.faults=all` looks for all of them and prints how many
/// seeds each took, `-Dgalgo.simulator.faults=NAME,NAME` for those. Faults that are marked as open are holes that
/// are known: they are looked for and told of, and do not fail the test.
class DeliberateFaultsTest {
    private static final String WANTED = System.getProperty("galgo.simulator.faults", "");
    private static final int STARTS = WANTED.isEmpty() ? 1 : Integer.getInteger("galgo.simulator.faults.starts", 3);
    private static final int SEEDS_MAX = Integer.getInteger("galgo.simulator.faults.seeds", 400);
    private static final int NOT_FOUND = Integer.MAX_VALUE;
    private static final long START_STEP = 100_000;

    private static final Path TOP = top();

    @TempDir
    private Path scratch = Path.of("");

    @Test
    void everyFaultStillHasAPlaceInTheServer() throws IOException {
        List<Fault> faults = faults();
        assertThat(faults).as("deliberate faults").hasSizeGreaterThanOrEqualTo(20);
        for (Fault fault : faults) {
            fault.applyTo(Files.readString(TOP.resolve(fault.file())));
        }
    }

    @Test
    void aFaultWhoseLinesAreGoneSaysThatItMustBeAdapted() {
        Fault fault =
                Fault.parse("example", "file: A.java\nbreaks: Nothing.\n----- replace\n    a();\n----- by\n    b();\n");

        assertThat(fault.applyTo("{\n    a();\n}\n")).isEqualTo("{\n    b();\n}\n");
        assertThatThrownBy(() -> fault.applyTo("{\n    c();\n}\n")).hasMessageContaining("adapt");
        assertThatThrownBy(() -> fault.applyTo("{\n    a();\n    a();\n}\n")).hasMessageContaining("more than once");
    }

    @Test
    void theSimulatorFindsTheFaults() throws IOException {
        List<String> rows = new ArrayList<>();
        List<String> missed = new ArrayList<>();
        for (Fault fault : wanted()) {
            Hunt hunt = hunt(fault);
            rows.add(hunt.row());
            System.out.println(hunt.row());
            if (!fault.isOpen() && !hunt.isAlwaysFound()) {
                missed.add(fault.name() + " (" + fault.breaks() + ")");
            }
        }
        if (!WANTED.isEmpty()) {
            System.out.println("| fault | found by: promise | median seeds | seeds |");
            System.out.println("|---|---|---|---|");
            rows.forEach(System.out::println);
        }
        assertThat(missed)
                .as("faults that nobody found within %s seeds: no checker sees what they break", SEEDS_MAX)
                .isEmpty();
    }

    private Hunt hunt(Fault fault) throws IOException {
        Probe server = new Probe();
        List<Integer> seeds = new ArrayList<>();
        TreeSet<String> findings = new TreeSet<>();
        try (Saboteur saboteur = new Saboteur(fault, TOP, Files.createDirectory(scratch.resolve(fault.name())))) {
            for (int start = 0; start < STARTS; start++) {
                int found = NOT_FOUND;
                for (int i = 0; i < SEEDS_MAX && found == NOT_FOUND; i++) {
                    long seed = start * START_STEP + i;
                    String finding = saboteur.run(seed);
                    // What the server does without the fault too was not found by looking for it.
                    if (finding != null && server.apply(seed) == null) {
                        findings.add(finding.replace(" | ", ": "));
                        found = i + 1;
                    }
                }
                seeds.add(found);
            }
        }
        return new Hunt(fault, seeds, findings);
    }

    /// How a fault was looked for from several starting points.
    ///
    /// @param seeds how many it took from each, [#NOT_FOUND] where all were in vain
    private record Hunt(Fault fault, List<Integer> seeds, SortedSet<String> findings) {
        boolean isAlwaysFound() {
            return !seeds.contains(NOT_FOUND);
        }

        String row() {
            int median = seeds.stream().sorted().toList().get(seeds.size() / 2);
            return String.format(
                    Locale.ROOT,
                    "| %s | %s | %s | %s |",
                    fault.name(),
                    String.join("; ", findings),
                    median == NOT_FOUND
                            ? (fault.isOpen() ? "not found (known)" : "not found")
                            : Integer.toString(median),
                    seeds.toString().replace(Integer.toString(NOT_FOUND), "not found"));
        }
    }

    private static List<Fault> wanted() throws IOException {
        List<String> names = List.of(WANTED.split(",", -1));
        List<Fault> wanted = new ArrayList<>();
        for (Fault fault : faults()) {
            if (WANTED.isEmpty() ? fault.isQuick() : WANTED.equals("all") || names.contains(fault.name())) {
                wanted.add(fault);
            }
        }
        assertThat(wanted).as("faults to look for").isNotEmpty();
        return wanted;
    }

    private static List<Fault> faults() throws IOException {
        return Fault.all(TOP.resolve("simulator/src/test/resources/faults"));
    }

    private static Path top() {
        @Nullable Path place = Path.of("").toAbsolutePath();
        while (place != null && !Files.isDirectory(place.resolve("simulator/src/test/resources/faults"))) {
            place = place.getParent();
        }
        if (place == null) {
            throw new AssertionError("the faults are not above " + Path.of("").toAbsolutePath());
        }
        return place;
    }
}
