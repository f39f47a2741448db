package io.galgo.server.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.github.luben.zstd.ZstdInputStream;
import io.galgo.protocol.request.GetSnapshot;
import io.galgo.protocol.request.SnapshotCompression;
import io.galgo.protocol.request.SnapshotType;
import io.galgo.server.password.ShownPassword;
import io.galgo.storage.Incident;
import io.galgo.storage.Incidents;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tukaani.xz.LZMAInputStream;
import org.tukaani.xz.XZInputStream;

/// Archives as a person opens them: each way of packing is undone by the library of that way.
class SnapshotArchivesTest {
    private static final int BYTES_MAX = 64 << 20;

    @TempDir
    Path directory;

    private Path logs;
    private Path configuration;
    private SnapshotArchives archives;
    private final List<String> warnings = new ArrayList<>();
    private final Incidents incidents = new Incidents();

    @BeforeEach
    void make() throws IOException {
        logs = Files.createDirectory(directory.resolve("logs"));
        configuration = directory.resolve("current_config.toml");
        Files.writeString(configuration, "path = \"local_data\"\n");
        archives = new SnapshotArchives(directory, configuration, logs, incidents, warnings::add);
    }

    private @Nullable ByteBuffer make(SnapshotCompression compression, int bytesMax, SnapshotType... types)
            throws InterruptedException {
        AtomicReference<@Nullable ByteBuffer> archive = new AtomicReference<>();
        CountDownLatch done = new CountDownLatch(1);
        assertThat(archives.offer(new GetSnapshot(compression, List.of(types)), bytesMax, made -> {
                    archive.set(made);
                    done.countDown();
                }))
                .isTrue();
        assertThat(done.await(60, TimeUnit.SECONDS)).as("the archive was made").isTrue();
        return archive.get();
    }

    private Map<String, String> files(SnapshotCompression compression, SnapshotType... types) throws Exception {
        ByteBuffer archive = make(compression, BYTES_MAX, types);
        assertThat(archive).as("an archive; warnings: %s", warnings).isNotNull();
        return unpack(Objects.requireNonNull(archive));
    }

    /// Reads the directory at the end of the archive, then each file by it.
    private static Map<String, String> unpack(ByteBuffer archive) throws IOException {
        ByteBuffer bytes = archive.order(ByteOrder.LITTLE_ENDIAN);
        int end = bytes.limit() - 22;
        assertThat(bytes.getInt(end)).as("the end record").isEqualTo(0x06054b50);
        Map<String, String> files = new LinkedHashMap<>();
        int at = bytes.getInt(end + 16);
        for (int i = 0; i < bytes.getShort(end + 10); i++) {
            assertThat(bytes.getInt(at)).as("a directory record").isEqualTo(0x02014b50);
            int method = bytes.getShort(at + 10);
            int packedBytes = bytes.getInt(at + 20);
            int nameBytes = bytes.getShort(at + 28);
            int local = bytes.getInt(at + 42);
            assertThat(bytes.getInt(local)).as("a local header").isEqualTo(0x04034b50);
            for (int field = 0; field < 24; field++) {
                assertThat(bytes.get(local + 4 + field))
                        .as("byte %s of what both headers say", field)
                        .isEqualTo(bytes.get(at + 6 + field));
            }
            byte[] packed = new byte[packedBytes];
            bytes.get(local + 30 + nameBytes, packed);
            byte[] plain = plain(method, packed, bytes.getInt(at + 24));
            CRC32 crc = new CRC32();
            crc.update(plain);
            assertThat((int) crc.getValue()).as("CRC").isEqualTo(bytes.getInt(at + 16));
            assertThat(plain).as("length").hasSize(bytes.getInt(at + 24));
            byte[] name = new byte[nameBytes];
            bytes.get(at + 46, name);
            files.put(new String(name, StandardCharsets.UTF_8), new String(plain, StandardCharsets.UTF_8));
            at += 46 + nameBytes;
        }
        assertThat(at).as("the directory ends where the end record begins").isEqualTo(end);
        return files;
    }

    private static byte[] plain(int method, byte[] packed, int length) throws IOException {
        InputStream bytes = new ByteArrayInputStream(packed);
        try (InputStream plain = switch (method) {
            case 0 -> bytes;
            case 8 -> new InflaterInputStream(bytes, new Inflater(true));
            case 12 -> new BZip2CompressorInputStream(bytes);
            case 14 -> lzma(bytes, length);
            case 93 -> new ZstdInputStream(bytes);
            case 95 -> new XZInputStream(bytes);
            default -> throw new AssertionError("method " + method);
        }) {
            return plain.readAllBytes();
        }
    }

    private static InputStream lzma(InputStream bytes, int length) throws IOException {
        byte[] header = bytes.readNBytes(9);
        int dictionary = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getInt(5);
        return new LZMAInputStream(bytes, length, header[4], dictionary);
    }

    @Test
    void whatHappenedToTheNodeIsCountedBesideItsResources() throws Exception {
        incidents.count(Incident.LOG_END_CUT);
        incidents.count(Incident.LOG_END_CUT);
        String resources = String.valueOf(
                files(SnapshotCompression.STORED, SnapshotType.RESOURCE_USAGE).get("resource_usage.txt"));
        assertThat(resources).containsPattern(" 2  " + Incident.LOG_END_CUT.text() + "\\R");
        assertThat(resources).doesNotContain(Incident.JOURNAL_FAILED.text());
    }

    @ParameterizedTest
    @EnumSource
    void everyWayOfPackingIsUndoneByItsOwnLibrary(SnapshotCompression compression) throws Exception {
        String log = "a line that comes again\n".repeat(20_000);
        Files.writeString(logs.resolve("iggy-server.log"), log);
        Map<String, String> files = files(compression, SnapshotType.TEST, SnapshotType.SERVER_LOGS);
        assertThat(files.keySet()).containsExactly("test.txt", "server_logs.txt");
        assertThat(files).containsEntry("test.txt", "test").containsEntry("server_logs.txt", log);
    }

    @Test
    void thePlatformReadsAnArchiveToo() throws Exception {
        for (SnapshotCompression compression : List.of(SnapshotCompression.STORED, SnapshotCompression.DEFLATED)) {
            ByteBuffer archive =
                    Objects.requireNonNull(make(compression, BYTES_MAX, SnapshotType.TEST, SnapshotType.SERVER_CONFIG));
            byte[] copy = new byte[archive.remaining()];
            archive.get(copy);
            try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(copy))) {
                ZipEntry test = zip.getNextEntry();
                assertThat(test.getName()).isEqualTo("test.txt");
                assertThat(zip.readAllBytes()).asString().isEqualTo("test");
                assertThat(zip.getNextEntry().getName()).isEqualTo("server_config.txt");
                assertThat(zip.readAllBytes()).asString().contains("local_data");
                assertThat(zip.getNextEntry()).isNull();
            }
        }
    }

    @Test
    void allIsEverythingButTheTest() throws Exception {
        Files.writeString(logs.resolve("iggy-server.log"), "line\n");
        Map<String, String> files = files(SnapshotCompression.DEFLATED, SnapshotType.ALL);
        assertThat(files.keySet())
                .containsExactly(
                        "filesystem_overview.txt",
                        "process_list.txt",
                        "resource_usage.txt",
                        "server_logs.txt",
                        "server_config.txt");
        assertThat(files.get("filesystem_overview.txt")).contains("/tmp:", "/proc:", "self");
        assertThat(files.get("process_list.txt")).contains("/proc/self/status");
        assertThat(files.get("resource_usage.txt")).isNotBlank();
    }

    @Test
    void sectionsComeInTheOrderInWhichTheyAreAskedFor() throws Exception {
        assertThat(files(SnapshotCompression.STORED, SnapshotType.SERVER_CONFIG, SnapshotType.TEST)
                        .keySet())
                .containsExactly("server_config.txt", "test.txt");
    }

    @Test
    void logsComeOldestFirst() throws Exception {
        write("iggy-server.log.1", "second\n", 2_000);
        write("iggy-server.log.2", "first\n", 1_000);
        write("iggy-server.log", "third\n", 500);
        Files.writeString(logs.resolve("somebody-else.log"), "not ours\n");
        assertThat(files(SnapshotCompression.STORED, SnapshotType.SERVER_LOGS))
                .containsEntry("server_logs.txt", "first\nsecond\nthird\n");
    }

    private void write(String name, String text, long modifiedMillis) throws IOException {
        Path file = logs.resolve(name);
        Files.writeString(file, text);
        Files.setLastModifiedTime(file, FileTime.fromMillis(modifiedMillis));
    }

    @Test
    void thePasswordThatWasShownOnceIsLeftOut() throws Exception {
        Files.writeString(
                logs.resolve("iggy-server.log"), "before\nWARN " + ShownPassword.line("abcDEF123") + "\nafter\n");
        assertThat(files(SnapshotCompression.STORED, SnapshotType.SERVER_LOGS).get("server_logs.txt"))
                .contains("before", "Generated root user password: ******", "after")
                .doesNotContain("abcDEF123");
    }

    @Test
    void aSectionThatFailsIsLeftAway() throws Exception {
        Files.delete(configuration);
        Map<String, String> files = files(
                SnapshotCompression.DEFLATED, SnapshotType.TEST, SnapshotType.SERVER_LOGS, SnapshotType.SERVER_CONFIG);
        assertThat(files.keySet()).containsExactly("test.txt");
        assertThat(warnings).hasSize(2).anySatisfy(line -> assertThat(line).contains("server_logs"));
    }

    @Test
    void anArchiveThatIsTooLongIsNone() throws Exception {
        Files.writeString(logs.resolve("iggy-server.log"), "x".repeat(5_000));
        assertThat(make(SnapshotCompression.STORED, 5_000, SnapshotType.SERVER_LOGS))
                .isNull();
        assertThat(make(SnapshotCompression.STORED, 5_100, SnapshotType.SERVER_LOGS))
                .isNull();
        assertThat(make(SnapshotCompression.STORED, 5_200, SnapshotType.SERVER_LOGS))
                .isNotNull();
        assertThat(make(SnapshotCompression.DEFLATED, 300, SnapshotType.SERVER_LOGS))
                .as("it is the packed length that counts")
                .isNotNull();
    }

    @Test
    void oneIsMadeAtATime() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        GetSnapshot request = new GetSnapshot(SnapshotCompression.STORED, List.of(SnapshotType.TEST));
        assertThat(archives.offer(request, BYTES_MAX, _ -> done.countDown())).isTrue();
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        Files.delete(configuration);
        Path pipe = directory.resolve("current_config.toml");
        Process made = new ProcessBuilder("mkfifo", pipe.toString()).start();
        assertThat(made.waitFor()).isZero();
        GetSnapshot slow = new GetSnapshot(SnapshotCompression.STORED, List.of(SnapshotType.SERVER_CONFIG));
        assertThat(archives.offer(slow, BYTES_MAX, _ -> mayEnd.countDown())).isTrue();
        assertThat(archives.offer(request, BYTES_MAX, _ -> {}))
                .as("beside another one")
                .isFalse();
        Files.writeString(pipe, "now it can be read");
        assertThat(mayEnd.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(make(SnapshotCompression.STORED, BYTES_MAX, SnapshotType.TEST))
                .isNotNull();
    }

    @Test
    void afterOneThatGotNoThreadTheNextOneIsMade() throws Exception {
        AtomicInteger threadsMade = new AtomicInteger();
        archives = new SnapshotArchives(directory, configuration, logs, incidents, warnings::add, task -> {
            boolean isFirst = threadsMade.getAndIncrement() == 0;
            return new Thread(task) {
                @Override
                public void start() {
                    if (isFirst) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    super.start();
                }
            };
        });
        GetSnapshot request = new GetSnapshot(SnapshotCompression.STORED, List.of(SnapshotType.TEST));
        assertThat(archives.offer(request, BYTES_MAX, _ -> {}))
                .as("without a thread")
                .isFalse();
        assertThat(warnings).singleElement().asString().contains("unable to create native thread");
        assertThat(make(SnapshotCompression.STORED, BYTES_MAX, SnapshotType.TEST))
                .isNotNull();
    }

    @Test
    void argumentsOfOtherProcessesAreNotTold() throws Exception {
        Process other = new ProcessBuilder("sleep", "61.0625").start();
        try {
            String list =
                    files(SnapshotCompression.STORED, SnapshotType.PROCESS_LIST).get("process_list.txt");
            assumeThat(list).as("ps is there").contains("sleep");
            assertThat(list).doesNotContain("61.0625");
        } finally {
            other.destroyForcibly();
        }
    }

    @Test
    void nothingIsLeftBeside() throws Exception {
        files(SnapshotCompression.XZ, SnapshotType.ALL);
        try (var names = Files.list(directory)) {
            assertThat(names.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder("logs", "current_config.toml");
        }
    }
}
