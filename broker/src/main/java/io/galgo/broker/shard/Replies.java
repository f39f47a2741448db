package io.galgo.broker.shard;

import io.galgo.broker.metadata.MetadataReply;
import io.galgo.broker.partition.PollRequest;
import io.galgo.broker.partition.SendRequest;
import io.galgo.protocol.Body;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.EvictionHeader;
import io.galgo.protocol.EvictionReason;
import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.Operation;
import io.galgo.protocol.ReplyHeader;
import io.galgo.protocol.ResultSection;
import io.galgo.protocol.reply.PollHeader;
import io.galgo.protocol.reply.SendConfirmations;
import io.galgo.storage.log.BatchSlice;
import io.galgo.storage.memory.BufferPool;
import io.galgo.storage.memory.PooledBuffer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Answers exchanges: turns what came out into frames (spec protocol 2.3, 2.4, 2.8).
///
/// When there is no memory for a reply, the refusal 58 takes its place, from a small reserve; when that is used up
/// too, the connection is closed.
final class Replies {
    /// Buffers kept for refusals when the pool has none.
    private static final int RESERVE = 64;

    private final BufferPool buffers;
    private final Shard shard;
    private final ArrayDeque<PooledBuffer> reserve = new ArrayDeque<>();
    private boolean isClosed;

    Replies(Shard shard, BufferPool buffers) {
        this.shard = shard;
        this.buffers = buffers;
        fillReserve();
    }

    /// Gives the reserve back to the pool, at the end. Refusals may follow, of requests whose clients are gone.
    void close() {
        isClosed = true;
        while (!reserve.isEmpty()) {
            reserve.remove().release();
        }
    }

    /// Refused before execution; nothing happened.
    void deny(Exchange exchange, ErrorCode code) {
        PooledBuffer buffer = acquireSmall(exchange, FrameHeader.BYTES);
        if (buffer != null) {
            ByteBuffer frame = buffer.bytes();
            boolean isRead = exchange.isNonReplicated() && exchange.connection().session() != null;
            start(frame, FrameHeader.BYTES, exchange, isRead ? exchange.client() : connectionId(exchange));
            ReplyHeader.position(frame, 0, isRead ? exchange.session() : 0, shard.appliedOp());
            ReplyHeader.status(frame, 0, code);
            finish(exchange, buffer, FrameHeader.BYTES);
        }
    }

    /// Refused in the place where the state speaks: the result section of a metadata command or login.
    void reject(Exchange exchange, ErrorCode code) {
        int length = FrameHeader.BYTES + ResultSection.REJECTION_BYTES;
        PooledBuffer buffer = acquireSmall(exchange, length);
        if (buffer != null) {
            ByteBuffer frame = buffer.bytes();
            start(frame, length, exchange, exchange.client());
            ReplyHeader.position(frame, 0, shard.appliedOp(), shard.appliedOp());
            ReplyHeader.timestamp(frame, 0, shard.wallMicros());
            ReplyHeader.operation(frame, 0, exchange.operation().executed());
            ResultSection.writeRejection(frame, FrameHeader.BYTES, code);
            finish(exchange, buffer, length);
        }
    }

    /// Not done now, and nothing happened: try again. Says so in the way of the request's kind.
    void refuseForNow(Exchange exchange) {
        transientRefusal(exchange, ErrorCode.TRANSIENT_NOT_ACCEPTED);
    }

    private void transientRefusal(Exchange exchange, ErrorCode code) {
        Operation operation = exchange.operation();
        if (operation == Operation.REGISTER || operation.isMetadata()) {
            reject(exchange, code);
        } else {
            deny(exchange, code);
        }
    }

    /// The session or login is over.
    void evict(Exchange exchange, EvictionReason reason, ClientId client) {
        PooledBuffer buffer = acquireSmall(exchange, FrameHeader.BYTES);
        if (buffer != null) {
            EvictionHeader.write(buffer.bytes(), 0, client, reason);
            finish(exchange, buffer, FrameHeader.BYTES);
        }
    }

    /// An eviction that answers no request, or null when there is no memory even for that.
    @Nullable Reply eviction(ClientId client, EvictionReason reason) {
        PooledBuffer buffer = acquire(FrameHeader.BYTES);
        if (buffer == null) {
            buffer = reserve.poll();
        }
        if (buffer == null) {
            return null;
        }
        EvictionHeader.write(buffer.bytes(), 0, client, reason);
        return new Reply(List.of(new BatchSlice(buffer, 0, FrameHeader.BYTES)));
    }

    /// The connection as the `client` field of a frame names it.
    static ClientId connectionId(Exchange exchange) {
        return new ClientId(0, exchange.connection().number());
    }

    /// The success of a read without a body.
    void readEmpty(Exchange exchange) {
        PooledBuffer buffer = acquireOrRefuse(exchange, FrameHeader.BYTES);
        if (buffer != null) {
            startRead(buffer.bytes(), FrameHeader.BYTES, exchange);
            finish(exchange, buffer, FrameHeader.BYTES);
        }
    }

    /// The success of a read.
    void read(Exchange exchange, Body body) {
        int length = FrameHeader.BYTES + body.encodedBytes();
        PooledBuffer buffer = acquireOrRefuse(exchange, length);
        if (buffer != null) {
            startRead(buffer.bytes(), length, exchange);
            body.encode(buffer.slice(FrameHeader.BYTES, length - FrameHeader.BYTES));
            finish(exchange, buffer, length);
        }
    }

    /// The success of a poll. The slices are taken over, whatever happens.
    void poll(Exchange exchange, PollRequest poll) {
        List<BatchSlice> slices = poll.slices();
        int headBytes = FrameHeader.BYTES + PollHeader.BYTES;
        // Not refused: an automatic offset has moved already, and must not without the messages.
        PooledBuffer buffer = acquireSmall(exchange, headBytes);
        if (buffer == null) {
            release(slices);
            return;
        }
        long length = headBytes;
        ArrayList<BatchSlice> pieces = new ArrayList<>(slices.size() + 1);
        pieces.add(new BatchSlice(buffer, 0, headBytes));
        for (int i = 0; i < slices.size(); i++) {
            length += slices.get(i).length();
            pieces.add(slices.get(i));
        }
        startRead(buffer.bytes(), Math.toIntExact(length), exchange);
        PollHeader.write(
                buffer.bytes(),
                FrameHeader.BYTES,
                poll.target().partitionId(),
                poll.currentOffset(),
                poll.messagesCount());
        exchange.connection().answer(exchange, new Reply(pieces));
    }

    /// A poll of a group's partition by one who may not: it must ask for its assignment again.
    void pollNotOwned(Exchange exchange) {
        int length = FrameHeader.BYTES + PollHeader.BYTES;
        PooledBuffer buffer = acquireOrRefuse(exchange, length);
        if (buffer != null) {
            startRead(buffer.bytes(), length, exchange);
            PollHeader.write(buffer.bytes(), FrameHeader.BYTES, PollHeader.PARTITION_NOT_OWNED, 0, 0);
            finish(exchange, buffer, length);
        }
    }

    /// A send was committed: where, or that a purge has overtaken it.
    void sent(Exchange exchange, SendRequest send) {
        int bodyBytes = send.isPlaced() ? SendConfirmations.ONE_BYTES : 4;
        PooledBuffer buffer = acquireForWritten(exchange, FrameHeader.BYTES + bodyBytes);
        if (buffer != null) {
            ByteBuffer frame = buffer.bytes();
            startPartitionWrite(frame, FrameHeader.BYTES + bodyBytes, exchange, send.op());
            if (send.isPlaced()) {
                SendConfirmations.writeOne(
                        frame,
                        FrameHeader.BYTES,
                        send.target().streamId(),
                        send.target().topicId(),
                        send.target().partitionId(),
                        send.baseOffset());
            } else {
                frame.putInt(FrameHeader.BYTES, 0);
            }
            finish(exchange, buffer, FrameHeader.BYTES + bodyBytes);
        }
    }

    /// An offset write took effect.
    void offsetWritten(Exchange exchange) {
        int length = FrameHeader.BYTES + ResultSection.SUCCESS_BYTES;
        PooledBuffer buffer = acquireForWritten(exchange, length);
        if (buffer != null) {
            startPartitionWrite(buffer.bytes(), length, exchange, 0);
            ResultSection.writeSuccess(buffer.bytes(), FrameHeader.BYTES);
            finish(exchange, buffer, length);
        }
    }

    /// What a metadata command came to, now or when it came first. A logout has no result section.
    ///
    /// @param payload of a success; not what the reply itself holds when that must be told once only
    void decided(Exchange exchange, MetadataReply reply, ClientId client, byte[] payload) {
        boolean isLogout = reply.operation() == Operation.LOGOUT;
        int sectionBytes =
                reply.error() != null ? ResultSection.REJECTION_BYTES : isLogout ? 0 : ResultSection.SUCCESS_BYTES;
        int payloadBytes = reply.error() == null && !isLogout ? payload.length : 0;
        int length = FrameHeader.BYTES + sectionBytes + payloadBytes;
        PooledBuffer buffer = acquireForWritten(exchange, length);
        if (buffer == null) {
            return;
        }
        ByteBuffer frame = buffer.bytes();
        ReplyHeader.write(frame, 0, length, reply.operation().value(), client, reply.request());
        ReplyHeader.requestChecksum(frame, 0, reply.requestChecksum(), 0);
        ReplyHeader.position(frame, 0, reply.op(), reply.op());
        ReplyHeader.timestamp(frame, 0, reply.timestampMicros());
        ErrorCode error = reply.error();
        if (error != null) {
            ResultSection.writeRejection(frame, FrameHeader.BYTES, error);
        } else if (!isLogout) {
            ResultSection.writeSuccess(frame, FrameHeader.BYTES);
            frame.put(FrameHeader.BYTES + sectionBytes, payload);
        }
        finish(exchange, buffer, length);
    }

    /// A login succeeded.
    void loggedIn(Exchange exchange, long session, Body body) {
        int length = FrameHeader.BYTES + ResultSection.SUCCESS_BYTES + body.encodedBytes();
        PooledBuffer buffer = acquireForWritten(exchange, length);
        if (buffer != null) {
            ByteBuffer frame = buffer.bytes();
            start(frame, length, exchange, exchange.client());
            ReplyHeader.position(frame, 0, session, Math.max(session, shard.appliedOp()));
            ResultSection.writeSuccess(frame, FrameHeader.BYTES);
            int at = FrameHeader.BYTES + ResultSection.SUCCESS_BYTES;
            body.encode(buffer.slice(at, length - at));
            finish(exchange, buffer, length);
        }
    }

    /// A logout succeeded, or there was nothing to end.
    ///
    /// @param session that was ended, 0 for none
    void loggedOut(Exchange exchange, long session) {
        PooledBuffer buffer = acquireForWritten(exchange, FrameHeader.BYTES);
        if (buffer != null) {
            start(buffer.bytes(), FrameHeader.BYTES, exchange, exchange.client());
            ReplyHeader.position(buffer.bytes(), 0, session, shard.appliedOp());
            finish(exchange, buffer, FrameHeader.BYTES);
        }
    }

    private void startRead(ByteBuffer frame, int length, Exchange exchange) {
        start(frame, length, exchange, exchange.client());
        ReplyHeader.position(frame, 0, exchange.session(), shard.appliedOp());
    }

    private void startPartitionWrite(ByteBuffer frame, int length, Exchange exchange, long op) {
        start(frame, length, exchange, connectionId(exchange));
        ReplyHeader.position(frame, 0, op, op);
        ReplyHeader.timestamp(frame, 0, shard.wallMicros());
    }

    private static void start(ByteBuffer frame, int length, Exchange exchange, ClientId client) {
        ReplyHeader.write(frame, 0, length, exchange.operationByte(), client, exchange.number());
        ReplyHeader.requestChecksum(frame, 0, exchange.checksumLow(), exchange.checksumHigh());
        ReplyHeader.timestamp(frame, 0, exchange.timestamp());
    }

    private static void finish(Exchange exchange, PooledBuffer buffer, int length) {
        exchange.connection().answer(exchange, new Reply(List.of(new BatchSlice(buffer, 0, length))));
    }

    private static void release(List<BatchSlice> slices) {
        for (int i = 0; i < slices.size(); i++) {
            slices.get(i).release();
        }
    }

    /// Memory for the reply of a read.
    private @Nullable PooledBuffer acquireOrRefuse(Exchange exchange, int bytes) {
        PooledBuffer buffer = bytes <= BufferPool.bufferBytesMax() ? acquire(bytes) : null;
        if (buffer == null) {
            deny(exchange, ErrorCode.TRANSIENT_NOT_ACCEPTED);
        }
        return buffer;
    }

    /// Memory for the reply of a write that has happened. Without it all that can be said is that the outcome is
    /// unknown; the client asks again and is told, for the write is remembered.
    private @Nullable PooledBuffer acquireForWritten(Exchange exchange, int bytes) {
        PooledBuffer buffer = acquire(bytes);
        if (buffer == null) {
            transientRefusal(exchange, ErrorCode.TRANSIENT_NOT_COMMITTED);
        }
        return buffer;
    }

    /// Memory for what has to be said: of the reserve when there is no other. Without that the connection is given
    /// up.
    private @Nullable PooledBuffer acquireSmall(Exchange exchange, int bytes) {
        PooledBuffer buffer = acquire(bytes);
        if (buffer == null) {
            buffer = reserve.poll();
        } else if (reserve.size() < RESERVE) {
            fillReserve();
        }
        if (buffer == null) {
            exchange.connection().giveUp(exchange, "there is no memory even for a short answer");
        }
        return buffer;
    }

    private @Nullable PooledBuffer acquire(int bytes) {
        PooledBuffer buffer = buffers.acquire(bytes);
        return buffer == null && shard.makeRoom(bytes) ? buffers.acquire(bytes) : buffer;
    }

    private void fillReserve() {
        while (!isClosed && reserve.size() < RESERVE) {
            PooledBuffer buffer = buffers.acquire(1);
            if (buffer == null) {
                return;
            }
            reserve.add(buffer);
        }
    }
}
