package io.galgo.server.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What a user reads when the configuration is wrong.
final class RefusalTest {
    @TempDir
    Path directory;

    private List<String> problems(String toml, Map<String, String> environment) {
        return Loading.problems(directory, toml, environment);
    }

    @Test
    void aProblemNamesKeyValueOriginAndWhatIsAllowed() {
        assertThat(problems("", Map.of("IGGY_PARTITION_WAL_BYTES_MAX", "100 MiB")))
                .containsExactly(
                        "config: partition.wal_bytes_max = \"100 MiB\" (IGGY_PARTITION_WAL_BYTES_MAX): allowed are"
                                + " multiples of 4096 B from 134225920 B (128 MiB + 8 KiB) to 4 GiB");
        assertThat(problems("\n[heartbeat]\ninterval = 30\n", Map.of()))
                .containsExactly(
                        "config: heartbeat.interval = 30 (core/server/config.toml:3): a duration needs a unit, for"
                                + " example \"30 s\"; units ns us ms s m h day week month year");
        assertThat(problems("[cluster]\nrepair_chunk_max = 5000", Map.of()))
                .containsExactly(
                        "config: cluster.repair_chunk_max = 5000 (core/server/config.toml:2): allowed are 1..1024,"
                                + " and less than message_bus.peer_queue_capacity = 4096 (default)");
        assertThat(problems("", Map.of("GALGO_TCP_ADDRESS", "localhost:8090")))
                .containsExactly(
                        "config: tcp.address = \"localhost:8090\" (GALGO_TCP_ADDRESS): a literal IP and a port are"
                                + " needed, for example 127.0.0.1:8090 or [::1]:8090");
    }

    @Test
    void aValueThatIsTooLargeIsNotBlamedForItsUnit() {
        assertThat(problems("", Map.of("IGGY_HEARTBEAT_INTERVAL", "147 years")))
                .containsExactly(
                        "config: heartbeat.interval = \"147 years\" (IGGY_HEARTBEAT_INTERVAL): allowed are up to"
                                + " 146 years");
        assertThat(problems("[memory_pool]\nsize = \"8 EiB\"", Map.of()))
                .containsExactly(
                        "config: memory_pool.size = \"8 EiB\" (core/server/config.toml:2): allowed are less than"
                                + " 8 EiB");
    }

    @Test
    void aValueThatIsAllowedAndHurtsIsWarnedAbout() {
        assertThat(Loading.warnings(directory, "[data_maintenance.messages]\ninterval = \"1 ns\"\n", Map.of()))
                .containsExactly(
                        "config: data_maintenance.messages.interval = \"1 ns\" (core/server/config.toml:2) is shorter"
                                + " than 10 ms: what is done that often takes the processor from clients");
        assertThat(Loading.warnings(directory, "[memory_pool]\nsize = \"1 PiB\"\n", Map.of()))
                .containsExactly(
                        "config: memory_pool.size = \"1 PiB\" (core/server/config.toml:2) is more than the 16384 MiB"
                                + " of memory that there are: the system may end the process before it is used up");
        assertThat(Loading.warnings(directory, "[memory_pool]\nsize = \"16 GiB\"\n", Map.of()))
                .isEmpty();
    }

    @Test
    void aDepthOutOfBoundsIsNotHeldAgainstTheSlots() {
        assertThat(problems("[metadata]\nprepare_queue_depth = 4294967295\n", Map.of()))
                .containsExactly(
                        "config: metadata.prepare_queue_depth = 4294967295 (core/server/config.toml:2): allowed are"
                                + " 1..127");
    }

    @Test
    void theLongestDurationLeavesRoomToAddItToATime() {
        assertThat(problems("", Map.of("IGGY_HEARTBEAT_INTERVAL", "146 years"))).isEmpty();
        long longest = Objects.requireNonNull(DurationText.parse("146 years"));
        assertThat(longest + longest / 5).as("the patience of a heartbeat").isPositive();
        assertThat(Long.MAX_VALUE / 4 + longest).as("a deadline").isPositive();
    }

    @Test
    void everyProblemIsToldAtOnceInTheOrderOfTheRules() {
        String toml = """
            [memory_pool]
            size = "1 MiB"
            [heartbeat]
            interval = "0 s"
            [sharding]
            inbox_capacity = 0
            [http]
            enabled = "yes"
            """;
        assertThat(problems(toml, Map.of("IGGY_TCP_ADDRESS", "here")))
                .satisfiesExactly(
                        line -> assertThat(line)
                                .contains("http.enabled = \"yes\"")
                                .contains("true or false"),
                        line -> assertThat(line).contains("memory_pool.size").contains("from 512 MiB"),
                        line -> assertThat(line)
                                .contains("sharding.inbox_capacity = 0")
                                .contains("1..1048576"),
                        line -> assertThat(line).contains("tcp.address"),
                        line -> assertThat(line).contains("heartbeat.interval").contains("heartbeat.enabled = true"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "IGGY_CONSUMER_GROUP_REBALANCING_TIMEOUT | 0 | consumer_group.rebalancing_timeout",
                "IGGY_DATA_MAINTENANCE_MESSAGES_INTERVAL | none | data_maintenance.messages.interval",
                "IGGY_HTTP_ADDRESS | localhost:3000 | http.address",
                "IGGY_HTTP_MAX_REQUEST_SIZE | 257 MiB | http.max_request_size",
                "IGGY_HTTP_MAX_REQUEST_SIZE | 1.5 | http.max_request_size",
                "IGGY_HTTP_CORS_ALLOWED_METHODS | [GET, STEAL] | http.cors.allowed_methods",
                "IGGY_HTTP_CORS_ALLOWED_ORIGINS | [http://a, *] | http.cors.allowed_origins",
                "IGGY_HTTP_CORS_ALLOWED_HEADERS | [a b] | http.cors.allowed_headers",
                "IGGY_HTTP_CORS_ALLOW_CREDENTIALS | true | http.cors.allowed_origins",
                "IGGY_HTTP_JWT_ALGORITHM | none | http.jwt.algorithm",
                "IGGY_HTTP_JWT_ACCESS_TOKEN_EXPIRY | default | http.jwt.access_token_expiry",
                "IGGY_HTTP_JWT_ACCESS_TOKEN_EXPIRY | 200 years | http.jwt.access_token_expiry",
                "IGGY_HTTP_METRICS_ENDPOINT | metrics | http.metrics.endpoint",
                "IGGY_HTTP_TLS_ENABLED | true | http.tls.cert_file",
                "IGGY_QUIC_ADDRESS | nowhere | quic.address",
                "IGGY_QUIC_MAX_CONCURRENT_BIDI_STREAMS | 0 | quic.max_concurrent_bidi_streams",
                "IGGY_QUIC_INITIAL_MTU | 100 B | quic.initial_mtu",
                "IGGY_QUIC_RECEIVE_WINDOW | 1 MiB | quic.stream_receive_window",
                "IGGY_QUIC_STREAM_RECEIVE_WINDOW | 0 | quic.stream_receive_window",
                "IGGY_PERSONAL_ACCESS_TOKEN_MAX_TOKENS_PER_USER | 0 | personal_access_token.max_tokens_per_user",
                "IGGY_PERSONAL_ACCESS_TOKEN_CLEANER_INTERVAL | 0 | personal_access_token.cleaner.interval",
                "IGGY_TELEMETRY_LOGS_TRANSPORT | smoke | telemetry.logs.transport",
                "IGGY_RUNTIME_PATH | .. | runtime.path",
                "IGGY_RUNTIME_PATH | streams | runtime.path",
                "IGGY_RUNTIME_PATH | . | runtime.path",
                "IGGY_LOGGING_MAX_FILE_SIZE | 5 GB | logging.max_file_size",
                "IGGY_LOGGING_ROTATION_CHECK_INTERVAL | 1 ms | logging.rotation_check_interval",
                "IGGY_LOGGING_RETENTION | 0 | logging.retention",
                "IGGY_MEMORY_POOL_SIZE | 511 MiB | memory_pool.size",
                "IGGY_MEMORY_POOL_SIZE | 536870913 | memory_pool.size",
                "IGGY_MEMORY_POOL_BUCKET_CAPACITY | 129 | memory_pool.bucket_capacity",
                "IGGY_MEMORY_POOL_BUCKET_CAPACITY | 64 | memory_pool.bucket_capacity",
                "IGGY_CLUSTER_SUPERBLOCK_WEDGED_FATAL_TIMEOUT | 29 s | cluster.superblock_wedged_fatal_timeout",
                "IGGY_CLUSTER_REPAIR_CHUNK_MAX | 0 | cluster.repair_chunk_max",
                "IGGY_SHARDING_CPU_ALLOCATION | 5 | sharding.cpu_allocation",
                "IGGY_SHARDING_CPU_ALLOCATION | 0 | sharding.cpu_allocation",
                "IGGY_SHARDING_CPU_ALLOCATION | 3..3 | sharding.cpu_allocation",
                "IGGY_SHARDING_CPU_ALLOCATION | 3..5 | sharding.cpu_allocation",
                "IGGY_SHARDING_CPU_ALLOCATION | some | sharding.cpu_allocation",
                "IGGY_SHARDING_CPU_ALLOCATION | numa:nodes=7 | sharding.cpu_allocation",
                "IGGY_SHARDING_CPU_ALLOCATION | numa:nodes=0;cores=3 | sharding.cpu_allocation",
                "IGGY_SHARDING_INBOX_CAPACITY | 1048577 | sharding.inbox_capacity",
                "IGGY_SHARDING_REPLY_INBOX_CAPACITY | 0 | sharding.reply_inbox_capacity",
                "IGGY_SHARDING_POLL_COMPLETION_CAPACITY | 0 | sharding.poll_completion_capacity",
                "IGGY_SHARDING_SHUTDOWN_DRAIN_TIMEOUT | 31 s | sharding.shutdown_drain_timeout",
                "IGGY_SHARDING_SHUTDOWN_POLL_INTERVAL | 6 s | sharding.shutdown_poll_interval",
                "IGGY_SHARDING_SHUTDOWN_JOIN_TIMEOUT | 901 s | sharding.shutdown_join_timeout",
                "IGGY_SHARDING_RECONCILE_PERIODIC_INTERVAL | 31 s | sharding.reconcile_periodic_interval",
                "IGGY_WEBSOCKET_ADDRESS | :1 | websocket.address",
                "IGGY_WEBSOCKET_READ_BUFFER_SIZE | unlimited | websocket.read_buffer_size",
                "IGGY_WEBSOCKET_MAX_WRITE_BUFFER_SIZE | 128 KiB | websocket.max_write_buffer_size",
                "IGGY_WEBSOCKET_MAX_MESSAGE_SIZE | 65 MiB | websocket.max_message_size",
                "IGGY_METADATA_PREPARE_QUEUE_DEPTH | 128 | metadata.prepare_queue_depth",
                "IGGY_METADATA_JOURNAL_SLOTS | 255 | metadata.journal_slots",
                "IGGY_METADATA_CLIENTS_TABLE_MAX | 1 | metadata.clients_table_max",
                "IGGY_PARTITION_WAL_GROUP_COMMIT_DELAY_MICROS | 10001 | partition.wal_group_commit_delay_micros",
                "IGGY_PARTITION_PREPARE_QUEUE_DEPTH | 0 | partition.prepare_queue_depth",
                "IGGY_PARTITION_DEDUP_CLIENTS_MAX | 65537 | partition.dedup_clients_max",
                "IGGY_PARTITION_CONSUMER_OFFSETS_MAX | 262145 | partition.consumer_offsets_max",
                "IGGY_PARTITION_OFFSET_RESERVATION_LEASE | 0 | partition.offset_reservation_lease",
                "IGGY_PARTITION_EVICTED_RING_CAPACITY | 0 | partition.evicted_ring_capacity",
                "IGGY_PARTITION_EVICTED_RING_BYTES_MAX | 257 MiB | partition.evicted_ring_bytes_max",
                "IGGY_PARTITION_TRANSFER_SERVED_CACHE_BYTES_MAX | 0 | partition.transfer_served_cache_bytes_max",
                "IGGY_PARTITION_TRANSFER_ARTIFACT_BYTES_MAX | 1087 MiB | partition.transfer_artifact_bytes_max",
                "IGGY_MESSAGE_BUS_MAX_BATCH | 513 | message_bus.max_batch",
                "IGGY_MESSAGE_BUS_MAX_MESSAGE_SIZE | 256 B | message_bus.max_message_size",
                "IGGY_MESSAGE_BUS_PEER_QUEUE_CAPACITY | 128 | cluster.repair_chunk_max",
                "IGGY_MESSAGE_BUS_CLIENT_QUEUE_CAPACITY | 0 | message_bus.client_queue_capacity",
                "IGGY_MESSAGE_BUS_RECONNECT_PERIOD | 0 | message_bus.reconnect_period",
                "IGGY_MESSAGE_BUS_CLOSE_PEER_TIMEOUT | 0 | message_bus.close_peer_timeout",
                "IGGY_MESSAGE_BUS_CLOSE_GRACE | 0 | message_bus.close_grace",
                "IGGY_MESSAGE_BUS_HANDSHAKE_GRACE | 0 | message_bus.handshake_grace",
                "IGGY_NODE_ADVERTISED_ADDRESS | 0.0.0.0 | node.advertised_address"
            })
    void aWrongValueRefusesTheStart(String variable, String value, String key) {
        assertThat(problems("", Map.of(variable, value)))
                .isNotEmpty()
                .anySatisfy(line -> assertThat(line).startsWith("config: " + key + " = "));
    }

    @Test
    void raisingTheMessageSizeNeedsALargerArtifact() {
        assertThat(problems("", Map.of("IGGY_MESSAGE_BUS_MAX_MESSAGE_SIZE", "65 MiB")))
                .singleElement()
                .asString()
                .contains("partition.transfer_artifact_bytes_max = \"1088 MiB\" (default)")
                .contains("message_bus.max_message_size = \"65 MiB\" (IGGY_MESSAGE_BUS_MAX_MESSAGE_SIZE)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp.tls.enabled", "telemetry.enabled", "cluster.enabled"})
    void aFunctionThatIsNotThereYetRefusesToBeSwitchedOn(String key) {
        assertThat(problems(key + " = true\n", Map.of()))
                .anySatisfy(line -> assertThat(line)
                        .startsWith("config: " + key
                                + " = true (core/server/config.toml:1): this version of Galgo does not have"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "c2hvcnQ=", "not base64 at all", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="})
    void encryptionNeedsAKeyOf32Bytes(String key) {
        assertThat(problems("encryption.enabled = true\nencryption.key = \"" + key + "\"\n", Map.of()))
                .anySatisfy(line -> assertThat(line)
                        .startsWith("config: encryption.key = ")
                        .contains("standard base64 of exactly 32 bytes is needed while encryption.enabled = true"));
    }

    @Test
    void aSecretIsNeverShown() {
        assertThat(problems(
                        "encryption.enabled = true\nencryption.key = \"c2hvcnQ=\"\n",
                        Map.of("IGGY_ROOT_USERNAME", "x", "IGGY_ROOT_PASSWORD", "pw")))
                .anySatisfy(line -> assertThat(line).contains("encryption.key = ****** (core/server/config.toml:2)"))
                .anySatisfy(line -> assertThat(line).contains("IGGY_ROOT_PASSWORD = ******"))
                .noneSatisfy(line -> assertThat(line).contains("c2hvcnQ="));
    }

    @Test
    void rootCredentialsComeTogetherOrNotAtAll() {
        assertThat(problems("", Map.of("IGGY_ROOT_USERNAME", "admin")))
                .containsExactly(
                        "config: IGGY_ROOT_USERNAME is set and IGGY_ROOT_PASSWORD is not: both or none are needed");
        assertThat(problems("", Map.of("GALGO_ROOT_PASSWORD", "secret")))
                .containsExactly(
                        "config: GALGO_ROOT_PASSWORD is set and IGGY_ROOT_USERNAME is not: both or none are needed");
        assertThat(problems("", Map.of("IGGY_ROOT_USERNAME", "ab", "IGGY_ROOT_PASSWORD", "p".repeat(101))))
                .containsExactly(
                        "config: IGGY_ROOT_USERNAME = \"ab\": allowed are 3..50 bytes",
                        "config: IGGY_ROOT_PASSWORD = ******: allowed are 3..100 bytes");
    }

    @Test
    void aBrokenFileIsNamedWithItsLine() {
        assertThat(problems("path = \"a\"\n[http\n", Map.of()))
                .singleElement()
                .asString()
                .startsWith("config: core/server/config.toml:2 is not valid TOML");
    }

    @Test
    void aFileThatWasAskedForByArgumentMustBeThere() {
        try {
            Loading.load(directory, "", Map.of(), new String[] {"--config", "nowhere.toml"});
        } catch (ServerConfiguration.Refused refused) {
            assertThat(refused.problems())
                    .containsExactly(
                            "config: --config nowhere.toml: there is no file " + directory.resolve("nowhere.toml"));
            return;
        }
        throw new AssertionError("a missing file was accepted");
    }

    @Test
    void anIncompleteElementIsNamed() {
        assertThat(problems("[[cluster.nodes]]\nname = \"a\"\nip = \"10.0.0.1\"\n", Map.of()))
                .containsExactly(
                        "config: cluster.nodes[0].replica_id is missing: every element of cluster.nodes needs a"
                                + " replica_id");
    }

    @Test
    void aHoleAmongElementsOfVariablesIsAnIncompleteElement() {
        assertThat(problems(
                        "",
                        Map.of(
                                "IGGY_CLUSTER_NODES_1_NAME", "b",
                                "IGGY_CLUSTER_NODES_1_IP", "10.0.0.2",
                                "IGGY_CLUSTER_NODES_1_REPLICA_ID", "1")))
                .hasSize(3)
                .allSatisfy(line -> assertThat(line).startsWith("config: cluster.nodes[0]."));
    }

    @Test
    void theRulesOfAClusterHoldOnlyForACluster() {
        String roster = """
            [[cluster.nodes]]
            name = "a"
            ip = "not-an-ip"
            replica_id = 4
            ports = { tcp = 1 }
            """;
        assertThat(problems(roster, Map.of())).isEmpty();
        assertThat(problems(roster, Map.of("IGGY_CLUSTER_ENABLED", "true")))
                .anySatisfy(line -> assertThat(line).contains("cluster.nodes[0].ip = \"not-an-ip\""))
                .anySatisfy(line -> assertThat(line).contains("cluster.nodes[0].replica_id = 4"))
                .anySatisfy(line -> assertThat(line).contains("cluster.nodes[0].ports.tcp_replica is missing"));
    }

    @Test
    void clientsOfOneNetworkReachOneNodeAtAnAddress() {
        String roster = """
            [[cluster.nodes]]
            name = "a"
            ip = "10.0.0.1"
            replica_id = 0
            advertised_addresses = [{ client_cidr = "10.0.0.0/8", address = "lb" }]
            ports = { tcp = 1 }
            [[cluster.nodes]]
            name = "b"
            ip = "10.0.0.2"
            replica_id = 1
            advertised_addresses = [{ client_cidr = "10.1.0.0/16", address = "LB" }]
            ports = { tcp = 1 }
            """;
        assertThat(problems(roster, Map.of()))
                .singleElement()
                .asString()
                .contains("cluster.nodes[1].advertised_addresses[0].address")
                .contains("cluster.nodes[0].advertised_addresses[0].address");
    }

    @Test
    void theDotenvFileIsReadAndYieldsToTheProcess() throws Exception {
        Files.writeString(
                directory.resolve(".env"),
                "# a comment\nexport IGGY_TCP_ADDRESS=\"nowhere\"\nIGGY_QUIC_ADDRESS=nowhere # note\n");
        assertThat(problems("", Map.of("IGGY_QUIC_ADDRESS", "127.0.0.1:1")))
                .singleElement()
                .asString()
                .contains("tcp.address = \"nowhere\" (IGGY_TCP_ADDRESS in .env)");
    }
}
