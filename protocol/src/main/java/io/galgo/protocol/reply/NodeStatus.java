package io.galgo.protocol.reply;

import io.galgo.protocol.BodyReader;

/// How a node is (spec protocol 8.1.4).
public enum NodeStatus {
    HEALTHY(0),
    STARTING(1),
    STOPPING(2),
    UNREACHABLE(3),
    MAINTENANCE(4),
    UNKNOWN(5);

    private static final NodeStatus[] VALUES = values();

    private final int value;

    NodeStatus(int value) {
        this.value = value;
    }

    /// The byte on the wire.
    public int value() {
        return value;
    }

    static NodeStatus read(BodyReader in) {
        int value = in.u8();
        in.require(0 <= value && value <= 5);
        return in.isFailed() ? VALUES[0] : VALUES[value];
    }
}
