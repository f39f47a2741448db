package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Removes a topic (spec protocol 8.5.4).
public record DeleteTopic(Identifier stream, Identifier topic) implements Request {
    public static @Nullable DeleteTopic decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new DeleteTopic(Identifier.read(in), Identifier.read(in)));
    }

    @Override
    public CommandCode command() {
        return CommandCode.DELETE_TOPIC;
    }

    @Override
    public int encodedBytes() {
        return stream.encodedBytes() + topic.encodedBytes();
    }

    @Override
    public void put(ByteBuffer target) {
        stream.put(target);
        topic.put(target);
    }
}
