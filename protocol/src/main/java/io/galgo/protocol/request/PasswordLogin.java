package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// A login with user name and password (spec protocol 3.3).
///
/// A body may decode as this and as a [TokenLogin]; the server tries both.
///
/// @param protocolVersion packed, see [io.galgo.protocol.ProtocolVersion]
/// @param sdkName for information
/// @param sdkVersion for information
/// @param context ignored by servers
public record PasswordLogin(
        int protocolVersion, String sdkName, String sdkVersion, String username, String password, String context)
        implements Request {
    public PasswordLogin {
        Utf8.requireName(sdkName);
        Utf8.requireName(sdkVersion);
        Utf8.requireName(username);
        Utf8.requireShort(password);
    }

    public static @Nullable PasswordLogin decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new PasswordLogin(in.u32(), in.name(), in.name(), in.name(), in.shortText(), in.longText()));
    }

    @Override
    public CommandCode command() {
        return CommandCode.LOGIN;
    }

    @Override
    public int encodedBytes() {
        return 4
                + Utf8.shortBytes(sdkName)
                + Utf8.shortBytes(sdkVersion)
                + Utf8.shortBytes(username)
                + Utf8.shortBytes(password)
                + Utf8.longBytes(context);
    }

    @Override
    public void put(ByteBuffer target) {
        target.putInt(protocolVersion);
        Utf8.putShort(target, sdkName);
        Utf8.putShort(target, sdkVersion);
        Utf8.putShort(target, username);
        Utf8.putShort(target, password);
        Utf8.putLong(target, context);
    }

    /// Without the secrets.
    @Override
    public String toString() {
        return "PasswordLogin[" + "protocolVersion=" + protocolVersion + ", sdkName=" + sdkName + ", sdkVersion="
                + sdkVersion + ", username=" + username + "]";
    }
}
