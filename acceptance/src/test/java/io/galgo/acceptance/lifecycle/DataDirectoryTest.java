package io.galgo.acceptance.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.Servers;
import io.galgo.acceptance.harness.Target;
import io.galgo.protocol.Checksum;
import io.galgo.torture.server.Commands;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.server.ServerSettings;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.Strategy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Data directories that a server must not touch, and those that it must put in order.
@ExtendWith(ServerLogs.class)
class DataDirectoryTest {
    private static final int HEADER_BYTES_MAX = 4096;
    private static final int VERSION_AT = 8;
    private static final int OTHER_VERSION = 99;

    @TempDir
    Path folder;

    @BeforeEach
    void onlyOurServer() {
        Assumptions.assumeFalse(Target.current().isReference(), "these are files of Galgo");
    }

    @Test
    void metadataOfAnotherVersionIsRefusedInOneSentence() throws Exception {
        fillAndKill();
        for (List<Path> copies : metadataFiles()) {
            List<byte[]> sound = new ArrayList<>();
            for (Path file : copies) {
                sound.add(Files.readAllBytes(file));
                Files.write(file, ofAnotherVersion(file, sound.getLast()));
            }
            Commands.Outcome refusal = ServerProcess.startRefused(settings());
            for (int i = 0; i < copies.size(); i++) {
                Files.write(copies.get(i), sound.get(i));
            }
            assertThat(refusal.exitCode()).as("exit code, %s", copies).isEqualTo(1);
            assertThat(refusal.output())
                    .contains(stemOf(copies.getFirst()))
                    .contains("version " + OTHER_VERSION)
                    .doesNotContain("\tat ");
        }
        try (ServerProcess server = ServerProcess.start(settings());
                RawClient client = server.client()) {
            assertThat(client.poll("kept", "events", 0, Strategy.first(), 10).texts())
                    .containsExactly("one", "two");
        }
    }

    @Test
    void aFlippedByteInsideTheMetadataLogIsRefusedUntilTheDirectoryIsWiped() throws Exception {
        fillAndKill();
        Path journal;
        try (Stream<Path> all = Files.list(folder.resolve("data/metadata"))) {
            journal = all.filter(file -> file.toString().endsWith(".journal"))
                    .findFirst()
                    .orElseThrow();
        }
        byte[] sound = Files.readAllBytes(journal);
        byte[] damaged = sound.clone();
        int position = new String(sound, java.nio.charset.StandardCharsets.ISO_8859_1).indexOf("kept");
        assertThat(position).as("where the journal names the stream").isPositive();
        damaged[position] ^= 1;
        Files.write(journal, damaged);
        Commands.Outcome refusal = ServerProcess.startRefused(settings());
        assertThat(refusal.exitCode()).isNotZero();
        assertThat(refusal.output()).contains(journal.getFileName().toString()).doesNotContain("\tat ");
        Files.write(journal, sound);
        try (ServerProcess server = ServerProcess.start(settings());
                RawClient client = server.client()) {
            assertThat(client.stream("kept")).isPresent();
        }
        damaged = Files.readAllBytes(journal);
        damaged[position] ^= 1;
        Files.write(journal, damaged);
        assertThat(ServerProcess.startRefused(settings()).exitCode()).isNotZero();
        try (ServerProcess server = ServerProcess.start(settings().withArgument("--fresh"));
                RawClient client = server.client()) {
            assertThat(client.streams()).isEmpty();
            client.createStream("new");
        }
    }

    @Test
    void manyMetadataOperationsSurviveAKillThroughSnapshots() throws Exception {
        ServerProcess server = ServerProcess.start(settings().withVariable("GALGO_METADATA_JOURNAL_SLOTS", "256"));
        try {
            try (RawClient client = server.client()) {
                for (int i = 0; i < 1200; i++) {
                    client.createStream("stream-" + i);
                    if (i >= 10) {
                        client.succeed(Operation.DELETE_STREAM, Body.of().id("stream-" + (i - 10)));
                    }
                }
            }
            server.kill();
            server = server.startAgain();
            try (RawClient client = server.client()) {
                assertThat(client.streams())
                        .extracting(stream -> stream.name())
                        .containsExactlyInAnyOrderElementsOf(java.util.stream.IntStream.range(1190, 1200)
                                .mapToObj(i -> "stream-" + i)
                                .toList());
            }
        } finally {
            server.close();
        }
    }

    @Test
    void aFolderOfAPartitionThatNobodyKnowsIsRemoved() throws Exception {
        fillAndKill();
        Path stray = folder.resolve("data/streams/77/topics/0/partitions/0");
        Files.createDirectories(stray);
        Files.writeString(stray.resolve("00000000000000000000.log"), "left behind");
        try (ServerProcess server = ServerProcess.start(settings());
                RawClient client = server.client()) {
            client.createStream("next");
            assertThat(stray).doesNotExist();
        }
    }

    private void fillAndKill() throws IOException, InterruptedException {
        try (ServerProcess server = ServerProcess.start(settings());
                RawClient client = server.client()) {
            client.createStream("kept");
            client.createTopic("kept", "events", 1);
            client.send("kept", "events", Partitioning.to(0), "one", "two");
            server.kill();
        }
    }

    /// The files of the metadata, those that are copies of each other together.
    private Collection<List<Path>> metadataFiles() throws IOException {
        Map<String, List<Path>> byStem = new TreeMap<>();
        try (Stream<Path> all = Files.walk(folder.resolve("data/metadata"))) {
            all.filter(Files::isRegularFile)
                    .sorted()
                    .forEach(file -> byStem.computeIfAbsent(stemOf(file), _ -> new ArrayList<>())
                            .add(file));
        }
        assertThat(byStem).as("files of the metadata").isNotEmpty();
        return byStem.values();
    }

    private static String stemOf(Path file) {
        String name = file.getFileName().toString();
        return name.substring(0, name.indexOf('.'));
    }

    /// A file's header as another version would have written it. Every format of ours begins with a magic, has the
    /// version behind it and ends its header with the XXH3 checksum of all before.
    private static byte[] ofAnotherVersion(Path file, byte[] sound) {
        byte[] other = sound.clone();
        ByteBuffer fields = ByteBuffer.wrap(other).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = VERSION_AT + 8; at + 8 <= Math.min(other.length, HEADER_BYTES_MAX); at += 8) {
            if (fields.getLong(at) == Checksum.xxh3(fields, 0, at)) {
                fields.putInt(VERSION_AT, OTHER_VERSION);
                fields.putLong(at, Checksum.xxh3(fields, 0, at));
                return other;
            }
        }
        throw new AssertionError(file + " has no checksum at the end of its header");
    }

    private ServerSettings settings() {
        return Servers.on(folder.resolve("data"));
    }
}
