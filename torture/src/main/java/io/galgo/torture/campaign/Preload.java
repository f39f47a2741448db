package io.galgo.torture.campaign;

import io.galgo.torture.server.Commands;
import io.galgo.torture.server.ServerSettings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// A small library of ours that stands between a server and the C library. Compiled where it is used.
///
/// @param library the compiled file
record Preload(Path library) {
    /// @param name of the source among the resources, without its ending
    static Preload compile(String name, Trial trial) throws IOException, InterruptedException, SkippedException {
        if (!System.getProperty("os.name").equals("Linux")) {
            throw new SkippedException("a library can be put before the C library on Linux only");
        }
        Path source = trial.newPath(name).resolveSibling(name + ".c");
        Path library = source.resolveSibling(name + ".so");
        try (InputStream text = Preload.class.getResourceAsStream("/io/galgo/torture/preload/" + name + ".c")) {
            if (text == null) {
                throw new IllegalStateException("the source of " + name + " is not in the program");
            }
            Files.copy(text, source, StandardCopyOption.REPLACE_EXISTING);
        }
        List<String> command = List.of(
                "cc",
                "-shared",
                "-fPIC",
                "-O2",
                "-x",
                "c",
                "-o",
                library.toString(),
                source.toString(),
                "-ldl",
                "-lpthread");
        try {
            Commands.Outcome outcome = Commands.run(command, Map.of(), Duration.ofSeconds(60));
            if (!outcome.isSuccess()) {
                throw new SkippedException("cc does not compile the library that it needs: " + outcome.output());
            }
        } catch (IOException e) {
            throw new SkippedException("it needs a C compiler, cc, and there is none: " + e.getMessage());
        }
        return new Preload(library);
    }

    ServerSettings with(ServerSettings settings) {
        return settings.withVariable("LD_PRELOAD", library.toString());
    }
}
