package io.galgo.model;

import io.galgo.protocol.EvictionHeader;
import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.Operation;
import io.galgo.protocol.ReplyHeader;
import io.galgo.protocol.ResultSection;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// One frame from the server.
record Answer(ByteBuffer frame) {
    static final String OK = "OK";

    Answer {
        Difference.unlessEqual(FrameHeader.size(frame, 0), (long) frame.remaining(), "the size of a frame");
    }

    static String deny(int code) {
        return "DENY " + code;
    }

    static String reject(int code) {
        return "REJECT " + code;
    }

    static String evict(int reason) {
        return "EVICT " + reason;
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

    /// The place in the metadata log, of a metadata command.
    long op() {
        return ReplyHeader.op(frame, 0);
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

    /// `OK`, `DENY n`, `REJECT n` or `EVICT n`.
    String outcome() {
        if (isEviction()) {
            return evict(EvictionHeader.reason(frame, 0));
        }
        int status = ReplyHeader.status(frame, 0);
        if (status != 0) {
            return body().hasRemaining() ? deny(status) + " with a body" : deny(status);
        }
        Operation operation = Operation.of(operation());
        if (operation == null) {
            return "a reply with unknown operation " + operation();
        }
        if (operation.isResultFramed()) {
            int error = ResultSection.error(body(), 0, body().remaining());
            return error == 0 ? OK : reject(error);
        }
        return OK;
    }
}
