package io.galgo.server.network;

import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// A log of one kind of event that others can cause as often as they like: one line a period, with the number of
/// those left out.
///
/// Any thread may call.
final class LimitedLog {
    private final Consumer<String> log;
    private final LongSupplier nanos;
    private final long periodNanos;
    private boolean isFirst = true;
    private long lastNanos;
    private long leftOut;

    LimitedLog(Consumer<String> log, LongSupplier nanos, long periodNanos) {
        this.log = log;
        this.nanos = nanos;
        this.periodNanos = periodNanos;
    }

    void line(String text) {
        String line;
        synchronized (this) {
            long now = nanos.getAsLong();
            if (!isFirst && now - lastNanos < periodNanos) {
                leftOut++;
                return;
            }
            line = leftOut == 0 ? text : text + " (" + leftOut + " more like this were not logged)";
            isFirst = false;
            lastNanos = now;
            leftOut = 0;
        }
        log.accept(line);
    }
}
