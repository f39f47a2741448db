package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The tokens of a user (spec protocol 8.3.1).
public record TokenRecords(List<TokenRecord> tokens) implements Body {
    public TokenRecords {
        tokens = List.copyOf(tokens);
    }

    public static @Nullable TokenRecords decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(read(in));
    }

    static TokenRecords read(BodyReader in) {
        return new TokenRecords(Records.readToEnd(in, TokenRecord::read));
    }

    @Override
    public int encodedBytes() {
        return Records.encodedBytes(tokens);
    }

    @Override
    public void put(ByteBuffer target) {
        Records.put(target, tokens);
    }
}
