package io.galgo.protocol.reply;

import io.galgo.protocol.BodyReader;

/// What a topic says about its compression, which is only stored (spec protocol 5.12, 6.2).
public enum CompressionAlgorithm {
    NONE(1),
    GZIP(2);

    private static final CompressionAlgorithm[] VALUES = values();

    private final int value;

    CompressionAlgorithm(int value) {
        this.value = value;
    }

    /// The byte on the wire.
    public int value() {
        return value;
    }

    static CompressionAlgorithm read(BodyReader in) {
        int value = in.u8();
        in.require(1 <= value && value <= 2);
        return in.isFailed() ? VALUES[0] : VALUES[value - 1];
    }
}
