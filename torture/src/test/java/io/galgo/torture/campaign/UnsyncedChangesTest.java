package io.galgo.torture.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a power cut takes back of a log that the library `power` could have written.
class UnsyncedChangesTest {
    private static final int WRITE = 1;
    private static final int SYNC = 2;
    private static final int CREATE = 3;
    private static final int RENAME = 4;
    private static final int UNLINK = 5;
    private static final int DIRSYNC = 8;

    @TempDir
    Path folder;

    private final ByteArrayOutputStream log = new ByteArrayOutputStream();
    private Path data = Path.of("");
    private Path saved = Path.of("");

    @BeforeEach
    void makeFolders() throws IOException {
        data = Files.createDirectories(folder.resolve("data"));
        saved = Files.createDirectories(folder.resolve(UnsyncedChanges.SAVED));
    }

    @Test
    void whatWasWrittenAndNotSyncedIsGone() throws IOException {
        Path file = Files.writeString(data.resolve("log"), "synced and not");
        note(WRITE, inode(file), 6, 6, "", "8");
        cutWhole();
        assertThat(file).hasContent("synced");
    }

    @Test
    void whatWasWrittenOverComesBack() throws IOException {
        Path file = Files.writeString(data.resolve("log"), "abXYef");
        note(WRITE, inode(file), 2, 6, "cd", "2");
        cutWhole();
        assertThat(file).hasContent("abcdef");
    }

    @Test
    void severalWritesAreTakenBackInTheirOrder() throws IOException {
        Path file = Files.writeString(data.resolve("log"), "3333");
        note(WRITE, inode(file), 0, 2, "11", "2");
        note(WRITE, inode(file), 0, 2, "22", "4");
        cutWhole();
        assertThat(file).hasContent("11");
    }

    @Test
    void whatWasSyncedStays() throws IOException {
        Path file = Files.writeString(data.resolve("log"), "synced");
        note(WRITE, inode(file), 0, 0, "", "6");
        note(SYNC, inode(file), log.size(), 0, "", "");
        cutWhole();
        assertThat(file).hasContent("synced");
    }

    @Test
    void aSyncCoversOnlyWhatCameBeforeIt() throws IOException {
        Path file = Files.writeString(data.resolve("log"), "synced, late");
        note(WRITE, inode(file), 0, 0, "", "6");
        long covered = log.size();
        note(WRITE, inode(file), 6, 6, "", "6");
        note(SYNC, inode(file), covered, 0, "", "");
        cutWhole();
        assertThat(file).hasContent("synced");
    }

    @Test
    void aNewNameIsGoneUnlessItsFolderWasSynced() throws IOException {
        Path gone = Files.writeString(data.resolve("gone"), "");
        Path inner = Files.createDirectory(data.resolve("inner"));
        Path kept = Files.writeString(inner.resolve("kept"), "");
        note(CREATE, inode(gone), 0, 0, gone.toString(), "");
        note(CREATE, inode(kept), 0, 0, kept.toString(), "");
        note(DIRSYNC, 0, log.size(), 0, inner.toString(), "");
        cutWhole();
        assertThat(gone).doesNotExist();
        assertThat(kept).exists();
    }

    @Test
    void aRenameWithoutASyncGivesBothFilesTheirNamesBack() throws IOException {
        Path target = Files.writeString(data.resolve("state"), "new");
        Files.writeString(saved.resolve("1"), "old");
        note(RENAME, 1, 0, 0, data.resolve("state.tmp").toString(), target.toString());
        cutWhole();
        assertThat(target).hasContent("old");
        assertThat(data.resolve("state.tmp")).hasContent("new");
    }

    @Test
    void aRemovedFileComesBackWithWhatWasSynced() throws IOException {
        Path file = Files.writeString(saved.resolve("7"), "synced and not");
        note(WRITE, inode(file), 6, 6, "", "8");
        note(UNLINK, 7, 0, 0, data.resolve("log").toString(), "");
        cutWhole();
        assertThat(data.resolve("log")).hasContent("synced");
    }

    @Test
    void aRecordThatIsCutOffWasNotDone() throws IOException {
        Path file = Files.writeString(data.resolve("log"), "abc");
        note(WRITE, inode(file), 0, 3, "xyz", "3");
        byte[] whole = log.toByteArray();
        Files.write(folder.resolve(UnsyncedChanges.LOG), java.util.Arrays.copyOf(whole, whole.length - 1));
        assertThat(UnsyncedChanges.read(folder).writeCount()).isZero();
    }

    private static long inode(Path file) throws IOException {
        return (Long) Files.getAttribute(file, "unix:ino");
    }

    private void note(int kind, long first, long second, long third, String text, String other) {
        byte[] one = text.getBytes(StandardCharsets.UTF_8);
        byte[] two = other.getBytes(StandardCharsets.UTF_8);
        ByteBuffer record = ByteBuffer.allocate(40 + one.length + two.length).order(ByteOrder.nativeOrder());
        record.putInt(record.capacity())
                .putInt(kind)
                .putLong(first)
                .putLong(second)
                .putLong(third);
        record.putInt(one.length).putInt(0).put(one).put(two);
        log.writeBytes(record.array());
    }

    /// A cut that keeps nothing that was not synced.
    private void cutWhole() throws IOException {
        Files.write(folder.resolve(UnsyncedChanges.LOG), log.toByteArray());
        Random everything = new Random() {
            @Override
            public boolean nextBoolean() {
                return true;
            }
        };
        UnsyncedChanges.read(folder).cut(data, everything);
    }
}
