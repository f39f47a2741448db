package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import io.galgo.protocol.Options;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// One stream (spec protocol 5.11).
///
/// @param options always empty in this release
public record StreamRecord(
        int id, long createdAtMicros, int topicsCount, long sizeBytes, long messagesCount, String name, Options options)
        implements Body {
    public StreamRecord {
        Utf8.requireName(name);
    }

    public static @Nullable StreamRecord decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(read(in));
    }

    static StreamRecord read(BodyReader in) {
        return new StreamRecord(in.u32(), in.u64(), in.u32(), in.u64(), in.u64(), in.name(), Options.readPrefixed(in));
    }

    @Override
    public int encodedBytes() {
        return 4 + 8 + 4 + 8 + 8 + Utf8.shortBytes(name) + options.prefixedBytes();
    }

    @Override
    public void put(ByteBuffer target) {
        target.putInt(id);
        target.putLong(createdAtMicros);
        target.putInt(topicsCount);
        target.putLong(sizeBytes);
        target.putLong(messagesCount);
        Utf8.putShort(target, name);
        options.putPrefixed(target);
    }
}
