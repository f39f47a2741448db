package io.galgo.acceptance.harness;

import io.galgo.torture.server.Commands;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// A virtual environment with the published Python client, made once under `target` and kept between runs.
public final class PythonEnvironment {
    private static final List<String> INTERPRETERS =
            List.of("python3", "python3.13", "python3.12", "python3.11", "python3.10");
    private static final String IS_NEW_ENOUGH = "import sys; sys.exit(0 if sys.version_info >= (3, 10) else 1)";
    /// The data set package is installed without what it depends on: only its files are read.
    private static final List<String> PACKAGES = List.of("apache-iggy==0.9.0", "vega_datasets==0.9.0");

    private final Path python;

    private PythonEnvironment(Path python) {
        this.python = python;
    }

    /// The folder of the scenarios.
    public static Path scenarios() {
        return Checkout.root().resolve("acceptance/src/test/resources/python");
    }

    /// Skips the test when there is no Python, or the packages cannot be had.
    public static synchronized PythonEnvironment prepare() throws IOException, InterruptedException {
        Path folder = Checkout.root().resolve("acceptance/target/python");
        Path python = folder.resolve("bin/python");
        Path marker = folder.resolve("galgo-packages");
        String wanted = String.join("\n", PACKAGES);
        if (Files.isRegularFile(marker) && Files.readString(marker).equals(wanted)) {
            return new PythonEnvironment(python);
        }
        String interpreter = interpreter();
        need("make a virtual environment", List.of(interpreter, "-m", "venv", "--clear", folder.toString()));
        List<String> install = new ArrayList<>(
                List.of(python.toString(), "-m", "pip", "install", "--quiet", "--no-deps", "--no-input"));
        install.addAll(PACKAGES);
        need("install " + PACKAGES, install);
        Files.writeString(marker, wanted);
        return new PythonEnvironment(python);
    }

    private static String interpreter() throws InterruptedException {
        for (String name : INTERPRETERS) {
            try {
                Commands.Outcome outcome =
                        Commands.run(List.of(name, "-c", IS_NEW_ENOUGH), Map.of(), Duration.ofSeconds(30));
                if (outcome.exitCode() == 0) {
                    return name;
                }
            } catch (IOException _) {
                // Not installed under this name.
            }
        }
        throw Tools.missing("no Python of version 3.10 or later among " + INTERPRETERS);
    }

    private static void need(String what, List<String> command) throws IOException, InterruptedException {
        Commands.Outcome outcome =
                Commands.run(command, Map.of("PIP_DISABLE_PIP_VERSION_CHECK", "1"), Duration.ofMinutes(5));
        if (outcome.exitCode() != 0) {
            List<String> lines = outcome.output().lines().toList();
            throw Tools.missing("could not " + what + ": "
                    + String.join(" | ", lines.subList(Math.max(0, lines.size() - 4), lines.size())));
        }
    }

    /// Runs a scenario of the test resources to its end; it must exit with 0. Returns what it printed.
    public String run(InetSocketAddress server, String scenario, String... arguments)
            throws IOException, InterruptedException {
        Commands.Outcome outcome = Commands.run(command(server, scenario, arguments), Map.of(), Duration.ofMinutes(3));
        if (outcome.exitCode() != 0) {
            throw new AssertionError(
                    scenario + " ended with exit code " + outcome.exitCode() + ":\n" + outcome.output());
        }
        return outcome.output();
    }

    /// Starts a scenario that talks with the test through its standard input and output.
    public Dialogue start(InetSocketAddress server, String scenario, String... arguments) throws IOException {
        return Dialogue.start(scenario, command(server, scenario, arguments), Map.of());
    }

    private List<String> command(InetSocketAddress server, String scenario, String... arguments) {
        Path script = scenarios().resolve(scenario);
        List<String> command = new ArrayList<>(List.of(
                python.toString(),
                "-B",
                "-u",
                script.toString(),
                server.getAddress().getHostAddress() + ":" + server.getPort()));
        command.addAll(Arrays.asList(arguments));
        return command;
    }
}
