package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;

/// One connection (spec protocol 8.1.6).
///
/// @param clientId number of the connection
/// @param userId [#NO_USER] when not logged in
/// @param transportCode 1 TCP, 2 QUIC, 4 WebSocket
/// @param address `ip:port`, IPv6 in brackets
public record ClientRecord(int clientId, int userId, int transportCode, String address, int consumerGroupsCount)
        implements Body {
    public static final int NO_USER = 0xFFFF_FFFF;

    public ClientRecord {
        Records.requireByte(transportCode);
    }

    static ClientRecord read(BodyReader in) {
        return new ClientRecord(in.u32(), in.u32(), in.u8(), in.longText(), in.u32());
    }

    @Override
    public int encodedBytes() {
        return 4 + 4 + 1 + Utf8.longBytes(address) + 4;
    }

    @Override
    public void put(ByteBuffer target) {
        target.putInt(clientId);
        target.putInt(userId);
        target.put((byte) transportCode);
        Utf8.putLong(target, address);
        target.putInt(consumerGroupsCount);
    }
}
