package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;

/// One personal access token (spec protocol 8.3.1).
///
/// @param expiryAtMicros since the epoch, 0 for never
public record TokenRecord(String name, long expiryAtMicros) implements Body {
    public TokenRecord {
        Utf8.requireName(name);
    }

    static TokenRecord read(BodyReader in) {
        return new TokenRecord(in.name(), in.u64());
    }

    @Override
    public int encodedBytes() {
        return Utf8.shortBytes(name) + 8;
    }

    @Override
    public void put(ByteBuffer target) {
        Utf8.putShort(target, name);
        target.putLong(expiryAtMicros);
    }
}
