package io.galgo.protocol;

import org.jspecify.annotations.Nullable;

/// The commands and their wire codes (spec commands.tsv).
///
/// Only a non-replicated command travels with its code; the others are known by their [Operation].
public enum CommandCode {
    PING(1, "ping", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    GET_STATS(10, "stats", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    GET_SNAPSHOT(11, "snapshot", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    GET_CLUSTER_METADATA(12, "cluster.metadata", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    DESCRIBE_OPTIONS(13, "options.describe", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    ATTACH_CONSUMER_SESSION(14, "consumer_session.attach", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    GET_ME(20, "me", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    GET_CLIENT(21, "client.get", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    GET_CLIENTS(22, "client.list", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    GET_USER(31, "user.get", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    GET_USERS(32, "user.list", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    CREATE_USER(33, "user.create", Operation.CREATE_USER, CommandClass.METADATA),
    DELETE_USER(34, "user.delete", Operation.DELETE_USER, CommandClass.METADATA),
    UPDATE_USER(35, "user.update", Operation.UPDATE_USER, CommandClass.METADATA),
    UPDATE_PERMISSIONS(36, "user.permissions", Operation.UPDATE_PERMISSIONS, CommandClass.METADATA),
    CHANGE_PASSWORD(37, "user.password", Operation.CHANGE_PASSWORD, CommandClass.METADATA),
    LEGACY_LOGIN(38, "user.login", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    LOGOUT(39, "user.logout", Operation.LOGOUT, CommandClass.SESSION),
    LOGIN(40, "user.login_register", Operation.REGISTER, CommandClass.SESSION),
    GET_PERSONAL_ACCESS_TOKENS(41, "personal_access_token.list", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    CREATE_PERSONAL_ACCESS_TOKEN(
            42, "personal_access_token.create", Operation.CREATE_PERSONAL_ACCESS_TOKEN, CommandClass.METADATA),
    DELETE_PERSONAL_ACCESS_TOKEN(
            43, "personal_access_token.delete", Operation.DELETE_PERSONAL_ACCESS_TOKEN, CommandClass.METADATA),
    LEGACY_TOKEN_LOGIN(44, "personal_access_token.login", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    TOKEN_LOGIN(45, "user.login_register_with_pat", Operation.REGISTER, CommandClass.SESSION),
    POLL_MESSAGES(100, "message.poll", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    SEND_MESSAGES(101, "message.send", Operation.SEND_MESSAGES, CommandClass.PARTITION),
    FLUSH_UNSAVED_BUFFER(102, "message.flush_unsaved_buffer", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    GET_POLL_ROUTING(103, "message.poll_routing", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    POLL_MESSAGES_ON_PRIMARY(104, "message.poll_primary", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    GET_CONSUMER_OFFSET(120, "consumer_offset.get", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    STORE_CONSUMER_OFFSET(121, "consumer_offset.store", Operation.STORE_CONSUMER_OFFSET, CommandClass.PARTITION),
    DELETE_CONSUMER_OFFSET(122, "consumer_offset.delete", Operation.DELETE_CONSUMER_OFFSET, CommandClass.PARTITION),
    GET_CONSUMER_OFFSET_ROUTING(123, "consumer_offset.routing", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    GET_STREAM(200, "stream.get", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    GET_STREAMS(201, "stream.list", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    CREATE_STREAM(202, "stream.create", Operation.CREATE_STREAM, CommandClass.METADATA),
    DELETE_STREAM(203, "stream.delete", Operation.DELETE_STREAM, CommandClass.METADATA),
    UPDATE_STREAM(204, "stream.update", Operation.UPDATE_STREAM, CommandClass.METADATA),
    PURGE_STREAM(205, "stream.purge", Operation.PURGE_STREAM, CommandClass.METADATA),
    GET_TOPIC(300, "topic.get", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    GET_TOPICS(301, "topic.list", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    CREATE_TOPIC(302, "topic.create", Operation.CREATE_TOPIC, CommandClass.METADATA),
    DELETE_TOPIC(303, "topic.delete", Operation.DELETE_TOPIC, CommandClass.METADATA),
    UPDATE_TOPIC(304, "topic.update", Operation.UPDATE_TOPIC, CommandClass.METADATA),
    PURGE_TOPIC(305, "topic.purge", Operation.PURGE_TOPIC, CommandClass.METADATA),
    CREATE_PARTITIONS(402, "partition.create", Operation.CREATE_PARTITIONS, CommandClass.METADATA),
    DELETE_PARTITIONS(403, "partition.delete", Operation.DELETE_PARTITIONS, CommandClass.METADATA),
    DELETE_SEGMENTS(503, "segment.delete", Operation.DELETE_SEGMENTS, CommandClass.METADATA),
    GET_CONSUMER_GROUP(600, "consumer_group.get", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    GET_CONSUMER_GROUPS(601, "consumer_group.list", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    CREATE_CONSUMER_GROUP(602, "consumer_group.create", Operation.CREATE_CONSUMER_GROUP, CommandClass.METADATA),
    DELETE_CONSUMER_GROUP(603, "consumer_group.delete", Operation.DELETE_CONSUMER_GROUP, CommandClass.METADATA),
    JOIN_CONSUMER_GROUP(604, "consumer_group.join", Operation.JOIN_CONSUMER_GROUP, CommandClass.METADATA),
    LEAVE_CONSUMER_GROUP(605, "consumer_group.leave", Operation.LEAVE_CONSUMER_GROUP, CommandClass.METADATA),
    SYNC_CONSUMER_GROUP(606, "consumer_group.sync", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED),
    /// Of Galgo alone: no release of Iggy has codes from 1000 on.
    AWAIT_MESSAGES(1100, "message.await", Operation.NON_REPLICATED, CommandClass.NON_REPLICATED);

    private static final int CODE_MAX = 1100;
    private static final @Nullable CommandCode[] BY_CODE = new @Nullable CommandCode[CODE_MAX + 1];
    private static final @Nullable CommandCode[] BY_OPERATION = new @Nullable CommandCode[256];

    static {
        for (CommandCode command : values()) {
            BY_CODE[command.code] = command;
            if (command.operation != Operation.NON_REPLICATED && BY_OPERATION[command.operation.value()] == null) {
                BY_OPERATION[command.operation.value()] = command;
            }
        }
    }

    private final int code;
    private final String label;
    private final Operation operation;
    private final CommandClass commandClass;

    CommandCode(int code, String label, Operation operation, CommandClass commandClass) {
        this.code = code;
        this.label = label;
        this.operation = operation;
        this.commandClass = commandClass;
    }

    /// The number at hdr+196 of a non-replicated request.
    public int code() {
        return code;
    }

    /// The name in logs and metrics, such as `stream.create`.
    public String label() {
        return label;
    }

    /// The operation under which clients send the command.
    public Operation operation() {
        return operation;
    }

    public CommandClass commandClass() {
        return commandClass;
    }

    /// The command of a wire code, whatever its class, or null for an unknown code.
    public static @Nullable CommandCode of(int code) {
        return 0 <= code && code <= CODE_MAX ? BY_CODE[code] : null;
    }

    /// The command that an operation stands for: null for [Operation#NON_REPLICATED], whose code says it, and for
    /// internal operations. [Operation#REGISTER] gives [#LOGIN].
    public static @Nullable CommandCode of(Operation operation) {
        return BY_OPERATION[operation.value()];
    }
}
