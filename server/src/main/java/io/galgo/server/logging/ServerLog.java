package io.galgo.server.logging;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.rolling.RollingFileAppender;
import io.galgo.broker.shard.EventLog;
import io.galgo.server.configuration.ServerConfiguration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.slf4j.MarkerFactory;

/// Where lines for people go: standard output, and a file that is put aside when it is large.
///
/// Lines are written by a thread of their own, so that a slow terminal or disk never holds a shard up; when it
/// falls far behind, lines are lost rather than waited for. Any thread may log.
public final class ServerLog implements EventLog, AutoCloseable {
    static final String FILE = "iggy-server.log";

    /// On a line that goes to standard output alone.
    private static final Marker NOT_IN_FILES = MarkerFactory.getMarker("NOT_IN_FILES");

    private static final int WAITING_MAX = 8192;
    private static final int FLUSH_MILLIS = 2_000;

    private final LoggerContext context;
    private final Logger logger;

    private ServerLog(LoggerContext context, Logger logger) {
        this.context = context;
        this.logger = logger;
    }

    /// Sets logging up. Call it once, before anything logs.
    ///
    /// @param colour whether standard output is a terminal
    /// @throws IOException when the directory of log files cannot be made
    public static ServerLog start(ServerConfiguration.Logging settings, boolean colour) throws IOException {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        context.start();
        Path directory = settings.directory();
        AsyncAppender queue = new AsyncAppender();
        queue.setContext(context);
        queue.setName("queue");
        queue.setQueueSize(WAITING_MAX);
        queue.setDiscardingThreshold(0);
        queue.setNeverBlock(true);
        queue.setMaxFlushTime(FLUSH_MILLIS);
        // AsyncAppender hands over to one appender only.
        Both both = new Both(console(context, colour, directory == null), file(context, settings, directory));
        both.setContext(context);
        both.start();
        queue.addAppender(both);
        queue.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.addAppender(queue);
        applyFilter(context, settings.filter());
        return new ServerLog(context, context.getLogger("galgo"));
    }

    private static Appender<ILoggingEvent> console(LoggerContext context, boolean colour, boolean traces) {
        ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
        console.setName("console");
        // Without a file the terminal is the only place where the cause of a bug can go.
        prepare(context, console, new LineLayout(colour, traces));
        return console;
    }

    private static void prepare(
            LoggerContext context, OutputStreamAppender<ILoggingEvent> appender, LineLayout layout) {
        layout.setContext(context);
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(context);
        encoder.setCharset(StandardCharsets.UTF_8);
        encoder.setLayout(layout);
        encoder.start();
        appender.setContext(context);
        appender.setEncoder(encoder);
        appender.start();
    }

    private static @Nullable Appender<ILoggingEvent> file(
            LoggerContext context, ServerConfiguration.Logging settings, @Nullable Path directory) throws IOException {
        if (directory == null) {
            return null;
        }
        Files.createDirectories(directory);
        String file = directory.resolve(FILE).toString();
        LineLayout layout = new LineLayout(false, true);
        if (settings.fileBytesMax() == 0) {
            FileAppender<ILoggingEvent> plain = new FileAppender<>();
            plain.setName("file");
            plain.setFile(file);
            prepare(context, plain, layout);
            return plain;
        }
        RollingFileAppender<ILoggingEvent> rolling = new RollingFileAppender<>();
        rolling.setName("file");
        rolling.setContext(context);
        rolling.setFile(file);
        NumberedArchives archives = new NumberedArchives(directory.resolve(FILE), settings.fileBytesMax());
        archives.setContext(context);
        archives.start();
        rolling.setRollingPolicy(archives);
        prepare(context, rolling, layout);
        return rolling;
    }

    /// Applies a level or directives such as `warn,server=debug`. Words that mean nothing are passed over.
    private static void applyFilter(LoggerContext context, String filter) {
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.INFO);
        context.getLogger("io.netty").setLevel(Level.WARN);
        // What reaches the end of a pipeline was logged by us already.
        context.getLogger("io.netty.channel.DefaultChannelPipeline").setLevel(Level.OFF);
        for (String directive : filter.split(",", -1)) {
            int equals = directive.indexOf('=');
            Level level = levelOf(directive.substring(equals + 1));
            if (level != null) {
                (equals < 0
                                ? root
                                : context.getLogger(
                                        directive.substring(0, equals).strip()))
                        .setLevel(level);
            }
        }
    }

    private static @Nullable Level levelOf(String word) {
        return switch (word.strip().toLowerCase(Locale.ROOT)) {
            case "off", "none" -> Level.OFF;
            case "error" -> Level.ERROR;
            case "warn" -> Level.WARN;
            case "info" -> Level.INFO;
            case "debug" -> Level.DEBUG;
            case "trace" -> Level.TRACE;
            default -> null;
        };
    }

    @Override
    public void info(String line) {
        logger.info(line);
    }

    @Override
    public void warn(String line) {
        logger.warn(line);
    }

    @Override
    public void error(String line) {
        logger.error(line);
    }

    @Override
    public boolean isDebug() {
        return logger.isDebugEnabled();
    }

    @Override
    public void debug(String line) {
        logger.debug(line);
    }

    /// A secret for whoever started the server: on standard output whatever the level is, and in no file.
    public void secret(String line) {
        if (logger.isWarnEnabled()) {
            logger.warn(NOT_IN_FILES, line);
        } else {
            System.out.println(line);
        }
    }

    /// A bug: one line, and its stack where there is room for it.
    public void bug(String line, Throwable cause) {
        logger.error(line, cause);
    }

    /// Writes what waits and closes the file.
    @Override
    public void close() {
        context.stop();
    }

    /// One line to both places.
    private static final class Both extends ch.qos.logback.core.AppenderBase<ILoggingEvent> {
        private final Appender<ILoggingEvent> console;
        private final @Nullable Appender<ILoggingEvent> file;

        Both(Appender<ILoggingEvent> console, @Nullable Appender<ILoggingEvent> file) {
            this.console = console;
            this.file = file;
        }

        @Override
        protected void append(ILoggingEvent event) {
            console.doAppend(event);
            List<Marker> markers = event.getMarkerList();
            if (file != null && (markers == null || !markers.contains(NOT_IN_FILES))) {
                file.doAppend(event);
            }
        }

        @Override
        public void stop() {
            super.stop();
            console.stop();
            if (file != null) {
                file.stop();
            }
        }
    }
}
