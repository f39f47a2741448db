package io.galgo.broker.partition;

import java.util.ArrayDeque;

/// How old messages are, for whoever deletes old ones: never older than they really are.
///
/// A message carries the time of the wall clock when it came. Somebody who sets that clock forward makes all
/// messages look older at once. So whenever the wall clock gets ahead of the monotonic one, messages from before
/// that are younger by as much. A machine that slept, where the monotonic clock stands still, is taken for the
/// same: its messages are kept for as much longer. A process that was merely stopped finds that both clocks went
/// on.
///
/// A wall clock that goes back makes messages look younger, and they are kept longer. Confined to a shard's thread.
final class MessageAges {
    /// Clocks that drift apart slowly are no jump.
    private static final long JUMP_MICROS_MIN = 1_000_000;

    /// Jumps remembered one by one; the oldest are taken together, as if they had all come when the last of them
    /// did.
    private static final int JUMPS_MAX = 16;

    /// @param landedAtMicros what the wall clock showed when the jump was noticed
    private record Jump(long landedAtMicros, long lengthMicros) {}

    private final ArrayDeque<Jump> jumps = new ArrayDeque<>();
    private long wallMicros;
    private long monotonicNanos;

    MessageAges(long wallMicros, long monotonicNanos) {
        this.wallMicros = wallMicros;
        this.monotonicNanos = monotonicNanos;
    }

    /// Looks at both clocks. To be called before ages are asked for, and now and then in between: what comes while
    /// nobody looks is taken to have come before a jump in that time.
    void update(long nowWallMicros, long nowMonotonicNanos) {
        long ahead = nowWallMicros - wallMicros - (nowMonotonicNanos - monotonicNanos) / 1000;
        wallMicros = nowWallMicros;
        monotonicNanos = nowMonotonicNanos;
        if (ahead < JUMP_MICROS_MIN) {
            return;
        }
        if (jumps.size() == JUMPS_MAX) {
            Jump oldest = jumps.removeFirst();
            Jump next = jumps.removeFirst();
            jumps.addFirst(new Jump(
                    Math.max(oldest.landedAtMicros, next.landedAtMicros), oldest.lengthMicros + next.lengthMicros));
        }
        jumps.addLast(new Jump(nowWallMicros, ahead));
    }

    /// Microseconds since a message with this timestamp came, at the time of the last [#update]; negative for one
    /// from the future.
    long ageMicros(long timestampMicros) {
        long age = wallMicros - timestampMicros;
        for (Jump jump : jumps) {
            if (timestampMicros <= jump.landedAtMicros) {
                age -= jump.lengthMicros;
            }
        }
        return age;
    }
}
