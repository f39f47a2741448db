package io.galgo.server.logging;

import io.galgo.server.configuration.ServerConfiguration;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The log files that were put aside, and how long they stay (spec config 12).
public final class LogArchives {
    private static final long COUNT_MAX = 100_000;

    private final Path directory;
    private final ServerConfiguration.Logging settings;

    public LogArchives(Path directory, ServerConfiguration.Logging settings) {
        this.directory = directory;
        this.settings = settings;
    }

    private record Archive(Path path, long bytes, long modifiedMillis) {}

    /// Removes archives that are too old, then the oldest of those that are too many.
    ///
    /// @param nowMillis since the epoch
    /// @return how many
    public int clean(long nowMillis) throws IOException {
        List<Archive> archives = find();
        archives.sort(Comparator.comparingLong(Archive::modifiedMillis).reversed());
        long retentionMillis = settings.retentionNanos() / 1_000_000;
        long countMax = countMax();
        long bytes = 0;
        int kept = 0;
        int removed = 0;
        for (Archive archive : archives) {
            bytes += archive.bytes();
            boolean isTooOld = nowMillis - archive.modifiedMillis() > retentionMillis;
            boolean isTooMuch = kept >= countMax || (settings.totalBytesMax() > 0 && bytes > settings.totalBytesMax());
            if (isTooOld || isTooMuch) {
                Files.deleteIfExists(archive.path());
                removed++;
            } else {
                kept++;
            }
        }
        return removed;
    }

    private long countMax() {
        if (settings.fileBytesMax() == 0) {
            return 1;
        }
        return settings.totalBytesMax() == 0
                ? COUNT_MAX
                : Math.clamp(settings.totalBytesMax() / settings.fileBytesMax(), 1, COUNT_MAX);
    }

    private List<Archive> find() throws IOException {
        List<Archive> archives = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, ServerLog.ARCHIVE_PREFIX + "*")) {
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
        return archives;
    }
}
