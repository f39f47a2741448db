package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The text of a token just made; shown this once (spec protocol 8.3.2).
public record TokenSecret(String text) implements Body {
    public TokenSecret {
        Utf8.requireShort(text);
    }

    public static @Nullable TokenSecret decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(read(in));
    }

    static TokenSecret read(BodyReader in) {
        return new TokenSecret(in.shortText());
    }

    @Override
    public int encodedBytes() {
        return Utf8.shortBytes(text);
    }

    @Override
    public void put(ByteBuffer target) {
        Utf8.putShort(target, text);
    }

    /// Without the secret.
    @Override
    public String toString() {
        return "TokenSecret[" + "]";
    }
}
