package io.galgo.server.configuration;

import io.galgo.server.machine.Machine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Loads a configuration from text and variables, for tests: an empty working directory, a machine of four cores.
final class Loading {
    static final Machine MACHINE = new Machine(
            List.of(0, 1, 2, 3),
            4,
            List.of(new Machine.Node(0, List.of(0, 1, 2, 3))),
            List.of(List.of(0, 1), List.of(2, 3)),
            16L << 30,
            10_000);

    private Loading() {}

    static ServerConfiguration load(Path directory, String toml, Map<String, String> environment)
            throws ServerConfiguration.Refused {
        return load(directory, toml, environment, new String[0]);
    }

    static ServerConfiguration load(Path directory, String toml, Map<String, String> environment, String[] arguments)
            throws ServerConfiguration.Refused {
        try {
            Path file = directory.resolve("core/server/config.toml");
            Files.deleteIfExists(file);
            if (!toml.isEmpty()) {
                Files.createDirectories(file.getParent());
                Files.writeString(file, toml);
            }
            return ServerConfiguration.load(
                    CommandLine.parse(arguments),
                    Variables.load(environment, directory),
                    directory,
                    MACHINE,
                    "Galgo test");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (CommandLine.Malformed malformed) {
            throw new IllegalArgumentException(malformed);
        }
    }

    /// The problems that refuse a configuration; empty when it is fine.
    static List<String> problems(Path directory, String toml, Map<String, String> environment) {
        try {
            load(directory, toml, environment);
            return List.of();
        } catch (ServerConfiguration.Refused refused) {
            return refused.problems();
        }
    }

    static List<String> warnings(Path directory, String toml, Map<String, String> environment) {
        try {
            return load(directory, toml, environment).warnings();
        } catch (ServerConfiguration.Refused refused) {
            throw new AssertionError("refused: " + refused.problems(), refused);
        }
    }
}
