package io.galgo.acceptance.harness;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/// Programs from outside that some tests need.
public final class Tools {
    private Tools() {}

    /// What a program printed, on both channels, and how it ended.
    public record Outcome(int exitCode, String output) {}

    /// Ends the test: skipped with the reason, or failed where everything is expected to be there
    /// (`GALGO_REQUIRE_TOOLS=1`).
    ///
    /// Never returns; the type lets callers write `throw Tools.missing(…)`.
    public static RuntimeException missing(String reason) {
        if ("1".equals(System.getenv("GALGO_REQUIRE_TOOLS"))) {
            return Assertions.fail(reason + " (GALGO_REQUIRE_TOOLS=1 turns this skip into a failure)");
        }
        System.out.println("skipped: " + reason);
        return Assumptions.abort(reason);
    }

    /// The folder with the reference binaries, from `GALGO_REFERENCE`.
    public static Path referenceFolder() {
        String folder = System.getenv("GALGO_REFERENCE");
        if (folder == null || folder.isBlank()) {
            // They are not part of the project, so nobody is obliged to have them.
            String reason = "GALGO_REFERENCE does not name the folder with the reference binaries";
            System.out.println("skipped: " + reason);
            throw Assumptions.<RuntimeException>abort(reason);
        }
        Path path = Path.of(folder).toAbsolutePath();
        if (!Files.isExecutable(path.resolve("iggy-bench"))) {
            throw missing("GALGO_REFERENCE=" + folder + " has no executable iggy-bench");
        }
        return path;
    }

    /// Runs a program to its end. Past `patience` it is killed and the test fails with its output.
    public static Outcome run(List<String> command, Map<String, String> environment, Duration patience)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile(Checkout.output("logs"), "tool-", ".log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                return Assertions.fail(command + " did not end within " + patience + ":\n" + text(output));
            }
            return new Outcome(process.exitValue(), text(output));
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }
}
