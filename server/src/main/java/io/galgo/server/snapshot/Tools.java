package io.galgo.server.snapshot;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// Runs programs of the machine and takes what they print, for a bounded time and length.
final class Tools {
    private static final int SECONDS_MAX = 5;
    private static final int BYTES_MAX = 16 << 20;

    // The variables of this process may hold keys and passwords, and a program may print its own.
    private static final Set<String> VARIABLES = Set.of("PATH", "LANG", "LC_ALL", "TZ");

    private final Path directory;

    /// @param directory where output may be put while a program runs
    Tools(Path directory) {
        this.directory = directory;
    }

    /// Appends what a program prints.
    ///
    /// @return false when it is not there, fails or does not end in time; then nothing is appended
    boolean run(List<String> command, OutputStream target) throws IOException {
        Path output = Files.createTempFile(directory, "tool", ".new");
        try {
            return runsTo(output, command) && copy(output, target);
        } finally {
            Files.deleteIfExists(output);
        }
    }

    private static boolean runsTo(Path output, List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(output.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().keySet().retainAll(VARIABLES);
        builder.environment().put("TERM", "dumb");
        Process process;
        try {
            process = builder.start();
        } catch (IOException missing) {
            return false;
        }
        try {
            process.getOutputStream().close();
            return process.waitFor(SECONDS_MAX, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException failed) {
            return false;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            process.destroyForcibly();
        }
    }

    private static boolean copy(Path output, OutputStream target) throws IOException {
        try (InputStream bytes = Files.newInputStream(output)) {
            target.write(bytes.readNBytes(BYTES_MAX));
        }
        return true;
    }
}
