package io.galgo.server.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Names that are unknown, moved, removed or outside the key tree.
final class NamesTest {
    @TempDir
    Path directory;

    @Test
    void anUnknownKeyWarnsWithTheNearestKnownOne() {
        assertThat(Loading.warnings(directory, "[http]\nadress = \"x\"\n", Map.of()))
                .containsExactly(
                        "config: http.adress (core/server/config.toml:2) is not a known key and is ignored; did you"
                                + " mean http.address?");
        assertThat(Loading.warnings(directory, "[journal]\nretention = 1\n", Map.of()))
                .singleElement()
                .asString()
                .startsWith("config: journal (core/server/config.toml:1) is not a known key");
        assertThat(Loading.warnings(directory, "retention = 1\n", Map.of()))
                .singleElement()
                .asString()
                .endsWith("did you mean logging.retention?");
    }

    @Test
    void anUnknownKeyOfTheClusterRefusesTheStart() {
        assertThat(Loading.problems(directory, "[cluster]\nheartbeat_timeut = \"5s\"\n", Map.of()))
                .containsExactly(
                        "config: cluster.heartbeat_timeut (core/server/config.toml:2) is not a known key; did you"
                                + " mean cluster.heartbeat_timeout?");
        String node = "[[cluster.nodes]]\nname = \"a\"\nip = \"1.2.3.4\"\nreplica_id = 0\n";
        assertThat(Loading.problems(directory, node + "zone = 1\n", Map.of())).hasSize(1);
        assertThat(Loading.warnings(directory, node + "ports = { ftp = 1 }\n", Map.of()))
                .hasSize(1);
    }

    @Test
    void anUnknownVariableWarns() {
        assertThat(Loading.warnings(directory, "", Map.of("IGGY_TCP_ADRESS", "x", "GALGO_HTTP_ENABLE", "x")))
                .containsExactly(
                        "config: GALGO_HTTP_ENABLE is not a known variable and is ignored; did you mean"
                                + " GALGO_HTTP_ENABLED?",
                        "config: IGGY_TCP_ADRESS is not a known variable and is ignored; did you mean IGGY_TCP_ADDRESS?");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "IGGY_TEST_VERBOSE",
                "IGGY_CI_BUILD",
                "IGGY_HOME",
                "IGGY_USERNAME",
                "IGGY_PASSWORD",
                "GALGO_HOME",
                "IGGY_CONNECTORS_X",
                "GALGO_MCP_TRANSPORT",
                "IGGY_KAFKA_PORT",
                "GALGO_JAVA_HOME",
                "GALGO_BUILD",
                "IGGY_DISPLAY_CONFIG",
                "IGGY_SHARD_EVENT_INTERVAL",
                "PATH",
                "GALGO_JVM_OPTIONS"
            })
    void namesOfOtherToolsAreLeftAlone(String name) {
        assertThat(Loading.warnings(directory, "", Map.of(name, "anything"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "system.path, path, elsewhere",
        "system.runtime.path, runtime.path, run",
        "system.logging.level, logging.level, warn",
        "system.encryption.key, encryption.key, abc",
        "system.sharding.cpu_allocation, sharding.cpu_allocation, 2",
        "system.memory_pool.size, memory_pool.size, 1 GiB"
    })
    void aMovedKeyCountsAndSaysWhereItWent(String old, String flat, String value) throws Exception {
        int dot = old.lastIndexOf('.');
        String toml = "[" + old.substring(0, dot) + "]\n" + old.substring(dot + 1) + " = \"" + value + "\"\n";
        ServerConfiguration loaded = Loading.load(directory, toml, Map.of());
        assertThat(loaded.warnings())
                .containsExactly("config: " + old + " (core/server/config.toml:2) is deprecated, use " + flat);
        if (!flat.endsWith("key")) {
            String name = flat.substring(flat.lastIndexOf('.') + 1);
            assertThat(loaded.effective().toToml(Map.of(), List.of()))
                    .containsAnyOf(name + " = \"" + value + "\"", name + " = " + value);
        }
    }

    @Test
    void aMovedVariableSaysWhichOneToUse() {
        assertThat(Loading.warnings(directory, "", Map.of("IGGY_SYSTEM_LOGGING_LEVEL", "warn")))
                .containsExactly(
                        "config: system.logging.level (IGGY_SYSTEM_LOGGING_LEVEL) is deprecated, use IGGY_LOGGING_LEVEL");
    }

    @Test
    void theFlatKeyWinsInWhateverLayerItStands() throws Exception {
        String toml = "path = \"flat\"\n";
        ServerConfiguration loaded = Loading.load(directory, toml, Map.of("IGGY_SYSTEM_PATH", "old"));
        assertThat(loaded.dataPath()).isEqualTo(directory.resolve("flat"));
        assertThat(Loading.load(directory, "", Map.of("IGGY_SYSTEM_PATH", "old", "GALGO_PATH", "new"))
                        .dataPath())
                .isEqualTo(directory.resolve("new"));
    }

    @Test
    void thereAreNoMovedNamesWithOurPrefix() {
        assertThat(Loading.warnings(directory, "", Map.of("GALGO_SYSTEM_PATH", "x")))
                .singleElement()
                .asString()
                .contains("GALGO_SYSTEM_PATH is not a known variable");
    }

    @Test
    void directoryNamesAreFixed() {
        assertThat(Loading.warnings(directory, "[system.topic]\npath = \"topics\"\n", Map.of()))
                .hasSize(1);
        assertThat(Loading.warnings(directory, "", Map.of("IGGY_STREAM_PATH", "streams")))
                .hasSize(1);
        assertThat(Loading.problems(directory, "[partition]\npath = \"parts\"\n", Map.of()))
                .singleElement()
                .asString()
                .contains("partition.path = \"parts\"")
                .contains("\"partitions\"");
    }

    @Test
    void functionsThatAreGoneMayBeOff() {
        assertThat(Loading.warnings(directory, "[system.segment]\narchive_expired = false\n", Map.of()))
                .hasSize(1);
        assertThat(Loading.problems(directory, "[system.segment]\narchive_expired = true\n", Map.of()))
                .hasSize(1);
        assertThat(Loading.problems(directory, "", Map.of("IGGY_SYSTEM_RECOVERY_RECREATE_MISSING_STATE", "true")))
                .hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "IGGY_SYSTEM_TOPIC_MAX_SIZE, max_topic_size",
        "IGGY_SYSTEM_TOPIC_MESSAGE_EXPIRY, message_expiry",
        "IGGY_SYSTEM_PARTITION_ENFORCE_FSYNC, durability",
        "IGGY_SYSTEM_PARTITION_MESSAGES_REQUIRED_TO_SAVE, messages_required_to_save",
        "IGGY_SYSTEM_PARTITION_SIZE_OF_MESSAGES_REQUIRED_TO_SAVE, size_of_messages_required_to_save",
        "IGGY_SYSTEM_SEGMENT_SIZE, segment_size",
        "IGGY_SYSTEM_SEGMENT_PREALLOCATE, preallocate_segments",
        "IGGY_PARTITION_CONSUMER_OFFSET_ENFORCE_FSYNC, consumer_offset_durability"
    })
    void whatIsATopicOptionNowIsRefusedWithItsName(String variable, String option) {
        assertThat(Loading.problems(directory, "", Map.of(variable, "1")))
                .singleElement()
                .asString()
                .contains(variable)
                .contains("\"" + option + "\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"IGGY_EXTRA", "IGGY_EXTRA_THING", "IGGY_SYSTEM_MESSAGE_DEDUPLICATION_ENABLED"})
    void whatWasRemovedIsRefusedWithAllBelowIt(String variable) {
        assertThat(Loading.problems(directory, "", Map.of(variable, "1"))).hasSize(1);
        assertThat(Loading.problems(directory, "[system.message_deduplication]\nenabled = true\n", Map.of()))
                .hasSize(1);
    }

    @Test
    void otherNamesBelowSystemAreUnknown() {
        assertThat(Loading.warnings(directory, "[system.state]\nx = 1\n[system.backup]\ny = 2\n", Map.of()))
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).contains("is not a known key and is ignored"));
    }

    @Test
    void bothPrefixesThatDifferAreNamed() {
        assertThat(Loading.warnings(directory, "", Map.of("IGGY_PATH", "a", "GALGO_PATH", "b")))
                .containsExactly("config: GALGO_PATH and IGGY_PATH are both set and differ; GALGO_PATH counts");
        assertThat(Loading.warnings(directory, "", Map.of("IGGY_PATH", "a", "GALGO_PATH", "a")))
                .isEmpty();
    }

    @Test
    void anEmptyVariableIsUnset() throws Exception {
        ServerConfiguration loaded = Loading.load(directory, "path = \"f\"", Map.of("IGGY_PATH", "", "GALGO_PATH", ""));
        assertThat(loaded.dataPath()).isEqualTo(directory.resolve("f"));
    }

    @ParameterizedTest
    @CsvSource({"1, true", "YES, true", "on, true", "0, false", "No, false", "off, false", "TRUE, true"})
    void flagsOfVariablesAreReadGenerously(String text, boolean value) throws Exception {
        assertThat(Loading.load(directory, "", Map.of("IGGY_TCP_ENABLED", text))
                        .tcp()
                        .isEnabled())
                .isEqualTo(value);
    }

    @Test
    void aListOfAVariableNeedsNoBrackets() throws Exception {
        assertThat(Loading.load(directory, "", Map.of("IGGY_HTTP_CORS_ALLOWED_ORIGINS", "http://a"))
                        .effective()
                        .toToml(Map.of(), List.of()))
                .contains("allowed_origins = [\"http://a\"]");
        assertThat(Loading.load(directory, "", Map.of("IGGY_HTTP_JWT_VALID_ISSUERS", "[1, \"a,b\"]"))
                        .effective()
                        .toToml(Map.of(), List.of()))
                .contains("valid_issuers = [\"1\", \"a,b\"]");
    }

    @Test
    void aNumberMayBeAName() throws Exception {
        assertThat(Loading.load(directory, "", Map.of("IGGY_CLUSTER_NAME", "123"))
                        .broker()
                        .clusterName())
                .isEqualTo("123");
    }

    @Test
    void aRelativeFileIsLookedForUpwards() throws Exception {
        Path below = Files.createDirectories(directory.resolve("a/b"));
        Files.writeString(directory.resolve("galgo.toml"), "path = \"found\"\n");
        ServerConfiguration loaded = Loading.load(below, "", Map.of("IGGY_CONFIG_PATH", "galgo.toml"));
        assertThat(loaded.dataPath()).isEqualTo(below.resolve("found"));
        assertThat(Loading.warnings(below, "", Map.of("IGGY_CONFIG_PATH", "none.toml")))
                .containsExactly("config: Configuration file not found at path: 'none.toml' (IGGY_CONFIG_PATH): this"
                        + " start goes on with defaults and variables, and with the data in "
                        + below.resolve("local_data"));
        assertThat(Loading.warnings(below, "", Map.of("IGGY_CONFIG_PATH", directory.toString())))
                .singleElement()
                .asString()
                .contains(directory + " is a directory; this start goes on with defaults");
    }

    @Test
    void aTransportThatIsAskedForAndNotServedIsWarnedAboutWithItsPlace() throws Exception {
        assertThat(Loading.warnings(directory, "[http]\nenabled = true\naddress = \"127.0.0.1:3001\"\n", Map.of()))
                .containsExactly("config: http.enabled = true (core/server/config.toml:2): this version of Galgo does"
                        + " not serve http yet; nothing listens on 127.0.0.1:3001");
        assertThat(Loading.warnings(directory, "", Map.of())).as("nobody asked").isEmpty();
    }

    @Test
    void aWordThatIsNoLevelIsWarnedAboutWithThoseThatAre() throws Exception {
        assertThat(Loading.warnings(directory, "", Map.of("GALGO_LOGGING_LEVEL", "verbose")))
                .containsExactly(
                        "config: logging.level = \"verbose\" (GALGO_LOGGING_LEVEL): \"verbose\" is no level and"
                                + " changes nothing; levels are off, error, warn, info, debug and trace");
        assertThat(Loading.warnings(directory, "", Map.of("RUST_LOG", "warn,server=loud")))
                .containsExactly("config: RUST_LOG = \"warn,server=loud\": \"loud\" is no level and changes nothing;"
                        + " levels are off, error, warn, info, debug and trace");
        assertThat(Loading.warnings(directory, "", Map.of("RUST_LOG", "Warn,server=DEBUG")))
                .isEmpty();
    }

    @Test
    void aWildcardWarnsUnlessAnAddressIsAdvertised() {
        assertThat(Loading.warnings(directory, "", Map.of("IGGY_TCP_ADDRESS", "0.0.0.0:8090")))
                .singleElement()
                .asString()
                .contains("node.advertised_address");
        assertThat(Loading.warnings(
                        directory,
                        "",
                        Map.of("IGGY_TCP_ADDRESS", "[::]:8090", "IGGY_NODE_ADVERTISED_ADDRESS", "broker")))
                .isEmpty();
    }

    @Test
    void memoryIsHalfOfASmallMachineUnlessSet() throws Exception {
        assertThat(Loading.load(directory, "", Map.of()).memoryBytesMax()).isEqualTo(4L << 30);
        assertThat(Loading.load(directory, "", Map.of("IGGY_MEMORY_POOL_SIZE", "8 GiB"))
                        .memoryBytesMax())
                .isEqualTo(8L << 30);
    }
}
