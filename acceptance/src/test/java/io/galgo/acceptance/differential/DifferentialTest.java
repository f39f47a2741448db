package io.galgo.acceptance.differential;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.Target;
import io.galgo.protocol.CommandCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/// Every script of `resources/differential` gets the replies that the reference server gave, field by field.
///
/// What differs has to be written down with its reason: below the request in the script, or in `differences.tsv`.
/// What is written down and does not differ fails too.
///
/// `-Dgalgo.differential.script=streams,topics` runs some of the scripts, `-Dgalgo.differential.record=true` asks
/// the reference server and writes the recordings anew.
class DifferentialTest {
    private static final String CHOSEN = System.getProperty("galgo.differential.script", "");
    private static final boolean IS_RECORDING = Boolean.getBoolean("galgo.differential.record");
    private static final int REQUESTS_MIN = 400;
    private static final String REMARK =
            "Replies of the reference server. Written by the recorder, see CONTRIBUTING.md.";

    @TestFactory
    Stream<DynamicTest> repliesEqualThoseOfTheReferenceServer(@TempDir Path folder) throws IOException {
        List<Script> scripts = chosen();
        if (IS_RECORDING) {
            return scripts.stream()
                    .map(script -> DynamicTest.dynamicTest("record " + script.name(), () -> record(script, folder)));
        }
        Set<Deviation> used = new LinkedHashSet<>();
        List<DynamicTest> tests = new ArrayList<>();
        for (Script script : scripts) {
            tests.add(DynamicTest.dynamicTest(script.name(), () -> compare(script, folder, used)));
        }
        if (CHOSEN.isEmpty() && !Target.current().isReference()) {
            tests.add(DynamicTest.dynamicTest("every line of differences.tsv still occurs", () -> {
                List<Deviation> superfluous = new ArrayList<>(Library.differences());
                superfluous.removeIf(
                        line -> used.stream().anyMatch(other -> other.where().equals(line.where())));
                assertThat(superfluous).isEmpty();
            }));
        }
        return tests.stream();
    }

    @Test
    void theScriptsHoldEnoughRequests() throws IOException {
        int requests = Library.scripts().stream()
                .mapToInt(script -> script.requests().size())
                .sum();
        assertThat(requests).as("requests of all scripts").isGreaterThanOrEqualTo(REQUESTS_MIN);
    }

    @Test
    void everyCommandIsInAScript() throws IOException {
        // The other server knows all but the one of Galgo's own.
        Set<String> commands = Arrays.stream(CommandCode.values())
                .filter(command -> command != CommandCode.AWAIT_MESSAGES)
                .map(command -> command.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(Requests.names())
                .as("commands of the script language")
                .containsExactlyInAnyOrderElementsOf(commands);
        Set<String> used = Library.scripts().stream()
                .flatMap(script -> script.requests().stream())
                .map(Step.Request::command)
                .collect(Collectors.toSet());
        assertThat(used).containsAll(commands);
    }

    @Test
    void everyScriptHasARecordingAndEveryRecordingAScript() throws IOException {
        Set<String> expected = new TreeSet<>();
        for (Script script : Library.scripts()) {
            expected.add(Library.recordingOf(script).getFileName().toString());
        }
        try (Stream<Path> files = Files.list(Library.folder())) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".recording")))
                    .containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    @Test
    void whatIsHeldBackExists() throws IOException {
        assertThat(Library.scripts().stream().map(Script::name))
                .containsAll(Library.heldBack().keySet());
    }

    private static List<Script> chosen() throws IOException {
        List<Script> scripts = Library.scripts();
        if (CHOSEN.isEmpty()) {
            return scripts;
        }
        List<String> names = Arrays.asList(CHOSEN.split(","));
        assertThat(scripts.stream().map(Script::name)).as("known scripts").containsAll(names);
        return scripts.stream().filter(script -> names.contains(script.name())).toList();
    }

    private static void compare(Script script, Path folder, Set<Deviation> used) throws Exception {
        boolean isReference = Target.current().isReference();
        // The reference server has to repeat itself; nothing that we do in another way is held against it.
        Script compared = isReference ? script.withoutDeviations() : script;
        List<Deviation> table = isReference ? List.of() : Library.differences();
        Map<String, String> heldBack = isReference ? Map.of() : Library.heldBack();
        Transcript recorded = Library.recorded(script);
        Comparison comparison;
        try {
            comparison = Comparison.of(compared, recorded, Runner.run(compared, folder.resolve(script.name())), table);
        } catch (AssertionError e) {
            Assumptions.assumeFalse(
                    heldBack.containsKey(script.name()),
                    () -> script.name() + " is held back: " + heldBack.get(script.name()));
            throw e;
        }
        used.addAll(comparison.used());
        if (heldBack.containsKey(script.name())) {
            assertThat(comparison.isClean())
                    .as("%s passes: delete its line in held-back.tsv", script.name())
                    .isFalse();
            Assumptions.abort(script.name() + " is held back: " + heldBack.get(script.name()));
        }
        assertThat(comparison.isClean()).as(() -> report(script, comparison)).isTrue();
    }

    private static String report(Script script, Comparison comparison) {
        StringBuilder text = new StringBuilder(comparison.unexplained().size() + " differences\n");
        comparison.unexplained().forEach(difference -> text.append(difference).append('\n'));
        comparison
                .superfluous()
                .forEach(deviation -> text.append(deviation.where())
                        .append("  ")
                        .append(deviation.field())
                        .append(" does not differ: delete what the script says about it\n"));
        return text.append("Run it alone: ./galgo test -pl acceptance -am -Dtest=DifferentialTest")
                .append(" -Dsurefire.failIfNoSpecifiedTests=false -Dgalgo.differential.script=")
                .append(script.name())
                .append('\n')
                .toString();
    }

    private static void record(Script script, Path folder) throws Exception {
        assertThat(Target.current())
                .as("-Dgalgo.acceptance.server=reference is the server to record")
                .isEqualTo(Target.REFERENCE);
        Script plain = script.withoutDeviations();
        Transcript first = Runner.run(plain, folder.resolve(script.name() + "-1"));
        Transcript second = Runner.run(plain, folder.resolve(script.name() + "-2"));
        Comparison repetition = Comparison.of(plain, first, second, List.of());
        assertThat(repetition.unexplained())
                .as("fields of %s that differ from run to run, and have to be masked", script.name())
                .isEmpty();
        first.write(Library.recordingOf(script), REMARK);
    }
}
