package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// A login succeeded (spec protocol 3.3).
///
/// @param session greater than 0
/// @param protocolVersion packed, see [io.galgo.protocol.ProtocolVersion]
/// @param serverVersion free text; not empty, or clients fail
public record LoginReply(int userId, long session, int protocolVersion, String serverVersion) implements Body {
    public LoginReply {
        Utf8.requireName(serverVersion);
    }

    public static @Nullable LoginReply decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(read(in));
    }

    static LoginReply read(BodyReader in) {
        return new LoginReply(in.u32(), in.u64(), in.u32(), in.name());
    }

    @Override
    public int encodedBytes() {
        return 4 + 8 + 4 + Utf8.shortBytes(serverVersion);
    }

    @Override
    public void put(ByteBuffer target) {
        target.putInt(userId);
        target.putLong(session);
        target.putInt(protocolVersion);
        Utf8.putShort(target, serverVersion);
    }
}
