package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Removes the oldest sealed segments of a partition (spec protocol 8.6.2).
///
/// @param segmentsCount as sent, 0..2^32-1
public record DeleteSegments(Identifier stream, Identifier topic, int partitionId, long segmentsCount)
        implements Request {
    public DeleteSegments {
        Bounds.requireCount(segmentsCount);
    }

    public static @Nullable DeleteSegments decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new DeleteSegments(
                Identifier.read(in), Identifier.read(in), in.u32(), Integer.toUnsignedLong(in.u32())));
    }

    @Override
    public CommandCode command() {
        return CommandCode.DELETE_SEGMENTS;
    }

    @Override
    public int encodedBytes() {
        return stream.encodedBytes() + topic.encodedBytes() + 4 + 4;
    }

    @Override
    public void put(ByteBuffer target) {
        stream.put(target);
        topic.put(target);
        target.putInt(partitionId);
        target.putInt((int) segmentsCount);
    }
}
