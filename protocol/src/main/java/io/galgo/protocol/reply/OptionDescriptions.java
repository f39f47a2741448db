package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The options of a scope (spec protocol 8.1.5).
public record OptionDescriptions(List<OptionDescription> options) implements Body {
    public OptionDescriptions {
        options = List.copyOf(options);
    }

    public static @Nullable OptionDescriptions decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(
                new OptionDescriptions(Records.readCounted(in, OptionDescription.BYTES_MIN, OptionDescription::read)));
    }

    @Override
    public int encodedBytes() {
        return 4 + Records.encodedBytes(options);
    }

    @Override
    public void put(ByteBuffer target) {
        Records.putCounted(target, options);
    }
}
