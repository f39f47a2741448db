package io.galgo.broker.shard;

import io.galgo.broker.metadata.ShownName;
import org.jspecify.annotations.Nullable;

/// The lines about logins that were refused. Anybody may cause any number of them, so a period has room for a few,
/// and the rest of it is one line with a count.
///
/// Confined to one shard.
final class RefusedLogins {
    static final int LINES_MAX = 10;
    static final long PERIOD_NANOS = 10_000_000_000L;

    private final EventLog log;
    private final Timers timers;
    private int lines;
    private long leftOut;

    RefusedLogins(EventLog log, Timers timers) {
        this.log = log;
        this.timers = timers;
    }

    /// @param address of the client
    /// @param name that it gave, null when it gave none
    /// @param reason what the client is not told in such detail
    void add(String address, @Nullable String name, String reason) {
        if (lines >= LINES_MAX) {
            leftOut++;
            return;
        }
        if (lines == 0) {
            timers.after(PERIOD_NANOS, this::endPeriod);
        }
        lines++;
        log.warn("login refused: " + (name == null ? "a client" : "user " + ShownName.of(name)) + " from " + address
                + ": " + reason);
    }

    private void endPeriod() {
        long count = leftOut;
        lines = 0;
        leftOut = 0;
        if (count > 0) {
            log.warn("login refused: " + count + " more in the " + PERIOD_NANOS / 1_000_000_000 + " s before");
        }
    }
}
