package io.galgo.protocol.reply;

import io.galgo.protocol.BodyReader;

/// Whether a user may log in (spec protocol 5.13).
public enum UserStatus {
    ACTIVE(1),
    INACTIVE(2);

    private static final UserStatus[] VALUES = values();

    private final int value;

    UserStatus(int value) {
        this.value = value;
    }

    /// The byte on the wire.
    public int value() {
        return value;
    }

    static UserStatus read(BodyReader in) {
        int value = in.u8();
        in.require(1 <= value && value <= 2);
        return in.isFailed() ? VALUES[0] : VALUES[value - 1];
    }
}
