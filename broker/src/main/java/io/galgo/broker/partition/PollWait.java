package io.galgo.broker.partition;

import org.jspecify.annotations.Nullable;

/// How long a poll that finds nothing waits for messages, and for whom.
///
/// @param nanosMax positive
/// @param userId whose right to poll is asked for again before messages are delivered
public record PollWait(long nanosMax, int userId) {
    public PollWait {
        if (nanosMax <= 0) {
            throw new IllegalArgumentException("a wait of " + nanosMax + " ns");
        }
    }

    /// A wait that is going on. Belongs to the partition.
    static final class Going {
        final long untilNanos;

        @Nullable Runnable cancelTimer;

        Going(long untilNanos) {
            this.untilNanos = untilNanos;
        }
    }
}
