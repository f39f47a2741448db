package io.galgo.broker.metadata;

import io.galgo.protocol.Body;
import io.galgo.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/// How a command ended in its turn.
///
/// @param error null for success
/// @param payload of a success that says something, else null
record Result(@Nullable ErrorCode error, @Nullable Body payload) {
    static final Result DONE = new Result(null, null);

    static Result of(ErrorCode error) {
        return new Result(error, null);
    }

    static Result of(Body payload) {
        return new Result(null, payload);
    }
}
