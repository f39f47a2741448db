package io.galgo.protocol;

/// The rights on one topic, in the order of their flags on the wire (spec protocol 5.8).
public enum TopicPermission {
    MANAGE_TOPIC(0),
    READ_TOPIC(1),
    POLL_MESSAGES(2),
    SEND_MESSAGES(3);

    private final int index;

    TopicPermission(int index) {
        this.index = index;
    }

    /// The bit in [Permissions.OnTopic#flags].
    public int mask() {
        return 1 << index;
    }
}
