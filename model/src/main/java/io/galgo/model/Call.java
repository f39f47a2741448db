package io.galgo.model;

import io.galgo.protocol.Body;
import io.galgo.protocol.Checksum;
import io.galgo.protocol.CommandClass;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.Operation;
import io.galgo.protocol.RequestHeader;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.SendMessages;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One request as it goes out.
///
/// @param request null when the body was spoilt so that it cannot be decoded
/// @param sent the messages of a send
record Call(
        Caller caller,
        CommandCode command,
        @Nullable Request request,
        long number,
        long checksum,
        ByteBuffer frame,
        List<Message> sent) {

    /// A message as a producer builds it.
    record Message(long id, String payload, String headers) {
        int bytes() {
            return 48 + payload.length() + headers.length();
        }

        @Override
        public String toString() {
            return id + ":" + (payload.length() > 24 ? payload.substring(0, 24) + "…" + payload.length() : payload);
        }
    }

    static Call of(Caller caller, Request request, long number, boolean isStamped, List<Message> sent) {
        return of(caller, request.command(), request, request, number, isStamped, sent);
    }

    static Call spoilt(Caller caller, CommandCode command, byte[] body, long number) {
        return of(caller, command, null, new Raw(body), number, false, List.of());
    }

    /// Bytes in place of a body.
    private static final class Raw implements Body {
        private final byte[] bytes;

        Raw(byte[] bytes) {
            this.bytes = bytes.clone();
        }

        @Override
        public int encodedBytes() {
            return bytes.length;
        }

        @Override
        public void put(ByteBuffer target) {
            target.put(bytes);
        }
    }

    private static Call of(
            Caller caller,
            CommandCode command,
            @Nullable Request request,
            Body body,
            long number,
            boolean isStamped,
            List<Message> sent) {
        Operation operation = command.operation();
        int size = FrameHeader.BYTES + body.encodedBytes();
        ByteBuffer frame = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        RequestHeader.write(
                frame,
                0,
                size,
                operation,
                caller.id,
                operation == Operation.REGISTER ? 0 : caller.session,
                number,
                operation == Operation.NON_REPLICATED ? command.code() : 0);
        frame.position(FrameHeader.BYTES);
        body.put(frame);
        frame.position(0);
        if (isStamped) {
            RequestHeader.stampChecksum(frame, 0);
        }
        long checksum = isStamped ? RequestHeader.requestChecksumLow(frame, 0) : 0;
        return new Call(caller, command, request, number, checksum, frame, sent);
    }

    /// The same request under another login of the same client.
    Call by(Caller other) {
        ByteBuffer copy = ByteBuffer.allocate(frame.remaining()).order(ByteOrder.LITTLE_ENDIAN);
        copy.put(frame.duplicate()).flip();
        ByteBuffer header = ByteBuffer.allocate(FrameHeader.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        RequestHeader.write(header, 0, copy.remaining(), command.operation(), other.id, other.session, number, 0);
        copy.put(128, header, 128, 16).put(184, header, 184, 8);
        return new Call(other, command, request, number, checksum, copy, sent);
    }

    boolean isMetadata() {
        return command.commandClass() == CommandClass.METADATA;
    }

    boolean isPartitionWrite() {
        return command.commandClass() == CommandClass.PARTITION;
    }

    /// What makes two writes under one number the same.
    long content() {
        int start = request instanceof SendMessages send ? frame.remaining() - send.batchLength() : FrameHeader.BYTES;
        return Checksum.xxh3(frame, start, frame.remaining() - start);
    }

    @Override
    public String toString() {
        String what = request instanceof SendMessages send
                ? "SendMessages[" + send.stream() + ", " + send.topic() + ", " + send.partitioning() + ", " + sent + "]"
                : request == null ? "spoilt " + command : request.toString();
        return caller + " #" + number + " " + what;
    }
}
