package io.galgo.broker.metadata;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The BLAKE3 hash of a personal access token's text, which is all that a server keeps of it (spec semantics 17).
///
/// @param first the first eight of the 32 bytes, read as little-endian; likewise the others
public record TokenHash(long first, long second, long third, long fourth) {
    public static final int BYTES = 32;

    public static TokenHash of(byte[] hash) {
        if (hash.length != BYTES) {
            throw new IllegalArgumentException("a token hash has " + BYTES + " bytes, not " + hash.length);
        }
        ByteBuffer bytes = ByteBuffer.wrap(hash).order(ByteOrder.LITTLE_ENDIAN);
        return new TokenHash(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
    }
}
