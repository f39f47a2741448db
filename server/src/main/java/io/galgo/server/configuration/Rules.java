package io.galgo.server.configuration;

import io.galgo.server.configuration.Settings.Setting;
import io.galgo.server.machine.CpuAllocation;
import io.galgo.server.machine.Machine;
import io.galgo.server.machine.ShardCores;
import io.galgo.storage.form.Encryption;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What the values must be, alone and together (spec config 5, 6), in the order of the spec.
///
/// Every rule that is broken is reported; a value that could not be read is in no rule.
final class Rules {
    private static final long KIB = 1024;
    private static final long MIB = 1024 * KIB;
    private static final long GIB = 1024 * MIB;
    private static final long SECOND = 1_000_000_000L;
    private static final long QUEUE_MAX = 1_048_576;
    private static final long VARINT_MAX = (1L << 62) - 1;
    private static final long U32_MAX = 4_294_967_295L;
    private static final long WEB_SOCKET_BUFFER_DEFAULT = 128 * KIB;
    private static final int SECRET_BYTES_MIN = 32;
    private static final int PREPARE_DEPTH_MAX = 127;
    private static final long INTERVAL_SENSIBLE_NANOS = 10_000_000L;

    private static final String ADDRESS_ALLOWED =
            "a literal IP and a port are needed, for example 127.0.0.1:8090 or [::1]:8090";
    private static final String ADVERTISED_ALLOWED =
            "an IP address or a host name without a port is needed, and not an unspecified address";
    private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern HEADER_VALUE = Pattern.compile("[\\t\\x20-\\x7e\\x80-\\xff]*");
    private static final Set<String> METHODS =
            Set.of("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "CONNECT", "PATCH", "TRACE");
    private static final String[] LISTENERS = {"tcp", "websocket", "quic", "http"};

    private final Settings settings;
    private final Machine machine;
    private final Path directory;
    private final Report report;

    /// @param directory where relative paths start
    Rules(Settings settings, Machine machine, Path directory, Report report) {
        this.settings = settings;
        this.machine = machine;
        this.directory = directory;
        this.report = report;
    }

    void check() {
        checkPaths();
        checkMemoryPool();
        positiveWhen("data_maintenance.messages.interval", "data_maintenance.messages.cleaner_enabled");
        number("personal_access_token.max_tokens_per_user", value -> value > 0, "allowed are 1..4294967295");
        positiveWhen("personal_access_token.cleaner.interval", "personal_access_token.cleaner.enabled");
        checkTelemetry();
        checkSharding();
        checkCluster();
        advertised("node.advertised_address");
        socketAddress("tcp.address");
        checkWildcard();
        checkMetadata();
        checkPartition();
        checkLogging();
        checkHttp();
        checkMessageBus();
        checkTransfer();
        checkRepairChunk();
        number("message_bus.max_message_size", value -> value > 256, "allowed are 257 B to 256 MiB");
        checkWebSocket();
        checkQuic();
        duration("consumer_group.rebalancing_timeout", value -> value > 0, "must be longer than zero");
        positiveWhen("heartbeat.interval", "heartbeat.enabled");
        checkEncryption();
        checkMissingFeatures();
    }

    // ---- paths

    private void checkPaths() {
        text("path", Rules::isPath, "a directory is needed");
        // The directory is wiped at each start, so it must not be, or hold, anything else.
        text(
                "runtime.path",
                Rules::isOwnDirectory,
                "the name of a directory inside path is needed, and none that the server keeps data in");
        text("logging.path", Rules::isPath, "a directory is needed");
    }

    private static boolean isPath(String value) {
        return !value.isBlank() && value.indexOf('\0') < 0;
    }

    private static boolean isOwnDirectory(String value) {
        Path path = Path.of(isPath(value) ? value : "").normalize();
        String first = path.isAbsolute() ? "" : path.getName(0).toString();
        return !first.isEmpty()
                && !first.equals("..")
                && !Set.of("streams", "metadata", "state", "logs", "galgo.lock").contains(first);
    }

    // ---- memory, telemetry, threads

    private void checkMemoryPool() {
        Setting size = settings.find("memory_pool.size");
        if (size != null && size.isGiven()) {
            number(
                    "memory_pool.size",
                    value -> value >= 512 * MIB && value % 4096 == 0,
                    "allowed are multiples of 4096 B from 512 MiB");
            if (Long.compareUnsigned((Long) size.value(), machine.memoryBytes()) > 0) {
                report.warning(size.mention() + " is more than the " + machine.memoryBytes() / MIB
                        + " MiB of memory that there are: the system may end the process before it is used up");
            }
        }
        number(
                "memory_pool.bucket_capacity",
                value -> value >= 128 && Long.bitCount(value) == 1,
                "allowed are powers of two from 128");
    }

    private void checkTelemetry() {
        if (settings.flag("telemetry.enabled")) {
            for (String key : List.of("service_name", "logs.endpoint", "traces.endpoint")) {
                text("telemetry." + key, value -> !value.isBlank(), "must not be empty while telemetry.enabled = true");
            }
        }
    }

    private void checkSharding() {
        Setting allocation = settings.find("sharding.cpu_allocation");
        if (allocation != null) {
            boolean pinned = settings.flag("sharding.pin_cores");
            ShardCores choice = ShardCores.choose(allocationOf(allocation), machine, pinned);
            if (choice instanceof ShardCores.Refused(String allowed)) {
                report.problem(allocation.path(), allocation.shown(), allocation.origin(), allowed);
            } else if (!pinned && allocation.isGiven() && allocationOf(allocation) instanceof CpuAllocation.Numa) {
                report.warning(allocation.mention() + " chooses cores, but sharding.pin_cores = false pins no thread");
            }
        }
        range("sharding.inbox_capacity", 1, QUEUE_MAX);
        range("sharding.reply_inbox_capacity", 1, QUEUE_MAX);
        range("sharding.poll_completion_capacity", 1, QUEUE_MAX);
        duration(
                "sharding.shutdown_drain_timeout",
                value -> value > 0 && value <= 600 * SECOND,
                "allowed are more than zero and up to 600 s");
        duration(
                "sharding.shutdown_poll_interval",
                value -> value > 0 && value <= 5 * SECOND,
                "allowed are more than zero and up to 5 s");
        atMost("sharding.shutdown_poll_interval", "sharding.shutdown_drain_timeout");
        duration("sharding.shutdown_join_timeout", value -> value <= 900 * SECOND, "allowed are up to 900 s");
        atMost("sharding.shutdown_drain_timeout", "sharding.shutdown_join_timeout");
        duration(
                "sharding.reconcile_periodic_interval",
                value -> value > 0 && value <= 30 * SECOND,
                "allowed are more than zero and up to 30 s");
    }

    private static CpuAllocation allocationOf(Setting setting) {
        return (CpuAllocation) setting.value();
    }

    // ---- cluster

    private void checkCluster() {
        duration(
                "cluster.superblock_wedged_fatal_timeout",
                value -> value == 0 || value >= 30 * SECOND,
                "allowed are 0, which switches it off, or 30 s and more");
        if (!settings.flag("cluster.enabled")) {
            checkAdvertisedNodes();
            return;
        }
        text("cluster.name", value -> !value.isBlank(), "must not be blank while cluster.enabled = true");
        duration("cluster.heartbeat_timeout", value -> value >= 2 * SECOND, "allowed are 2 s and more");
        fourTimes("cluster.heartbeat_timeout", "cluster.commit_broadcast_interval");
        fourTimes("cluster.view_change_status_timeout", "cluster.view_change_retransmit_interval");
        for (String key : List.of(
                "commit_broadcast_interval",
                "prepare_retransmit_interval",
                "view_change_retransmit_interval",
                "view_change_status_timeout",
                "request_start_view_retransmit_interval",
                "repair_retry_interval",
                "repair_gap_debounce_interval")) {
            duration("cluster." + key, value -> value > 0, "must be longer than zero");
        }
        range("cluster.view_probe_attempts_max", 1, 100);
        checkClusterSecrets();
        checkClusterTls();
        checkNodes();
        checkAdvertisedNodes();
        checkPorts();
    }

    private void checkClusterSecrets() {
        Setting secret = settings.find("cluster.auth.shared_secret");
        Setting previous = settings.find("cluster.auth.previous_shared_secret");
        if (secret != null) {
            if (settings.flag("cluster.auth.enabled") && secret.value().equals("")) {
                refuse(secret, "must not be empty while cluster.auth.enabled = true");
            }
            secretLength(secret);
        }
        if (previous != null) {
            secretLength(previous);
            if (secret != null
                    && !previous.value().equals("")
                    && previous.value().equals(secret.value())) {
                refuse(previous, "must differ from cluster.auth.shared_secret");
            }
        }
    }

    private void secretLength(Setting secret) {
        int bytes = ((String) secret.value()).getBytes(StandardCharsets.UTF_8).length;
        if (bytes > 0 && bytes < SECRET_BYTES_MIN) {
            refuse(secret, "allowed are " + SECRET_BYTES_MIN + " bytes and more");
        }
    }

    private void checkClusterTls() {
        if (!settings.flag("cluster.tls.enabled")) {
            return;
        }
        if (!settings.flag("cluster.auth.enabled")) {
            refuse(settings.at("cluster.tls.enabled"), "needs cluster.auth.enabled = true");
        }
        if (!settings.flag("cluster.tls.self_signed")) {
            for (String key : List.of("cert_file", "key_file", "ca_file")) {
                readableFile("cluster.tls." + key);
            }
        }
    }

    private void checkNodes() {
        int count = settings.elementsCount("cluster.nodes");
        if (count < 1 || count > 255) {
            report.problem("cluster.nodes has " + count + " elements: allowed are 1..255 while cluster.enabled = true");
        }
        Set<Object> names = new HashSet<>();
        Set<Object> ids = new HashSet<>();
        for (int i = 0; i < count; i++) {
            String node = "cluster.nodes[" + i + "]";
            Setting name = settings.find(node + ".name");
            if (name != null && (name.value().toString().isBlank() || !names.add(name.value()))) {
                refuse(name, "a name that no other node has is needed");
            }
            Setting id = settings.find(node + ".replica_id");
            if (id != null && ((Long) id.value() >= count || !ids.add(id.value()))) {
                refuse(id, "allowed are 0.." + (count - 1) + ", each once");
            }
            Setting ip = settings.find(node + ".ip");
            if (ip != null) {
                InetAddress address = AddressText.parseIp((String) ip.value());
                if (address == null || AddressText.isWildcard(address)) {
                    refuse(ip, "a literal IP address is needed, and not an unspecified one");
                }
            }
        }
    }

    private void checkAdvertisedNodes() {
        for (int i = 0; i < settings.elementsCount("cluster.nodes"); i++) {
            String node = "cluster.nodes[" + i + "]";
            advertised(node + ".advertised_address");
            int count = settings.elementsCount(node + ".advertised_addresses");
            Set<Object> networks = new HashSet<>();
            for (int j = 0; j < count; j++) {
                String selector = node + ".advertised_addresses[" + j + "]";
                advertised(selector + ".address");
                Setting network = settings.find(selector + ".client_cidr");
                if (network != null) {
                    AddressText.Cidr cidr = AddressText.parseCidr((String) network.value());
                    if (cidr == null) {
                        refuse(network, "a network is needed, for example 10.0.0.0/8 or fd00::/8");
                    } else if (!networks.add(cidr)) {
                        refuse(network, "each network may stand once in a node");
                    }
                }
            }
        }
        checkSharedAddresses();
    }

    /// One address that leads clients of the same network to two nodes would make them take one node for the other.
    private void checkSharedAddresses() {
        record Selector(int node, Setting address, String canonical, AddressText.@Nullable Cidr network) {}
        List<Selector> selectors = new ArrayList<>();
        for (int i = 0; i < settings.elementsCount("cluster.nodes"); i++) {
            String node = "cluster.nodes[" + i + "]";
            for (int j = 0; j < settings.elementsCount(node + ".advertised_addresses"); j++) {
                String path = node + ".advertised_addresses[" + j + "]";
                Setting address = settings.find(path + ".address");
                Setting network = settings.find(path + ".client_cidr");
                String canonical = address == null ? null : AddressText.parseAdvertised((String) address.value());
                if (address != null && network != null && canonical != null) {
                    selectors.add(new Selector(i, address, canonical, AddressText.parseCidr((String) network.value())));
                }
            }
        }
        for (int i = 0; i < selectors.size(); i++) {
            for (int j = i + 1; j < selectors.size(); j++) {
                Selector one = selectors.get(i);
                Selector other = selectors.get(j);
                if (one.node() != other.node()
                        && one.network() != null
                        && other.network() != null
                        && one.canonical().equals(other.canonical())
                        && one.network().overlaps(other.network())
                        && sharesPort(one.node(), other.node())) {
                    refuse(
                            other.address(),
                            "clients of an overlapping network already reach another node there: "
                                    + one.address().mention());
                }
            }
        }
    }

    private boolean sharesPort(int node, int otherNode) {
        for (String transport : List.of("tcp", "quic", "http", "websocket")) {
            Setting port = settings.find("cluster.nodes[" + node + "].ports." + transport);
            Setting other = settings.find("cluster.nodes[" + otherNode + "].ports." + transport);
            if (port != null && other != null && port.value().equals(other.value())) {
                return true;
            }
        }
        return false;
    }

    private void checkPorts() {
        Map<String, String> taken = new HashMap<>();
        for (int i = 0; i < settings.elementsCount("cluster.nodes"); i++) {
            Setting ip = settings.find("cluster.nodes[" + i + "].ip");
            for (String name : List.of("tcp", "quic", "http", "websocket", "tcp_replica")) {
                String path = "cluster.nodes[" + i + "].ports." + name;
                Setting port = settings.find(path);
                boolean needed = name.startsWith("tcp") || settings.flag(name + ".enabled");
                if (port == null && needed && !settings.isBroken(path)) {
                    report.problem(path + " is missing: a cluster needs it on every node");
                } else if (port != null && port.value().equals(0L)) {
                    refuse(port, "allowed are 1..65535 in a cluster");
                } else if (port != null && ip != null) {
                    String owner = taken.putIfAbsent(ip.value() + ":" + port.value(), path);
                    if (owner != null) {
                        refuse(port, owner + " has the same address and port");
                    }
                }
            }
        }
    }

    // ---- addresses

    private void checkWildcard() {
        if (settings.flag("cluster.enabled") || settings.textOrNull("node.advertised_address") != null) {
            return;
        }
        for (String listener : LISTENERS) {
            if (settings.flag(listener + ".enabled")) {
                Setting address = settings.find(listener + ".address");
                InetSocketAddress parsed =
                        address == null ? null : AddressText.parseSocketAddress((String) address.value());
                if (address != null && parsed != null && AddressText.isWildcard(parsed.getAddress())) {
                    report.warning(address.mention() + " binds every interface and node.advertised_address is not set:"
                            + " each client is told the address that it connected to");
                }
                return;
            }
        }
    }

    private void advertised(String path) {
        text(path, value -> AddressText.parseAdvertised(value) != null, ADVERTISED_ALLOWED);
    }

    private void socketAddress(String path) {
        text(path, value -> AddressText.parseSocketAddress(value) != null, ADDRESS_ALLOWED);
    }

    // ---- metadata, partitions, logging

    private void checkMetadata() {
        range("metadata.prepare_queue_depth", 1, PREPARE_DEPTH_MAX);
        Setting slots = settings.find("metadata.journal_slots");
        Setting depth = settings.find("metadata.prepare_queue_depth");
        if (slots != null && depth != null && (Long) depth.value() <= PREPARE_DEPTH_MAX) {
            long least = 4 * Math.max(64, (Long) depth.value());
            if ((Long) slots.value() < least || (Long) slots.value() > QUEUE_MAX) {
                refuse(
                        slots,
                        "allowed are " + least + ".." + QUEUE_MAX + ", at least 4 x max(64, " + depth.mention() + ")");
            }
        }
        range("metadata.clients_table_max", 2, 65_536);
    }

    private void checkPartition() {
        long least = 128 * MIB + 8 * KIB;
        number(
                "partition.wal_bytes_max",
                value -> value % 4096 == 0 && value >= least && value <= 4 * GIB,
                "allowed are multiples of 4096 B from " + least + " B (128 MiB + 8 KiB) to 4 GiB");
        range("partition.wal_group_commit_delay_micros", 0, 10_000);
        range("partition.prepare_queue_depth", 1, PREPARE_DEPTH_MAX);
        range("partition.dedup_clients_max", 1, 65_536);
        range("partition.consumer_offsets_max", 1, 262_144);
        range("partition.offset_reservation_lease", 1, 16_777_216);
        range("partition.evicted_ring_capacity", 1, 65_536);
        range("long_poll.waiters_max", 0, 1 << 20);
        number(
                "partition.evicted_ring_bytes_max",
                value -> value > 0 && value <= 256 * MIB,
                "allowed are more than zero and up to 256 MiB");
        number(
                "partition.transfer_served_cache_bytes_max",
                value -> value > 0 && value <= 64 * GIB,
                "allowed are more than zero and up to 64 GiB");
        number(
                "partition.transfer_artifact_bytes_max",
                value -> value > 0 && value <= 64 * GIB,
                "allowed are more than zero and up to 64 GiB");
    }

    private void checkLogging() {
        text("logging.level", value -> !value.isBlank(), "must not be empty, for example \"info\"");
        Setting file = settings.find("logging.max_file_size");
        Setting total = settings.find("logging.max_total_size");
        if (file != null && total != null && !total.value().equals(0L) && (Long) file.value() > (Long) total.value()) {
            refuse(file, "allowed is at most " + total.mention());
        }
        duration("logging.rotation_check_interval", value -> value >= SECOND, "allowed are 1 s and more");
        duration("logging.retention", value -> value >= SECOND, "allowed are 1 s and more");
    }

    // ---- HTTP

    private void checkHttp() {
        if (!settings.flag("http.enabled")) {
            return;
        }
        socketAddress("http.address");
        Setting expiry = settings.find("http.jwt.access_token_expiry");
        if (expiry != null && expiry.value() instanceof Expiry.ServerDefault) {
            refuse(expiry, "there is no default to fall back to; allowed are never_expire or a duration");
        }
        text(
                "http.jwt.algorithm",
                value -> List.of("HS256", "HS384", "HS512").contains(value),
                "allowed are HS256, HS384 and HS512");
        if (settings.flag("http.tls.enabled")) {
            readableFile("http.tls.cert_file");
            readableFile("http.tls.key_file");
        }
        number("http.max_request_size", value -> value <= 256 * MIB, "allowed are up to 256 MiB");
        if (settings.flag("http.web_ui")) {
            report.warning(settings.at("http.web_ui").mention() + ": this version has no web UI");
        }
        checkCors();
        checkJwtSecrets();
        checkTrustedIssuers();
        if (settings.flag("http.metrics.enabled")) {
            text("http.metrics.endpoint", value -> value.startsWith("/"), "a path that starts with \"/\" is needed");
        }
    }

    private void checkCors() {
        if (!settings.flag("http.cors.enabled")) {
            return;
        }
        Setting methods = settings.find("http.cors.allowed_methods");
        if (methods != null) {
            for (String method : settings.texts(methods.path())) {
                if (!method.isBlank() && !METHODS.contains(method.strip().toUpperCase(Locale.ROOT))) {
                    refuse(methods, "allowed are GET POST PUT DELETE HEAD OPTIONS CONNECT PATCH TRACE");
                    break;
                }
            }
        }
        corsList("http.cors.allowed_origins", HEADER_VALUE);
        corsList("http.cors.allowed_headers", HEADER_NAME);
        corsList("http.cors.exposed_headers", HEADER_NAME);
    }

    private void corsList(String path, Pattern grammar) {
        Setting setting = settings.find(path);
        if (setting == null) {
            return;
        }
        List<String> items = new ArrayList<>();
        for (String item : settings.texts(path)) {
            if (!item.isBlank()) {
                items.add(item.strip());
            }
        }
        boolean any = !items.isEmpty() && items.getFirst().equals("*");
        if (items.lastIndexOf("*") > 0) {
            refuse(setting, "\"*\" is allowed as the first entry only");
        }
        if (any && settings.flag("http.cors.allow_credentials")) {
            refuse(
                    setting,
                    "\"*\" is not allowed with "
                            + settings.at("http.cors.allow_credentials").mention());
        }
        for (String item : items) {
            if (!item.equals("*") && !grammar.matcher(item).matches()) {
                refuse(setting, "\"" + item + "\" cannot stand in a header");
                break;
            }
        }
    }

    private void checkJwtSecrets() {
        if (!settings.flag("http.jwt.use_base64_secret")) {
            return;
        }
        for (String key : List.of("http.jwt.encoding_secret", "http.jwt.decoding_secret")) {
            text(
                    key,
                    value -> value.isEmpty() || decode(value) != null,
                    "standard base64 is needed while http.jwt.use_base64_secret = true");
        }
    }

    private static byte @Nullable [] decode(String text) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException malformed) {
            return null;
        }
    }

    private void checkTrustedIssuers() {
        for (int i = 0; i < settings.elementsCount("http.jwt.trusted_issuers"); i++) {
            String issuer = "http.jwt.trusted_issuers[" + i + "]";
            text(issuer + ".issuer", value -> !value.isEmpty(), "must not be empty");
            text(issuer + ".jwks_url", value -> !value.isEmpty(), "must not be empty");
            number(
                    issuer + ".user_id",
                    value -> value > 0,
                    "allowed are 1..4294967295; tokens of other issuers never act as root");
        }
    }

    // ---- the bus, WebSocket, QUIC

    private void checkMessageBus() {
        range("message_bus.max_batch", 1, 512);
        number("message_bus.max_message_size", value -> value <= 256 * MIB, "allowed are 257 B to 256 MiB");
        number(
                "message_bus.peer_queue_capacity",
                value -> value > 0 && value <= Integer.MAX_VALUE,
                "allowed are 1..2147483647");
        number(
                "message_bus.client_queue_capacity",
                value -> value > 0 && value <= Integer.MAX_VALUE,
                "allowed are 1..2147483647");
        for (String key : List.of("reconnect_period", "close_peer_timeout", "close_grace", "handshake_grace")) {
            duration("message_bus." + key, value -> value > 0, "must be longer than zero");
        }
    }

    private void checkTransfer() {
        Setting artifact = settings.find("partition.transfer_artifact_bytes_max");
        Setting message = settings.find("message_bus.max_message_size");
        Setting cache = settings.find("partition.transfer_served_cache_bytes_max");
        if (artifact != null && message != null && (Long) artifact.value() < GIB + (Long) message.value()) {
            refuse(artifact, "allowed are 1 GiB more than " + message.mention() + " and above");
        }
        if (cache != null && artifact != null && (Long) cache.value() < 2 * (Long) artifact.value()) {
            report.warning(cache.mention() + " holds fewer than two artifacts of " + artifact.mention());
        }
    }

    private void checkRepairChunk() {
        Setting chunk = settings.find("cluster.repair_chunk_max");
        Setting queue = settings.find("message_bus.peer_queue_capacity");
        if (chunk != null) {
            long value = (Long) chunk.value();
            boolean fits = queue == null || value < (Long) queue.value();
            if (value < 1 || value > 1024 || !fits) {
                refuse(chunk, "allowed are 1..1024" + (queue == null ? "" : ", and less than " + queue.mention()));
            }
        }
    }

    private void checkWebSocket() {
        if (settings.flag("websocket.enabled")) {
            socketAddress("websocket.address");
        }
        atMost("websocket.max_message_size", "message_bus.max_message_size");
        atMost("websocket.max_frame_size", "websocket.max_message_size");
        for (String key : List.of(
                "read_buffer_size",
                "write_buffer_size",
                "max_write_buffer_size",
                "max_message_size",
                "max_frame_size")) {
            number("websocket." + key, value -> value > 0, "must be more than zero");
        }
        Setting max = settings.find("websocket.max_write_buffer_size");
        if (max != null) {
            Setting write = settings.find("websocket.write_buffer_size");
            long least = write == null ? WEB_SOCKET_BUFFER_DEFAULT : (Long) write.value();
            if ((Long) max.value() <= least && (Long) max.value() > 0) {
                refuse(
                        max,
                        "must be more than "
                                + (write == null
                                        ? "websocket.write_buffer_size = 128 KiB (default)"
                                        : write.mention()));
            }
        }
    }

    private void checkQuic() {
        if (settings.flag("quic.enabled")) {
            socketAddress("quic.address");
        }
        range("quic.max_concurrent_bidi_streams", 1, U32_MAX);
        number("quic.initial_mtu", value -> value >= 1200 && value <= 65_535, "allowed are 1200 B to 65535 B");
        number("quic.send_window", value -> value <= VARINT_MAX, "allowed are up to 2^62 - 1 bytes");
        number("quic.receive_window", value -> value <= U32_MAX, "allowed are up to 4294967295 B");
        number(
                "quic.stream_receive_window",
                value -> value > 0 && value <= U32_MAX,
                "allowed are more than zero and up to 4294967295 B");
        atMost("quic.stream_receive_window", "quic.receive_window");
        duration("quic.max_idle_timeout", value -> value / 1_000_000 <= VARINT_MAX, "allowed are up to 2^62 - 1 ms");
    }

    // ---- encryption at rest

    private void checkEncryption() {
        if (settings.flag("encryption.enabled")) {
            text(
                    "encryption.key",
                    value -> encryptionKey(value) != null,
                    "standard base64 of exactly 32 bytes is needed while encryption.enabled = true, for example from"
                            + " openssl rand -base64 32");
        }
    }

    /// The key that a text stands for, null when it is none.
    static byte @Nullable [] encryptionKey(String text) {
        byte[] key = decode(text);
        return key != null && key.length == Encryption.KEY_BYTES ? key : null;
    }

    // ---- what this version cannot do

    // Whoever asks for protection or for a second copy must not run without it unawares.
    private void checkMissingFeatures() {
        missing("tcp.tls.enabled", "TLS");
        missing("cluster.enabled", "clustering");
        missing("telemetry.enabled", "the export of logs and traces");
        checkUnservedTransports();
    }

    // A file that was written for Iggy may name them, and nothing is less protected without them. But somebody may
    // wait for them.
    private void checkUnservedTransports() {
        for (String transport : List.of("http", "quic", "websocket")) {
            Setting isOn = settings.find(transport + ".enabled");
            if (isOn != null && isOn.isGiven() && settings.flag(isOn.path())) {
                Setting address = settings.find(transport + ".address");
                report.warning(isOn.mention() + ": this version of Galgo does not serve " + transport
                        + " yet; nothing listens"
                        + (address == null ? "" : " on " + address.shown().replace("\"", "")));
            }
        }
    }

    private void missing(String path, String feature) {
        if (settings.flag(path)) {
            refuse(settings.at(path), "this version of Galgo does not have " + feature + " yet; allowed is false");
        }
    }

    // ---- the forms of rules

    private void refuse(Setting setting, String allowed) {
        report.problem(setting.path(), setting.shown(), setting.origin(), allowed);
    }

    private void number(String path, LongPredicate isRight, String allowed) {
        Setting setting = settings.find(path);
        if (setting != null && !isRight.test((Long) setting.value())) {
            refuse(setting, allowed);
        }
    }

    private void duration(String path, LongPredicate isRight, String allowed) {
        number(path, isRight, allowed);
    }

    private void range(String path, long least, long most) {
        number(path, value -> value >= least && value <= most, "allowed are " + least + ".." + most);
    }

    private void text(String path, java.util.function.Predicate<String> isRight, String allowed) {
        Setting setting = settings.find(path);
        if (setting != null && !isRight.test((String) setting.value())) {
            refuse(setting, allowed);
        }
    }

    private void positiveWhen(String path, String switchPath) {
        if (settings.flag(switchPath)) {
            duration(path, value -> value > 0, "must be longer than zero while " + switchPath + " = true");
            Setting interval = settings.find(path);
            if (interval != null && (Long) interval.value() > 0 && (Long) interval.value() < INTERVAL_SENSIBLE_NANOS) {
                report.warning(interval.mention()
                        + " is shorter than 10 ms: what is done that often takes the processor from clients");
            }
        }
    }

    private void atMost(String path, String limitPath) {
        Setting setting = settings.find(path);
        Setting limit = settings.find(limitPath);
        if (setting != null && limit != null && (Long) setting.value() > (Long) limit.value()) {
            refuse(setting, "allowed is at most " + limit.mention());
        }
    }

    private void fourTimes(String path, String partPath) {
        Setting setting = settings.find(path);
        Setting part = settings.find(partPath);
        if (setting != null && part != null && (Long) setting.value() / 4 < (Long) part.value()) {
            refuse(setting, "allowed is at least four times " + part.mention());
        }
    }

    private void readableFile(String path) {
        text(
                path,
                value -> !value.isBlank() && Files.isReadable(directory.resolve(value)),
                "a file that can be read is needed");
    }
}
