package io.galgo.acceptance.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.ServerProcess;
import io.galgo.acceptance.harness.ServerSettings;
import io.galgo.acceptance.harness.Target;
import io.galgo.acceptance.harness.Tools;
import io.galgo.acceptance.wire.Body;
import io.galgo.acceptance.wire.Operation;
import io.galgo.acceptance.wire.Partitioning;
import io.galgo.acceptance.wire.RawClient;
import io.galgo.acceptance.wire.Strategy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Data directories that a server must not touch, and those that it must put in order.
@ExtendWith(ServerLogs.class)
class DataDirectoryTest {
    private static final int PAGE_BYTES = 4096;
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
        List<Path> files;
        try (Stream<Path> all = Files.walk(folder.resolve("data/metadata"))) {
            files = all.filter(Files::isRegularFile).toList();
        }
        assertThat(files).isNotEmpty();
        for (Path file : files) {
            byte[] sound = Files.readAllBytes(file);
            Files.write(file, ofAnotherVersion(sound));
            Tools.Outcome refusal = ServerProcess.startRefused(settings());
            Files.write(file, sound);
            assertThat(refusal.exitCode()).as("exit code, %s", file).isEqualTo(1);
            assertThat(refusal.output())
                    .contains(file.getFileName().toString())
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
    void aFlippedByteInsideTheMetadataLogIsRefused() throws Exception {
        fillAndKill();
        Path journal = folder.resolve("data/metadata/journal.wal");
        byte[] sound = Files.readAllBytes(journal);
        byte[] damaged = sound.clone();
        int position = new String(sound, java.nio.charset.StandardCharsets.ISO_8859_1).indexOf("kept");
        assertThat(position).as("where the journal names the stream").isPositive();
        damaged[position] ^= 1;
        Files.write(journal, damaged);
        Tools.Outcome refusal = ServerProcess.startRefused(settings());
        assertThat(refusal.exitCode()).isNotZero();
        assertThat(refusal.output()).contains("journal.wal").doesNotContain("\tat ");
        Files.write(journal, sound);
        try (ServerProcess server = ServerProcess.start(settings());
                RawClient client = server.client()) {
            assertThat(client.stream("kept")).isPresent();
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

    /// All copies of a file's header, as another version would have written them. Every format of ours has its
    /// magic in the first eight bytes of a page and the version behind it.
    private static byte[] ofAnotherVersion(byte[] sound) {
        byte[] other = sound.clone();
        ByteBuffer fields = ByteBuffer.wrap(other).order(ByteOrder.LITTLE_ENDIAN);
        for (int page = 0; page + PAGE_BYTES <= Math.max(other.length, PAGE_BYTES); page += PAGE_BYTES) {
            boolean isHeader = page + VERSION_AT + 4 <= other.length
                    && Arrays.equals(other, page, page + VERSION_AT, other, 0, VERSION_AT);
            if (isHeader) {
                fields.putInt(page + VERSION_AT, OTHER_VERSION);
            }
        }
        return other;
    }

    private ServerSettings settings() {
        return ServerSettings.on(folder.resolve("data"));
    }
}
