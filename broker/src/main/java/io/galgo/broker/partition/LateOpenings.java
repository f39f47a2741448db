package io.galgo.broker.partition;

/// When a shard may try again to open a partition that the disk failed at start.
///
/// An opening holds the shard up for as long as it takes. After each one, whatever came of it, the shard serves
/// the others for several times as long: however many partitions are closed, most of its time is theirs.
final class LateOpenings {
    private static final int REST_FACTOR = 4;

    private boolean hasRest;
    private long restUntilNanos;

    boolean mayBegin(long nowNanos) {
        return !hasRest || nowNanos - restUntilNanos >= 0;
    }

    void onEnded(long begunNanos, long endedNanos) {
        hasRest = true;
        restUntilNanos = endedNanos + REST_FACTOR * (endedNanos - begunNanos);
    }
}
