package io.galgo.acceptance.specification;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Each behaviour that the specification lists (spec semantics 24) has a test that looks at it, or there is a
/// reason why it has none.
///
/// `behaviours.tsv` has row, behaviour and tests; `left-out.tsv` row and reason. That a test looks at what it is
/// named for is for people to see; that it exists, is run and that no row is forgotten is seen to here.
class BehavioursTest {
    /// How many rows each part of the list has.
    private static final Map<String, Integer> ROWS = Map.ofEntries(
            Map.entry("A", 23),
            Map.entry("U", 32),
            Map.entry("S", 23),
            Map.entry("O", 15),
            Map.entry("P", 23),
            Map.entry("R", 17),
            Map.entry("F", 17),
            Map.entry("G", 34),
            Map.entry("T", 6),
            Map.entry("D", 9),
            Map.entry("X", 6),
            Map.entry("C", 16),
            Map.entry("M", 21));

    private static TestSources sources;
    private static List<String> behaviours;
    private static List<String> leftOut;

    @BeforeAll
    static void read() throws IOException {
        sources = TestSources.ofTheCheckout();
        behaviours = lines("behaviours.tsv");
        leftOut = lines("left-out.tsv");
    }

    private static List<String> lines(String table) throws IOException {
        try (Stream<String> lines =
                Files.lines(Checkout.root().resolve("acceptance/src/test/resources/specification/" + table))) {
            return lines.filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
        }
    }

    @Test
    void everyBehaviourHasATestOrAReason() {
        assertThat(problems(behaviours, leftOut)).isEmpty();
        assertThat(behaviours.size() + leftOut.size()).as("rows").isEqualTo(242);
    }

    private static List<String> problems(List<String> behaviours, List<String> leftOut) {
        List<String> problems = new ArrayList<>();
        Map<String, Integer> counts = new HashMap<>();
        for (String line : behaviours) {
            String[] cells = line.split("\t", -1);
            counts.merge(cells[0], 1, Integer::sum);
            if (cells.length != 3 || cells[1].isBlank() || cells[2].isBlank()) {
                problems.add("no row, behaviour and tests: " + line);
                continue;
            }
            for (String test : cells[2].split(" ", -1)) {
                String problem = sources.problem(test);
                if (problem != null) {
                    problems.add(cells[0] + ": " + problem);
                }
            }
        }
        for (String line : leftOut) {
            String[] cells = line.split("\t", -1);
            counts.merge(cells[0], 1, Integer::sum);
            if (cells.length != 2 || cells[1].isBlank()) {
                problems.add("no row and reason: " + line);
            }
        }
        Set<String> known = new TreeSet<>();
        ROWS.forEach((part, count) -> {
            for (int number = 1; number <= count; number++) {
                known.add(part + number);
            }
        });
        for (String row : known) {
            int count = counts.getOrDefault(row, 0);
            if (count != 1) {
                problems.add(row + " is there " + count + " times");
            }
        }
        counts.keySet().stream().filter(row -> !known.contains(row)).forEach(row -> problems.add(row + " is unknown"));
        return problems;
    }

    // What is wrong is told

    private static List<String> problemsOf(UnaryOperator<String> change) {
        return problems(behaviours.stream().map(change).toList(), leftOut);
    }

    @Test
    void aRowThatIsMissingTwiceThereOrUnknownIsTold() {
        List<String> without =
                behaviours.stream().filter(line -> !line.startsWith("A3\t")).toList();
        assertThat(problems(without, leftOut)).containsExactly("A3 is there 0 times");

        List<String> twice = new ArrayList<>(leftOut);
        twice.add("A3\tfor no reason");
        assertThat(problems(behaviours, twice)).containsExactly("A3 is there 2 times");

        assertThat(problemsOf(line -> line.replaceFirst("^A3\t", "A33\t")))
                .containsExactly("A3 is there 0 times", "A33 is unknown");
    }

    @Test
    void aRowThatSaysNothingIsTold() {
        assertThat(problemsOf(line -> line.startsWith("A3\t") ? "A3\troot logs in\t" : line))
                .containsExactly("no row, behaviour and tests: A3\troot logs in\t");

        assertThat(problems(
                        behaviours,
                        leftOut.stream()
                                .map(line -> line.startsWith("A14\t") ? "A14\t " : line)
                                .toList()))
                .containsExactly("no row and reason: A14\t ");
    }

    @Test
    void aNameThatIsNoTestIsTold() {
        String here = BehavioursTest.class.getName();
        assertThat(tested(here + "#everyBehaviourHasATestOrAReason")).isEmpty();
        assertThat(tested("io.galgo.acceptance.behaviour.MovingMessagesTest#offsetsAreDenseFromZero"))
                .as("a test of the class that it extends")
                .isEmpty();

        assertThat(tested("io.galgo.NoTest#nothing"))
                .containsExactly("A3: io.galgo.NoTest#nothing names no class of a test");
        assertThat(tested(here)).containsExactly("A3: " + here + " names no class of a test");
        assertThat(tested(here + "#nothing")).containsExactly("A3: " + here + "#nothing is no test");
        assertThat(tested(here + "#read")).containsExactly("A3: " + here + "#read is no test");
        String noTest = TestSources.class.getName() + "#problem";
        assertThat(tested(noTest)).containsExactly("A3: " + noTest + " is in a class that is not run");
    }

    private static List<String> tested(String test) {
        return problemsOf(line -> line.startsWith("A3\t") ? "A3\troot logs in\t" + test : line);
    }
}
