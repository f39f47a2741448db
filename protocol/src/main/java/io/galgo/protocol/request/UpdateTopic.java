package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Renames a topic and changes its options (spec protocol 8.5.3).
///
/// @param options see 6.2; not interpreted here
public record UpdateTopic(Identifier stream, Identifier topic, String name, Options options) implements Request {
    public UpdateTopic {
        Utf8.requireName(name);
    }

    public static @Nullable UpdateTopic decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new UpdateTopic(Identifier.read(in), Identifier.read(in), in.name(), Options.readToEnd(in)));
    }

    @Override
    public CommandCode command() {
        return CommandCode.UPDATE_TOPIC;
    }

    @Override
    public int encodedBytes() {
        return stream.encodedBytes() + topic.encodedBytes() + Utf8.shortBytes(name) + options.encodedBytes();
    }

    @Override
    public void put(ByteBuffer target) {
        stream.put(target);
        topic.put(target);
        Utf8.putShort(target, name);
        options.put(target);
    }
}
