package io.galgo.broker.metadata;

import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.Operation;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// What a committed metadata operation answers: a pure function of the operation and the state before it, so every
/// replica can give it, and give it again (spec protocol 2.3, 2.8). Immutable.
public final class MetadataReply {
    private static final byte[] NOTHING = {};

    private final long op;
    private final long timestampMicros;
    private final long request;
    private final long requestChecksum;
    private final Operation operation;
    private final @Nullable ErrorCode error;
    private final byte[] payload;

    private MetadataReply(
            long op,
            long timestampMicros,
            long request,
            long requestChecksum,
            Operation operation,
            @Nullable ErrorCode error,
            byte[] payload) {
        this.op = op;
        this.timestampMicros = timestampMicros;
        this.request = request;
        this.requestChecksum = requestChecksum;
        this.operation = operation;
        this.error = error;
        this.payload = payload;
    }

    static MetadataReply success(
            long op, long timestampMicros, long request, long requestChecksum, Operation operation, byte[] payload) {
        return new MetadataReply(op, timestampMicros, request, requestChecksum, operation, null, payload);
    }

    static MetadataReply rejection(
            long op, long timestampMicros, long request, long requestChecksum, Operation operation, ErrorCode error) {
        return new MetadataReply(op, timestampMicros, request, requestChecksum, operation, error, NOTHING);
    }

    /// The operation's place in the log: the header's `op` and `commit`.
    public long op() {
        return op;
    }

    /// The operation's commit time.
    public long timestampMicros() {
        return timestampMicros;
    }

    /// The request number to echo.
    public long request() {
        return request;
    }

    /// The request checksum to echo, its low eight bytes; the high ones are zero.
    public long requestChecksum() {
        return requestChecksum;
    }

    /// The operation of the reply: the executed one ([Operation#executed]).
    public Operation operation() {
        return operation;
    }

    /// Null for success, else what the result section says.
    public @Nullable ErrorCode error() {
        return error;
    }

    /// What follows the result section of a success; empty otherwise. Not to be changed.
    public byte[] payload() {
        return payload;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MetadataReply that
                && op == that.op
                && timestampMicros == that.timestampMicros
                && request == that.request
                && requestChecksum == that.requestChecksum
                && operation == that.operation
                && error == that.error
                && Arrays.equals(payload, that.payload);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(op);
    }

    @Override
    public String toString() {
        return "MetadataReply[op " + op + ", operation " + operation + ", request " + request + ", "
                + (error == null ? "ok" : error) + ", " + payload.length + " bytes]";
    }
}
