package io.galgo.acceptance.differential;

import io.galgo.acceptance.harness.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// The scripts of the source tree and what belongs to them.
///
/// `NAME.script` and `NAME.recording` lie side by side. `differences.tsv` lists the differences that occur in many
/// scripts, `held-back.tsv` the scripts that cannot pass yet.
final class Library {
    private static final Path FOLDER = Checkout.root().resolve("acceptance/src/test/resources/differential");
    private static final String EXTENSION = ".script";

    private Library() {}

    static List<Script> scripts() throws IOException {
        List<Script> scripts = new ArrayList<>();
        try (Stream<Path> files = Files.list(FOLDER)) {
            for (Path file : files.sorted().toList()) {
                String name = file.getFileName().toString();
                if (name.endsWith(EXTENSION)) {
                    scripts.add(Script.parse(name.substring(0, name.length() - EXTENSION.length()), lines(file)));
                }
            }
        }
        return scripts;
    }

    static Path folder() {
        return FOLDER;
    }

    static Path recordingOf(Script script) {
        return FOLDER.resolve(script.name() + ".recording");
    }

    static Transcript recorded(Script script) throws IOException {
        Path file = recordingOf(script);
        return Transcript.parse(file.getFileName().toString(), lines(file));
    }

    static List<Deviation> differences() throws IOException {
        return Deviation.table("differences.tsv", lines(FOLDER.resolve("differences.tsv")));
    }

    /// The names of scripts that cannot pass yet, each with the reason.
    static Map<String, String> heldBack() throws IOException {
        Map<String, String> reasons = new LinkedHashMap<>();
        for (String line : lines(FOLDER.resolve("held-back.tsv"))) {
            String[] cells = line.split("\t", -1);
            if (!line.isBlank() && !line.startsWith("#")) {
                if (cells.length != 2 || cells[1].isBlank()) {
                    throw new ScriptException("held-back.tsv", "not a script and a reason: " + line);
                }
                reasons.put(cells[0], cells[1]);
            }
        }
        return reasons;
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.readAllLines(file, StandardCharsets.UTF_8);
    }
}
