package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Makes a topic (spec protocol 8.5.2).
///
/// @param partitionsCount as sent, 0..2^32-1
/// @param options see 6.2; not interpreted here
public record CreateTopic(Identifier stream, long partitionsCount, String name, Options options) implements Request {
    public CreateTopic {
        Bounds.requireCount(partitionsCount);
        Utf8.requireName(name);
    }

    public static @Nullable CreateTopic decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new CreateTopic(
                Identifier.read(in), Integer.toUnsignedLong(in.u32()), in.name(), Options.readToEnd(in)));
    }

    @Override
    public CommandCode command() {
        return CommandCode.CREATE_TOPIC;
    }

    @Override
    public int encodedBytes() {
        return stream.encodedBytes() + 4 + Utf8.shortBytes(name) + options.encodedBytes();
    }

    @Override
    public void put(ByteBuffer target) {
        stream.put(target);
        target.putInt((int) partitionsCount);
        Utf8.putShort(target, name);
        options.put(target);
    }
}
