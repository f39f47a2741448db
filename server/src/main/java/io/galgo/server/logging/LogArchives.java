package io.galgo.server.logging;

import io.galgo.server.configuration.ServerConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The log files that were put aside, and how long they stay (spec config 12).
public final class LogArchives {
    private static final long COUNT_MAX = 100_000;

    private final Path directory;
    private final ServerConfiguration.Logging settings;

    public LogArchives(Path directory, ServerConfiguration.Logging settings) {
        this.directory = directory;
        this.settings = settings;
    }

    /// Removes archives that are too old, then the oldest of those that are too many.
    ///
    /// @param nowMillis since the epoch
    /// @return how many
    public int clean(long nowMillis) throws IOException {
        return LogFiles.whileNamesStay(() -> cleanNow(nowMillis));
    }

    private int cleanNow(long nowMillis) throws IOException {
        long retentionMillis = settings.retentionNanos() / 1_000_000;
        long countMax = countMax();
        long bytes = 0;
        int kept = 0;
        int removed = 0;
        for (LogFiles.Archive archive : LogFiles.archives(directory).reversed()) {
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
}
