package io.galgo.server.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.RolloverFailure;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import ch.qos.logback.core.rolling.helper.CompressionMode;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Puts a log file aside as `iggy-server.log.1` when it is full or its hour is over, after what was put aside
/// before has moved on by one: the names that log collectors of Iggy look for (spec semantics 24.11).
///
/// A file goes beyond its size by one line at most, or by what is written while a snapshot copies log files. Used under
/// the lock of the appender that writes lines.
final class NumberedArchives extends ContextAwareBase implements RollingPolicy, TriggeringPolicy<ILoggingEvent> {
    private static final long HOUR_MILLIS = 3_600_000;

    private final Path file;
    private final long bytesMax;
    private long hour;
    private long hourOfEvent;
    private boolean isStarted;

    NumberedArchives(Path file, long bytesMax) {
        this.file = file;
        this.bytesMax = bytesMax;
    }

    @Override
    public void start() {
        // What a process before wrote has its hour too; a file that is not there has the time 0.
        hour = file.toFile().lastModified() / HOUR_MILLIS;
        isStarted = true;
    }

    @Override
    public void stop() {
        isStarted = false;
    }

    @Override
    public boolean isStarted() {
        return isStarted;
    }

    @Override
    public boolean isTriggeringEvent(File active, ILoggingEvent event) {
        long bytes = active.length();
        long now = event.getTimeStamp() / HOUR_MILLIS;
        boolean isOver = now > hour;
        hourOfEvent = Math.max(hour, now);
        if (bytes == 0) {
            // Its hour is that of its first line.
            hour = hourOfEvent;
        }
        return bytes > 0 && (isOver || bytes >= bytesMax) && !LogFiles.areNamesInUse();
    }

    @Override
    public void rollover() {
        try {
            if (!LogFiles.renameIfNamesAreFree(this::putAside)) {
                throw new RolloverFailure("log files are being read; a later line puts this one aside");
            }
        } catch (IOException e) {
            // The hour stays over, and the next line tries again.
            throw new RolloverFailure("the log file could not be put aside", e);
        }
        hour = Math.max(hour, hourOfEvent);
    }

    private void putAside() throws IOException {
        int free = 1;
        while (Files.exists(archive(free))) {
            free++;
        }
        for (int number = free; number > 1; number--) {
            Files.move(archive(number - 1), archive(number));
        }
        Files.move(file, archive(1));
    }

    private Path archive(int number) {
        return file.resolveSibling(ServerLog.FILE + "." + number);
    }

    @Override
    public String getActiveFileName() {
        return file.toString();
    }

    @Override
    public CompressionMode getCompressionMode() {
        return CompressionMode.NONE;
    }

    @Override
    public void setParent(FileAppender<?> appender) {
        // The file is known without it.
    }
}
