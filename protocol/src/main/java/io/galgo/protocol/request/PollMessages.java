package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.PollingStrategy;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Reads messages of a partition (spec protocol 8.8.2).
///
/// Decoding makes this record, and for what is not in the reader's cache its parts.
///
/// @param consumer of any kind
/// @param strategy of any kind
/// @param count the most messages wanted, 0..2^32-1
/// @param autoCommit whether to store the offset of the last message returned
public record PollMessages(
        ConsumerRef consumer,
        Identifier stream,
        Identifier topic,
        OptionalPartition partition,
        PollingStrategy strategy,
        long count,
        boolean autoCommit)
        implements Request {
    public PollMessages {
        Bounds.requireCount(count);
    }

    public static @Nullable PollMessages decode(ByteBuffer body) {
        return decode(new BodyReader(body));
    }

    /// As [#decode(ByteBuffer)], with a reader that is used again and again.
    public static @Nullable PollMessages decode(BodyReader in) {
        return in.orNull(read(in));
    }

    static PollMessages read(BodyReader in) {
        return new PollMessages(
                ConsumerRef.read(in),
                Identifier.read(in),
                Identifier.read(in),
                OptionalPartition.read(in),
                PollingStrategy.read(in),
                Integer.toUnsignedLong(in.u32()),
                in.u8() != 0);
    }

    @Override
    public CommandCode command() {
        return CommandCode.POLL_MESSAGES;
    }

    @Override
    public int encodedBytes() {
        return consumer.encodedBytes()
                + stream.encodedBytes()
                + topic.encodedBytes()
                + partition.encodedBytes()
                + strategy.encodedBytes()
                + 4
                + 1;
    }

    @Override
    public void put(ByteBuffer target) {
        consumer.put(target);
        stream.put(target);
        topic.put(target);
        partition.put(target);
        strategy.put(target);
        target.putInt((int) count);
        target.put((byte) (autoCommit ? 1 : 0));
    }
}
