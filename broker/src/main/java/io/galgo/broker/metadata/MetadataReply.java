package io.galgo.broker.metadata;

import java.util.Arrays;

/// What a committed metadata operation answers: a pure function of the operation and the state before it, so every
/// replica can give it, and give it again (spec protocol 2.3, 2.8). Immutable.
public final class MetadataReply {
    private static final byte[] NOTHING = {};

    private final long op;
    private final long timestampMicros;
    private final long request;
    private final long requestChecksum;
    private final int operation;
    private final int code;
    private final byte[] payload;

    private MetadataReply(
            long op,
            long timestampMicros,
            long request,
            long requestChecksum,
            int operation,
            int code,
            byte[] payload) {
        this.op = op;
        this.timestampMicros = timestampMicros;
        this.request = request;
        this.requestChecksum = requestChecksum;
        this.operation = operation;
        this.code = code;
        this.payload = payload;
    }

    static MetadataReply success(
            long op, long timestampMicros, long request, long requestChecksum, int operation, byte[] payload) {
        return new MetadataReply(op, timestampMicros, request, requestChecksum, operation, 0, payload);
    }

    static MetadataReply rejection(
            long op, long timestampMicros, long request, long requestChecksum, int operation, int code) {
        return new MetadataReply(op, timestampMicros, request, requestChecksum, operation, code, NOTHING);
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

    /// The operation byte of the reply: the executed operation.
    public int operation() {
        return operation;
    }

    /// 0 for success, else the code of the result section.
    public int code() {
        return code;
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
                && code == that.code
                && Arrays.equals(payload, that.payload);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(op);
    }

    @Override
    public String toString() {
        return "MetadataReply[op " + op + ", operation " + operation + ", request " + request + ", code " + code + ", "
                + payload.length + " bytes]";
    }
}
