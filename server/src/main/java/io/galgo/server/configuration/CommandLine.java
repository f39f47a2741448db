package io.galgo.server.configuration;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// The arguments of the server program (spec config 7).
///
/// @param fresh delete the data directory first
/// @param defaultRootCredentials fill unset root variables with `iggy`
/// @param resetRootPassword give the first user another password, and end
/// @param replicaId this node's entry in `cluster.nodes`, -1 when not given
/// @param configurationFile the configuration file, null when not given
/// @param help print the help and end
/// @param version print the version and end
public record CommandLine(
        boolean fresh,
        boolean defaultRootCredentials,
        boolean resetRootPassword,
        int replicaId,
        @Nullable String configurationFile,
        boolean help,
        boolean version) {

    /// An argument is wrong; the message says which.
    public static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        Malformed(String message) {
            super(message);
        }
    }

    public static CommandLine parse(String[] arguments) throws Malformed {
        boolean fresh = false;
        boolean defaultRootCredentials = false;
        boolean resetRootPassword = false;
        int replicaId = -1;
        String configurationFile = null;
        boolean help = false;
        boolean version = false;
        for (int i = 0; i < arguments.length; i++) {
            String argument = arguments[i];
            int equals = argument.startsWith("--") ? argument.indexOf('=') : -1;
            String name = equals < 0 ? argument : argument.substring(0, equals);
            String value = equals < 0 ? null : argument.substring(equals + 1);
            boolean takesValue = name.equals("--replica-id") || name.equals("--config");
            if (takesValue && value == null) {
                i++;
                if (i == arguments.length) {
                    throw new Malformed(name + " needs a value");
                }
                value = arguments[i];
            } else if (!takesValue && value != null) {
                throw new Malformed(name + " takes no value");
            }
            switch (name) {
                case "-f", "--fresh" -> fresh = true;
                case "--with-default-root-credentials" -> defaultRootCredentials = true;
                case "--reset-root-password" -> resetRootPassword = true;
                case "--replica-id" -> replicaId = parseReplicaId(value == null ? "" : value);
                case "--config" -> configurationFile = value;
                case "-h", "--help" -> help = true;
                case "-V", "--version" -> version = true;
                default -> throw new Malformed("unknown argument \"" + argument + "\"");
            }
        }
        if (resetRootPassword && (fresh || defaultRootCredentials)) {
            throw new Malformed(
                    "--reset-root-password goes with neither --fresh nor" + " --with-default-root-credentials");
        }
        return new CommandLine(
                fresh, defaultRootCredentials, resetRootPassword, replicaId, configurationFile, help, version);
    }

    private static int parseReplicaId(String text) throws Malformed {
        if (!text.matches("[0-9]{1,3}") || Integer.parseInt(text) > 255) {
            throw new Malformed("--replica-id needs a number 0..255, not \"" + text + "\"");
        }
        return Integer.parseInt(text);
    }

    /// What `--help` prints. A file, so that the launcher can show it where there is no JDK.
    public static String usage() {
        try (InputStream text = CommandLine.class.getResourceAsStream("usage.txt")) {
            if (text == null) {
                throw new IllegalStateException("usage.txt is not in the program");
            }
            return new String(text.readAllBytes(), StandardCharsets.UTF_8).stripTrailing();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
