package io.galgo.simulator.check;

import io.galgo.protocol.EvictionHeader;
import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.Operation;
import io.galgo.protocol.ReplyHeader;
import io.galgo.protocol.ResultSection;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// One frame that a client got from the server. Immutable.
///
/// @param error the code of a denial or a rejection, 0 for none
/// @param eviction the reason of an eviction, 0 for none
public record Received(ByteBuffer frame, int error, int eviction) {
    public static final int NOT_COMMITTED = 57;
    public static final int NOT_ACCEPTED = 58;
    public static final int ALREADY_APPLIED = 59;
    /// The write of messages or offsets failed under way.
    public static final int CANNOT_APPEND = 4010;
    public static final int SHARD_COMMUNICATION = 11001;

    /// @param frame a whole frame, position to limit
    /// @throws IllegalArgumentException one sentence: why the bytes are no answer
    public static Received of(ByteBuffer frame) {
        if (FrameHeader.size(frame, 0) != frame.remaining()) {
            throw new IllegalArgumentException(
                    "a frame says it has " + FrameHeader.size(frame, 0) + " bytes and has " + frame.remaining());
        }
        return switch (FrameHeader.command(frame, 0)) {
            case FrameHeader.COMMAND_EVICTION -> {
                int reason = EvictionHeader.reason(frame, 0);
                if (reason < 1 || reason > 15 || !EvictionHeader.isReservedZero(frame, 0)) {
                    throw new IllegalArgumentException("an eviction with reason " + reason);
                }
                yield new Received(frame, 0, reason);
            }
            case FrameHeader.COMMAND_REPLY -> new Received(frame, error(frame), 0);
            default -> throw new IllegalArgumentException("a frame with command " + FrameHeader.command(frame, 0));
        };
    }

    private static int error(ByteBuffer frame) {
        int status = ReplyHeader.status(frame, 0);
        if (status != 0) {
            return status;
        }
        Operation operation = Operation.of(ReplyHeader.operation(frame, 0));
        if (operation == null) {
            throw new IllegalArgumentException("a reply with operation " + ReplyHeader.operation(frame, 0));
        }
        int bodyBytes = frame.remaining() - FrameHeader.BYTES;
        boolean isEmptyLogin = operation == Operation.REGISTER && bodyBytes == 0;
        if (!operation.isResultFramed() || isEmptyLogin) {
            return 0;
        }
        // Replies to partition writes are framed only when they say something.
        if (operation.isPartition() && bodyBytes == 0) {
            return 0;
        }
        int error = ResultSection.error(frame, FrameHeader.BYTES, bodyBytes);
        if (error == ResultSection.MALFORMED) {
            throw new IllegalArgumentException("a reply to " + operation + " without a result section");
        }
        return error;
    }

    public boolean isOk() {
        return error == 0 && eviction == 0;
    }

    public boolean isEviction() {
        return eviction != 0;
    }

    /// Whether this says nothing about whether the request took effect, or will.
    public boolean isOpen() {
        return error == NOT_COMMITTED || error == CANNOT_APPEND || error == SHARD_COMMUNICATION;
    }

    public long number() {
        return ReplyHeader.request(frame, 0);
    }

    public int operation() {
        return ReplyHeader.operation(frame, 0);
    }

    /// The place in the metadata log, of a metadata command.
    public long op() {
        return ReplyHeader.op(frame, 0);
    }

    public ByteBuffer body() {
        return frame.slice(FrameHeader.BYTES, frame.remaining() - FrameHeader.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
    }

    /// The body behind the result section.
    public ByteBuffer payload() {
        ByteBuffer body = body();
        int start = Math.min(ResultSection.SUCCESS_BYTES, body.remaining());
        return body.slice(start, body.remaining() - start).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public String toString() {
        return eviction != 0 ? "EVICTED " + eviction : error != 0 ? "ERROR " + error : "OK";
    }
}
