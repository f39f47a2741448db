package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Asks for the topics of a stream (spec protocol 8.5.1).
public record GetTopics(Identifier stream) implements Request {
    public static @Nullable GetTopics decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new GetTopics(Identifier.read(in)));
    }

    @Override
    public CommandCode command() {
        return CommandCode.GET_TOPICS;
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
