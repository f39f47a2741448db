package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Changes a password (spec protocol 8.2.6).
public record ChangePassword(Identifier user, String currentPassword, String newPassword) implements Request {
    public ChangePassword {
        Utf8.requireShort(currentPassword);
        Utf8.requireShort(newPassword);
    }

    public static @Nullable ChangePassword decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new ChangePassword(Identifier.read(in), in.shortText(), in.shortText()));
    }

    @Override
    public CommandCode command() {
        return CommandCode.CHANGE_PASSWORD;
    }

    @Override
    public int encodedBytes() {
        return user.encodedBytes() + Utf8.shortBytes(currentPassword) + Utf8.shortBytes(newPassword);
    }

    @Override
    public void put(ByteBuffer target) {
        user.put(target);
        Utf8.putShort(target, currentPassword);
        Utf8.putShort(target, newPassword);
    }

    /// Without the secrets.
    @Override
    public String toString() {
        return "ChangePassword[" + "user=" + user + "]";
    }
}
