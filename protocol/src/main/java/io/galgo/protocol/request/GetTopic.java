package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Asks for one topic with its partitions (spec protocol 8.5.1).
public record GetTopic(Identifier stream, Identifier topic) implements Request {
    public static @Nullable GetTopic decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new GetTopic(Identifier.read(in), Identifier.read(in)));
    }

    @Override
    public CommandCode command() {
        return CommandCode.GET_TOPIC;
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
