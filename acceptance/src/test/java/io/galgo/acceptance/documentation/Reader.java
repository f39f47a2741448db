package io.galgo.acceptance.documentation;

import io.galgo.acceptance.documentation.Step.Example;
import io.galgo.acceptance.documentation.Step.Interrupt;
import io.galgo.acceptance.harness.Checkout;
import io.galgo.torture.server.Commands;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Does what a document says, from top to bottom, in a folder that looks like a checkout.
///
/// | fenced block | what is done |
/// |---|---|
/// | `sh` | run by a shell; a line with `./galgo server` is left running as soon as the server is ready |
/// | `python` | run with the published client |
/// | `toml` | written to `config.toml` |
/// | `text` | must be in what the example before printed; `…` stands for anything |
///
/// An example that fails is wrong, unless a `text` block behind it shows the failure. Ctrl-C in the prose
/// interrupts the server that was started last, which must then end well. The default port is exchanged for a free
/// one, in all texts, so that a document can be followed wherever tests run.
final class Reader implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Pattern SERVER =
            Pattern.compile("^(?:[A-Z_]+=(?:'[^']*'|\"[^\"]*\"|\\S+)\\s+)*\\./galgo server(?!.*--help).*");
    private static final String ENVIRONMENT = ".venv";
    private static final String READY = " ready in ";
    /// Who runs the tests in the background makes all that they start ignore an interrupt. This undoes it.
    private static final List<String> WITH_SIGNALS =
            canResetSignals() ? List.of("env", "--default-signal=INT") : List.of();
    /// What a shell reports for an interrupted program.
    private static final int INTERRUPTED = 130;

    /// A server that an example started.
    private record Started(Process process, Path log) {}

    private final String name;
    private final Path folder;
    private final Predicate<Example> isLeftOut;
    private final String port = freePort();
    private final String otherPort = freePort();
    private final Deque<Started> servers = new ArrayDeque<>();
    private String printed = "";
    private boolean hasFailed;
    private int count;

    /// @param name the document's, for failures
    /// @param folder emptied, but for a Python environment
    /// @param isLeftOut the examples that are not followed
    Reader(String name, Path folder, Predicate<Example> isLeftOut) throws IOException {
        this.name = name;
        this.folder = folder;
        this.isLeftOut = isLeftOut;
        clear();
        Files.createSymbolicLink(folder.resolve("galgo"), Checkout.root().resolve("galgo"));
        copyExamples();
    }

    /// Makes the folder one that nobody has worked in yet. Only a Python environment is kept, for what a document
    /// installs there is the same each time.
    private void clear() throws IOException {
        Files.createDirectories(folder);
        List<Path> old;
        try (Stream<Path> entries = Files.walk(folder)) {
            old = new ArrayList<>(
                    entries.filter(entry -> !entry.equals(folder) && !entry.startsWith(folder.resolve(ENVIRONMENT)))
                            .toList());
        }
        Collections.reverse(old);
        for (Path entry : old) {
            Files.delete(entry);
        }
    }

    private void copyExamples() throws IOException {
        Path examples = Checkout.root().resolve("docs/examples");
        Path copies = Files.createDirectories(folder.resolve("docs/examples"));
        try (Stream<Path> files = Files.list(examples)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.writeString(copies.resolve(file.getFileName().toString()), here(Files.readString(file)));
            }
        }
    }

    void follow(String markdown) throws IOException, InterruptedException {
        List<Step> steps = Step.of(markdown);
        for (int index = 0; index < steps.size(); index++) {
            switch (steps.get(index)) {
                case Interrupt interrupt -> interrupt(interrupt);
                case Example example when isLeftOut.test(example) -> printed = "";
                case Example example -> follow(example, mayFail(steps, index));
            }
        }
        while (!servers.isEmpty()) {
            stop(servers.peek(), name + ", at its end");
        }
    }

    private static boolean mayFail(List<Step> steps, int index) {
        return index + 1 < steps.size()
                && steps.get(index + 1) instanceof Example next
                && next.language().equals("text");
    }

    private void follow(Example example, boolean mayFail) throws IOException, InterruptedException {
        String text = here(example.text());
        switch (example.language()) {
            case "sh" -> shell(text);
            case "python" -> {
                Path script = Files.writeString(folder.resolve("example-" + ++count + ".py"), text);
                shell(".venv/bin/python " + script.getFileName());
            }
            case "toml" -> {
                Files.writeString(folder.resolve("config.toml"), text);
                hasFailed = false;
            }
            case "text" -> {
                mustHavePrinted(example, text);
                hasFailed = false;
            }
            default ->
                throw new AssertionError(at(example) + " has the language \"" + example.language()
                        + "\", and nobody knows what to do with it: list it with a reason not to");
        }
        if (hasFailed && !mayFail) {
            throw new AssertionError(
                    at(example) + " fails, and not-run.tsv does not excuse it:\n" + text + "it printed:\n" + printed);
        }
    }

    /// Runs a script line by line as far as servers go, all else in one.
    private void shell(String script) throws IOException, InterruptedException {
        printed = "";
        hasFailed = false;
        StringBuilder lines = new StringBuilder();
        for (String line : script.replace("\\\n", " ").lines().toList()) {
            if (SERVER.matcher(line.strip()).matches()) {
                run(lines.toString());
                lines.setLength(0);
                if (!hasFailed) {
                    start(line.strip());
                }
            } else {
                lines.append(line).append('\n');
            }
        }
        run(lines.toString());
    }

    private void run(String lines) throws IOException, InterruptedException {
        if (hasFailed || lines.isBlank()) {
            return;
        }
        Path output = newLog();
        Process process = process("set -eu -o pipefail\n" + lines, output);
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError(name + ": an example did not end within " + PATIENCE + ":\n" + lines);
            }
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        printed += Files.readString(output, StandardCharsets.UTF_8);
        hasFailed = process.exitValue() != 0;
        if (hasFailed) {
            printed += "exit code " + process.exitValue() + "\n";
        }
    }

    /// Returns when the server is ready, or has ended, which is a failure.
    private void start(String line) throws IOException, InterruptedException {
        Path log = newLog();
        // A shell that replaces itself, so that a signal reaches the launcher as Ctrl-C would.
        int command = line.indexOf("./galgo");
        Process process = process(line.substring(0, command) + "exec " + line.substring(command), log);
        Started server = new Started(process, log);
        servers.push(server);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (server.process().isAlive() && !Files.readString(log).contains(READY)) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError(name + ": the server was not ready within " + PATIENCE + ":\n"
                        + Files.readString(log, StandardCharsets.UTF_8));
            }
            LockSupport.parkNanos(5_000_000);
        }
        printed += Files.readString(log, StandardCharsets.UTF_8);
        if (!server.process().isAlive()) {
            servers.pop();
            hasFailed = true;
        }
    }

    private Process process(String script, Path output) throws IOException {
        List<String> command = new ArrayList<>(WITH_SIGNALS);
        command.addAll(List.of("bash", "-c", script));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(output.toFile());
        builder.environment()
                .keySet()
                .removeIf(variable -> variable.matches("(IGGY|GALGO)_.*") && !variable.equals("GALGO_JAVA_HOME"));
        // Otherwise the server would take the default port; what the text says beats it.
        if (!script.contains("TCP_ADDRESS=") && !script.contains("--config")) {
            builder.environment().put("GALGO_TCP_ADDRESS", "127.0.0.1:" + port);
        }
        builder.environment().put("PIP_DISABLE_PIP_VERSION_CHECK", "1");
        return builder.start();
    }

    private void interrupt(Interrupt where) throws IOException, InterruptedException {
        Started server = servers.peek();
        if (server != null) {
            stop(server, name + ":" + where.line());
        }
    }

    private void stop(Started server, String where) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-INT", Long.toString(server.process().pid()))
                .start()
                .waitFor();
        if (!server.process().waitFor(30, TimeUnit.SECONDS)) {
            throw new AssertionError(where + ": the server does not stop when it is interrupted:\n"
                    + Files.readString(server.log(), StandardCharsets.UTF_8));
        }
        servers.remove(server);
        int exitCode = server.process().exitValue();
        if (exitCode != 0 && exitCode != INTERRUPTED) {
            throw new AssertionError(where + ": the interrupted server ended with exit code " + exitCode + ":\n"
                    + Files.readString(server.log(), StandardCharsets.UTF_8));
        }
    }

    private void mustHavePrinted(Example example, String text) {
        for (String line : text.lines().filter(line -> !line.isBlank()).toList()) {
            List<String> parts = new ArrayList<>();
            for (String part : line.strip().split("…", -1)) {
                parts.add(Pattern.quote(part.strip()));
            }
            Pattern pattern = Pattern.compile(String.join(".*", parts));
            if (printed.lines().noneMatch(one -> pattern.matcher(one).find())) {
                throw new AssertionError(
                        at(example) + " promises the line\n" + line + "\nand what was printed is\n" + printed);
            }
        }
    }

    /// The text with ports that are free here.
    private String here(String text) {
        return text.replaceAll("\\b8090\\b", port).replaceAll("\\b8091\\b", otherPort);
    }

    private String at(Example example) {
        return name + ":" + example.line();
    }

    private static boolean canResetSignals() {
        try {
            return Commands.run(List.of("env", "--default-signal=INT", "true"), Map.of(), Duration.ofSeconds(30))
                            .exitCode()
                    == 0;
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("cannot run env", e);
        }
    }

    private static Path newLog() throws IOException {
        return Files.createTempFile(Checkout.output("logs"), "documentation-", ".log");
    }

    private static String freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return Integer.toString(socket.getLocalPort());
        }
    }

    @Override
    public void close() throws IOException {
        for (Started server : servers) {
            server.process().descendants().forEach(ProcessHandle::destroyForcibly);
            server.process().destroyForcibly();
        }
        Files.deleteIfExists(folder.resolve("galgo"));
    }
}
