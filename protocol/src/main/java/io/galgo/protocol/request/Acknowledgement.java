package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;

/// When an offset write is to be answered (spec protocol 5.7).
public enum Acknowledgement {
    /// At once, where only one replica holds the partition.
    NONE(0),
    /// When it is committed.
    QUORUM(1);

    private final int value;

    Acknowledgement(int value) {
        this.value = value;
    }

    /// The byte on the wire.
    public int value() {
        return value;
    }

    static Acknowledgement read(BodyReader in) {
        int value = in.u8();
        in.require(value <= 1);
        return value == 0 ? NONE : QUORUM;
    }
}
