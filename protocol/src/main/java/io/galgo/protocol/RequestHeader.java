package io.galgo.protocol;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The header of a frame from client to server (spec protocol 2.2).
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 128 | [FrameHeader] |
/// | 128 | 16 | client id |
/// | 144 | 16 | request_checksum: 0, or XXH3-64 of the body |
/// | 160 | 8 | timestamp |
/// | 168 | 8 | request number |
/// | 176 | 1 | operation |
/// | 177 | 7 | padding |
/// | 184 | 8 | session |
/// | 192 | 4 | user_id, never trusted |
/// | 196 | 4 | command code, for operation 2 |
/// | 200 | 56 | reserved |
public final class RequestHeader {
    private static final int CLIENT = 128;
    private static final int REQUEST_CHECKSUM = 144;
    private static final int TIMESTAMP = 160;
    private static final int REQUEST = 168;
    private static final int OPERATION = 176;
    private static final int SESSION = 184;
    private static final int USER_ID = 192;
    private static final int COMMAND_CODE = 196;

    private RequestHeader() {}

    /// The low 64 bits of the client id.
    public static long clientLow(ByteBuffer frame, int position) {
        return FrameHeader.u64(frame, position + CLIENT);
    }

    /// The high 64 bits of the client id.
    public static long clientHigh(ByteBuffer frame, int position) {
        return FrameHeader.u64(frame, position + CLIENT + 8);
    }

    public static ClientId client(ByteBuffer frame, int position) {
        return new ClientId(clientHigh(frame, position), clientLow(frame, position));
    }

    public static long requestChecksumLow(ByteBuffer frame, int position) {
        return FrameHeader.u64(frame, position + REQUEST_CHECKSUM);
    }

    public static long requestChecksumHigh(ByteBuffer frame, int position) {
        return FrameHeader.u64(frame, position + REQUEST_CHECKSUM + 8);
    }

    public static long timestamp(ByteBuffer frame, int position) {
        return FrameHeader.u64(frame, position + TIMESTAMP);
    }

    /// The request number (3.4).
    public static long request(ByteBuffer frame, int position) {
        return FrameHeader.u64(frame, position + REQUEST);
    }

    /// The operation byte as sent; see [Operation#of].
    public static int operation(ByteBuffer frame, int position) {
        return FrameHeader.u8(frame, position + OPERATION);
    }

    public static long session(ByteBuffer frame, int position) {
        return FrameHeader.u64(frame, position + SESSION);
    }

    public static int userId(ByteBuffer frame, int position) {
        return FrameHeader.u32(frame, position + USER_ID);
    }

    /// The wire code of a non-replicated command; see [CommandCode#of(int)]. Meaningless for other operations.
    public static int commandCode(ByteBuffer frame, int position) {
        return FrameHeader.u32(frame, position + COMMAND_CODE);
    }

    /// Whether the bytes can be a frame at all (2.6, checks 1 and 2). If not, the connection is to be closed.
    ///
    /// @param frameBytesMax the longest frame allowed, header included
    public static boolean isFrame(ByteBuffer frame, int position, int frameBytesMax) {
        long size = FrameHeader.size(frame, position);
        return FrameHeader.BYTES <= size
                && size <= frameBytesMax
                && FrameHeader.command(frame, position) <= FrameHeader.COMMAND_MAX;
    }

    /// Whether the frame is a request (2.6, check 3). Other frames are to be ignored.
    public static boolean isRequest(ByteBuffer frame, int position) {
        return FrameHeader.command(frame, position) == FrameHeader.COMMAND_REQUEST;
    }

    /// Checks the fields of a request against each other (2.6, checks 4 to 8).
    ///
    /// @return null when they are good, else the code of the denial
    public static @Nullable ErrorCode refusal(ByteBuffer frame, int position) {
        Operation operation = Operation.of(operation(frame, position));
        if (operation == null || (clientLow(frame, position) | clientHigh(frame, position)) == 0) {
            return ErrorCode.INVALID_COMMAND;
        }
        long session = session(frame, position);
        long request = request(frame, position);
        return switch (operation) {
            case NON_REPLICATED -> null;
            case REGISTER -> session == 0 && request == 0 ? null : ErrorCode.INVALID_FORMAT;
            default -> {
                if (session == 0) {
                    yield ErrorCode.UNAUTHENTICATED;
                }
                yield request == 0 ? ErrorCode.INVALID_COMMAND : null;
            }
        };
    }

    /// Whether the body agrees with the request checksum, or none was sent (2.5; 2.6, check 9). The
    /// frame must be whole.
    public static boolean isBodyIntact(ByteBuffer frame, int position) {
        long low = requestChecksumLow(frame, position);
        long high = requestChecksumHigh(frame, position);
        if (low == 0 && high == 0) {
            return true;
        }
        int bodyBytes = (int) FrameHeader.size(frame, position) - FrameHeader.BYTES;
        return high == 0 && low == Checksum.xxh3(frame, position + FrameHeader.BYTES, bodyBytes);
    }

    /// Writes a whole request header; fields that clients leave 0 are 0.
    ///
    /// @param size length of the frame, header included
    /// @param commandCode the wire code for operation 2, else 0
    public static void write(
            ByteBuffer frame,
            int position,
            int size,
            Operation operation,
            ClientId client,
            long session,
            long request,
            int commandCode) {
        FrameHeader.start(frame, position, size, FrameHeader.COMMAND_REQUEST);
        frame.putLong(position + CLIENT, client.low());
        frame.putLong(position + CLIENT + 8, client.high());
        frame.putLong(position + REQUEST, request);
        frame.put(position + OPERATION, (byte) operation.value());
        frame.putLong(position + SESSION, session);
        frame.putInt(position + COMMAND_CODE, commandCode);
    }

    /// Stamps the checksum of the body that follows the header.
    public static void stampChecksum(ByteBuffer frame, int position) {
        int bodyBytes = (int) FrameHeader.size(frame, position) - FrameHeader.BYTES;
        frame.putLong(position + REQUEST_CHECKSUM, Checksum.xxh3(frame, position + FrameHeader.BYTES, bodyBytes));
        frame.putLong(position + REQUEST_CHECKSUM + 8, 0);
    }
}
