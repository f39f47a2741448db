package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Removes a stream (spec protocol 8.4.3).
public record DeleteStream(Identifier stream) implements Request {
    public static @Nullable DeleteStream decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new DeleteStream(Identifier.read(in)));
    }

    @Override
    public CommandCode command() {
        return CommandCode.DELETE_STREAM;
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
