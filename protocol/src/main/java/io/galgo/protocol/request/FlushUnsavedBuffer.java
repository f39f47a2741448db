package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Asks for a flush, which the server never grants (spec protocol 8.8.3).
public record FlushUnsavedBuffer(Identifier stream, Identifier topic, int partitionId, boolean fsync)
        implements Request {
    public static @Nullable FlushUnsavedBuffer decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new FlushUnsavedBuffer(Identifier.read(in), Identifier.read(in), in.u32(), in.u8() != 0));
    }

    @Override
    public CommandCode command() {
        return CommandCode.FLUSH_UNSAVED_BUFFER;
    }

    @Override
    public int encodedBytes() {
        return stream.encodedBytes() + topic.encodedBytes() + 4 + 1;
    }

    @Override
    public void put(ByteBuffer target) {
        stream.put(target);
        topic.put(target);
        target.putInt(partitionId);
        target.put((byte) (fsync ? 1 : 0));
    }
}
