package io.galgo.broker.shard;

import io.galgo.broker.partition.Requester;
import io.galgo.broker.plane.MetadataRequester;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.Operation;
import io.galgo.protocol.RequestHeader;
import io.galgo.storage.memory.PooledBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// One request of a connection, from the arrival of its frame until its reply is on its way.
///
/// Holds the frame until the request has been understood or handed on, and what the reply echoes to its end.
final class Exchange implements Requester, MetadataRequester {
    private final Connection connection;
    private final int operationByte;
    private final @Nullable Operation operation;
    private final int commandCode;
    private final long clientLow;
    private final long clientHigh;
    private final long checksumLow;
    private final long checksumHigh;
    private final long timestamp;
    private final long number;
    private final long session;
    private final int length;
    private final @Nullable ErrorCode headerRefusal;
    private final boolean wasReceived;

    private @Nullable PooledBuffer frame;
    private @Nullable Reply reply;
    private @Nullable String loginName;

    /// @param header holds the request's header from byte 0
    /// @param frame the whole frame, one reference of which is taken over; null when there was no memory for it
    /// @param length of the frame
    Exchange(Connection connection, ByteBuffer header, @Nullable PooledBuffer frame, int length) {
        this.connection = connection;
        this.operationByte = RequestHeader.operation(header, 0);
        this.operation = Operation.of(operationByte);
        this.commandCode = RequestHeader.commandCode(header, 0);
        this.clientLow = RequestHeader.clientLow(header, 0);
        this.clientHigh = RequestHeader.clientHigh(header, 0);
        this.checksumLow = RequestHeader.requestChecksumLow(header, 0);
        this.checksumHigh = RequestHeader.requestChecksumHigh(header, 0);
        this.timestamp = RequestHeader.timestamp(header, 0);
        this.number = RequestHeader.request(header, 0);
        this.session = RequestHeader.session(header, 0);
        this.headerRefusal = RequestHeader.refusal(header, 0);
        this.frame = frame;
        this.wasReceived = frame != null;
        this.length = length;
    }

    /// The name that a login gives.
    void nameLogin(String name) {
        loginName = name;
    }

    /// What [#nameLogin] said last, null before.
    @Nullable String loginName() {
        return loginName;
    }

    Connection connection() {
        return connection;
    }

    /// The operation byte as sent.
    int operationByte() {
        return operationByte;
    }

    /// The operation. Only asked once the header was found good.
    Operation operation() {
        Operation known = operation;
        if (known == null) {
            throw new IllegalStateException("operation " + operationByte + " is unknown");
        }
        return known;
    }

    boolean isNonReplicated() {
        return operation == Operation.NON_REPLICATED;
    }

    /// Whether it writes to one partition: such requests of one connection may overlap.
    boolean isPartitionWrite() {
        return headerRefusal == null && operation != null && operation.isPartition();
    }

    int commandCode() {
        return commandCode;
    }

    ClientId client() {
        return new ClientId(clientHigh, clientLow);
    }

    long checksumLow() {
        return checksumLow;
    }

    long checksumHigh() {
        return checksumHigh;
    }

    long timestamp() {
        return timestamp;
    }

    long number() {
        return number;
    }

    /// The session as the client sent it.
    long session() {
        return session;
    }

    /// What is wrong with the header (spec protocol 2.6, checks 4 to 8), or null.
    @Nullable ErrorCode headerRefusal() {
        return headerRefusal;
    }

    /// Whether there was memory to receive the body.
    boolean wasReceived() {
        return wasReceived;
    }

    /// Whether the body agrees with the request checksum. Only while the frame is held.
    boolean isBodyIntact() {
        return RequestHeader.isBodyIntact(frame().bytes(), 0);
    }

    /// A view of the body, position to limit. Only while the frame is held.
    ByteBuffer body() {
        return frame().slice(FrameHeader.BYTES, length - FrameHeader.BYTES);
    }

    /// A copy of the body that outlives the frame.
    ByteBuffer bodyCopy() {
        ByteBuffer copy = ByteBuffer.allocate(length - FrameHeader.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        copy.put(0, frame().bytes(), FrameHeader.BYTES, copy.capacity());
        return copy;
    }

    int bodyBytes() {
        return length - FrameHeader.BYTES;
    }

    /// Gives the frame away, to one who releases it.
    PooledBuffer takeFrame() {
        PooledBuffer held = frame();
        frame = null;
        return held;
    }

    /// The request was understood, or need not be.
    void releaseFrame() {
        PooledBuffer held = frame;
        if (held != null) {
            frame = null;
            if (holdsSecret()) {
                erase(held.bytes());
            }
            held.release();
        }
    }

    private boolean holdsSecret() {
        return operation == Operation.REGISTER
                || operation == Operation.CREATE_USER
                || operation == Operation.CHANGE_PASSWORD;
    }

    /// The memory will be somebody else's frame, or a page of a file. Nobody may find a password in it.
    private void erase(ByteBuffer bytes) {
        for (int i = FrameHeader.BYTES; i < length; i++) {
            bytes.put(i, (byte) 0);
        }
    }

    boolean isAnswered() {
        return reply != null;
    }

    void answer(Reply given) {
        releaseFrame();
        reply = given;
    }

    Reply takeReply() {
        Reply given = reply;
        if (given == null) {
            throw new IllegalStateException("not answered yet");
        }
        return given;
    }

    private PooledBuffer frame() {
        PooledBuffer held = frame;
        if (held == null) {
            throw new IllegalStateException("the frame was given away");
        }
        return held;
    }
}
