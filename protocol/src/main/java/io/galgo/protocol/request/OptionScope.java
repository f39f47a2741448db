package io.galgo.protocol.request;

import org.jspecify.annotations.Nullable;

/// What kind of thing options belong to (spec protocol 8.1.5).
public enum OptionScope {
    TOPIC(1),
    STREAM(2),
    USER(3);

    private static final OptionScope[] SCOPES = values();

    private final int value;

    OptionScope(int value) {
        this.value = value;
    }

    /// The byte on the wire.
    public int value() {
        return value;
    }

    public static @Nullable OptionScope of(int value) {
        return 1 <= value && value <= SCOPES.length ? SCOPES[value - 1] : null;
    }
}
