package io.galgo.acceptance.storedform;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.PythonEnvironment;
import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.Servers;
import io.galgo.acceptance.harness.Target;
import io.galgo.torture.server.Commands;
import io.galgo.torture.server.DiskBackend;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.server.ServerSettings;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Code;
import io.galgo.torture.wire.Message;
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.PolledMessage;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.ReplyFrame;
import io.galgo.torture.wire.Strategy;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(ServerLogs.class)
class StoredFormTest {
    private static final String KEY = "c2l4dGVlbiBieXRlcyBhbmQgc2l4dGVlbiBtb3JlISE=";
    private static final String OTHER_KEY = "YW5vdGhlciBrZXkgb2YgdGhpcnR5LXR3byBieXRlcy4=";
    private static final String MARKER = "nobody shall read this payload on the disk";
    private static final String HEADER_MARKER = "nor this header value";

    @TempDir
    Path folder;

    @BeforeEach
    void onlyOurServer() {
        Assumptions.assumeFalse(Target.current().isReference(), "these are files of Galgo");
    }

    private ServerSettings plain() {
        return Servers.on(folder.resolve("data"));
    }

    private ServerSettings encrypted(String key) {
        return plain().withVariable("GALGO_ENCRYPTION_ENABLED", "true").withVariable("GALGO_ENCRYPTION_KEY", key);
    }

    private static void makeTopics(RawClient client) throws IOException {
        client.createStream("kept");
        client.createTopic("kept", "events", 1);
        client.createTopic(
                "kept",
                "packed",
                1,
                Body.of().option("compression_algorithm", "gzip").toBytes());
    }

    private static Message message(int number) {
        byte[] headers = Body.of()
                .field(2, "name".getBytes(StandardCharsets.UTF_8))
                .field(2, (HEADER_MARKER + " " + number).getBytes(StandardCharsets.UTF_8))
                .toBytes();
        return new Message(
                new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, (byte) number},
                (number + " " + MARKER + " " + "and more ".repeat(20)).getBytes(StandardCharsets.UTF_8),
                headers);
    }

    private static void fill(RawClient client, String topic, int from, int to) throws IOException {
        for (int first = from; first < to; first += 10) {
            List<Message> messages = new ArrayList<>();
            for (int number = first; number < first + 10; number++) {
                messages.add(message(number));
            }
            assertThat(client.send("kept", topic, Partitioning.to(0), messages).baseOffset())
                    .isEqualTo(first);
        }
    }

    /// Reads everything, in polls that cut batches.
    private static void check(RawClient client, String topic, int count) throws IOException {
        for (int step : new int[] {7, 1000}) {
            int next = 0;
            while (next < count) {
                List<PolledMessage> found = client.poll("kept", topic, 0, Strategy.offset(next), step)
                        .messages();
                assertThat(found).as("messages from %s of %s", next, topic).isNotEmpty();
                for (PolledMessage polled : found) {
                    Message sent = message(next);
                    assertThat(polled.offset()).isEqualTo(next);
                    assertThat(polled.payload()).isEqualTo(sent.payload());
                    assertThat(polled.headers()).isEqualTo(sent.headers());
                    assertThat(polled.id()).isEqualTo(sent.id());
                    next++;
                }
            }
        }
    }

    private List<String> filesWith(String marker) throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(folder.resolve("data"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String content = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
                if (content.contains(marker)) {
                    found.add(folder.relativize(file).toString());
                }
            }
        }
        return found;
    }

    @ParameterizedTest
    @EnumSource(names = {"RING", "FALLBACK"})
    void anEncryptedServerKeepsNothingInClearAndLosesNothing(DiskBackend disk) throws Exception {
        ServerSettings settings = encrypted(KEY).withDisk(disk);
        try (ServerProcess server = ServerProcess.start(settings)) {
            try (RawClient client = server.client()) {
                makeTopics(client);
                for (String topic : List.of("events", "packed")) {
                    fill(client, topic, 0, 100);
                    check(client, topic, 100);
                }
            }
            server.kill();
        }
        for (String secret : List.of(MARKER, HEADER_MARKER, KEY, "sixteen bytes and")) {
            assertThat(filesWith(secret)).as("files with '%s'", secret).isEmpty();
        }
        try (ServerProcess server = ServerProcess.start(settings)) {
            try (RawClient client = server.client()) {
                for (String topic : List.of("events", "packed")) {
                    check(client, topic, 100);
                    fill(client, topic, 100, 150);
                }
            }
            server.stop();
        }
        try (ServerProcess server = ServerProcess.start(settings);
                RawClient client = server.client()) {
            for (String topic : List.of("events", "packed")) {
                check(client, topic, 150);
            }
            assertThat(server.log()).doesNotContain(KEY);
        }
        assertThat(filesWith(MARKER)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"RING", "FALLBACK"})
    void aPackedTopicServesTheSameBytesFromLessDisk(DiskBackend disk) throws Exception {
        ServerSettings settings = plain().withDisk(disk);
        try (ServerProcess server = ServerProcess.start(settings)) {
            try (RawClient client = server.client()) {
                makeTopics(client);
                fill(client, "events", 0, 200);
                fill(client, "packed", 0, 200);
                check(client, "packed", 200);
                assertThat(client.topic("kept", "packed").orElseThrow().sizeBytes())
                        .as("statistics tell the same size as for the other topic")
                        .isEqualTo(client.topic("kept", "events").orElseThrow().sizeBytes());
            }
            server.kill();
        }
        assertThat(Files.size(segment(1)))
                .as("bytes of the packed topic on disk, the other one has %s", Files.size(segment(0)))
                .isLessThan(Files.size(segment(0)) / 3);
        try (ServerProcess server = ServerProcess.start(settings);
                RawClient client = server.client()) {
            check(client, "packed", 200);
            assertThat(client.topic("kept", "packed").orElseThrow().sizeBytes())
                    .isEqualTo(client.topic("kept", "events").orElseThrow().sizeBytes());
        }
    }

    private Path segment(int topic) {
        return folder.resolve("data/streams/0/topics/" + topic + "/partitions/0/00000000000000000000.log");
    }

    @Test
    void damagedCiphertextIsDamageAndNeverAMessage() throws Exception {
        try (ServerProcess server = ServerProcess.start(encrypted(KEY))) {
            try (RawClient client = server.client()) {
                makeTopics(client);
                fill(client, "events", 0, 30);
            }
            server.stop();
        }
        Path segment = segment(0);
        long batch = Files.size(segment) / 3;
        try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
            file.seek(batch + 400);
            int value = file.read();
            file.seek(batch + 400);
            file.write(value ^ 8);
        }
        try (ServerProcess server = ServerProcess.start(encrypted(KEY));
                RawClient client = server.client()) {
            assertThat(client.poll("kept", "events", 0, Strategy.offset(0), 100).messages())
                    .as("what is before the damage")
                    .hasSize(10);
            ReplyFrame reply = client.ask(
                    Code.POLL,
                    RawClient.pollBody(Body.of().consumer(1), "kept", "events", 0, Strategy.offset(10), 100, true));
            assertThat(reply.status()).isEqualTo(4039);
            assertThat(client.storedOffset(Body.of().consumer(1), "kept", "events", 0))
                    .as("no offset was stored")
                    .isEmpty();
            assertThat(client.poll("kept", "events", 0, Strategy.offset(20), 100)
                            .messages())
                    .as("what is behind the damage")
                    .hasSize(10);
        }
    }

    @Test
    void aWrongOrMissingKeyRefusesToStartAndChangesNothing() throws Exception {
        try (ServerProcess server = ServerProcess.start(encrypted(KEY))) {
            try (RawClient client = server.client()) {
                makeTopics(client);
                fill(client, "events", 0, 20);
            }
            server.stop();
        }
        Map<String, byte[]> before = content();
        assertRefused(encrypted(OTHER_KEY), "encryption.key is not the key", OTHER_KEY);
        assertRefused(plain(), "set encryption.enabled = true and encryption.key", KEY);
        assertRefused(encrypted("c2hvcnQ="), "encryption.key = ******", "c2hvcnQ=");
        assertRefused(encrypted(""), "standard base64 of exactly 32 bytes is needed", KEY);
        assertThat(content().keySet()).isEqualTo(before.keySet());
        before.forEach((name, bytes) -> assertThat(read(name)).as(name).isEqualTo(bytes));
        try (ServerProcess server = ServerProcess.start(encrypted(KEY));
                RawClient client = server.client()) {
            check(client, "events", 20);
        }
    }

    private static void assertRefused(ServerSettings settings, String text, String secret) throws Exception {
        Commands.Outcome refusal = ServerProcess.startRefused(settings);
        assertThat(refusal.exitCode()).isEqualTo(1);
        assertThat(refusal.output()).contains(text).doesNotContain(secret).doesNotContain("\tat ");
    }

    /// What the directories of messages and metadata hold.
    private Map<String, byte[]> content() throws IOException {
        Map<String, byte[]> content = new TreeMap<>();
        for (String directory : List.of("streams", "metadata")) {
            try (Stream<Path> files = Files.walk(folder.resolve("data").resolve(directory))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    content.put(folder.relativize(file).toString(), Files.readAllBytes(file));
                }
            }
        }
        return content;
    }

    private byte[] read(String name) {
        try {
            return Files.readAllBytes(folder.resolve(name));
        } catch (IOException e) {
            throw new AssertionError(name, e);
        }
    }

    @Test
    void encryptionCanBeSwitchedOnLaterAndTheStartSaysWhatStaysInClear() throws Exception {
        try (ServerProcess server = ServerProcess.start(plain())) {
            try (RawClient client = server.client()) {
                makeTopics(client);
                fill(client, "events", 0, 10);
            }
            server.stop();
        }
        long clearBytes = Files.size(segment(0));
        try (ServerProcess server = ServerProcess.start(encrypted(KEY))) {
            try (RawClient client = server.client()) {
                fill(client, "events", 10, 50);
                check(client, "events", 50);
            }
            assertThat(server.log()).contains("already stay in clear until they are deleted");
            server.stop();
        }
        byte[] written = Files.readAllBytes(segment(0));
        String since =
                new String(Arrays.copyOfRange(written, (int) clearBytes, written.length), StandardCharsets.ISO_8859_1);
        assertThat(since).as("what was stored since").isNotEmpty().doesNotContain(MARKER);
    }

    @Test
    void thePublishedPythonClientSeesNoDifference() throws Exception {
        PythonEnvironment python = PythonEnvironment.prepare();
        try (ServerProcess server = ServerProcess.start(encrypted(KEY))) {
            python.run(server.address(), "messages.py");
            python.run(server.address(), "offsets.py");
            server.stop();
        }
        for (String payload : List.of("first-0", "balanced-1", "keyed-1")) {
            assertThat(filesWith(payload)).as("files with '%s'", payload).isEmpty();
        }
    }

    @Test
    void aSnapshotTellsEverythingButSecrets() throws Exception {
        try (ServerProcess server = ServerProcess.start(encrypted(KEY));
                RawClient client = server.client()) {
            ReplyFrame reply = client.ask(Code.SNAPSHOT, Body.of().u8(2).u8(1).u8(100));
            assertThat(reply.isOk()).as(reply.outcome()).isTrue();
            Map<String, String> files = unzip(reply.body());
            assertThat(files.keySet())
                    .containsExactlyInAnyOrder(
                            "filesystem_overview.txt",
                            "process_list.txt",
                            "resource_usage.txt",
                            "server_logs.txt",
                            "server_config.txt");
            assertThat(files.get("server_config.txt"))
                    .contains(
                            "[encryption]",
                            "enabled = true",
                            "address = \"127.0.0.1:" + server.address().getPort());
            assertThat(files.get("server_logs.txt")).contains("ready in");
            files.forEach((name, text) -> assertThat(text).as(name).doesNotContain(KEY));
            assertThat(unzip(client.ask(Code.SNAPSHOT, Body.of().u8(1).u8(1).u8(4))
                            .body()))
                    .containsExactly(Map.entry("test.txt", "test"));
        }
    }

    private static Map<String, String> unzip(byte[] archive) throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(archive))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                files.put(entry.getName(), new String(zip.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return files;
    }
}
