package io.galgo.broker.partition;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Deletes what retention lets go on one shard: in a pass over all partitions now and then, and what clients asked
/// to delete as soon as no consumer needs it (spec semantics 11.1, 11.2).
///
/// Confined to the shard's thread, and never long on it: a turn looks at so many partitions and begins to delete so
/// many segments at most, and the shard does other things before the next one.
final class Cleaner {
    /// Segments that one pass deletes of a partition; the rest is the next pass's.
    static final int SEGMENTS_A_PASS = 16;

    private static final int SEGMENTS_A_TURN = 16;
    private static final int PARTITIONS_A_TURN = 256;
    private static final long TURN_NANOS = 1_000_000L;

    /// How long consumers have to advance before what waits for them is looked at again.
    private static final long RETRY_NANOS = 250_000_000L;

    private final PartitionHost host;
    private final long intervalNanos;
    private final MessageAges ages;

    // A pass goes over the partitions that were there when it began. A partition that is gone by its turn has
    // nothing to delete.
    private final List<Partition> pass = new ArrayList<>();
    private int passed;

    // Partitions of which segments are to go that clients gave up, in the order of the requests.
    private final LinkedHashSet<Partition> truncated = new LinkedHashSet<>();
    private boolean isRetrying;
    private boolean isStopped;
    private @Nullable Runnable begin;

    /// @param intervalNanos from the end of a pass to the begin of the next one; 0 for no passes
    Cleaner(PartitionHost host, long intervalNanos) {
        this.host = host;
        this.intervalNanos = intervalNanos;
        this.ages = new MessageAges(host.wallMicros(), host.monotonicNanos());
    }

    /// Begins the first pass after the interval.
    ///
    /// @param partitions adds all partitions of the shard to the list that it is given
    void start(PartitionLister partitions) {
        if (intervalNanos > 0) {
            begin = () -> {
                partitions.list(pass);
                turn();
            };
            host.after(intervalNanos, begin);
        }
    }

    /// Tells which partitions there are.
    @FunctionalInterface
    interface PartitionLister {
        void list(List<Partition> target);
    }

    /// Nothing is begun any more.
    void stop() {
        isStopped = true;
        pass.clear();
        truncated.clear();
    }

    private void turn() {
        if (isStopped) {
            return;
        }
        ages.update(host.wallMicros(), host.monotonicNanos());
        int segments = 0;
        int looked = 0;
        while (passed < pass.size() && segments < SEGMENTS_A_TURN && looked < PARTITIONS_A_TURN) {
            segments += pass.get(passed).deleteOld(ages, SEGMENTS_A_PASS);
            passed++;
            looked++;
        }
        if (passed < pass.size()) {
            host.after(TURN_NANOS, this::turn);
        } else if (begin != null) {
            pass.clear();
            passed = 0;
            host.after(intervalNanos, begin);
        }
    }

    /// A partition was found at start, perhaps with segments that were given up.
    void onRecovered(Partition partition) {
        if (partition.hasTruncated()) {
            truncated.add(partition);
            retryAfter(TURN_NANOS);
        }
    }

    /// Segments of a partition were given up. They go now, or when no consumer needs them.
    void onTruncated(Partition partition) {
        if (isStopped) {
            return;
        }
        int begun = partition.deleteTruncated(SEGMENTS_A_TURN);
        if (partition.hasTruncated()) {
            truncated.add(partition);
            retryAfter(begun > 0 ? TURN_NANOS : RETRY_NANOS);
        }
    }

    private void retryAfter(long nanos) {
        if (!isRetrying) {
            isRetrying = true;
            host.after(nanos, this::retry);
        }
    }

    private void retry() {
        isRetrying = false;
        if (isStopped) {
            return;
        }
        // Each of them once at most; what is left begins with the next one in the order.
        int segments = 0;
        for (int left = Math.min(truncated.size(), PARTITIONS_A_TURN); left > 0 && segments < SEGMENTS_A_TURN; left--) {
            Partition partition = truncated.removeFirst();
            segments += partition.deleteTruncated(SEGMENTS_A_TURN);
            if (partition.hasTruncated()) {
                truncated.addLast(partition);
            }
        }
        if (!truncated.isEmpty()) {
            retryAfter(segments > 0 ? TURN_NANOS : RETRY_NANOS);
        }
    }
}
