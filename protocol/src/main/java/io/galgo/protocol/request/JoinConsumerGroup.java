package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Makes the client a member of a group (spec protocol 8.7.4).
public record JoinConsumerGroup(Identifier stream, Identifier topic, Identifier group) implements Request {
    public static @Nullable JoinConsumerGroup decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new JoinConsumerGroup(Identifier.read(in), Identifier.read(in), Identifier.read(in)));
    }

    @Override
    public CommandCode command() {
        return CommandCode.JOIN_CONSUMER_GROUP;
    }

    @Override
    public int encodedBytes() {
        return stream.encodedBytes() + topic.encodedBytes() + group.encodedBytes();
    }

    @Override
    public void put(ByteBuffer target) {
        stream.put(target);
        topic.put(target);
        group.put(target);
    }
}
