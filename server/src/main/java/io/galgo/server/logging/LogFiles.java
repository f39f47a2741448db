package io.galgo.server.logging;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/// The files that log lines are in.
///
/// A thread that writes lines puts files aside, one removes old ones and others copy them. They take turns
/// ([#whileNamesStay]), because a file that is put aside takes over a name that another has just listed. Whoever
/// writes lines may not wait for a copy: a file that cannot be put aside now is put aside by a later line.
public final class LogFiles {
    private static final ReentrantLock NAMES = new ReentrantLock();
    private static final String ARCHIVES = "iggy-server.*";
    private static final String NUMBERED = ServerLog.FILE + ".";

    private LogFiles() {}

    /// A file that was put aside.
    record Archive(Path path, long bytes, long modifiedMillis) {}

    /// Work on log files.
    ///
    /// @param <T> what comes of it
    public interface Work<T> {
        T run() throws IOException;
    }

    /// A change of names of log files.
    interface Renaming {
        void run() throws IOException;
    }

    /// Does something with log files while none is put aside or removed. Waits for its turn.
    public static <T> T whileNamesStay(Work<T> work) throws IOException {
        NAMES.lock();
        try {
            return work.run();
        } finally {
            NAMES.unlock();
        }
    }

    /// Whether somebody's work needs the names to stay.
    static boolean areNamesInUse() {
        return NAMES.isLocked();
    }

    /// Does something that changes names, unless somebody needs them.
    ///
    /// @return whether it was done
    static boolean renameIfNamesAreFree(Renaming renaming) throws IOException {
        if (!NAMES.tryLock()) {
            return false;
        }
        try {
            renaming.run();
            return true;
        } finally {
            NAMES.unlock();
        }
    }

    /// Those that were put aside, oldest first, then the one that is written now.
    public static List<Path> oldestFirst(Path directory) throws IOException {
        List<Path> paths = new ArrayList<>();
        for (Archive archive : archives(directory)) {
            paths.add(archive.path());
        }
        Path current = directory.resolve(ServerLog.FILE);
        if (Files.exists(current)) {
            paths.add(current);
        }
        return paths;
    }

    /// Those that were put aside, oldest first.
    static List<Archive> archives(Path directory) throws IOException {
        List<Archive> archives = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, ARCHIVES)) {
            for (Path file : files) {
                if (!file.endsWith(ServerLog.FILE)) {
                    addIfThere(file, archives);
                }
            }
        }
        // Several may be filled within a millisecond; then the higher number is older.
        archives.sort(Comparator.comparingLong(Archive::modifiedMillis)
                .thenComparing(Comparator.comparingLong(LogFiles::number).reversed())
                .thenComparing(Archive::path));
        return archives;
    }

    /// A file that somebody else removed since it was listed is passed over.
    private static void addIfThere(Path file, List<Archive> archives) throws IOException {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            archives.add(new Archive(
                    file, attributes.size(), attributes.lastModifiedTime().toMillis()));
        } catch (NoSuchFileException _) {
            // It is gone.
        }
    }

    /// The number in `iggy-server.log.7`; of a file with another name the highest there is.
    private static long number(Archive archive) {
        String name = archive.path().getFileName().toString();
        String digits = name.startsWith(NUMBERED) ? name.substring(NUMBERED.length()) : "";
        return digits.matches("[0-9]{1,9}") ? Long.parseLong(digits) : Long.MAX_VALUE;
    }
}
