package io.galgo.torture.wire;

import io.galgo.protocol.Checksum;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// One frame from a client: a 256-byte header and a body.
///
/// @param client 16 bytes
/// @param checksum the request checksum, 0 for none
/// @param code only for operation 2
@SuppressWarnings("ArrayRecordComponent") // The bytes are looked at; records are never compared.
public record RequestFrame(
        byte[] client, long checksum, long request, int operation, long session, long code, byte[] body) {
    public static final int HEADER_BYTES = 256;
    public static final int COMMAND_REQUEST = 5;

    /// The same frame with the checksum that the published Rust client stamps.
    public RequestFrame stamped() {
        return new RequestFrame(client, checksumOf(body), request, operation, session, code, body);
    }

    public RequestFrame withChecksum(long value) {
        return new RequestFrame(client, value, request, operation, session, code, body);
    }

    public byte[] toBytes() {
        ByteBuffer frame = ByteBuffer.allocate(HEADER_BYTES + body.length).order(ByteOrder.LITTLE_ENDIAN);
        frame.putInt(48, frame.capacity());
        frame.put(60, (byte) COMMAND_REQUEST);
        frame.put(128, client);
        frame.putLong(144, checksum);
        frame.putLong(168, request);
        frame.put(176, (byte) operation);
        frame.putLong(184, session);
        frame.putInt(196, (int) code);
        frame.put(HEADER_BYTES, body);
        return frame.array();
    }

    public static long checksumOf(byte[] bytes) {
        return Checksum.xxh3(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN), 0, bytes.length);
    }
}
