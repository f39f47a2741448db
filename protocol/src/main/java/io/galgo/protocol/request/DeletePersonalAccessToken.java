package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Removes a token of the logged-in user (spec protocol 8.3.3).
public record DeletePersonalAccessToken(String name) implements Request {
    public DeletePersonalAccessToken {
        Utf8.requireName(name);
    }

    public static @Nullable DeletePersonalAccessToken decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new DeletePersonalAccessToken(in.name()));
    }

    @Override
    public CommandCode command() {
        return CommandCode.DELETE_PERSONAL_ACCESS_TOKEN;
    }

    @Override
    public int encodedBytes() {
        return Utf8.shortBytes(name);
    }

    @Override
    public void put(ByteBuffer target) {
        Utf8.putShort(target, name);
    }
}
