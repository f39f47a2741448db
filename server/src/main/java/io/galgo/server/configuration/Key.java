package io.galgo.server.configuration;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One key of the configuration: its dotted path, what its value is, and the built-in default.
///
/// `[]` in a path stands for each element of a list of tables.
///
/// @param path dotted path, for example `cluster.nodes[].ports.tcp`
/// @param kind the grammar of its value
/// @param presence what happens when nobody gives it
/// @param defaultText the default as it would be written in a variable; empty unless `presence` is DEFAULTED
record Key(String path, Kind kind, Presence presence, String defaultText) {

    /// What happens when nobody gives a value.
    enum Presence {
        /// The default counts.
        DEFAULTED,
        /// It has no value.
        OPTIONAL,
        /// The table that it belongs to is incomplete.
        REQUIRED
    }

    /// Every key, in the order in which the configuration is written out.
    static final List<Key> ALL = List.of(
            key("path", Kind.PATH, "local_data"),
            key("consumer_group.rebalancing_timeout", Kind.DURATION, "30s"),
            key("data_maintenance.messages.cleaner_enabled", Kind.BOOL, "true"),
            key("data_maintenance.messages.interval", Kind.DURATION, "1 m"),
            key("http.enabled", Kind.BOOL, "true"),
            key("http.address", Kind.SOCKET_ADDRESS, "127.0.0.1:3000"),
            key("http.max_request_size", Kind.BYTE_SIZE, "2 MB"),
            key("http.web_ui", Kind.BOOL, "false"),
            key("http.cors.enabled", Kind.BOOL, "true"),
            key("http.cors.allowed_methods", Kind.STRINGS, "[\"GET\", \"POST\", \"PUT\", \"DELETE\"]"),
            key("http.cors.allowed_origins", Kind.STRINGS, "[\"*\"]"),
            key("http.cors.allowed_headers", Kind.STRINGS, "[\"content-type\", \"authorization\"]"),
            key("http.cors.exposed_headers", Kind.STRINGS, "[\"iggy-view\"]"),
            key("http.cors.allow_credentials", Kind.BOOL, "false"),
            key("http.cors.allow_private_network", Kind.BOOL, "false"),
            key("http.jwt.algorithm", Kind.STRING, "HS256"),
            key("http.jwt.issuer", Kind.STRING, "iggy.apache.org"),
            key("http.jwt.audience", Kind.STRING, "iggy.apache.org"),
            key("http.jwt.valid_issuers", Kind.STRINGS, "[\"iggy.apache.org\"]"),
            key("http.jwt.valid_audiences", Kind.STRINGS, "[\"iggy.apache.org\"]"),
            key("http.jwt.access_token_expiry", Kind.EXPIRY, "1 h"),
            key("http.jwt.clock_skew", Kind.DURATION, "5 s"),
            key("http.jwt.not_before", Kind.DURATION, "0 s"),
            key("http.jwt.encoding_secret", Kind.SECRET, ""),
            key("http.jwt.decoding_secret", Kind.SECRET, ""),
            key("http.jwt.use_base64_secret", Kind.BOOL, "false"),
            list("http.jwt.trusted_issuers"),
            required("http.jwt.trusted_issuers[].issuer", Kind.STRING),
            required("http.jwt.trusted_issuers[].audience", Kind.STRING),
            required("http.jwt.trusted_issuers[].jwks_url", Kind.STRING),
            key("http.jwt.trusted_issuers[].user_id", Kind.U32, "0"),
            key("http.metrics.enabled", Kind.BOOL, "true"),
            key("http.metrics.endpoint", Kind.STRING, "/metrics"),
            key("http.tls.enabled", Kind.BOOL, "false"),
            key("http.tls.cert_file", Kind.PATH, "core/certs/iggy_cert.pem"),
            key("http.tls.key_file", Kind.PATH, "core/certs/iggy_key.pem"),
            key("tcp.enabled", Kind.BOOL, "true"),
            key("tcp.address", Kind.SOCKET_ADDRESS, "127.0.0.1:8090"),
            key("tcp.tls.enabled", Kind.BOOL, "false"),
            key("tcp.tls.self_signed", Kind.BOOL, "true"),
            key("tcp.tls.cert_file", Kind.PATH, "core/certs/iggy_cert.pem"),
            key("tcp.tls.key_file", Kind.PATH, "core/certs/iggy_key.pem"),
            key("quic.enabled", Kind.BOOL, "true"),
            key("quic.address", Kind.SOCKET_ADDRESS, "127.0.0.1:8080"),
            key("quic.max_concurrent_bidi_streams", Kind.U64, "1"),
            key("quic.initial_mtu", Kind.BYTE_SIZE, "1200 B"),
            key("quic.send_window", Kind.BYTE_SIZE, "64 MiB"),
            key("quic.receive_window", Kind.BYTE_SIZE, "64 MiB"),
            key("quic.stream_receive_window", Kind.BYTE_SIZE, "64 MiB"),
            key("quic.keep_alive_interval", Kind.DURATION, "10 s"),
            key("quic.max_idle_timeout", Kind.DURATION, "30 s"),
            key("quic.certificate.self_signed", Kind.BOOL, "true"),
            key("quic.certificate.cert_file", Kind.PATH, ""),
            key("quic.certificate.key_file", Kind.PATH, ""),
            key("personal_access_token.max_tokens_per_user", Kind.U32, "100"),
            key("personal_access_token.cleaner.enabled", Kind.BOOL, "true"),
            key("personal_access_token.cleaner.interval", Kind.DURATION, "1 m"),
            key("heartbeat.enabled", Kind.BOOL, "true"),
            key("heartbeat.interval", Kind.DURATION, "30 s"),
            key("telemetry.enabled", Kind.BOOL, "false"),
            key("telemetry.service_name", Kind.STRING, "iggy"),
            key("telemetry.logs.transport", Kind.TELEMETRY_TRANSPORT, "grpc"),
            key("telemetry.logs.endpoint", Kind.STRING, "http://localhost:7281/v1/logs"),
            key("telemetry.traces.transport", Kind.TELEMETRY_TRANSPORT, "grpc"),
            key("telemetry.traces.endpoint", Kind.STRING, "http://localhost:7281/v1/traces"),
            key("runtime.path", Kind.PATH, "runtime"),
            key("logging.path", Kind.PATH, "logs"),
            key("logging.level", Kind.STRING, "info"),
            key("logging.file_enabled", Kind.BOOL, "true"),
            key("logging.max_file_size", Kind.BYTE_SIZE, "500 MB"),
            key("logging.max_total_size", Kind.BYTE_SIZE, "4 GB"),
            key("logging.rotation_check_interval", Kind.DURATION, "1 h"),
            key("logging.retention", Kind.DURATION, "7 days"),
            key("encryption.enabled", Kind.BOOL, "false"),
            key("encryption.key", Kind.SECRET, ""),
            key("memory_pool.enabled", Kind.BOOL, "true"),
            key("memory_pool.size", Kind.BYTE_SIZE, "4 GiB"),
            key("memory_pool.bucket_capacity", Kind.U32, "8192"),
            key("cluster.enabled", Kind.BOOL, "false"),
            key("cluster.name", Kind.STRING, "iggy-cluster"),
            key("cluster.heartbeat_timeout", Kind.DURATION, "5s"),
            key("cluster.commit_broadcast_interval", Kind.DURATION, "500ms"),
            key("cluster.prepare_retransmit_interval", Kind.DURATION, "250ms"),
            key("cluster.view_change_retransmit_interval", Kind.DURATION, "500ms"),
            key("cluster.view_change_status_timeout", Kind.DURATION, "5s"),
            key("cluster.request_start_view_retransmit_interval", Kind.DURATION, "1s"),
            key("cluster.view_probe_attempts_max", Kind.U32, "5"),
            key("cluster.repair_retry_interval", Kind.DURATION, "1s"),
            key("cluster.repair_gap_debounce_interval", Kind.DURATION, "1s"),
            key("cluster.repair_chunk_max", Kind.U64, "128"),
            key("cluster.superblock_wedged_fatal_timeout", Kind.DURATION, "2m"),
            key("cluster.auth.enabled", Kind.BOOL, "false"),
            key("cluster.auth.shared_secret", Kind.SECRET, ""),
            key("cluster.auth.previous_shared_secret", Kind.SECRET, ""),
            key("cluster.tls.enabled", Kind.BOOL, "false"),
            key("cluster.tls.self_signed", Kind.BOOL, "false"),
            key("cluster.tls.cert_file", Kind.PATH, ""),
            key("cluster.tls.key_file", Kind.PATH, ""),
            key("cluster.tls.ca_file", Kind.PATH, ""),
            key("cluster.coordinator.skip_shard_zero_for_replicas", Kind.BOOL, "true"),
            key("cluster.coordinator.skip_shard_zero_for_clients", Kind.BOOL, "false"),
            list("cluster.nodes"),
            required("cluster.nodes[].name", Kind.STRING),
            required("cluster.nodes[].ip", Kind.STRING),
            optional("cluster.nodes[].advertised_address", Kind.STRING),
            list("cluster.nodes[].advertised_addresses"),
            required("cluster.nodes[].advertised_addresses[].client_cidr", Kind.CIDR),
            required("cluster.nodes[].advertised_addresses[].address", Kind.STRING),
            required("cluster.nodes[].replica_id", Kind.U8),
            optional("cluster.nodes[].ports.tcp", Kind.U16),
            optional("cluster.nodes[].ports.quic", Kind.U16),
            optional("cluster.nodes[].ports.http", Kind.U16),
            optional("cluster.nodes[].ports.websocket", Kind.U16),
            optional("cluster.nodes[].ports.tcp_replica", Kind.U16),
            key("sharding.cpu_allocation", Kind.CPU_ALLOCATION, "numa:auto"),
            key("sharding.pin_cores", Kind.BOOL, "true"),
            key("sharding.inbox_capacity", Kind.U64, "65536"),
            key("sharding.reply_inbox_capacity", Kind.U64, "1024"),
            key("sharding.poll_completion_capacity", Kind.U64, "1024"),
            key("sharding.shutdown_drain_timeout", Kind.DURATION, "10 s"),
            key("sharding.shutdown_poll_interval", Kind.DURATION, "50 ms"),
            key("sharding.shutdown_join_timeout", Kind.DURATION, "30 s"),
            key("sharding.reconcile_periodic_interval", Kind.DURATION, "1 s"),
            key("websocket.enabled", Kind.BOOL, "true"),
            key("websocket.address", Kind.SOCKET_ADDRESS, "127.0.0.1:8092"),
            optional("websocket.read_buffer_size", Kind.BYTE_SIZE_TEXT),
            optional("websocket.write_buffer_size", Kind.BYTE_SIZE_TEXT),
            optional("websocket.max_write_buffer_size", Kind.BYTE_SIZE_TEXT),
            optional("websocket.max_message_size", Kind.BYTE_SIZE_TEXT),
            optional("websocket.max_frame_size", Kind.BYTE_SIZE_TEXT),
            key("websocket.accept_unmasked_frames", Kind.BOOL, "false"),
            key("websocket.tls.enabled", Kind.BOOL, "false"),
            key("websocket.tls.self_signed", Kind.BOOL, "true"),
            key("websocket.tls.cert_file", Kind.PATH, "core/certs/iggy_cert.pem"),
            key("websocket.tls.key_file", Kind.PATH, "core/certs/iggy_key.pem"),
            key("metadata.prepare_queue_depth", Kind.U64, "32"),
            key("metadata.journal_slots", Kind.U64, "1024"),
            key("metadata.clients_table_max", Kind.U64, "8192"),
            key("partition.wal_bytes_max", Kind.BYTE_SIZE, "256 MiB"),
            key("partition.wal_group_commit_delay_micros", Kind.U64, "0"),
            key("partition.validate_checksum", Kind.BOOL, "true"),
            key("partition.prepare_queue_depth", Kind.U64, "32"),
            key("partition.dedup_clients_max", Kind.U64, "4096"),
            key("partition.consumer_offsets_max", Kind.U64, "4096"),
            key("partition.offset_reservation_lease", Kind.U32, "65536"),
            key("partition.evicted_ring_capacity", Kind.U64, "65536"),
            key("partition.evicted_ring_bytes_max", Kind.BYTE_SIZE, "64 MiB"),
            key("partition.transfer_served_cache_bytes_max", Kind.BYTE_SIZE, "2176 MiB"),
            key("partition.transfer_artifact_bytes_max", Kind.BYTE_SIZE, "1088 MiB"),
            key("message_bus.max_batch", Kind.U64, "256"),
            key("message_bus.max_message_size", Kind.BYTE_SIZE, "64 MiB"),
            key("message_bus.peer_queue_capacity", Kind.U64, "4096"),
            key("message_bus.client_queue_capacity", Kind.U64, "256"),
            key("message_bus.reconnect_period", Kind.DURATION, "1 s"),
            key("message_bus.close_peer_timeout", Kind.DURATION, "2 s"),
            key("message_bus.close_grace", Kind.DURATION, "2 s"),
            key("message_bus.handshake_grace", Kind.DURATION, "10 s"),
            key("long_poll.max_wait", Kind.DURATION, "30 s"),
            key("long_poll.waiters_max", Kind.U64, "65536"),
            optional("node.advertised_address", Kind.STRING));

    private static final Map<String, Key> BY_PATH = index();

    private static Map<String, Key> index() {
        Map<String, Key> index = LinkedHashMap.newLinkedHashMap(ALL.size());
        for (Key key : ALL) {
            index.put(key.path, key);
        }
        return index;
    }

    private static Key key(String path, Kind kind, String defaultText) {
        return new Key(path, kind, Presence.DEFAULTED, defaultText);
    }

    private static Key optional(String path, Kind kind) {
        return new Key(path, kind, Presence.OPTIONAL, "");
    }

    private static Key required(String path, Kind kind) {
        return new Key(path, kind, Presence.REQUIRED, "");
    }

    private static Key list(String path) {
        return new Key(path, Kind.TABLES, Presence.OPTIONAL, "");
    }

    /// The key of a path in which elements are `[]` or numbered (`cluster.nodes[0].name`).
    static @Nullable Key at(String path) {
        return BY_PATH.get(pattern(path));
    }

    /// A path with every element number taken out: `cluster.nodes[0].name` becomes `cluster.nodes[].name`.
    static String pattern(String path) {
        return path.indexOf('[') < 0 ? path : path.replaceAll("\\[[0-9]+]", "[]");
    }

    boolean isSecret() {
        return kind == Kind.SECRET;
    }

    /// The table that the key stands in, empty at the top.
    String table() {
        int dot = path.lastIndexOf('.');
        return dot < 0 ? "" : path.substring(0, dot);
    }

    /// The last part of the path.
    String name() {
        return path.substring(path.lastIndexOf('.') + 1);
    }

    /// Every table of the configuration, `[]` for the elements of lists.
    static List<String> tables() {
        List<String> tables = new ArrayList<>();
        for (Key key : ALL) {
            for (String table = key.table(); !table.isEmpty(); table = parent(table)) {
                if (!tables.contains(table)) {
                    tables.add(table);
                }
            }
        }
        return tables;
    }

    private static String parent(String table) {
        int dot = table.lastIndexOf('.');
        return dot < 0 ? "" : table.substring(0, dot);
    }
}
