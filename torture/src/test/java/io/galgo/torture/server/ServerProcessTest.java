package io.galgo.torture.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Servers that never answer, started by a virtual machine that ends.
class ServerProcessTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"start", "startRefused"})
    void noProcessOutlivesItsStarterEvenBeforeItAnswers(String way) throws Exception {
        Process starter = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        ServerProcessTest.class.getName(),
                        way,
                        folder.toString())
                .redirectErrorStream(true)
                .start();
        List<String> lines = starter.inputReader().lines().toList();
        assertThat(starter.waitFor()).as("%s", lines).isZero();

        long pid = Long.parseLong(Files.readString(pidFile(folder)).strip());
        Optional<ProcessHandle> server = ProcessHandle.of(pid).filter(ProcessHandle::isAlive);
        try {
            assertThat(server).as("the server of a starter that has ended").isEmpty();
        } finally {
            server.ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    /// Starts a server that sleeps, and ends while waiting for it.
    public static void main(String[] arguments) {
        Path folder = Path.of(arguments[1]);
        Path written = folder.resolve("pid.new");
        String script = "echo $$ > '" + written + "'; mv '" + written + "' '" + pidFile(folder) + "'; exec sleep 300";
        ServerProgram sleeper = ServerProgram.other("sleeper", List.of("sh", "-c", script), folder.resolve("logs"));
        ServerSettings settings = ServerSettings.of(sleeper, folder.resolve("data"));
        Thread.ofPlatform().daemon().start(() -> launch(arguments[0], settings));
        while (!Files.exists(pidFile(folder))) {
            LockSupport.parkNanos(1_000_000);
        }
        System.exit(0);
    }

    private static void launch(String way, ServerSettings settings) {
        try {
            if (way.equals("start")) {
                ServerProcess.start(settings).close();
            } else {
                ServerProcess.startRefused(settings);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Path pidFile(Path folder) {
        return folder.resolve("pid");
    }
}
