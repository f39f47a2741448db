package io.galgo.broker.metadata;

import io.galgo.protocol.GlobalPermission;
import io.galgo.protocol.StreamPermission;
import io.galgo.protocol.TopicPermission;

/// What a user may be allowed to do, and which flags allow it: any one of them is enough (spec protocol 9).
public enum Right {
    READ_SERVER(global(GlobalPermission.MANAGE_SERVERS, GlobalPermission.READ_SERVERS), 0, 0),
    READ_USERS(global(GlobalPermission.MANAGE_USERS, GlobalPermission.READ_USERS), 0, 0),
    MANAGE_USERS(global(GlobalPermission.MANAGE_USERS), 0, 0),

    CREATE_STREAM(global(GlobalPermission.MANAGE_STREAMS), 0, 0),
    LIST_STREAMS(global(GlobalPermission.MANAGE_STREAMS, GlobalPermission.READ_STREAMS), 0, 0),
    READ_STREAM(
            global(GlobalPermission.MANAGE_STREAMS, GlobalPermission.READ_STREAMS),
            stream(StreamPermission.MANAGE_STREAM, StreamPermission.READ_STREAM),
            0),
    /// Update, delete and purge.
    MANAGE_STREAM(global(GlobalPermission.MANAGE_STREAMS), stream(StreamPermission.MANAGE_STREAM), 0),

    CREATE_TOPIC(Flags.GLOBAL_WRITERS, Flags.STREAM_WRITERS, 0),
    LIST_TOPICS(Flags.GLOBAL_READERS, Flags.STREAM_READERS, 0),
    /// Also everything about consumer groups.
    READ_TOPIC(
            Flags.GLOBAL_READERS,
            Flags.STREAM_READERS,
            topic(TopicPermission.MANAGE_TOPIC, TopicPermission.READ_TOPIC)),
    /// Update, delete and purge; also partitions and segments.
    MANAGE_TOPIC(Flags.GLOBAL_WRITERS, Flags.STREAM_WRITERS, topic(TopicPermission.MANAGE_TOPIC)),

    /// Also stored consumer offsets.
    POLL_MESSAGES(
            Flags.GLOBAL_READERS | global(GlobalPermission.POLL_MESSAGES),
            Flags.STREAM_READERS | stream(StreamPermission.POLL_MESSAGES),
            topic(TopicPermission.MANAGE_TOPIC, TopicPermission.READ_TOPIC, TopicPermission.POLL_MESSAGES)),
    SEND_MESSAGES(
            Flags.GLOBAL_WRITERS | global(GlobalPermission.SEND_MESSAGES),
            Flags.STREAM_WRITERS | stream(StreamPermission.SEND_MESSAGES),
            topic(TopicPermission.MANAGE_TOPIC, TopicPermission.SEND_MESSAGES));

    final int globalFlags;
    final int streamFlags;
    final int topicFlags;

    Right(int globalFlags, int streamFlags, int topicFlags) {
        this.globalFlags = globalFlags;
        this.streamFlags = streamFlags;
        this.topicFlags = topicFlags;
    }

    private static int global(GlobalPermission... permissions) {
        int flags = 0;
        for (GlobalPermission permission : permissions) {
            flags |= permission.mask();
        }
        return flags;
    }

    private static int stream(StreamPermission... permissions) {
        int flags = 0;
        for (StreamPermission permission : permissions) {
            flags |= permission.mask();
        }
        return flags;
    }

    private static int topic(TopicPermission... permissions) {
        int flags = 0;
        for (TopicPermission permission : permissions) {
            flags |= permission.mask();
        }
        return flags;
    }

    /// The sets that several rights share.
    private static final class Flags {
        static final int GLOBAL_WRITERS = global(GlobalPermission.MANAGE_STREAMS, GlobalPermission.MANAGE_TOPICS);
        static final int GLOBAL_READERS =
                GLOBAL_WRITERS | global(GlobalPermission.READ_STREAMS, GlobalPermission.READ_TOPICS);
        static final int STREAM_WRITERS = stream(StreamPermission.MANAGE_STREAM, StreamPermission.MANAGE_TOPICS);
        static final int STREAM_READERS =
                STREAM_WRITERS | stream(StreamPermission.READ_STREAM, StreamPermission.READ_TOPICS);
    }
}
