package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Options;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Makes a stream (spec protocol 8.4.2).
///
/// @param options must be empty, which is not checked here
public record CreateStream(String name, Options options) implements Request {
    public CreateStream {
        Utf8.requireName(name);
    }

    public static @Nullable CreateStream decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new CreateStream(in.name(), Options.readToEnd(in)));
    }

    @Override
    public CommandCode command() {
        return CommandCode.CREATE_STREAM;
    }

    @Override
    public int encodedBytes() {
        return Utf8.shortBytes(name) + options.encodedBytes();
    }

    @Override
    public void put(ByteBuffer target) {
        Utf8.putShort(target, name);
        options.put(target);
    }
}
