package io.galgo.broker.metadata;

import io.galgo.protocol.Permissions;
import org.jspecify.annotations.Nullable;

/// One user of the catalog. Read-only outside it.
public final class User {
    /// The id of the user that is created with an empty journal.
    public static final int ROOT_ID = 0;

    static final int NAME_BYTES_MIN = 3;
    static final int NAME_BYTES_MAX = 50;

    private final int id;
    private final long createdAtMicros;
    private String name;
    private String passwordPhc;
    private boolean active;
    private Grants grants;

    User(int id, long createdAtMicros, String name, String passwordPhc, boolean active, Grants grants) {
        this.id = id;
        this.createdAtMicros = createdAtMicros;
        this.name = name;
        this.passwordPhc = passwordPhc;
        this.active = active;
        this.grants = grants;
    }

    public int id() {
        return id;
    }

    public long createdAtMicros() {
        return createdAtMicros;
    }

    /// Whether the user may log in. Sessions that are open already go on either way.
    public boolean isActive() {
        return active;
    }

    /// 3..50 bytes of UTF-8.
    public String name() {
        return name;
    }

    /// The Argon2id hash as a PHC string.
    public String passwordPhc() {
        return passwordPhc;
    }

    /// The permissions as they were given, null for none.
    public @Nullable Permissions permissions() {
        return grants.given();
    }

    /// Whether the user may do something now.
    ///
    /// @param streamId the addressed stream, or -1 where the right has no stream scope; likewise `topicId`
    public boolean isAllowed(Right right, int streamId, int topicId) {
        return grants.allow(right, streamId, topicId);
    }

    void rename(String newName) {
        name = newName;
    }

    void setPassword(String newPhc) {
        passwordPhc = newPhc;
    }

    void setActive(boolean newActive) {
        active = newActive;
    }

    void setGrants(Grants newGrants) {
        grants = newGrants;
    }

    @Override
    public String toString() {
        return "user " + id + " " + name;
    }
}
