package io.galgo.acceptance.documentation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.galgo.acceptance.documentation.Step.Example;
import io.galgo.acceptance.harness.Checkout;
import io.galgo.acceptance.harness.PythonEnvironment;
import io.galgo.acceptance.harness.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// The examples of the documentation do what the documentation says. `Reader` tells how they are followed.
///
/// `not-run.tsv` lists those that are not: document, first line, reason.
class DocumentedExamplesTest {
    private static final Pattern TEST_NAMES = Pattern.compile("-Dtest='?([\\w,]+)'?");
    private static final Pattern PROPERTY = Pattern.compile("-D(galgo[\\w.]+)=");

    @BeforeEach
    void onlyOurServer() {
        Assumptions.assumeFalse(Target.current().isReference(), "the documentation is Galgo's");
    }

    @TestFactory
    List<DynamicTest> everyDocumentKeepsItsWord() throws Exception {
        PythonEnvironment.prepare();
        Set<Excuse> excuses = notRun();
        List<DynamicTest> tests = new ArrayList<>();
        for (String document : documents()) {
            if (Step.of(Files.readString(Checkout.root().resolve(document))).isEmpty()) {
                continue;
            }
            tests.add(dynamicTest(document, () -> {
                Path folder = Checkout.root().resolve("acceptance/target/documentation/" + document.replace('/', '-'));
                Predicate<Example> isLeftOut =
                        example -> excuses.stream().anyMatch(excuse -> excuse.isFor(document, example));
                try (Reader reader = new Reader(document, folder, isLeftOut)) {
                    reader.follow(Files.readString(Checkout.root().resolve(document)));
                }
            }));
        }
        return tests;
    }

    @Test
    void everyExampleThatIsNotRunIsStillThere() throws Exception {
        Set<Excuse> gone = notRun();
        for (String document : documents()) {
            for (Step step : Step.of(Files.readString(Checkout.root().resolve(document)))) {
                if (step instanceof Example example) {
                    gone.removeIf(excuse -> excuse.isFor(document, example));
                }
            }
        }
        assertThat(gone).as("listed as not run, and in no document").isEmpty();
    }

    @Test
    void everyExampleFileIsRunBySomeDocument() throws Exception {
        StringBuilder examples = new StringBuilder();
        for (String document : documents()) {
            for (Step step : Step.of(Files.readString(Checkout.root().resolve(document)))) {
                if (step instanceof Example example) {
                    examples.append(example.text());
                }
            }
        }
        try (Stream<Path> files = Files.list(Checkout.root().resolve("docs/examples"))) {
            assertThat(files.filter(Files::isRegularFile).map(file -> "docs/examples/" + file.getFileName()))
                    .as("files of docs/examples, each of them in a fenced block")
                    .isNotEmpty()
                    .allSatisfy(file -> assertThat(examples).contains(file));
        }
    }

    /// A campaign takes too long to be run here. That it could be is looked at: its tests and their properties
    /// exist.
    @Test
    void everyCampaignNamesTestsAndPropertiesThatExist() throws Exception {
        Map<String, String> tests = testSources();
        String all = String.join("\n", tests.values());
        List<String> unknown = new ArrayList<>();
        for (String document : documents()) {
            String text = Files.readString(Checkout.root().resolve(document));
            TEST_NAMES.matcher(text).results().forEach(found -> {
                for (String name : found.group(1).split(",", -1)) {
                    if (!tests.containsKey(name)) {
                        unknown.add(document + " names the test " + name);
                    }
                }
            });
            PROPERTY.matcher(text).results().forEach(found -> {
                if (!all.contains('"' + found.group(1) + '"')) {
                    unknown.add(document + " names the property " + found.group(1));
                }
            });
        }
        assertThat(unknown).as("what no source of a test has").isEmpty();
    }

    /// The sources of all tests, by class.
    private static Map<String, String> testSources() throws IOException {
        Map<String, String> sources = new HashMap<>();
        try (Stream<Path> modules = Files.list(Checkout.root())) {
            for (Path tests : modules.map(module -> module.resolve("src/test/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(tests)) {
                    for (Path file : files.filter(path -> path.toString().endsWith(".java"))
                            .toList()) {
                        sources.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
                    }
                }
            }
        }
        return sources;
    }

    /// Why an example is not run.
    ///
    /// @param start its first line, or how that begins: then `…` is behind it
    private record Excuse(String document, String start) {
        boolean isFor(String other, Example example) {
            return document.equals(other)
                    && (start.endsWith("…")
                            ? example.firstLine().startsWith(start.substring(0, start.length() - 1))
                            : example.firstLine().equals(start));
        }
    }

    private static Set<Excuse> notRun() throws IOException {
        Set<Excuse> excuses = new LinkedHashSet<>();
        Path list = Checkout.root().resolve("acceptance/src/test/resources/documentation/not-run.tsv");
        for (String line : Files.readAllLines(list)) {
            String[] columns = line.split("\t", -1);
            if (columns.length != 3 || columns[2].isBlank()) {
                throw new AssertionError("not-run.tsv wants document, first line and reason, and has: " + line);
            }
            excuses.add(new Excuse(columns[0], columns[1]));
        }
        return excuses;
    }

    private static List<String> documents() throws IOException {
        Path root = Checkout.root();
        List<String> documents = new ArrayList<>(List.of("README.md", "CONTRIBUTING.md"));
        try (Stream<Path> files = Files.walk(root.resolve("docs"))) {
            files.filter(file -> file.toString().endsWith(".md"))
                    .map(file -> root.relativize(file).toString())
                    .sorted()
                    .forEach(documents::add);
        }
        return documents;
    }
}
