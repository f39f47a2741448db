package io.galgo.broker.shard;

import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.EvictionHeader;
import io.galgo.protocol.EvictionReason;
import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.Operation;
import io.galgo.protocol.ReplyHeader;
import io.galgo.protocol.ResultSection;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// A frame that a test client received.
record Answer(ByteBuffer frame) {
    Answer {
        if (FrameHeader.size(frame, 0) != frame.remaining()) {
            throw new AssertionError(
                    "a frame of " + frame.remaining() + " bytes says that it has " + FrameHeader.size(frame, 0));
        }
    }

    boolean isEviction() {
        return FrameHeader.command(frame, 0) == FrameHeader.COMMAND_EVICTION;
    }

    long number() {
        return ReplyHeader.request(frame, 0);
    }

    int operation() {
        return ReplyHeader.operation(frame, 0);
    }

    long op() {
        return ReplyHeader.op(frame, 0);
    }

    long commit() {
        return ReplyHeader.commit(frame, 0);
    }

    ByteBuffer body() {
        return frame.slice(FrameHeader.BYTES, frame.remaining() - FrameHeader.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
    }

    /// The body behind the result section.
    ByteBuffer payload() {
        ByteBuffer body = body();
        return body.slice(ResultSection.SUCCESS_BYTES, body.remaining() - ResultSection.SUCCESS_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
    }

    /// `ok`, `deny 3`, `reject 1009` or `evict 15`.
    String outcome() {
        if (isEviction()) {
            return "evict " + EvictionHeader.reason(frame, 0);
        }
        int status = ReplyHeader.status(frame, 0);
        if (status != 0) {
            return body().hasRemaining() ? "deny " + status + " with a body" : "deny " + status;
        }
        Operation operation = Operation.of(operation());
        if (operation == null) {
            return "unknown operation " + operation();
        }
        if (operation.isResultFramed()) {
            int error = ResultSection.error(body(), 0, body().remaining());
            if (error != 0) {
                return "reject " + error;
            }
        }
        return "ok";
    }

    static String deny(ErrorCode code) {
        return "deny " + code.code();
    }

    static String reject(ErrorCode code) {
        return "reject " + code.code();
    }

    static String evict(EvictionReason reason) {
        return "evict " + reason.value();
    }

    @Override
    public String toString() {
        return outcome();
    }
}
