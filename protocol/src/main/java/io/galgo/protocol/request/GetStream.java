package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Asks for one stream with its topics (spec protocol 8.4.1).
public record GetStream(Identifier stream) implements Request {
    public static @Nullable GetStream decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new GetStream(Identifier.read(in)));
    }

    @Override
    public CommandCode command() {
        return CommandCode.GET_STREAM;
    }

    @Override
    public int encodedBytes() {
        return stream.encodedBytes();
    }

    @Override
    public void put(ByteBuffer target) {
        stream.put(target);
    }
}
