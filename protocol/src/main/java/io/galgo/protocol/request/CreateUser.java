package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Options;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Makes a user (spec protocol 8.2.2).
///
/// @param status the byte as sent; all but 2 mean active
/// @param permissions null for none
/// @param options must be empty, which is not checked here
public record CreateUser(
        String username,
        String password,
        int status,
        @Nullable Permissions permissions,
        Options options) implements Request {
    public CreateUser {
        Utf8.requireName(username);
        Utf8.requireShort(password);
        Bounds.requireByte(status);
    }

    public static @Nullable CreateUser decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new CreateUser(
                in.name(), in.shortText(), in.u8(), Permissions.readOptional(in), Options.readToEnd(in)));
    }

    @Override
    public CommandCode command() {
        return CommandCode.CREATE_USER;
    }

    @Override
    public int encodedBytes() {
        return Utf8.shortBytes(username)
                + Utf8.shortBytes(password)
                + 1
                + Permissions.optionalBytes(permissions)
                + options.encodedBytes();
    }

    @Override
    public void put(ByteBuffer target) {
        Utf8.putShort(target, username);
        Utf8.putShort(target, password);
        target.put((byte) status);
        Permissions.putOptional(target, permissions);
        options.put(target);
    }

    /// Without the secrets.
    @Override
    public String toString() {
        return "CreateUser[" + "username=" + username + ", status=" + status + ", permissions=" + permissions
                + ", options=" + options + "]";
    }
}
