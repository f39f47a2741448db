package io.galgo.server.configuration;

import io.galgo.broker.shard.BrokerSettings;
import io.galgo.server.configuration.Settings.Setting;
import io.galgo.server.configuration.Variables.Variable;
import io.galgo.server.machine.CpuAllocation;
import io.galgo.server.machine.Machine;
import io.galgo.server.machine.ShardCores;
import io.galgo.storage.form.Encryption;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// All settings of one node, checked.
///
/// @param dataPath the data directory, absolute
/// @param runtimePath the directory of run-time files, inside `dataPath`
/// @param tcp the TCP listener
/// @param shards the threads
/// @param logging where log lines go
/// @param memoryBytesMax budget of pooled memory
/// @param advertisedHost what clients are told about this node, null when nothing is set
/// @param unservedTransports transports that are switched on and that this version does not have
/// @param encryption how messages are stored; keeps the key out of texts
/// @param broker what the core needs
/// @param warnings found while loading, one line each
/// @param notes the same, less important
/// @param effective every value, for `current_config.toml`
public record ServerConfiguration(
        Path dataPath,
        Path runtimePath,
        Tcp tcp,
        Shards shards,
        Logging logging,
        long memoryBytesMax,
        @Nullable String advertisedHost,
        List<String> unservedTransports,
        Encryption encryption,
        BrokerSettings broker,
        List<String> warnings,
        List<String> notes,
        EffectiveSettings effective) {

    /// For tests only: no segment grows beyond so many bytes, whatever its topic says, so that segments are sealed
    /// and deleted under every request.
    private static final String SEGMENT_BYTES_PROPERTY = "galgo.test.segmentBytesMax";

    private static final Set<String> LEVELS = Set.of("off", "none", "error", "warn", "info", "debug", "trace");

    private static final long MEMORY_BYTES_DEFAULT = 4L << 30;
    // Frames that arrive and reads from disk need the other half of the budget.
    private static final int TAIL_SHARE = 2;
    private static final int INDEX_SHARE = 32;
    private static final long INDEX_BYTES_MAX = 64L << 20;
    private static final int RING_ENTRIES_DEFAULT = 4096;
    private static final int RING_ENTRIES_MAX = 32_768;

    /// @param isEnabled `tcp.enabled`
    /// @param address `tcp.address`; port 0 means any free one
    /// @param closeGraceNanos `message_bus.close_peer_timeout`: how long a closing connection may take to drain
    /// @param frameBytesMax `message_bus.max_message_size`
    /// @param connectionsMax connections at a time, by the limit of open files
    public record Tcp(
            boolean isEnabled,
            InetSocketAddress address,
            long closeGraceNanos,
            int frameBytesMax,
            int connectionsMax) {}

    /// @param cores one processor number a shard
    /// @param isPinned `sharding.pin_cores`
    /// @param ringEntries submission entries of each shard's ring (`IGGY_SHARD_RUNTIME_CAPACITY`)
    /// @param disk how files are accessed (`GALGO_DISK`)
    /// @param drainTimeoutNanos `sharding.shutdown_drain_timeout`
    /// @param joinTimeoutNanos `sharding.shutdown_join_timeout`
    public record Shards(
            List<Integer> cores,
            boolean isPinned,
            int ringEntries,
            DiskChoice disk,
            long drainTimeoutNanos,
            long joinTimeoutNanos) {}

    /// How files are accessed.
    public enum DiskChoice {
        /// By the ring where it works, otherwise through file channels.
        AUTO,
        RING,
        FILE
    }

    /// @param directory where `iggy-server.log` goes, null for no file
    /// @param filter level and directives, as written
    /// @param fileBytesMax size at which a file is put aside, 0 for never
    /// @param totalBytesMax total size of files put aside, 0 for no limit
    public record Logging(
            @Nullable Path directory,
            String filter,
            long fileBytesMax,
            long totalBytesMax,
            long checkIntervalNanos,
            long retentionNanos) {}

    /// The configuration cannot be used.
    public static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient List<String> problems;
        private final transient List<String> warnings;

        Refused(List<String> problems, List<String> warnings) {
            super(String.join("\n", problems));
            this.problems = problems;
            this.warnings = warnings;
        }

        /// One line each, in the order of the spec's checks.
        public List<String> problems() {
            return problems;
        }

        public List<String> warnings() {
            return warnings;
        }
    }

    /// Loads and checks everything.
    ///
    /// @param directory the working directory
    /// @param serverVersion name and version told to clients
    public static ServerConfiguration load(
            CommandLine arguments, Variables variables, Path directory, Machine machine, String serverVersion)
            throws Refused {
        Report report = new Report();
        ConfigurationFile file = readFile(arguments, variables, directory, report);
        Settings settings = Layers.merge(variables, file, report);
        if (file == null) {
            warnOfMissingFile(arguments, variables, directory, settings, report);
        }
        new Rules(settings, machine, directory, report).check();
        checkReplicaId(arguments, settings, report);
        int ringEntries = ringEntries(variables, report);
        DiskChoice disk = diskChoice(variables, report);
        RootCredentials.check(variables, report);
        if (!report.problems().isEmpty()) {
            throw new Refused(report.problems(), report.warnings());
        }
        noteSummary(variables, settings, report);
        checkLevels(variables, settings, report);
        return build(settings, variables, directory, machine, serverVersion, ringEntries, disk, report);
    }

    private static @Nullable ConfigurationFile readFile(
            CommandLine arguments, Variables variables, Path directory, Report report) throws Refused {
        Variable variable = variables.variable("CONFIG_PATH");
        String named = arguments.configurationFile();
        String wanted = named != null ? named : variable != null ? variable.value() : "core/server/config.toml";
        Path path = Path.of(wanted).isAbsolute() ? Path.of(wanted) : Variables.findUpwards(directory, wanted);
        if (path == null || !path.toFile().isFile()) {
            if (named != null) {
                Path missing = directory.resolve(named);
                report.problem("--config " + named + ": "
                        + (missing.toFile().isDirectory()
                                ? missing + " is a directory, and a file is needed, for example "
                                        + missing.resolve("config.toml")
                                : "there is no file " + missing));
            }
            return null;
        }
        String shown = path.startsWith(directory) ? directory.relativize(path).toString() : path.toString();
        try {
            ConfigurationFile file = ConfigurationFile.read(path, shown);
            report.note("Configuration file: " + shown);
            return file;
        } catch (ConfigurationFile.Unreadable unreadable) {
            // Without the file every other message would be about values that nobody wants.
            report.problem(String.valueOf(unreadable.getMessage()));
            throw new Refused(report.problems(), report.warnings());
        }
    }

    /// A file that was asked for by a variable and is not there does not refuse the start (spec config 2). Whoever
    /// started the server with another directory in mind must be able to see what happens instead.
    private static void warnOfMissingFile(
            CommandLine arguments, Variables variables, Path directory, Settings settings, Report report) {
        Variable variable = variables.variable("CONFIG_PATH");
        if (arguments.configurationFile() == null && variable != null) {
            Path wanted = directory.resolve(variable.value());
            report.warning(
                    "Configuration file not found at path: '" + variable.value() + "' (" + variable.name() + "): "
                            + (wanted.toFile().isDirectory() ? wanted + " is a directory; " : "")
                            + "this start goes on with defaults and variables, and with the data in "
                            + directory.resolve(settings.text("path")).normalize());
        }
    }

    private static void checkReplicaId(CommandLine arguments, Settings settings, Report report) {
        if (!settings.flag("cluster.enabled") && arguments.replicaId() > 0) {
            report.problem("--replica-id = " + arguments.replicaId() + ": allowed is 0 while "
                    + settings.at("cluster.enabled").mention());
        }
    }

    private static int ringEntries(Variables variables, Report report) {
        Variable variable = variables.variable("SHARD_RUNTIME_CAPACITY");
        if (variable == null) {
            return RING_ENTRIES_DEFAULT;
        }
        if (variable.value().matches("[0-9]{1,9}")) {
            int entries = Integer.parseInt(variable.value());
            if (entries >= 1 && entries <= RING_ENTRIES_MAX) {
                return Math.max(64, entries);
            }
        }
        report.problem(
                variable.name() + " = " + Kind.quoted(variable.value()) + ": allowed are 1.." + RING_ENTRIES_MAX);
        return RING_ENTRIES_DEFAULT;
    }

    private static DiskChoice diskChoice(Variables variables, Report report) {
        String value = variables.plainValue("GALGO_DISK");
        return switch (value == null ? "auto" : value.toLowerCase(Locale.ROOT)) {
            case "auto" -> DiskChoice.AUTO;
            case "ring" -> DiskChoice.RING;
            case "file" -> DiskChoice.FILE;
            default -> {
                report.problem(
                        "GALGO_DISK = " + Kind.quoted(String.valueOf(value)) + ": allowed are auto, ring and file");
                yield DiskChoice.AUTO;
            }
        };
    }

    /// A level that is none changes nothing and refuses nothing (spec config 12).
    private static void checkLevels(Variables variables, Settings settings, Report report) {
        Variable variable = variables.variableWithoutPrefix("RUST_LOG");
        Setting setting = settings.at("logging.level");
        String filter = variable == null ? (String) setting.value() : variable.value();
        for (String directive : filter.split(",", -1)) {
            String level = directive.substring(directive.indexOf('=') + 1).strip();
            if (!LEVELS.contains(level.toLowerCase(Locale.ROOT))) {
                report.warning((variable == null ? setting.mention() : "RUST_LOG = " + Kind.quoted(filter)) + ": "
                        + Kind.quoted(level) + " is no level and changes nothing; levels are off, error, warn, info,"
                        + " debug and trace");
            }
        }
    }

    private static void noteSummary(Variables variables, Settings settings, Report report) {
        String display = variables.value("DISPLAY_CONFIG");
        if (display != null && !display.equals("1") && !display.equals("true")) {
            return;
        }
        StringBuilder given = new StringBuilder();
        for (Setting setting : settings.all()) {
            if (setting.isGiven()) {
                given.append(given.isEmpty() ? " " : ", ")
                        .append(setting.path())
                        .append(" = ")
                        .append(setting.shown());
            }
        }
        report.note("Using Config: {" + given + (given.isEmpty() ? "defaults}" : " }, otherwise defaults"));
    }

    private static ServerConfiguration build(
            Settings settings,
            Variables variables,
            Path directory,
            Machine machine,
            String serverVersion,
            int ringEntries,
            DiskChoice disk,
            Report report) {
        Path dataPath =
                directory.resolve(settings.text("path")).toAbsolutePath().normalize();
        InetSocketAddress address = AddressText.parseSocketAddress(settings.text("tcp.address"));
        boolean pinned = settings.flag("sharding.pin_cores");
        ShardCores cores = ShardCores.choose(
                (CpuAllocation) settings.at("sharding.cpu_allocation").value(), machine, pinned);
        if (address == null || !(cores instanceof ShardCores.Chosen(List<Integer> chosen))) {
            throw new IllegalStateException("the rules let a wrong value through");
        }
        List<String> unserved = new ArrayList<>();
        for (String transport : List.of("http", "quic", "websocket")) {
            if (settings.flag(transport + ".enabled")) {
                unserved.add(transport);
            }
        }
        String advertised = settings.textOrNull("node.advertised_address");
        int frameBytesMax = settings.count("message_bus.max_message_size");
        long memoryBytesMax = memoryBytesMax(settings, machine);
        HandleShares handles = HandleShares.of(machine.openFilesMax(), chosen.size());
        return new ServerConfiguration(
                dataPath,
                dataPath.resolve(settings.text("runtime.path")),
                new Tcp(
                        settings.flag("tcp.enabled"),
                        address,
                        settings.number("message_bus.close_peer_timeout"),
                        frameBytesMax,
                        handles.connections()),
                new Shards(
                        chosen,
                        pinned,
                        ringEntries,
                        disk,
                        settings.number("sharding.shutdown_drain_timeout"),
                        settings.number("sharding.shutdown_join_timeout")),
                logging(settings, variables, directory, dataPath),
                memoryBytesMax,
                advertised == null ? null : AddressText.parseAdvertised(advertised),
                List.copyOf(unserved),
                encryption(settings),
                broker(settings, serverVersion, frameBytesMax, memoryBytesMax, chosen.size(), handles),
                List.copyOf(report.warnings()),
                List.copyOf(report.notes()),
                new EffectiveSettings(settings));
    }

    private static Logging logging(Settings settings, Variables variables, Path directory, Path dataPath) {
        String path = settings.text("logging.path");
        Path besideUs = directory.resolve(path);
        Path logs = besideUs.toFile().isDirectory() ? besideUs.toAbsolutePath().normalize() : dataPath.resolve(path);
        String filter = variables.plainValue("RUST_LOG");
        return new Logging(
                settings.flag("logging.file_enabled") ? logs : null,
                filter == null ? settings.text("logging.level") : filter,
                settings.number("logging.max_file_size"),
                settings.number("logging.max_total_size"),
                settings.number("logging.rotation_check_interval"),
                settings.number("logging.retention"));
    }

    private static long memoryBytesMax(Settings settings, Machine machine) {
        Setting size = settings.at("memory_pool.size");
        if (size.isGiven()) {
            return (Long) size.value();
        }
        return Math.min(MEMORY_BYTES_DEFAULT, machine.memoryBytes() / 2) / 4096 * 4096;
    }

    private static BrokerSettings broker(
            Settings settings,
            String serverVersion,
            int frameBytesMax,
            long memoryBytesMax,
            int shardsCount,
            HandleShares handles) {
        return new BrokerSettings(
                serverVersion,
                settings.text("cluster.name"),
                frameBytesMax,
                settings.count("message_bus.client_queue_capacity"),
                settings.count("sharding.inbox_capacity"),
                settings.count("metadata.prepare_queue_depth"),
                settings.count("metadata.journal_slots"),
                settings.count("metadata.clients_table_max"),
                settings.count("partition.prepare_queue_depth"),
                settings.count("partition.dedup_clients_max"),
                settings.count("partition.consumer_offsets_max"),
                settings.count("partition.offset_reservation_lease"),
                settings.count("sharding.poll_completion_capacity"),
                memoryBytesMax / TAIL_SHARE / shardsCount,
                Math.min(INDEX_BYTES_MAX, memoryBytesMax / INDEX_SHARE) / shardsCount,
                handles.segmentFiles(),
                handles.offsetFiles(),
                settings.flag("partition.validate_checksum"),
                settings.flag("heartbeat.enabled"),
                settings.number("heartbeat.interval"),
                settings.number("consumer_group.rebalancing_timeout"),
                settings.number("long_poll.max_wait"),
                Math.ceilDiv(settings.count("long_poll.waiters_max"), shardsCount),
                settings.number("personal_access_token.max_tokens_per_user"),
                settings.flag("personal_access_token.cleaner.enabled"),
                settings.number("personal_access_token.cleaner.interval"),
                settings.flag("data_maintenance.messages.cleaner_enabled"),
                settings.number("data_maintenance.messages.interval"),
                Long.getLong(SEGMENT_BYTES_PROPERTY, Long.MAX_VALUE));
    }

    /// A key without encryption keeps what was encrypted before readable.
    private static Encryption encryption(Settings settings) {
        byte[] key = Rules.encryptionKey(settings.text("encryption.key"));
        return key == null ? Encryption.NONE : Encryption.with(key, settings.flag("encryption.enabled"));
    }

    /// What a node makes directly in its data directory.
    public Set<String> ownNames() {
        Set<String> names = new TreeSet<>(Set.of(
                "streams",
                "metadata",
                "state",
                "node.state",
                "node.state.tmp",
                "encryption.check",
                "encryption.check.tmp",
                "discarded"));
        names.add(dataPath.relativize(runtimePath).getName(0).toString());
        Path logs = logging.directory();
        if (logs != null && logs.startsWith(dataPath) && !logs.equals(dataPath)) {
            names.add(dataPath.relativize(logs).getName(0).toString());
        } else if (logs == null) {
            names.add("logs");
        }
        return names;
    }
}
