package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Adds partitions to a topic (spec protocol 8.6.1).
///
/// @param partitionsCount as sent, 0..2^32-1
public record CreatePartitions(Identifier stream, Identifier topic, long partitionsCount) implements Request {
    public CreatePartitions {
        Bounds.requireCount(partitionsCount);
    }

    public static @Nullable CreatePartitions decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(
                new CreatePartitions(Identifier.read(in), Identifier.read(in), Integer.toUnsignedLong(in.u32())));
    }

    @Override
    public CommandCode command() {
        return CommandCode.CREATE_PARTITIONS;
    }

    @Override
    public int encodedBytes() {
        return stream.encodedBytes() + topic.encodedBytes() + 4;
    }

    @Override
    public void put(ByteBuffer target) {
        stream.put(target);
        topic.put(target);
        target.putInt((int) partitionsCount);
    }
}
