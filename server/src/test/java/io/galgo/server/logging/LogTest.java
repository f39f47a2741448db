package io.galgo.server.logging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.rolling.RolloverFailure;
import io.galgo.server.configuration.ServerConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LogTest {
    private static final long DAY_NANOS = 86_400_000_000_000L;

    @TempDir
    Path directory;

    private ServerConfiguration.Logging settings(String filter, long fileBytesMax, long totalBytesMax) {
        return new ServerConfiguration.Logging(
                directory, filter, fileBytesMax, totalBytesMax, 3_600_000_000_000L, 7 * DAY_NANOS);
    }

    private List<String> lines() throws IOException {
        return Files.readAllLines(directory.resolve("iggy-server.log"));
    }

    @Test
    void aLineIsTimeLevelAndText() throws IOException {
        try (ServerLog log = ServerLog.start(settings("info", 1 << 20, 1 << 24), false)) {
            log.info("up");
            log.warn("careful");
            log.error("broken");
        }
        assertThat(lines())
                .satisfiesExactly(
                        line -> assertThat(line)
                                .matches(
                                        "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3}[+-]\\d\\d:\\d\\d INFO  up"),
                        line -> assertThat(line).endsWith(" WARN  careful"),
                        line -> assertThat(line).endsWith(" ERROR broken"));
    }

    @Test
    void aSecretIsInNoFile() throws IOException {
        try (ServerLog log = ServerLog.start(settings("info", 1 << 20, 1 << 24), false)) {
            log.info("before");
            log.secret("the password is tr0ub4dor");
            log.info("after");
        }
        assertThat(lines()).hasSize(2).noneMatch(line -> line.contains("tr0ub4dor"));
    }

    @Test
    void anEventIsOneLineWhateverIsInIt() throws IOException {
        try (ServerLog log = ServerLog.start(settings("info", 0, 0), false)) {
            log.info("a stream called \"x\n2030-01-01 00:00:00.000 ERROR all is lost\u001b[2J\"");
        }
        assertThat(lines())
                .singleElement()
                .asString()
                .endsWith(" INFO  a stream called \"x\\n2030-01-01 00:00:00.000 ERROR all is lost\\u001b[2J\"");
    }

    @Test
    void theFilterDecidesWhatIsLogged() throws IOException {
        try (ServerLog log = ServerLog.start(settings("error,io.netty=debug", 0, 0), false)) {
            log.info("up");
            log.error("broken");
        }
        assertThat(lines()).hasSize(1);
        Files.delete(directory.resolve("iggy-server.log"));
        try (ServerLog log = ServerLog.start(settings("loud", 0, 0), false)) {
            log.info("unknown words change nothing");
        }
        assertThat(lines()).hasSize(1);
    }

    @Test
    void aBugBringsItsStackIntoTheFile() throws IOException {
        try (ServerLog log = ServerLog.start(settings("info", 0, 0), false)) {
            log.bug("bug", new IllegalStateException("why"));
        }
        assertThat(lines().get(1)).contains("IllegalStateException: why");
        assertThat(lines().get(2)).contains("at ").contains("LogTest");
    }

    @Test
    void aFileThatIsFullIsPutAsideUnderANumberAndNoLineIsLost() throws IOException {
        log(settings("info", 2_000, 1 << 20), 0);

        List<Path> files = LogFiles.oldestFirst(directory);
        assertThat(files).hasSizeGreaterThan(3).containsExactlyInAnyOrderElementsOf(files());
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < files.size(); i++) {
            int number = files.size() - 1 - i;
            assertThat(files.get(i)).hasFileName(number == 0 ? "iggy-server.log" : "iggy-server.log." + number);
            assertThat(Files.size(files.get(i))).as("bytes of %s", files.get(i)).isLessThan(2_000 + 200);
            lines.addAll(Files.readAllLines(files.get(i)));
        }
        assertThat(lines).hasSize(100);
        for (int i = 0; i < 100; i++) {
            assertThat(lines.get(i)).endsWith(" " + i);
        }
    }

    @Test
    void aFileIsContinuedByTheNextProcessAndPutAsideWhenItsHourIsOver() throws IOException {
        ServerConfiguration.Logging settings = settings("info", 1 << 20, 1 << 24);
        Path file = directory.resolve("iggy-server.log");
        log(settings, 0);
        log(settings, 100);
        assertThat(files()).containsExactly(file);
        assertThat(lines()).hasSize(200);

        long yesterday = Files.getLastModifiedTime(file).toMillis() - DAY_NANOS / 1_000_000;
        Files.setLastModifiedTime(file, FileTime.fromMillis(yesterday));
        log(settings, 200);

        assertThat(LogFiles.oldestFirst(directory)).containsExactly(directory.resolve("iggy-server.log.1"), file);
        assertThat(lines()).hasSize(100).last().asString().endsWith(" 299");
    }

    @Test
    void withoutASizeThereIsOneFileThatGrows() throws IOException {
        log(settings("info", 0, 0), 0);

        assertThat(files()).containsExactly(directory.resolve("iggy-server.log"));
        assertThat(lines()).hasSize(100);
    }

    /// Fewer lines than may wait to be written, so that none of them is dropped.
    private static void log(ServerConfiguration.Logging settings, int first) throws IOException {
        try (ServerLog log = ServerLog.start(settings, false)) {
            for (int i = first; i < first + 100; i++) {
                log.info("a line of some length, so that the file is full soon: " + i);
            }
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    private Path archive(String name, int bytes, long ageNanos) throws IOException {
        Path file = directory.resolve(name);
        Files.write(file, new byte[bytes]);
        Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000_000_000L - ageNanos / 1_000_000));
        return file;
    }

    @Test
    void archivesGoWhenTheyAreOldOrTooMany() throws IOException {
        Path current = archive("iggy-server.log", 5_000, 30 * DAY_NANOS);
        Path old = archive("iggy-server.log.4", 10, 8 * DAY_NANOS);
        Path first = archive("iggy-server.log.3", 600, 3 * DAY_NANOS);
        Path second = archive("iggy-server.log.2", 600, 2 * DAY_NANOS);
        Path third = archive("iggy-server.log.1", 600, DAY_NANOS);
        Path other = archive("notes.txt", 10, 100 * DAY_NANOS);
        assertThat(new LogArchives(directory, settings("info", 100, 1_300)).clean(1_000_000_000_000L))
                .isEqualTo(2);
        assertThat(List.of(current, second, third, other)).allMatch(Files::exists);
        assertThat(List.of(old, first)).noneMatch(Files::exists);
        assertThat(new LogArchives(directory, settings("info", 100, 0)).clean(1_000_000_000_000L))
                .as("without a total only age counts")
                .isZero();
        assertThat(new LogArchives(directory, settings("info", 0, 0)).clean(1_000_000_000_000L))
                .as("without rotation one archive stays")
                .isEqualTo(1);
    }

    @Test
    void noFileIsPutAsideWhileSomebodyReadsThemAndTheNextLineMakesUpForIt() throws Exception {
        Path file = directory.resolve("iggy-server.log");
        Path first = directory.resolve("iggy-server.log.1");
        try (ServerLog log = ServerLog.start(settings("info", 500, 1 << 20), false)) {
            List<Path> before = LogFiles.whileNamesStay(() -> {
                for (int i = 0; i < 50; i++) {
                    log.info("line " + i);
                }
                // Another thread writes them, which must not wait for this one.
                awaitLines(50);
                return files();
            });
            assertThat(before).containsExactly(file);
            assertThat(Files.size(file)).isGreaterThan(500);
            log.info("line 50");
        }
        assertThat(files()).containsExactlyInAnyOrder(file, first);
        assertThat(Files.readAllLines(first)).hasSize(50);
        assertThat(lines()).singleElement().asString().endsWith("line 50");
    }

    private void awaitLines(int count) throws IOException {
        long end = System.nanoTime() + 60_000_000_000L;
        while (lines().size() < count) {
            assertThat(System.nanoTime())
                    .as("lines are written although files are read")
                    .isLessThan(end);
            Thread.onSpinWait();
        }
    }

    @Test
    void anHourThatIsOverIsNotForgottenWhenTheFileCannotBePutAside() throws IOException {
        ServerConfiguration.Logging settings = settings("info", 1 << 20, 1 << 24);
        Path file = directory.resolve("iggy-server.log");
        log(settings, 0);
        long yesterday = Files.getLastModifiedTime(file).toMillis() - DAY_NANOS / 1_000_000;
        Files.setLastModifiedTime(file, FileTime.fromMillis(yesterday));
        NumberedArchives archives = new NumberedArchives(file, 1 << 20);
        archives.start();
        LoggingEvent line = new LoggingEvent();
        line.setTimeStamp(System.currentTimeMillis());

        assertThat(archives.isTriggeringEvent(file.toFile(), line)).isTrue();
        Path away = directory.resolve("away");
        Files.move(file, away);
        assertThatThrownBy(archives::rollover).isInstanceOf(RolloverFailure.class);
        Files.move(away, file);
        assertThat(archives.isTriggeringEvent(file.toFile(), line))
                .as("whether the next line tries again")
                .isTrue();
        archives.rollover();
        assertThat(files()).containsExactly(directory.resolve("iggy-server.log.1"));
        Files.writeString(file, "a line of this hour");
        assertThat(archives.isTriggeringEvent(file.toFile(), line)).isFalse();
    }

    @Test
    void aFileThatIsGoneIsPassedOver() throws IOException {
        Path there = archive("iggy-server.log.1", 10, DAY_NANOS);
        Files.createSymbolicLink(directory.resolve("iggy-server.log.2"), directory.resolve("gone"));
        assertThat(LogFiles.oldestFirst(directory)).containsExactly(there);
    }
}
