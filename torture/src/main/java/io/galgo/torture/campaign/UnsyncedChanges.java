package io.galgo.torture.campaign;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/// What the library `power` noted of a server's writes, less what was synced: the changes that a power cut may
/// take.
///
/// A record of its log, numbers as the machine has them:
///
/// | bytes | content |
/// |---|---|
/// | 4 | length of the record |
/// | 4 | kind |
/// | 3 × 8 | write: inode, position, size before; sync: inode, how much of the log is covered; names: number of the
/// saved file |
/// | 4 + 4 | length of the first text; 0 |
/// | … | first text: replaced bytes, or a path |
/// | … | second text: how many bytes were written, or the other path |
///
/// The last record may be cut off: then what it announces was not done.
final class UnsyncedChanges {
    static final String LOG = "changes";
    static final String SAVED = "saved";

    private static final int HEADER_BYTES = 40;
    private static final int PAGE_BYTES = 4096;
    private static final int SECTOR_BYTES = 512;

    private static final int WRITE = 1;
    private static final int SYNC = 2;
    private static final int CREATE = 3;
    private static final int RENAME = 4;
    private static final int UNLINK = 5;
    private static final int MKDIR = 6;
    private static final int RMDIR = 7;
    private static final int DIRSYNC = 8;

    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Write(long at, long position, long sizeBefore, byte[] replaced) {}

    /// A name that came or went.
    ///
    /// @param saved number of the file that lost its name, 0 for none
    private record Change(long at, int kind, Path path, Path other, long saved) {
        Path folder() {
            Path name = kind == RENAME ? other : path;
            Path parent = name.getParent();
            return parent == null ? name : parent;
        }
    }

    private final Path folder;
    private final Map<Long, List<Write>> writes = new LinkedHashMap<>();
    private final List<Change> changes = new ArrayList<>();
    private boolean hasSeenSyncs;

    private UnsyncedChanges(Path folder) {
        this.folder = folder;
    }

    /// Reads the log in a folder. The server is gone.
    static UnsyncedChanges read(Path folder) throws IOException {
        UnsyncedChanges unsynced = new UnsyncedChanges(folder);
        Path log = folder.resolve(LOG);
        if (Files.exists(log)) {
            unsynced.replay(ByteBuffer.wrap(Files.readAllBytes(log)).order(ByteOrder.nativeOrder()));
        }
        return unsynced;
    }

    private void replay(ByteBuffer log) {
        int at = 0;
        while (at + HEADER_BYTES <= log.capacity() && at + log.getInt(at) <= log.capacity()) {
            int length = log.getInt(at);
            int kind = log.getInt(at + 4);
            long first = log.getLong(at + 8);
            long second = log.getLong(at + 16);
            long third = log.getLong(at + 24);
            byte[] text = new byte[log.getInt(at + 32)];
            log.get(at + HEADER_BYTES, text);
            byte[] otherText = new byte[length - HEADER_BYTES - text.length];
            log.get(at + HEADER_BYTES + text.length, otherText);
            if (kind == WRITE) {
                writes.computeIfAbsent(first, _ -> new ArrayList<>()).add(new Write(at, second, third, text));
            } else {
                onChange(at, kind, first, second, path(text), path(otherText));
            }
            at += length;
        }
    }

    private static Path path(byte[] text) {
        return Path.of(new String(text, StandardCharsets.UTF_8));
    }

    private void onChange(long at, int kind, long number, long covered, Path path, Path other) {
        switch (kind) {
            case SYNC -> {
                hasSeenSyncs = true;
                List<Write> ofFile = writes.getOrDefault(number, new ArrayList<>());
                ofFile.removeIf(write -> write.at < covered);
            }
            case DIRSYNC ->
                changes.removeIf(
                        change -> change.at < covered && change.folder().equals(path));
            case CREATE -> {
                // The number may have been another file's before.
                writes.remove(number);
                changes.add(new Change(at, kind, path, other, 0));
            }
            case RENAME, UNLINK, MKDIR, RMDIR -> changes.add(new Change(at, kind, path, other, number));
            default -> throw new IllegalStateException("the log of changes has a record of kind " + kind);
        }
    }

    boolean hasSeenSyncs() {
        return hasSeenSyncs;
    }

    long writeCount() {
        return writes.values().stream().mapToLong(List::size).sum();
    }

    long nameCount() {
        return changes.size();
    }

    /// Takes back all of it, or a part: of the contents any pages, of the names the last ones.
    void cut(Path data, Random random) throws IOException {
        boolean isWhole = random.nextBoolean();
        Map<Long, Path> files = filesByNumber(data);
        for (Map.Entry<Long, List<Write>> entry : writes.entrySet()) {
            Path file = files.get(entry.getKey());
            if (file != null && !entry.getValue().isEmpty()) {
                takeBack(file, entry.getValue(), isWhole, random);
            }
        }
        int kept = isWhole ? 0 : random.nextInt(changes.size() + 1);
        for (int i = changes.size() - 1; i >= kept; i--) {
            takeBack(changes.get(i));
        }
    }

    private Map<Long, Path> filesByNumber(Path data) throws IOException {
        Map<Long, Path> files = new HashMap<>();
        for (Path root : List.of(folder.resolve(SAVED), data)) {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    files.put((Long) Files.getAttribute(file, "unix:ino"), file);
                    return FileVisitResult.CONTINUE;
                }
            });
        }
        return files;
    }

    private static void takeBack(Path file, List<Write> unsynced, boolean isWhole, Random random) throws IOException {
        byte[] written = Files.readAllBytes(file);
        byte[] synced = written.clone();
        for (int i = unsynced.size() - 1; i >= 0; i--) {
            Write write = unsynced.get(i);
            byte[] before = Arrays.copyOf(synced, (int) write.sizeBefore);
            if (write.replaced.length > 0) {
                System.arraycopy(write.replaced, 0, before, (int) write.position, write.replaced.length);
            }
            synced = before;
        }
        // Written over in place: other names of the file share it.
        byte[] left = isWhole ? synced : mix(synced, written, random);
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(left.length);
            ByteBuffer bytes = ByteBuffer.wrap(left);
            while (bytes.hasRemaining()) {
                channel.write(bytes, bytes.position());
            }
        }
    }

    /// Any pages as they were written, the others as they were synced; where nothing was synced there are zeros.
    private static byte[] mix(byte[] synced, byte[] written, Random random) {
        int size = switch (random.nextInt(3)) {
            case 0 -> synced.length;
            case 1 -> written.length;
            default ->
                Math.min(synced.length, written.length) + random.nextInt(Math.abs(synced.length - written.length) + 1);
        };
        byte[] left = Arrays.copyOf(synced, size);
        int unit = random.nextBoolean() ? PAGE_BYTES : SECTOR_BYTES;
        for (int start = 0; start < Math.min(size, written.length); start += unit) {
            if (random.nextBoolean()) {
                int length = Math.min(unit, Math.min(size, written.length) - start);
                System.arraycopy(written, start, left, start, length);
            }
        }
        return left;
    }

    private void takeBack(Change change) throws IOException {
        switch (change.kind) {
            case CREATE -> Files.deleteIfExists(change.path);
            case MKDIR -> Trial.deleteTree(change.path);
            case RMDIR -> Files.createDirectories(change.path);
            case UNLINK -> giveBack(change.saved, change.path);
            default -> {
                if (Files.exists(change.other)) {
                    Path parent = change.path.getParent();
                    if (parent != null) {
                        Files.createDirectories(parent);
                    }
                    Files.move(change.other, change.path, StandardCopyOption.REPLACE_EXISTING);
                }
                giveBack(change.saved, change.other);
            }
        }
    }

    private void giveBack(long saved, Path path) throws IOException {
        Path file = folder.resolve(SAVED).resolve(Long.toString(saved));
        Path parent = path.getParent();
        if (saved != 0 && parent != null && Files.exists(parent) && Files.exists(file) && !Files.exists(path)) {
            Files.createLink(path, file);
        }
    }
}
