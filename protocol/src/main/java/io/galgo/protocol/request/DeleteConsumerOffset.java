package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.OptionalPartition;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Forgets where a consumer stands (spec protocol 8.9.3).
///
/// @param consumer of any kind
/// @param partition must be given, which is not checked here
/// @param ack both mean the same to this server
public record DeleteConsumerOffset(
        ConsumerRef consumer, Identifier stream, Identifier topic, OptionalPartition partition, Acknowledgement ack)
        implements Request {
    public static @Nullable DeleteConsumerOffset decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new DeleteConsumerOffset(
                ConsumerRef.read(in),
                Identifier.read(in),
                Identifier.read(in),
                OptionalPartition.read(in),
                Acknowledgement.read(in)));
    }

    @Override
    public CommandCode command() {
        return CommandCode.DELETE_CONSUMER_OFFSET;
    }

    @Override
    public int encodedBytes() {
        return consumer.encodedBytes() + stream.encodedBytes() + topic.encodedBytes() + partition.encodedBytes() + 1;
    }

    @Override
    public void put(ByteBuffer target) {
        consumer.put(target);
        stream.put(target);
        topic.put(target);
        partition.put(target);
        target.put((byte) ack.value());
    }
}
