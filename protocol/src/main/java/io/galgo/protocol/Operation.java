package io.galgo.protocol;

import org.jspecify.annotations.Nullable;

/// The operation byte of request and reply headers (spec protocol 2.7).
public enum Operation {
    /// Login.
    REGISTER(1),
    /// The command code at hdr+196 says which.
    NON_REPLICATED(2),
    LOGOUT(3),
    /// Internal; the operation in the reply to [#CREATE_TOPIC].
    CREATE_TOPIC_WITH_ASSIGNMENTS(64),
    /// Internal; the operation in the reply to [#CREATE_PARTITIONS].
    CREATE_PARTITIONS_WITH_ASSIGNMENTS(65),
    /// Internal.
    REMOVE_CONSUMER_GROUP_MEMBER(66),
    /// Internal.
    COMPLETE_CONSUMER_GROUP_REVOCATION(67),
    /// Internal; the operation in the reply to [#DELETE_SEGMENTS].
    TRUNCATE_PARTITION(68),
    CREATE_STREAM(128),
    UPDATE_STREAM(129),
    DELETE_STREAM(130),
    PURGE_STREAM(131),
    CREATE_TOPIC(132),
    UPDATE_TOPIC(133),
    DELETE_TOPIC(134),
    PURGE_TOPIC(135),
    CREATE_PARTITIONS(136),
    DELETE_PARTITIONS(137),
    DELETE_SEGMENTS(138),
    CREATE_CONSUMER_GROUP(139),
    DELETE_CONSUMER_GROUP(140),
    CREATE_USER(141),
    UPDATE_USER(142),
    DELETE_USER(143),
    CHANGE_PASSWORD(144),
    UPDATE_PERMISSIONS(145),
    CREATE_PERSONAL_ACCESS_TOKEN(146),
    DELETE_PERSONAL_ACCESS_TOKEN(147),
    JOIN_CONSUMER_GROUP(148),
    LEAVE_CONSUMER_GROUP(149),
    SEND_MESSAGES(160),
    STORE_CONSUMER_OFFSET(161),
    DELETE_CONSUMER_OFFSET(162);

    private static final @Nullable Operation[] BY_VALUE = new @Nullable Operation[256];

    static {
        for (Operation operation : values()) {
            BY_VALUE[operation.value] = operation;
        }
    }

    private final int value;

    Operation(int value) {
        this.value = value;
    }

    /// The byte on the wire, 1..255.
    public int value() {
        return value;
    }

    /// The operation of a byte (0..255), or null for an unknown one.
    public static @Nullable Operation of(int value) {
        return 0 <= value && value < BY_VALUE.length ? BY_VALUE[value] : null;
    }

    /// Whether only servers among themselves use it; a client that sends it is evicted (2.6).
    public boolean isInternal() {
        return 64 <= value && value <= 68;
    }

    /// Whether it changes metadata: 128..149, [#DELETE_SEGMENTS] included.
    public boolean isMetadata() {
        return 128 <= value && value <= 149;
    }

    /// Whether it writes to one partition: 160..162.
    public boolean isPartition() {
        return 160 <= value;
    }

    /// Whether the body of a reply that carries this operation begins with a result section (2.8). A login reply
    /// does only when its body is not empty.
    public boolean isResultFramed() {
        return switch (this) {
            case NON_REPLICATED, LOGOUT, DELETE_SEGMENTS, SEND_MESSAGES -> false;
            default -> true;
        };
    }

    /// The operation that a committed reply to this request carries (2.3).
    public Operation executed() {
        return switch (this) {
            case CREATE_TOPIC -> CREATE_TOPIC_WITH_ASSIGNMENTS;
            case CREATE_PARTITIONS -> CREATE_PARTITIONS_WITH_ASSIGNMENTS;
            case DELETE_SEGMENTS -> TRUNCATE_PARTITION;
            default -> this;
        };
    }

    /// The request operation that a reply with this operation answers; inverse of [#executed].
    public Operation requested() {
        return switch (this) {
            case CREATE_TOPIC_WITH_ASSIGNMENTS -> CREATE_TOPIC;
            case CREATE_PARTITIONS_WITH_ASSIGNMENTS -> CREATE_PARTITIONS;
            case TRUNCATE_PARTITION -> DELETE_SEGMENTS;
            default -> this;
        };
    }
}
