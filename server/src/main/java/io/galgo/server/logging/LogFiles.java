package io.galgo.server.logging;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The files that log lines are in.
public final class LogFiles {
    private LogFiles() {}

    private record Archive(Path path, long modifiedMillis) {}

    /// Those that were put aside, oldest first, then the one that is written now.
    public static List<Path> oldestFirst(Path directory) throws IOException {
        List<Archive> archives = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, ServerLog.ARCHIVE_PREFIX + "*")) {
            for (Path file : files) {
                if (!file.endsWith(ServerLog.FILE)) {
                    archives.add(
                            new Archive(file, Files.getLastModifiedTime(file).toMillis()));
                }
            }
        }
        archives.sort(Comparator.comparingLong(Archive::modifiedMillis).thenComparing(Archive::path));
        List<Path> paths = new ArrayList<>();
        for (Archive archive : archives) {
            paths.add(archive.path());
        }
        Path current = directory.resolve(ServerLog.FILE);
        if (Files.exists(current)) {
            paths.add(current);
        }
        return paths;
    }
}
