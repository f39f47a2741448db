package io.galgo.protocol.reply;

import io.galgo.protocol.BodyReader;

/// Who orders in the metadata group (spec protocol 8.1.4).
public enum NodeRole {
    LEADER(0),
    FOLLOWER(1);

    private static final NodeRole[] VALUES = values();

    private final int value;

    NodeRole(int value) {
        this.value = value;
    }

    /// The byte on the wire.
    public int value() {
        return value;
    }

    static NodeRole read(BodyReader in) {
        int value = in.u8();
        in.require(0 <= value && value <= 1);
        return in.isFailed() ? VALUES[0] : VALUES[value];
    }
}
