package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.OptionalPartition;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Stores where a consumer stands (spec protocol 8.9.2).
///
/// @param consumer of any kind
/// @param partition must be given, which is not checked here
/// @param ack both mean the same to this server
public record StoreConsumerOffset(
        ConsumerRef consumer,
        Identifier stream,
        Identifier topic,
        OptionalPartition partition,
        long offset,
        Acknowledgement ack)
        implements Request {
    public static @Nullable StoreConsumerOffset decode(ByteBuffer body) {
        return decode(new BodyReader(body));
    }

    /// As [#decode(ByteBuffer)], with a reader that is used again and again.
    public static @Nullable StoreConsumerOffset decode(BodyReader in) {
        return in.orNull(read(in));
    }

    static StoreConsumerOffset read(BodyReader in) {
        return new StoreConsumerOffset(
                ConsumerRef.read(in),
                Identifier.read(in),
                Identifier.read(in),
                OptionalPartition.read(in),
                in.u64(),
                Acknowledgement.read(in));
    }

    @Override
    public CommandCode command() {
        return CommandCode.STORE_CONSUMER_OFFSET;
    }

    @Override
    public int encodedBytes() {
        return consumer.encodedBytes()
                + stream.encodedBytes()
                + topic.encodedBytes()
                + partition.encodedBytes()
                + 8
                + 1;
    }

    @Override
    public void put(ByteBuffer target) {
        consumer.put(target);
        stream.put(target);
        topic.put(target);
        partition.put(target);
        target.putLong(offset);
        target.put((byte) ack.value());
    }
}
