package io.galgo.broker.metadata;

/// One user of the catalog. Read-only outside it.
public final class User {
    /// The id of the user that is created with an empty journal.
    public static final int ROOT_ID = 0;

    User() {}

    public int id() {
        throw new UnsupportedOperationException("not written yet");
    }

    public long createdAtMicros() {
        throw new UnsupportedOperationException("not written yet");
    }

    public boolean isActive() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// UTF-8, 3..50 bytes; not to be changed.
    public byte[] name() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// The Argon2id hash as a PHC string.
    public String passwordPhc() {
        throw new UnsupportedOperationException("not written yet");
    }
}
