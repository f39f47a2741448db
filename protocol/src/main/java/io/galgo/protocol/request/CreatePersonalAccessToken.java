package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Makes a token of the logged-in user (spec protocol 8.3.2).
///
/// @param expiryMicros from now, unsigned; 0 and 2^64-1 mean never
public record CreatePersonalAccessToken(String name, long expiryMicros) implements Request {
    public CreatePersonalAccessToken {
        Utf8.requireName(name);
    }

    public static @Nullable CreatePersonalAccessToken decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new CreatePersonalAccessToken(in.name(), in.u64()));
    }

    @Override
    public CommandCode command() {
        return CommandCode.CREATE_PERSONAL_ACCESS_TOKEN;
    }

    @Override
    public int encodedBytes() {
        return Utf8.shortBytes(name) + 8;
    }

    @Override
    public void put(ByteBuffer target) {
        Utf8.putShort(target, name);
        target.putLong(expiryMicros);
    }
}
