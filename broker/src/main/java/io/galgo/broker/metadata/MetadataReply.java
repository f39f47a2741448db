package io.galgo.broker.metadata;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
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

    /// @param executed the operation of the reply
    /// @param error null for success
    /// @param payload of a success, null for none
    static MetadataReply of(
            long op,
            Operation executed,
            MetadataOperation operation,
            @Nullable ErrorCode error,
            @Nullable Body payload) {
        return new MetadataReply(
                op,
                operation.timestampMicros(),
                operation.request(),
                operation.requestChecksum(),
                executed,
                error,
                error == null && payload != null ? payload.toBuffer().array() : NOTHING);
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

    /// | size | field |
    /// |---|---|
    /// | 8, 8 | op, commit time |
    /// | 8, 8 | request number, request checksum |
    /// | 1 | operation |
    /// | 4 | 0 or the error code |
    /// | 4 | length of the payload, then the payload |
    void write(ByteWriter out) {
        out.u64(op).u64(timestampMicros).u64(request).u64(requestChecksum);
        out.u8(operation.value()).u32(error == null ? 0 : error.code()).block(payload);
    }

    /// Reads what [#write] wrote. Fails the reader on anything else.
    static MetadataReply read(BodyReader in) {
        long op = in.u64();
        long timestampMicros = in.u64();
        long request = in.u64();
        long requestChecksum = in.u64();
        Operation operation = Operation.of(in.u8());
        int code = in.u32();
        ErrorCode error = ErrorCode.of(code);
        byte[] payload = in.bytes(in.length());
        in.require(operation != null && (error != null || code == 0));
        return new MetadataReply(
                op,
                timestampMicros,
                request,
                requestChecksum,
                operation == null ? Operation.NON_REPLICATED : operation,
                error,
                payload);
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
