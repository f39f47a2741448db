package io.galgo.protocol;

/// The rights on everything, in the order of their flags on the wire (spec protocol 5.8).
public enum GlobalPermission {
    MANAGE_SERVERS(0),
    READ_SERVERS(1),
    MANAGE_USERS(2),
    READ_USERS(3),
    MANAGE_STREAMS(4),
    READ_STREAMS(5),
    MANAGE_TOPICS(6),
    READ_TOPICS(7),
    POLL_MESSAGES(8),
    SEND_MESSAGES(9);

    /// All flags set, as the root user has them.
    public static final int ALL = (1 << 10) - 1;

    private final int index;

    GlobalPermission(int index) {
        this.index = index;
    }

    /// The bit in [Permissions#global].
    public int mask() {
        return 1 << index;
    }
}
