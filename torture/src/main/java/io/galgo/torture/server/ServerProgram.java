package io.galgo.torture.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/// A server to be started, again and again.
///
/// @param name what reports call it
/// @param command its command line
/// @param isGalgo whether it reads Galgo's settings and keeps Galgo's promises; any other one is configured as an
///     Iggy server, and is not asked for what only Galgo has
/// @param logs the folder for what its processes print
/// @param starts hears of every start that succeeded
public record ServerProgram(
        String name, List<String> command, boolean isGalgo, Path logs, Consumer<ServerProgram.Start> starts) {
    /// A start that succeeded.
    ///
    /// @param isFresh whether its data directory was not there before
    /// @param taken from the process to the first answered ping
    public record Start(ServerSettings settings, boolean isFresh, Duration taken) {}

    public ServerProgram {
        command = List.copyOf(command);
    }

    /// Galgo, as its launcher starts it.
    public static ServerProgram galgo(Path launcher, Path logs) {
        return new ServerProgram("galgo", List.of(launcher.toString(), "server"), true, logs, _ -> {});
    }

    /// Another server that speaks Iggy's protocol.
    public static ServerProgram other(String name, List<String> command, Path logs) {
        return new ServerProgram(name, command, false, logs, _ -> {});
    }

    public ServerProgram onStart(Consumer<Start> listener) {
        return new ServerProgram(name, command, isGalgo, logs, listener);
    }
}
