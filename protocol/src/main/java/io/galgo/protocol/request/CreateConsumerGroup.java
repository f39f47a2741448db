package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Makes a consumer group (spec protocol 8.7.2).
public record CreateConsumerGroup(Identifier stream, Identifier topic, String name) implements Request {
    public CreateConsumerGroup {
        Utf8.requireName(name);
    }

    public static @Nullable CreateConsumerGroup decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new CreateConsumerGroup(Identifier.read(in), Identifier.read(in), in.name()));
    }

    @Override
    public CommandCode command() {
        return CommandCode.CREATE_CONSUMER_GROUP;
    }

    @Override
    public int encodedBytes() {
        return stream.encodedBytes() + topic.encodedBytes() + Utf8.shortBytes(name);
    }

    @Override
    public void put(ByteBuffer target) {
        stream.put(target);
        topic.put(target);
        Utf8.putShort(target, name);
    }
}
