package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Asks for one user (spec protocol 8.2.1).
public record GetUser(Identifier user) implements Request {
    public static @Nullable GetUser decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new GetUser(Identifier.read(in)));
    }

    @Override
    public CommandCode command() {
        return CommandCode.GET_USER;
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
