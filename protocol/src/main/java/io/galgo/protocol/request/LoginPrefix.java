package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// What both shapes of a login begin with (spec protocol 3.3).
///
/// The server decodes this first: when it cannot, the login is malformed; when the version is not accepted, nothing
/// further is looked at. Then it tries [PasswordLogin] and [TokenLogin] on the same body.
///
/// @param protocolVersion packed, see [io.galgo.protocol.ProtocolVersion]
/// @param sdkName for information
/// @param sdkVersion for information
public record LoginPrefix(int protocolVersion, String sdkName, String sdkVersion) {
    public static @Nullable LoginPrefix decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new LoginPrefix(in.u32(), in.name(), in.name()));
    }
}
