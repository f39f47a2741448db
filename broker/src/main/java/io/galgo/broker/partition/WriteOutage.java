package io.galgo.broker.partition;

import io.galgo.storage.Incident;
import io.galgo.storage.disk.DiskFault;
import java.util.function.Supplier;

/// What people are told while a partition's disk takes no writes: when it begins, once a minute while somebody is
/// refused for it, when it is over, and when the node stops meanwhile.
///
/// A disk that is full takes a small write now and then and fails the next large one. That is one outage: it is
/// over when a write of what clients sent has succeeded.
final class WriteOutage {
    static final long REMINDER_NANOS = 60_000_000_000L;

    private final PartitionHost host;
    private final Supplier<String> partition;
    private final String writes;
    private final Incident beginning;
    private final Incident ending;
    private boolean isOpen;
    private long begunNanos;
    private long toldNanos;
    private long refused;

    /// @param partition names it for people
    /// @param writes what is refused meanwhile
    /// @param beginning what is counted when it begins
    /// @param ending what is counted when it is over
    WriteOutage(PartitionHost host, Supplier<String> partition, String writes, Incident beginning, Incident ending) {
        this.host = host;
        this.partition = partition;
        this.writes = writes;
        this.beginning = beginning;
        this.ending = ending;
    }

    /// A write of what clients sent has failed.
    void onFault(DiskFault fault) {
        if (isOpen) {
            remind();
            return;
        }
        isOpen = true;
        begunNanos = host.monotonicNanos();
        toldNanos = begunNanos;
        refused = 0;
        host.logs().incidents().count(beginning);
        host.error("partition " + partition.get() + " cannot be written: " + fault + ". Its " + writes
                + " are refused until it can; nothing that was acknowledged is lost. "
                + switch (fault.kind()) {
                    case NO_SPACE ->
                        "Make room on that file system, or delete segments, purge or delete topics; no restart is needed";
                    case TOO_MANY_FILES -> "Raise the limit of open files (ulimit -n) and start again";
                    case NOT_FOUND, IO -> "Look at the disk, then start the server again";
                });
    }

    /// A client was refused for it.
    void onRefused() {
        if (isOpen) {
            refused++;
            remind();
        }
    }

    private void remind() {
        long now = host.monotonicNanos();
        if (now - toldNanos >= REMINDER_NANOS) {
            toldNanos = now;
            host.error("partition " + partition.get() + " still cannot be written after " + seconds(now) + " s: "
                    + refused + " " + writes + " were refused");
        }
    }

    /// What clients sent was written.
    void end() {
        if (isOpen) {
            isOpen = false;
            host.logs().incidents().count(ending);
            host.info("partition " + partition.get() + " is written again after " + seconds(host.monotonicNanos())
                    + " s: " + refused + " " + writes + " were refused meanwhile");
        }
    }

    /// The node stops.
    void stop() {
        if (isOpen) {
            host.warn("partition " + partition.get() + " could not be written to the end: " + refused + " " + writes
                    + " were refused; everything that was acknowledged was written before");
        }
    }

    private long seconds(long now) {
        return (now - begunNanos) / 1_000_000_000L;
    }
}
