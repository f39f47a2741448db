package io.galgo.acceptance.harness;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/// A running scenario that talks with the test through its standard input and output.
public final class Dialogue implements AutoCloseable {
    private final String scenario;
    private final Process process;
    private final StringBuilder heard = new StringBuilder();

    private Dialogue(String scenario, Process process) {
        this.scenario = scenario;
        this.process = process;
    }

    static Dialogue start(String scenario, List<String> command, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        return new Dialogue(scenario, builder.start());
    }

    /// Reads until the scenario prints this line.
    public void await(String line) throws IOException {
        BufferedReader reader = process.inputReader(StandardCharsets.UTF_8);
        for (String next = reader.readLine(); next != null; next = reader.readLine()) {
            heard.append(next).append('\n');
            if (next.equals(line)) {
                return;
            }
        }
        throw new AssertionError(scenario + " ended before it said \"" + line + "\":\n" + heard);
    }

    public void say(String line) throws IOException {
        BufferedWriter writer = process.outputWriter(StandardCharsets.UTF_8);
        writer.write(line + "\n");
        writer.flush();
    }

    /// Waits for the end; the exit code must be 0. Returns what the scenario printed.
    public String mustSucceed() throws IOException, InterruptedException {
        BufferedReader reader = process.inputReader(StandardCharsets.UTF_8);
        for (String next = reader.readLine(); next != null; next = reader.readLine()) {
            heard.append(next).append('\n');
        }
        int exitCode = process.waitFor();
        if (exitCode != 0) {
            throw new AssertionError(scenario + " ended with exit code " + exitCode + ":\n" + heard);
        }
        return heard.toString();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.getInputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
