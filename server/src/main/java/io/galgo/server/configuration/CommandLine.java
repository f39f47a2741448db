package io.galgo.server.configuration;

import org.jspecify.annotations.Nullable;

/// The arguments of the server program (spec config 7).
///
/// @param fresh delete the data directory first
/// @param defaultRootCredentials fill unset root variables with `iggy`
/// @param replicaId this node's entry in `cluster.nodes`, -1 when not given
/// @param configurationFile the configuration file, null when not given
/// @param help print the help and end
/// @param version print the version and end
public record CommandLine(
        boolean fresh,
        boolean defaultRootCredentials,
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
                case "--replica-id" -> replicaId = parseReplicaId(value == null ? "" : value);
                case "--config" -> configurationFile = value;
                case "-h", "--help" -> help = true;
                case "-V", "--version" -> version = true;
                default -> throw new Malformed("unknown argument \"" + argument + "\"");
            }
        }
        return new CommandLine(fresh, defaultRootCredentials, replicaId, configurationFile, help, version);
    }

    private static int parseReplicaId(String text) throws Malformed {
        if (!text.matches("[0-9]{1,3}") || Integer.parseInt(text) > 255) {
            throw new Malformed("--replica-id needs a number 0..255, not \"" + text + "\"");
        }
        return Integer.parseInt(text);
    }

    /// What `--help` prints.
    public static String usage() {
        return """
            usage: ./galgo server [ARGUMENT...]

            Starts a Galgo node in the foreground. SIGINT or SIGTERM stops it after what is running is on disk.

              -f, --fresh                       delete the data directory before the start
                  --with-default-root-credentials
                                                name and password of the first user are iggy where the variables
                                                IGGY_ROOT_USERNAME and IGGY_ROOT_PASSWORD do not say otherwise (INSECURE)
                  --config FILE                 read this configuration file
                  --replica-id N                this node's number in cluster.nodes
              -h, --help                        print this
              -V, --version                     print the version

            Configuration: built-in defaults, then the file (IGGY_CONFIG_PATH or --config, otherwise
            core/server/config.toml), then variables: tcp.address is IGGY_TCP_ADDRESS or GALGO_TCP_ADDRESS.
            IGGY_ROOT_USERNAME and IGGY_ROOT_PASSWORD name the first user of a new data directory.
            GALGO_DISK=ring or GALGO_DISK=file chooses how files are accessed; otherwise a test at the start does.
            RUST_LOG is the log level (off, error, warn, info, debug, trace) and wins over logging.level.""";
    }
}
