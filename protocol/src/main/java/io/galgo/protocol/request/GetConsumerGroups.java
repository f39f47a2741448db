package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Asks for the consumer groups of a topic (spec protocol 8.7.1).
public record GetConsumerGroups(Identifier stream, Identifier topic) implements Request {
    public static @Nullable GetConsumerGroups decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new GetConsumerGroups(Identifier.read(in), Identifier.read(in)));
    }

    @Override
    public CommandCode command() {
        return CommandCode.GET_CONSUMER_GROUPS;
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
