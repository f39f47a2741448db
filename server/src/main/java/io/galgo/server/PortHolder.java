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
            sockets.addAll(listeners(lines(Path.of(table)), address));
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

    /// The sockets of a table of the kernel that listen where nobody else can listen then: on the same port of the
    /// same address, or of all addresses, or of any when all are wanted.
    static Set<String> listeners(List<String> table, InetSocketAddress wanted) {
        Set<String> sockets = new HashSet<>();
        String port = String.format(Locale.ROOT, "%04X", wanted.getPort());
        Set<String> hosts = hosts(wanted.getAddress().getAddress());
        boolean isAnyWanted = wanted.getAddress().isAnyLocalAddress();
        for (String line : table) {
            String[] fields = line.trim().split(" +", -1);
            if (fields.length <= 9 || !fields[3].equals(LISTENING)) {
                continue;
            }
            String[] local = fields[1].split(":", -1);
            boolean isAny = local[0].matches("0*");
            if (local.length == 2 && local[1].equals(port) && (isAnyWanted || isAny || hosts.contains(local[0]))) {
                sockets.add("socket:[" + fields[9] + "]");
            }
        }
        return sockets;
    }

    /// An address as the kernel writes it: words of four bytes, each in the order of a little-endian machine.
    private static Set<String> hosts(byte[] address) {
        StringBuilder text = new StringBuilder();
        for (int word = 0; word < address.length; word += 4) {
            for (int i = 3; i >= 0; i--) {
                text.append(String.format(Locale.ROOT, "%02X", address[word + i]));
            }
        }
        // One of the older kind may also stand in the table of the newer one.
        return address.length == 4
                ? Set.of(text.toString(), "0000000000000000FFFF0000" + text)
                : Set.of(text.toString());
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
