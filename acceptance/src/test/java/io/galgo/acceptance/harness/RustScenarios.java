package io.galgo.acceptance.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The scenarios of the published Rust client, of `test/rust`, built by cargo under `target` and kept between runs.
public final class RustScenarios {
    private static final Pattern VERSION = Pattern.compile("cargo (\\d+)\\.(\\d+)\\.\\S+");
    /// What the client crate demands.
    private static final int MINOR_VERSION_MIN = 95;

    private static final Map<String, String> ENVIRONMENT =
            Map.of("CARGO_TERM_COLOR", "never", "RUST_BACKTRACE", "0", "CARGO_TERM_PROGRESS_WHEN", "never");

    private final String cargo;
    private final Path program;

    private RustScenarios(String cargo, Path program) {
        this.cargo = cargo;
        this.program = program;
    }

    /// The folder of the cargo project.
    public static Path sources() {
        return Checkout.root().resolve("acceptance/src/test/rust");
    }

    /// Builds what has changed. Skips the test when there is no cargo that is new enough, or the crates cannot be
    /// had.
    public static synchronized RustScenarios build() throws IOException, InterruptedException {
        String cargo = cargo();
        Path target = Checkout.root().resolve("acceptance/target/rust");
        long started = System.nanoTime();
        Commands.Outcome outcome = Commands.run(
                List.of(
                        cargo,
                        "build",
                        "--quiet",
                        "--locked",
                        "--manifest-path",
                        sources().resolve("Cargo.toml").toString(),
                        "--target-dir",
                        target.toString()),
                ENVIRONMENT,
                Duration.ofMinutes(15));
        if (outcome.exitCode() != 0) {
            if (isForWantOfSomething(outcome.output())) {
                throw Tools.missing("the crates of the client could not be had or built: " + outcome.output());
            }
            throw new AssertionError("the Rust scenarios do not compile:\n" + outcome.output());
        }
        Duration taken = Duration.ofNanos(System.nanoTime() - started);
        Figures.tell(String.format("rust scenarios: built in %.1f s", taken.toMillis() / 1000.0));
        return new RustScenarios(cargo, target.resolve("debug/galgo-rust-scenarios"));
    }

    private static boolean isForWantOfSomething(String output) {
        return output.contains("failed to download")
                || output.contains("failed to get `")
                || output.contains("Could not resolve host")
                || output.contains("spurious network error")
                || output.contains("linker `cc` not found");
    }

    private static String cargo() throws InterruptedException {
        List<String> found = new ArrayList<>();
        String home = System.getenv().getOrDefault("CARGO_HOME", System.getProperty("user.home") + "/.cargo");
        for (String name : List.of("cargo", home + "/bin/cargo")) {
            try {
                Commands.Outcome outcome =
                        Commands.run(List.of(name, "--version"), ENVIRONMENT, Duration.ofSeconds(60));
                Matcher version = VERSION.matcher(outcome.output());
                if (outcome.exitCode() == 0 && version.find()) {
                    if (Integer.parseInt(version.group(1)) > 1
                            || Integer.parseInt(version.group(2)) >= MINOR_VERSION_MIN) {
                        return name;
                    }
                    found.add(version.group());
                }
            } catch (IOException _) {
                // Not installed under this name.
            }
        }
        String wanted = "cargo 1." + MINOR_VERSION_MIN + " or later is needed for the published Rust client";
        throw Tools.missing(found.isEmpty() ? wanted : wanted + ", and there is " + String.join(", ", found));
    }

    /// Runs one area of the scenarios to its end; it must exit with 0. Returns what it printed.
    public String run(InetSocketAddress server, String area, String... arguments)
            throws IOException, InterruptedException {
        Commands.Outcome outcome = Commands.run(command(server, area, arguments), ENVIRONMENT, Duration.ofMinutes(3));
        if (outcome.exitCode() != 0) {
            throw new AssertionError(
                    "area " + area + " ended with exit code " + outcome.exitCode() + ":\n" + outcome.output());
        }
        return outcome.output();
    }

    /// Starts an area that talks with the test through its standard input and output.
    public Dialogue start(InetSocketAddress server, String area, String... arguments) throws IOException {
        return Dialogue.start(area, command(server, area, arguments), ENVIRONMENT);
    }

    private List<String> command(InetSocketAddress server, String area, String... arguments) {
        List<String> command = new ArrayList<>(
                List.of(program.toString(), area, server.getAddress().getHostAddress() + ":" + server.getPort()));
        command.addAll(Arrays.asList(arguments));
        return command;
    }

    /// The folder with the sources of a crate that the scenarios are built from.
    public Path crate(String name) throws IOException, InterruptedException {
        Path json = Files.createTempFile(Checkout.output("logs"), "cargo-metadata-", ".json");
        Process process = new ProcessBuilder(
                        cargo,
                        "metadata",
                        "--quiet",
                        "--locked",
                        "--offline",
                        "--format-version=1",
                        "--manifest-path",
                        sources().resolve("Cargo.toml").toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .redirectOutput(json.toFile())
                .start();
        int exitCode = process.waitFor();
        if (exitCode != 0) {
            throw new AssertionError("cargo metadata ended with exit code " + exitCode);
        }
        JsonNode metadata = new ObjectMapper().readTree(json.toFile());
        Files.delete(json);
        for (JsonNode one : metadata.get("packages")) {
            if (one.get("name").asText().equals(name)) {
                return Path.of(one.get("manifest_path").asText()).resolveSibling("src");
            }
        }
        throw new AssertionError("the scenarios are built without a crate " + name);
    }
}
