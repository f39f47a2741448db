package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Renames a stream (spec protocol 8.4.4).
///
/// @param options must be empty, which is not checked here
public record UpdateStream(Identifier stream, String name, Options options) implements Request {
    public UpdateStream {
        Utf8.requireName(name);
    }

    public static @Nullable UpdateStream decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new UpdateStream(Identifier.read(in), in.name(), Options.readToEnd(in)));
    }

    @Override
    public CommandCode command() {
        return CommandCode.UPDATE_STREAM;
    }

    @Override
    public int encodedBytes() {
        return stream.encodedBytes() + Utf8.shortBytes(name) + options.encodedBytes();
    }

    @Override
    public void put(ByteBuffer target) {
        stream.put(target);
        Utf8.putShort(target, name);
        options.put(target);
    }
}
