package io.galgo.simulator.client;

import io.galgo.simulator.check.Received;
import org.jspecify.annotations.Nullable;

/// How a request ended for the program that made it.
///
/// @param kind what is known
/// @param answer the last one, null when there was none
record Ending(Kind kind, @Nullable Received answer) {
    enum Kind {
        /// It was done.
        DONE,
        /// It was not done.
        REFUSED,
        /// Nobody knows.
        UNKNOWN
    }

    boolean isDone() {
        return kind == Kind.DONE;
    }

    /// The answer of a request that was done.
    Received reply() {
        Received reply = answer;
        if (reply == null) {
            throw new IllegalStateException("there was no answer");
        }
        return reply;
    }

    int error() {
        return answer == null ? 0 : answer.error();
    }
}
