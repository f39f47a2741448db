package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.OptionalPartition;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Asks where a consumer stands (spec protocol 8.9.1).
///
/// @param consumer of any kind
public record GetConsumerOffset(ConsumerRef consumer, Identifier stream, Identifier topic, OptionalPartition partition)
        implements Request {
    public static @Nullable GetConsumerOffset decode(ByteBuffer body) {
        return decode(new BodyReader(body));
    }

    /// As [#decode(ByteBuffer)], with a reader that is used again and again.
    public static @Nullable GetConsumerOffset decode(BodyReader in) {
        return in.orNull(read(in));
    }

    static GetConsumerOffset read(BodyReader in) {
        return new GetConsumerOffset(
                ConsumerRef.read(in), Identifier.read(in), Identifier.read(in), OptionalPartition.read(in));
    }

    @Override
    public CommandCode command() {
        return CommandCode.GET_CONSUMER_OFFSET;
    }

    @Override
    public int encodedBytes() {
        return consumer.encodedBytes() + stream.encodedBytes() + topic.encodedBytes() + partition.encodedBytes();
    }

    @Override
    public void put(ByteBuffer target) {
        consumer.put(target);
        stream.put(target);
        topic.put(target);
        partition.put(target);
    }
}
