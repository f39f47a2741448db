package io.galgo.protocol;

import java.nio.ByteBuffer;

/// The header of a reply from server to client (spec protocol 2.3).
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 128 | [FrameHeader] |
/// | 128 | 16 | request_checksum, echoed |
/// | 144 | 16 | context, 0 |
/// | 160 | 16 | client id |
/// | 176 | 8 | op |
/// | 184 | 8 | commit |
/// | 192 | 8 | timestamp |
/// | 200 | 8 | request number, echoed |
/// | 208 | 1 | operation |
/// | 209 | 7 | padding |
/// | 216 | 4 | status: 0 or an error code |
/// | 220 | 36 | reserved |
public final class ReplyHeader {
    /// Length of a rejection, header included.
    public static final int REJECTION_BYTES = FrameHeader.BYTES + ResultSection.REJECTION_BYTES;

    private static final int REQUEST_CHECKSUM = 128;
    private static final int CLIENT = 160;
    private static final int OP = 176;
    private static final int COMMIT = 184;
    private static final int TIMESTAMP = 192;
    private static final int REQUEST = 200;
    private static final int OPERATION = 208;
    private static final int STATUS = 216;

    private ReplyHeader() {}

    public static long requestChecksumLow(ByteBuffer frame, int position) {
        return FrameHeader.u64(frame, position + REQUEST_CHECKSUM);
    }

    public static long requestChecksumHigh(ByteBuffer frame, int position) {
        return FrameHeader.u64(frame, position + REQUEST_CHECKSUM + 8);
    }

    public static long clientLow(ByteBuffer frame, int position) {
        return FrameHeader.u64(frame, position + CLIENT);
    }

    public static long clientHigh(ByteBuffer frame, int position) {
        return FrameHeader.u64(frame, position + CLIENT + 8);
    }

    public static long op(ByteBuffer frame, int position) {
        return FrameHeader.u64(frame, position + OP);
    }

    public static long commit(ByteBuffer frame, int position) {
        return FrameHeader.u64(frame, position + COMMIT);
    }

    public static long timestamp(ByteBuffer frame, int position) {
        return FrameHeader.u64(frame, position + TIMESTAMP);
    }

    public static long request(ByteBuffer frame, int position) {
        return FrameHeader.u64(frame, position + REQUEST);
    }

    /// The operation byte; see [Operation#of].
    public static int operation(ByteBuffer frame, int position) {
        return FrameHeader.u8(frame, position + OPERATION);
    }

    /// 0, or the code of a denial; see [ErrorCode#of].
    public static int status(ByteBuffer frame, int position) {
        return FrameHeader.u32(frame, position + STATUS);
    }

    /// Writes a whole reply header that answers a request: checksum, client id, timestamp, request number and
    /// operation are echoed, op, commit and status are 0. What differs (2.3) is set afterwards.
    ///
    /// @param size length of the reply frame, header included
    /// @param request the request frame, which may be the same buffer at another position
    public static void answer(ByteBuffer frame, int position, int size, ByteBuffer request, int requestPosition) {
        FrameHeader.start(frame, position, size, FrameHeader.COMMAND_REPLY);
        frame.putLong(position + REQUEST_CHECKSUM, RequestHeader.requestChecksumLow(request, requestPosition));
        frame.putLong(position + REQUEST_CHECKSUM + 8, RequestHeader.requestChecksumHigh(request, requestPosition));
        frame.putLong(position + CLIENT, RequestHeader.clientLow(request, requestPosition));
        frame.putLong(position + CLIENT + 8, RequestHeader.clientHigh(request, requestPosition));
        frame.putLong(position + TIMESTAMP, RequestHeader.timestamp(request, requestPosition));
        frame.putLong(position + REQUEST, RequestHeader.request(request, requestPosition));
        frame.put(position + OPERATION, (byte) RequestHeader.operation(request, requestPosition));
    }

    /// Writes a reply header from single values, for replies made apart from the request's frame.
    ///
    /// @param operation the byte, such as [Operation#value] says
    public static void write(ByteBuffer frame, int position, int size, int operation, ClientId client, long request) {
        FrameHeader.start(frame, position, size, FrameHeader.COMMAND_REPLY);
        frame.putLong(position + CLIENT, client.low());
        frame.putLong(position + CLIENT + 8, client.high());
        frame.putLong(position + REQUEST, request);
        frame.put(position + OPERATION, (byte) operation);
    }

    /// Writes a whole denial: an empty reply whose status is the code (2.8).
    public static void deny(ByteBuffer frame, int position, ByteBuffer request, int requestPosition, ErrorCode code) {
        answer(frame, position, FrameHeader.BYTES, request, requestPosition);
        status(frame, position, code);
    }

    /// Writes a whole rejection of [#REJECTION_BYTES] bytes: the executed operation and a result section with the
    /// code (2.8). Op, commit and timestamp are set afterwards.
    public static void reject(ByteBuffer frame, int position, ByteBuffer request, int requestPosition, ErrorCode code) {
        answer(frame, position, REJECTION_BYTES, request, requestPosition);
        Operation operation = Operation.of(RequestHeader.operation(request, requestPosition));
        if (operation != null) {
            operation(frame, position, operation.executed());
        }
        ResultSection.writeRejection(frame, position + FrameHeader.BYTES, code);
    }

    public static void requestChecksum(ByteBuffer frame, int position, long low, long high) {
        frame.putLong(position + REQUEST_CHECKSUM, low);
        frame.putLong(position + REQUEST_CHECKSUM + 8, high);
    }

    public static void client(ByteBuffer frame, int position, ClientId client) {
        frame.putLong(position + CLIENT, client.low());
        frame.putLong(position + CLIENT + 8, client.high());
    }

    /// Sets the log position of the command (or the session, 2.3) and the highest committed metadata position.
    public static void position(ByteBuffer frame, int position, long op, long commit) {
        frame.putLong(position + OP, op);
        frame.putLong(position + COMMIT, commit);
    }

    public static void timestamp(ByteBuffer frame, int position, long timestampMicros) {
        frame.putLong(position + TIMESTAMP, timestampMicros);
    }

    public static void request(ByteBuffer frame, int position, long request) {
        frame.putLong(position + REQUEST, request);
    }

    public static void operation(ByteBuffer frame, int position, Operation operation) {
        frame.put(position + OPERATION, (byte) operation.value());
    }

    public static void size(ByteBuffer frame, int position, int size) {
        frame.putInt(position + FrameHeader.SIZE, size);
    }

    /// Makes the reply a denial. Its body must be empty.
    public static void status(ByteBuffer frame, int position, ErrorCode code) {
        frame.putInt(position + STATUS, code.code());
    }
}
