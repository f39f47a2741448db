package io.galgo.server;

import io.galgo.server.disk.Causes;
import io.galgo.server.disk.Removal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The data directory of a running node: made, locked against other processes, and with its run-time files fresh.
final class DataDirectory implements AutoCloseable {
    /// Where the messages are.
    static final String STREAMS = "streams";

    private static final String LOCK = "galgo.lock";

    /// What some file systems keep at their root.
    private static final String LOST_AND_FOUND = "lost+found";

    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /// Stands in the lock file, behind the process, from the end of a start to a clean stop.
    private static final String RUNNING = "running";

    private final Path path;
    private final FileChannel lockFile;
    private final boolean wasKilled;

    @SuppressWarnings("unused") // held, not read: closing the channel gives it back
    private final FileLock lock;

    private DataDirectory(Path path, FileChannel lockFile, FileLock lock, boolean wasKilled) {
        this.path = path;
        this.lockFile = lockFile;
        this.wasKilled = wasKilled;
        this.lock = lock;
    }

    /// The directory cannot be used; the message is one sentence.
    static final class Unusable extends Exception {
        private static final long serialVersionUID = 1L;

        Unusable(String message) {
            super(message);
        }
    }

    /// Makes and locks the directory.
    static DataDirectory open(Path path) throws Unusable {
        FileChannel channel = null;
        try {
            create(path);
            channel = FileChannel.open(
                    path.resolve(LOCK), StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
            FileLock lock = tryLock(channel);
            if (lock == null) {
                String holder = readHolder(channel);
                channel.close();
                throw new Unusable("the data directory " + path + " is in use by "
                        + (holder == null ? "another process" : "process " + holder)
                        + "; stop it, or give this server another path");
            }
            boolean wasKilled = read(channel).contains(RUNNING);
            // A start that fails leaves what it found.
            write(channel, ownProcess() + (wasKilled ? RUNNING + "\n" : ""));
            return new DataDirectory(path, channel, lock, wasKilled);
        } catch (IOException failed) {
            closeQuietly(channel);
            throw new Unusable("the data directory " + path + " cannot be used: " + Causes.of(path, failed));
        }
    }

    /// Makes the directory, and its name durable: what is synced in it later would be lost with that name.
    private static void create(Path path) throws IOException {
        List<Path> missing = new ArrayList<>();
        Path folder = path.toAbsolutePath();
        while (folder != null && !Files.exists(folder)) {
            missing.add(folder);
            folder = folder.getParent();
        }
        Files.createDirectories(path);
        for (Path made : missing) {
            Path parent = made.getParent();
            // One may be allowed to make a directory in another that one must not read, and then cannot sync it.
            if (parent != null && Files.isReadable(parent)) {
                try (FileChannel channel = FileChannel.open(parent, StandardOpenOption.READ)) {
                    channel.force(true);
                }
            }
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException ourOwn) {
            // Another server in this very process, as in tests.
            return null;
        }
    }

    private static @Nullable String readHolder(FileChannel channel) throws IOException {
        String process = read(channel).lines().findFirst().orElse("");
        return process.matches("[0-9]+") ? process : null;
    }

    private static String read(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(32);
        channel.read(bytes, 0);
        return new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII);
    }

    private static String ownProcess() {
        return ProcessHandle.current().pid() + "\n";
    }

    private static void write(FileChannel channel, String text) throws IOException {
        channel.truncate(0);
        channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), 0);
    }

    /// Whether the server before this one got ready and did not stop by itself.
    boolean wasKilled() {
        return wasKilled;
    }

    /// The server is ready: from now on only [#closeCleanly] makes a clean stop.
    void onReady() {
        note(ownProcess() + RUNNING + "\n");
    }

    /// Gives the lock back after a clean stop.
    void closeCleanly() {
        note("");
        close();
    }

    // For a line of the next start only. On a full disk that line is wrong, and nothing else is.
    private void note(String text) {
        try {
            write(lockFile, text);
        } catch (IOException _) {
            // As above.
        }
    }

    private static void closeQuietly(@Nullable FileChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException alreadyFailing) {
                // The first failure is what the user needs to see.
            }
        }
    }

    Path path() {
        return path;
    }

    /// Removes everything in it except the lock.
    ///
    /// @param ours names that a node makes in its directory; anything else would not be missed by us, but
    ///     perhaps by somebody else, so nothing is removed when there is any
    void wipe(Set<String> ours) throws Unusable {
        try {
            List<Path> doomed = new ArrayList<>();
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
                for (Path entry : entries) {
                    String name = String.valueOf(entry.getFileName());
                    if (ours.contains(name)) {
                        doomed.add(entry);
                    } else if (!name.equals(LOCK) && !name.equals(LOST_AND_FOUND)) {
                        throw new Unusable("--fresh would delete " + entry
                                + ", which is not of this server; move it away," + " or give this server another path");
                    }
                }
            }
            for (Path entry : doomed) {
                Removal.removeAll(entry);
            }
        } catch (IOException failed) {
            throw new Unusable("the data directory " + path + " cannot be emptied: " + Causes.of(path, failed));
        }
    }

    /// What is in the directory that no node made, when no node has ever run in it; null otherwise.
    @Nullable String foreignEntry(Set<String> ours) {
        String foreign = null;
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
            for (Path entry : entries) {
                String name = String.valueOf(entry.getFileName());
                if (name.equals("metadata")) {
                    return null;
                }
                if (!ours.contains(name) && !name.equals(LOCK) && !name.equals(LOST_AND_FOUND)) {
                    foreign = name;
                }
            }
        } catch (IOException unreadable) {
            // What needs to read it says so.
        }
        return foreign;
    }

    /// Makes the directories of a running node; that of run-time files is emptied.
    void prepare(Path runtimePath) throws Unusable {
        try {
            Removal.removeAll(runtimePath);
            Files.createDirectories(runtimePath);
            Files.createDirectories(path.resolve("state/log"));
            Files.createDirectories(path.resolve(STREAMS));
            Files.createDirectories(path.resolve("metadata"));
        } catch (IOException failed) {
            throw new Unusable("the data directory " + path + " cannot be used: " + Causes.of(path, failed));
        }
    }

    /// What tells one run of the machine from the next; null where the system has no such thing.
    static @Nullable String bootId() {
        try {
            return Files.readString(BOOT_ID).strip();
        } catch (IOException absent) {
            return null;
        }
    }

    /// Gives the lock back.
    @Override
    public void close() {
        closeQuietly(lockFile);
    }
}
