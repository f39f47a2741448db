package io.galgo.broker.partition;

import io.galgo.protocol.ClientId;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// How long a poll that finds nothing waits for messages, and for whom.
///
/// @param nanosMax positive
/// @param userId whose right to poll is asked for again before messages are delivered
/// @param client whose session must still be the one it asked in: the user's id may belong to somebody else by
///     then, and the client may have come back and wait on another connection
/// @param session of the client when it asked
public record PollWait(long nanosMax, int userId, ClientId client, long session) {
    public PollWait {
        if (nanosMax <= 0) {
            throw new IllegalArgumentException("a wait of " + nanosMax + " ns");
        }
    }

    /// A wait that is going on, also while its poll is being read. Belongs to the partition.
    static final class Going {
        final long untilNanos;

        /// How many waits of the shard had begun when this one had: tells apart those that wait for the same.
        final long number;

        @Nullable Runnable cancelTimer;

        /// Where its poll lies, null when that is nowhere; there, nothing changes what it waits for.
        @Nullable Set<PollRequest> place;

        /// The offset or time that is waited for.
        long awaited;

        Going(long untilNanos, long number) {
            this.untilNanos = untilNanos;
            this.number = number;
        }
    }
}
