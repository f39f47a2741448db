package io.galgo.server.logging;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The files that log lines are in.
public final class LogFiles {
    private static final String ARCHIVES = "iggy-server.*";
    private static final String NUMBERED = ServerLog.FILE + ".";

    private LogFiles() {}

    /// A file that was put aside.
    record Archive(Path path, long bytes, long modifiedMillis) {}

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
                    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
                    archives.add(new Archive(
                            file,
                            attributes.size(),
                            attributes.lastModifiedTime().toMillis()));
                }
            }
        }
        // Several may be filled within a millisecond; then the higher number is older.
        archives.sort(Comparator.comparingLong(Archive::modifiedMillis)
                .thenComparing(Comparator.comparingLong(LogFiles::number).reversed())
                .thenComparing(Archive::path));
        return archives;
    }

    /// The number in `iggy-server.log.7`; of a file with another name the highest there is.
    private static long number(Archive archive) {
        String name = archive.path().getFileName().toString();
        String digits = name.startsWith(NUMBERED) ? name.substring(NUMBERED.length()) : "";
        return digits.matches("[0-9]{1,9}") ? Long.parseLong(digits) : Long.MAX_VALUE;
    }
}
