package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Removes a user (spec protocol 8.2.3).
public record DeleteUser(Identifier user) implements Request {
    public static @Nullable DeleteUser decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new DeleteUser(Identifier.read(in)));
    }

    @Override
    public CommandCode command() {
        return CommandCode.DELETE_USER;
    }

    @Override
    public int encodedBytes() {
        return user.encodedBytes();
    }

    @Override
    public void put(ByteBuffer target) {
        user.put(target);
    }
}
