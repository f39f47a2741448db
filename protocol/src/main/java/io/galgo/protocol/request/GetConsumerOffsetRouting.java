package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Asks which node is to take an offset write (spec protocol 8.9.4). The body may be that of the write.
public record GetConsumerOffsetRouting(GetConsumerOffset query) implements Request {
    public static @Nullable GetConsumerOffsetRouting decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new GetConsumerOffsetRouting(GetConsumerOffset.read(in)));
    }

    @Override
    public CommandCode command() {
        return CommandCode.GET_CONSUMER_OFFSET_ROUTING;
    }

    @Override
    public int encodedBytes() {
        return query.encodedBytes();
    }

    @Override
    public void put(ByteBuffer target) {
        query.put(target);
    }
}
