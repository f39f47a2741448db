package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Permissions;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Replaces the permissions of a user (spec protocol 8.2.5).
///
/// @param permissions null to take all of them away
public record UpdatePermissions(Identifier user, @Nullable Permissions permissions) implements Request {
    public static @Nullable UpdatePermissions decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new UpdatePermissions(Identifier.read(in), Permissions.readOptional(in)));
    }

    @Override
    public CommandCode command() {
        return CommandCode.UPDATE_PERMISSIONS;
    }

    @Override
    public int encodedBytes() {
        return user.encodedBytes() + Permissions.optionalBytes(permissions);
    }

    @Override
    public void put(ByteBuffer target) {
        user.put(target);
        Permissions.putOptional(target, permissions);
    }
}
