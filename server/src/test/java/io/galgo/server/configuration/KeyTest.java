package io.galgo.server.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The keys of the program against the specification's table, row by row.
final class KeyTest {
    /// One row of `config.tsv`.
    ///
    /// @param defaultValue as the table writes it
    record Row(String key, String variable, String type, String defaultValue) {
        @Override
        public String toString() {
            return key;
        }

        boolean isList() {
            return type.equals("list<table>");
        }

        /// The kind that the type means.
        Kind kind() {
            return switch (type.replace(" (optional)", "")) {
                case "bool" -> Kind.BOOL;
                case "u8" -> Kind.U8;
                case "u16" -> Kind.U16;
                case "u32" -> Kind.U32;
                case "u64", "usize" -> Kind.U64;
                case "string" -> Kind.STRING;
                case "string (secret)" -> Kind.SECRET;
                case "path" -> Kind.PATH;
                case "duration" -> Kind.DURATION;
                case "expiry" -> Kind.EXPIRY;
                case "byte-size" -> Kind.BYTE_SIZE;
                case "byte-size-text" -> Kind.BYTE_SIZE_TEXT;
                case "cpu-allocation" -> Kind.CPU_ALLOCATION;
                case "socket-address" -> Kind.SOCKET_ADDRESS;
                case "enum grpc|http" -> Kind.TELEMETRY_TRANSPORT;
                case "cidr" -> Kind.CIDR;
                case "list<string>" -> Kind.STRINGS;
                case "list<table>" -> Kind.TABLES;
                default -> throw new AssertionError("an unknown type in the table: " + type);
            };
        }

        /// A value that is not the default and breaks no rule, as a variable would give it.
        String sample() {
            return switch (key) {
                case "http.jwt.algorithm" -> "HS512";
                case "http.metrics.endpoint" -> "/numbers";
                case "http.cors.allowed_methods" -> "[PATCH, HEAD]";
                case "memory_pool.size" -> "1 GiB";
                case "memory_pool.bucket_capacity" -> "256";
                case "metadata.journal_slots" -> "2048";
                case "partition.wal_bytes_max" -> "512 MiB";
                case "partition.transfer_artifact_bytes_max" -> "2 GiB";
                case "partition.transfer_served_cache_bytes_max" -> "8 GiB";
                case "quic.initial_mtu" -> "1400 B";
                case "quic.receive_window" -> "128 MiB";
                case "websocket.max_write_buffer_size" -> "1 MiB";
                case "websocket.max_message_size" -> "32 MiB";
                case "cluster.heartbeat_timeout" -> "9s";
                case "sharding.shutdown_poll_interval" -> "40ms";
                case "cluster.superblock_wedged_fatal_timeout" -> "40s";
                case "logging.max_file_size" -> "100 MB";
                case "logging.max_total_size" -> "8 GB";
                case "logging.level" -> "debug";
                case "message_bus.peer_queue_capacity" -> "5000";
                case "encryption.enabled",
                        "cluster.enabled",
                        "telemetry.enabled",
                        "tcp.tls.enabled",
                        "http.jwt.use_base64_secret",
                        "http.cors.allow_credentials",
                        "http.tls.enabled",
                        "cluster.tls.enabled",
                        "websocket.tls.enabled" -> "false";
                default -> sampleOfKind();
            };
        }

        private String sampleOfKind() {
            return switch (kind()) {
                case BOOL -> defaultValue.equals("true") ? "false" : "true";
                case U8, U16, U32, U64 -> defaultValue.equals("11") ? "12" : "11";
                case STRING, SECRET, PATH -> key.endsWith("address") ? "broker.example.org" : "something-else";
                case DURATION, EXPIRY -> "20s";
                case BYTE_SIZE, BYTE_SIZE_TEXT -> "2 MiB";
                case CPU_ALLOCATION -> "3";
                case SOCKET_ADDRESS -> "127.0.0.1:4711";
                case TELEMETRY_TRANSPORT -> "http";
                case CIDR -> "10.0.0.0/8";
                case STRINGS -> "[one, two]";
                case TABLES -> throw new AssertionError("a list of tables has no value");
            };
        }

        /// How a sample is written in a file.
        String inFile(String sample) {
            return switch (kind()) {
                case BOOL, U8, U16, U32, U64 -> sample;
                case STRINGS -> sample.replace("[", "[\"").replace("]", "\"]").replace(", ", "\", \"");
                case CPU_ALLOCATION -> sample;
                default -> Kind.quoted(sample);
            };
        }
    }

    @TempDir
    Path directory;

    static List<Row> rows() throws IOException {
        List<Row> rows = new ArrayList<>();
        try (InputStream table = KeyTest.class.getResourceAsStream("config.tsv")) {
            String text = new String(table.readAllBytes(), StandardCharsets.UTF_8);
            for (String line : text.lines().skip(1).toList()) {
                String[] cells = line.split("\t", -1);
                rows.add(new Row(cells[0], cells[1], cells[2], cells[3]));
            }
        }
        return rows;
    }

    static Stream<Row> plainRows() throws IOException {
        return rows().stream().filter(row -> !row.isList() && row.key().indexOf('[') < 0);
    }

    static Stream<Row> elementRows() throws IOException {
        return rows().stream().filter(row -> !row.isList() && row.key().indexOf('[') >= 0);
    }

    @Test
    void theTablesHaveTheSameKeys() throws IOException {
        assertThat(Key.ALL.stream().map(Key::path))
                .containsExactlyElementsOf(rows().stream().map(Row::key).toList());
        assertThat(rows()).hasSizeGreaterThan(150);
    }

    @ParameterizedTest
    @MethodSource("rows")
    void aKeyHasTheTypeAndTheDefaultOfTheTable(Row row) {
        Key key = Key.at(row.key());
        assertThat(key).isNotNull();
        assertThat(key.kind()).isEqualTo(row.kind());
        Key.Presence presence = switch (row.defaultValue()) {
            case "(required)" -> Key.Presence.REQUIRED;
            default ->
                row.isList() || row.defaultValue().startsWith("(unset")
                        ? Key.Presence.OPTIONAL
                        : Key.Presence.DEFAULTED;
        };
        assertThat(key.presence()).isEqualTo(presence);
        if (presence == Key.Presence.DEFAULTED) {
            assertThat(key.defaultText()).isEqualTo(row.defaultValue().equals("\"\"") ? "" : row.defaultValue());
        }
    }

    @ParameterizedTest
    @MethodSource("plainRows")
    void aKeyIsTakenFromTheFile(Row row) throws Exception {
        String sample = row.sample();
        int dot = row.key().lastIndexOf('.');
        String header = dot < 0 ? "" : "[" + row.key().substring(0, dot) + "]\n";
        String toml = header + row.key().substring(dot + 1) + " = " + row.inFile(sample) + "\n";
        check(row, sample, Loading.load(directory, toml, Map.of()));
    }

    @ParameterizedTest
    @MethodSource("plainRows")
    void aKeyIsTakenFromTheVariable(Row row) throws Exception {
        check(row, row.sample(), Loading.load(directory, "", Map.of(row.variable(), row.sample())));
    }

    @ParameterizedTest
    @MethodSource("plainRows")
    void theVariableWithOurPrefixWinsOverTheOtherAndTheFile(Row row) throws Exception {
        String sample = row.sample();
        String galgo = "GALGO_" + row.variable().substring("IGGY_".length());
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put(galgo, sample);
        if (row.kind() == Kind.STRING || row.kind() == Kind.PATH) {
            environment.put(row.variable(), "never-taken");
        }
        check(row, sample, Loading.load(directory, "", environment));
    }

    private static void check(Row row, String sample, ServerConfiguration loaded) throws Exception {
        assertThat(loaded.warnings())
                .as("a value that is allowed warns of nothing")
                .filteredOn(line -> !line.contains("both set"))
                .filteredOn(line -> !line.contains("web UI"))
                .filteredOn(line -> !line.contains("pins no thread"))
                .filteredOn(line -> !line.contains("fewer than two artifacts"))
                .isEmpty();
        Map<String, Object> written = flat(loaded.effective().toToml(Map.of(), List.of()));
        if (row.kind() == Kind.SECRET) {
            assertThat(written).doesNotContainKey(row.key());
            return;
        }
        Map<String, Object> expected = flat(row.key() + " = " + row.inFile(sample));
        Object value = written.get(row.key());
        if (row.kind() == Kind.DURATION) {
            assertThat(DurationText.parse(String.valueOf(value))).isEqualTo(DurationText.parse(sample));
        } else if (row.kind() == Kind.BYTE_SIZE || row.kind() == Kind.BYTE_SIZE_TEXT) {
            assertThat(ByteSizeText.parse(String.valueOf(value))).isEqualTo(ByteSizeText.parse(sample));
        } else {
            assertThat(value).isEqualTo(expected.get(row.key()));
        }
    }

    private static Map<String, Object> flat(String toml) throws ConfigurationFile.Unreadable {
        Map<String, Object> flat = new LinkedHashMap<>();
        flatten("", ConfigurationFile.parse(toml, "test").root(), flat);
        return flat;
    }

    private static void flatten(String prefix, Map<?, ?> table, Map<String, Object> flat) {
        table.forEach((key, value) -> {
            String path = prefix.isEmpty() ? (String) key : prefix + "." + key;
            if (value instanceof Map<?, ?> inner) {
                flatten(path, inner, flat);
            } else if (value instanceof List<?> items && !items.isEmpty() && items.getFirst() instanceof Map) {
                for (int i = 0; i < items.size(); i++) {
                    flatten(path + "[" + i + "]", (Map<?, ?>) items.get(i), flat);
                }
            } else {
                flat.put(path, value);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("elementRows")
    void theKeysOfAnElementAreTakenFromVariables(Row row) throws Exception {
        Map<String, String> environment = new LinkedHashMap<>();
        for (Row other : elementRows().toList()) {
            boolean sameList = other.key()
                    .substring(0, other.key().indexOf('['))
                    .equals(row.key().substring(0, row.key().indexOf('[')));
            boolean needed = other.defaultValue().equals("(required)")
                    && row.key().startsWith(other.key().substring(0, other.key().lastIndexOf("[]")));
            if (sameList && (needed || other.equals(row))) {
                environment.put(other.variable().replace("<n>", "0"), element(other));
            }
        }
        if (row.key().startsWith("http.")) {
            environment.put("IGGY_HTTP_JWT_TRUSTED_ISSUERS_0_USER_ID", "11");
        }
        Map<String, Object> written =
                flat(Loading.load(directory, "", environment).effective().toToml(Map.of(), List.of()));
        String path = row.key().replace("[]", "[0]");
        assertThat(String.valueOf(written.get(path))).isEqualTo(element(row));
    }

    private static String element(Row row) {
        return switch (row.key()) {
            case "cluster.nodes[].ip" -> "10.0.0.1";
            case "cluster.nodes[].replica_id" -> "0";
            default -> row.sample();
        };
    }

    @Test
    void whatIsWrittenOutIsReadAgainWithoutAWarning() throws Exception {
        ServerConfiguration loaded = Loading.load(directory, "", Map.of("IGGY_ENCRYPTION_KEY", "secret-key"));
        String first = loaded.effective().toToml(Map.of("tcp.address", "127.0.0.1:4711"), loaded.unservedTransports());
        ServerConfiguration again = Loading.load(directory, first, Map.of());
        assertThat(first).doesNotContain("secret-key").contains("address = \"127.0.0.1:4711\"");
        assertThat(again.warnings()).isEmpty();
        assertThat(again.effective().toToml(Map.of(), List.of())).isEqualTo(first);
        assertThat(first)
                .as("what does not run is not told to run")
                .contains("[http]\nenabled = false\n", "[quic]\nenabled = false\n", "[websocket]\nenabled = false\n");
        assertThat(again.tcp().address().getPort()).isEqualTo(4711);
    }

    @Test
    void theEncryptionKeyGoesToTheCoreAndIntoNoText() throws Exception {
        String key = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVoxMjM0NTY=";
        ServerConfiguration loaded =
                Loading.load(directory, "", Map.of("IGGY_ENCRYPTION_KEY", key, "IGGY_ENCRYPTION_ENABLED", "true"));
        assertThat(loaded.encryption().isOn()).isTrue();
        assertThat(Objects.requireNonNull(loaded.encryption().key()).getEncoded())
                .asString()
                .isEqualTo("ABCDEFGHIJKLMNOPQRSTUVWXYZ123456");
        assertThat(loaded.effective().toToml(Map.of(), List.of())).contains("[encryption]\nenabled = true\n");
        for (String text : List.of(
                loaded.toString(), loaded.effective().toToml(Map.of(), List.of()), String.join("\n", loaded.notes()))) {
            assertThat(text).doesNotContain(key).doesNotContain("ABCDEFGHIJ");
        }
    }

    @Test
    void aKeyWithoutEncryptionOnlyReads() throws Exception {
        String key = "A".repeat(43) + "=";
        ServerConfiguration loaded = Loading.load(directory, "", Map.of("IGGY_ENCRYPTION_KEY", key));
        assertThat(loaded.encryption().isOn()).isFalse();
        assertThat(loaded.encryption().key()).isNotNull();
        assertThat(Loading.load(directory, "", Map.of("IGGY_ENCRYPTION_KEY", "no key"))
                        .encryption()
                        .key())
                .isNull();
    }

    @Test
    void theDefaultRosterIsWrittenOut() throws Exception {
        assertThat(Loading.load(directory, "", Map.of()).effective().toToml(Map.of(), List.of()))
                .contains("""
                    [[cluster.nodes]]
                    name = "iggy-node-1"
                    ip = "127.0.0.1"
                    replica_id = 0
                    advertised_addresses = []

                    [cluster.nodes.ports]
                    tcp = 8090
                    quic = 8080
                    http = 3000
                    websocket = 8092
                    tcp_replica = 9090
                    """);
    }
}
