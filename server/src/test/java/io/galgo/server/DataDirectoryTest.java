package io.galgo.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DataDirectoryTest {
    @TempDir
    Path parent;

    @Test
    void aNewDirectoryIsMadeLockedAndPrepared() throws Exception {
        Path path = parent.resolve("a/b");
        try (DataDirectory data = DataDirectory.open(path)) {
            data.prepare(path.resolve("runtime"));
            assertThat(path.resolve("streams")).isDirectory();
            assertThat(path.resolve("metadata")).isDirectory();
            assertThat(path.resolve("state/log")).isDirectory();
            assertThat(path.resolve("runtime")).isEmptyDirectory();
            assertThat(path.resolve("galgo.lock"))
                    .hasContent(String.valueOf(ProcessHandle.current().pid()));
        }
        DataDirectory.open(path).close();
    }

    @Test
    void aServerThatDidNotStopByItselfIsNoticed() throws Exception {
        DataDirectory killed = DataDirectory.open(parent);
        assertThat(killed.wasKilled()).as("a new directory").isFalse();
        killed.onReady();
        killed.close();
        DataDirectory refused = DataDirectory.open(parent);
        assertThat(refused.wasKilled()).isTrue();
        refused.close();
        try (DataDirectory next = DataDirectory.open(parent)) {
            assertThat(next.wasKilled())
                    .as("a start that failed changes nothing")
                    .isTrue();
            next.onReady();
            assertThatThrownBy(() -> DataDirectory.open(parent))
                    .hasMessageContaining(
                            "in use by process " + ProcessHandle.current().pid());
            next.closeCleanly();
        }
        try (DataDirectory last = DataDirectory.open(parent)) {
            assertThat(last.wasKilled()).isFalse();
        }
    }

    @Test
    void aFileInThePlaceOfTheDirectoryIsSaidInPlainWords() throws Exception {
        Path file = Files.writeString(parent.resolve("file"), "x");
        for (Path path : new Path[] {file, file.resolve("below")}) {
            assertThatThrownBy(() -> DataDirectory.open(path))
                    .isInstanceOf(DataDirectory.Unusable.class)
                    .hasMessageContaining(file.toString())
                    .hasMessageContaining("is a file, and a directory is needed; move it away")
                    .message()
                    .doesNotContain("Exception");
        }
    }

    @Test
    void aFolderOfSomebodyElseIsRecognizedUntilANodeRanThere() throws Exception {
        Set<String> ours = Set.of("metadata", "streams", "state", "runtime");
        try (DataDirectory data = DataDirectory.open(parent)) {
            assertThat(data.foreignEntry(ours)).as("an empty folder").isNull();
            Files.writeString(parent.resolve("thesis.txt"), "x");
            assertThat(data.foreignEntry(ours)).isEqualTo("thesis.txt");
            data.prepare(parent.resolve("runtime"));
            assertThat(data.foreignEntry(ours)).as("beside data of ours").isNull();
        }
    }

    @Test
    void runTimeFilesOfTheLastRunAreGone() throws Exception {
        Path left = parent.resolve("runtime/current_config.toml");
        Files.createDirectories(left.getParent());
        Files.writeString(left, "old");
        try (DataDirectory data = DataDirectory.open(parent)) {
            data.prepare(parent.resolve("runtime"));
        }
        assertThat(left).doesNotExist();
        assertThat(left.getParent()).isDirectory();
    }

    @Test
    void wipingLeavesNothingButTheLock() throws Exception {
        Files.createDirectories(parent.resolve("streams/0/topics"));
        Files.writeString(parent.resolve("streams/0/x"), "x");
        Path outside = Files.writeString(Files.createTempFile("outside", ""), "keep");
        Files.createSymbolicLink(parent.resolve("streams/link"), outside);
        try (DataDirectory data = DataDirectory.open(parent)) {
            data.wipe(Set.of("streams"));
            try (var entries = Files.list(parent)) {
                assertThat(entries.map(Path::getFileName).map(Path::toString)).containsExactly("galgo.lock");
            }
        }
        assertThat(outside).hasContent("keep");
        Files.delete(outside);
    }

    @Test
    void wipingSparesWhatIsSomebodyElses() throws Exception {
        Path ours = Files.createDirectories(parent.resolve("streams/0"));
        Path theirs = Files.writeString(parent.resolve("thesis.txt"), "x");
        Files.createDirectory(parent.resolve("lost+found"));
        try (DataDirectory data = DataDirectory.open(parent)) {
            assertThatThrownBy(() -> data.wipe(Set.of("streams")))
                    .isInstanceOf(DataDirectory.Unusable.class)
                    .hasMessageContaining(theirs.toString());
            assertThat(ours).exists();
            Files.delete(theirs);
            data.wipe(Set.of("streams"));
        }
        assertThat(ours).doesNotExist();
        assertThat(parent.resolve("lost+found")).exists();
    }

    @Test
    void aFileInItsPlaceIsRefusedInOneSentence() throws Exception {
        Path file = Files.writeString(parent.resolve("file"), "x");
        assertThatThrownBy(() -> DataDirectory.open(file))
                .isInstanceOf(DataDirectory.Unusable.class)
                .hasMessageStartingWith("the data directory " + file + " cannot be used: ");
    }
}
