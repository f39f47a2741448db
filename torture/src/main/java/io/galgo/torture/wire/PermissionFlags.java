package io.galgo.torture.wire;

import java.util.List;

/// The flags of a permission block by name, in the order in which they stand there.
public final class PermissionFlags {
    public static final List<String> GLOBAL = List.of(
            "manage_servers",
            "read_servers",
            "manage_users",
            "read_users",
            "manage_streams",
            "read_streams",
            "manage_topics",
            "read_topics",
            "poll_messages",
            "send_messages");
    public static final List<String> ON_STREAM =
            List.of("manage_stream", "read_stream", "manage_topics", "read_topics", "poll_messages", "send_messages");
    public static final List<String> ON_TOPIC = List.of("manage_topic", "read_topic", "poll_messages", "send_messages");

    private PermissionFlags() {}
}
