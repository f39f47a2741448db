package io.galgo.torture.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Programs that are run to their end.
public final class Commands {
    private Commands() {}

    /// What a program printed, on both channels, and how it ended.
    public record Outcome(int exitCode, String output) {
        public boolean isSuccess() {
            return exitCode == 0;
        }
    }

    /// Runs a program to its end. Past `patience` it is killed, and its output is in the text of the error.
    public static Outcome run(List<String> command, Map<String, String> environment, Duration patience)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile("galgo-command-", ".log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError(command + " did not end within " + patience + ":\n" + text(output));
            }
            return new Outcome(process.exitValue(), text(output));
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            Files.deleteIfExists(output);
        }
    }

    public static Outcome run(String... command) throws IOException, InterruptedException {
        return run(List.of(command), Map.of(), Duration.ofSeconds(30));
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }
}
