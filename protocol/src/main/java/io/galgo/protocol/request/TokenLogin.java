package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// A login with a personal access token (spec protocol 3.3).
///
/// A body may decode as this and as a [PasswordLogin]; the server tries both.
///
/// @param protocolVersion packed, see [io.galgo.protocol.ProtocolVersion]
/// @param sdkName for information
/// @param sdkVersion for information
/// @param context ignored by servers
public record TokenLogin(int protocolVersion, String sdkName, String sdkVersion, String token, String context)
        implements Request {
    public TokenLogin {
        Utf8.requireName(sdkName);
        Utf8.requireName(sdkVersion);
        Utf8.requireShort(token);
    }

    public static @Nullable TokenLogin decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new TokenLogin(in.u32(), in.name(), in.name(), in.shortText(), in.longText()));
    }

    @Override
    public CommandCode command() {
        return CommandCode.TOKEN_LOGIN;
    }

    @Override
    public int encodedBytes() {
        return 4
                + Utf8.shortBytes(sdkName)
                + Utf8.shortBytes(sdkVersion)
                + Utf8.shortBytes(token)
                + Utf8.longBytes(context);
    }

    @Override
    public void put(ByteBuffer target) {
        target.putInt(protocolVersion);
        Utf8.putShort(target, sdkName);
        Utf8.putShort(target, sdkVersion);
        Utf8.putShort(target, token);
        Utf8.putLong(target, context);
    }

    /// Without the secrets.
    @Override
    public String toString() {
        return "TokenLogin[" + "protocolVersion=" + protocolVersion + ", sdkName=" + sdkName + ", sdkVersion="
                + sdkVersion + "]";
    }
}
