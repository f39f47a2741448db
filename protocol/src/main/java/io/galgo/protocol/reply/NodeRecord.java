package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;

/// A node as clients reach it (spec protocol 8.1.4).
///
/// @param host ip or host name
/// @param tcpPort 0 where a transport is off
public record NodeRecord(
        String name,
        String host,
        int tcpPort,
        int quicPort,
        int httpPort,
        int webSocketPort,
        NodeRole role,
        NodeStatus status)
        implements Body {
    /// Two empty strings and the numbers.
    static final int BYTES_MIN = 18;

    public NodeRecord {
        Records.requirePort(tcpPort);
        Records.requirePort(quicPort);
        Records.requirePort(httpPort);
        Records.requirePort(webSocketPort);
    }

    static NodeRecord read(BodyReader in) {
        return new NodeRecord(
                in.longText(),
                in.longText(),
                in.u16(),
                in.u16(),
                in.u16(),
                in.u16(),
                NodeRole.read(in),
                NodeStatus.read(in));
    }

    @Override
    public int encodedBytes() {
        return Utf8.longBytes(name) + Utf8.longBytes(host) + 2 + 2 + 2 + 2 + 1 + 1;
    }

    @Override
    public void put(ByteBuffer target) {
        Utf8.putLong(target, name);
        Utf8.putLong(target, host);
        target.putShort((short) tcpPort);
        target.putShort((short) quicPort);
        target.putShort((short) httpPort);
        target.putShort((short) webSocketPort);
        target.put((byte) role.value());
        target.put((byte) status.value());
    }
}
