package io.galgo.simulator.client;

import java.util.SplittableRandom;

/// In what the published clients differ from each other.
///
/// @param inFlightMax requests on the way at a time; most clients have one
/// @param keepsId whether the client logs in anew under the id it had, and its numbers go on
/// @param resumes whether it then sends again what was not answered, under the same numbers
/// @param isStamped whether requests carry a checksum of their body
/// @param repeatPerMille how often a frame is sent twice at once
/// @param reconnectNanos pause before the next attempt to connect
/// @param timeoutNanos after so long without an answer the connection is given up
/// @param budgetNanos so long a request is repeated that is answered with 57 or 58
/// @param heartbeatNanos pause between pings of an idle client
record Habits(
        int inFlightMax,
        boolean keepsId,
        boolean resumes,
        boolean isStamped,
        int repeatPerMille,
        long reconnectNanos,
        long timeoutNanos,
        long budgetNanos,
        long heartbeatNanos) {
    private static final long MILLIS = 1_000_000;
    static final long REPEAT_NANOS = 50 * MILLIS;

    /// @param inFlightMax of those clients that do not wait for each answer
    static Habits drawn(SplittableRandom random, int inFlightMax) {
        boolean keepsId = random.nextInt(3) == 0;
        return new Habits(
                random.nextInt(3) == 0 ? inFlightMax : 1,
                keepsId,
                keepsId && random.nextBoolean(),
                random.nextBoolean(),
                random.nextInt(4) == 0 ? 100 : 0,
                (100 + random.nextInt(900)) * MILLIS,
                30_000 * MILLIS,
                30_000 * MILLIS,
                5_000 * MILLIS);
    }

    /// Those of a client that does everything in order, and whose program repeats by itself.
    static Habits plain() {
        return new Habits(1, false, false, true, 0, 200 * MILLIS, 30_000 * MILLIS, 1_000 * MILLIS, 5_000 * MILLIS);
    }
}
