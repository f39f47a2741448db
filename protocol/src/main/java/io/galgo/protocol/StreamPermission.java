package io.galgo.protocol;

/// The rights on one stream, in the order of their flags on the wire (spec protocol 5.8).
public enum StreamPermission {
    MANAGE_STREAM(0),
    READ_STREAM(1),
    MANAGE_TOPICS(2),
    READ_TOPICS(3),
    POLL_MESSAGES(4),
    SEND_MESSAGES(5);

    private final int index;

    StreamPermission(int index) {
        this.index = index;
    }

    /// The bit in [Permissions.OnStream#flags].
    public int mask() {
        return 1 << index;
    }
}
