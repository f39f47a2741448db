package io.galgo.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Finds out who listens on a TCP port, for the sentence that says that it is taken.
final class PortHolder {
    private static final String LISTENING = "0A";

    private PortHolder() {}

    /// The process, for example `process 123 (java)`; null when it cannot be told.
    static @Nullable String find(InetSocketAddress address) {
        Set<String> sockets = new HashSet<>();
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            sockets.addAll(listeners(Path.of(table), address.getPort()));
        }
        if (sockets.isEmpty()) {
            return null;
        }
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                if (holds(process.resolve("fd"), sockets)) {
                    return "process " + process.getFileName() + " (" + name(process) + ")";
                }
            }
        } catch (IOException unreadable) {
            return null;
        }
        return null;
    }

    private static Set<String> listeners(Path table, int port) {
        Set<String> sockets = new HashSet<>();
        String ending = String.format(Locale.ROOT, ":%04X", port);
        for (String line : lines(table)) {
            String[] fields = line.trim().split(" +", -1);
            if (fields.length > 9 && fields[1].endsWith(ending) && fields[3].equals(LISTENING)) {
                sockets.add("socket:[" + fields[9] + "]");
            }
        }
        return sockets;
    }

    private static boolean holds(Path handles, Set<String> sockets) {
        try (DirectoryStream<Path> links = Files.newDirectoryStream(handles)) {
            for (Path link : links) {
                if (sockets.contains(Files.readSymbolicLink(link).toString())) {
                    return true;
                }
            }
        } catch (IOException notOurs) {
            // Another user's process, or one that ended meanwhile.
        }
        return false;
    }

    private static String name(Path process) {
        List<String> lines = lines(process.resolve("comm"));
        return lines.isEmpty() ? "unknown" : lines.getFirst();
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException absent) {
            return List.of();
        }
    }
}
