package io.galgo.server.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import ch.qos.logback.core.util.CachingDateFormatter;

/// One event as one line: time, level, text. A stack follows only where asked for.
final class LineLayout extends LayoutBase<ILoggingEvent> {
    private static final String RESET = "\u001b[0m";
    private static final String DIM = "\u001b[2m";

    private final CachingDateFormatter times = new CachingDateFormatter("yyyy-MM-dd HH:mm:ss.SSSxxx");
    private final boolean colour;
    private final boolean traces;

    LineLayout(boolean colour, boolean traces) {
        this.colour = colour;
        this.traces = traces;
    }

    @Override
    public String doLayout(ILoggingEvent event) {
        StringBuilder line = new StringBuilder(160);
        Level level = event.getLevel();
        line.append(colour ? DIM : "")
                .append(times.format(event.getTimeStamp()))
                .append(colour ? RESET : "")
                .append(' ')
                .append(colour ? colourOf(level) : "")
                .append(level.levelStr)
                .append(colour ? RESET : "")
                .append(" ".repeat(Math.max(1, 6 - level.levelStr.length())))
                .append(oneLine(event.getFormattedMessage()))
                .append('\n');
        IThrowableProxy thrown = event.getThrowableProxy();
        if (traces && thrown != null) {
            line.append(ThrowableProxyUtil.asString(thrown));
        }
        return line.toString();
    }

    // Names and addresses of clients end up in lines, and a client must not be able to write lines of its own.
    private static String oneLine(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                return escaped(text);
            }
        }
        return text;
    }

    private static String escaped(String text) {
        StringBuilder line = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            if (letter == '\n') {
                line.append("\\n");
            } else if (Character.isISOControl(letter)) {
                line.append(String.format("\\u%04x", (int) letter));
            } else {
                line.append(letter);
            }
        }
        return line.toString();
    }

    private static String colourOf(Level level) {
        return switch (level.toInt()) {
            case Level.ERROR_INT -> "\u001b[31m";
            case Level.WARN_INT -> "\u001b[33m";
            case Level.INFO_INT -> "\u001b[32m";
            default -> "\u001b[36m";
        };
    }
}
