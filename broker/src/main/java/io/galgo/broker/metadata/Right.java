package io.galgo.broker.metadata;

/// What a user may be allowed to do, and which flags allow it: any one of them is enough (spec protocol 9).
///
/// A flag is a bit, counted from the lowest in the order of the permissions block (spec protocol 5.8).
public enum Right {
    READ_SERVER(Flags.MANAGE_SERVERS | Flags.READ_SERVERS, 0, 0),
    READ_USERS(Flags.MANAGE_USERS | Flags.READ_USERS, 0, 0),
    MANAGE_USERS(Flags.MANAGE_USERS, 0, 0),
    CREATE_STREAM(Flags.MANAGE_STREAMS, 0, 0),
    LIST_STREAMS(Flags.MANAGE_STREAMS | Flags.READ_STREAMS, 0, 0),
    READ_STREAM(Flags.MANAGE_STREAMS | Flags.READ_STREAMS, Flags.STREAM_MANAGE | Flags.STREAM_READ, 0),
    MANAGE_STREAM(Flags.MANAGE_STREAMS, Flags.STREAM_MANAGE, 0),
    LIST_TOPICS(Flags.READS, Flags.STREAM_READS, 0),
    /// Also every consumer group operation.
    READ_TOPIC(Flags.READS, Flags.STREAM_READS, Flags.TOPIC_MANAGE | Flags.TOPIC_READ),
    CREATE_TOPIC(Flags.WRITES, Flags.STREAM_WRITES, 0),
    /// Also partitions and segments.
    MANAGE_TOPIC(Flags.WRITES, Flags.STREAM_WRITES, Flags.TOPIC_MANAGE),
    /// Also stored consumer offsets.
    POLL_MESSAGES(
            Flags.READS | Flags.POLL_MESSAGES,
            Flags.STREAM_READS | Flags.STREAM_POLL,
            Flags.TOPIC_MANAGE | Flags.TOPIC_READ | Flags.TOPIC_POLL),
    SEND_MESSAGES(
            Flags.WRITES | Flags.SEND_MESSAGES,
            Flags.STREAM_WRITES | Flags.STREAM_SEND,
            Flags.TOPIC_MANAGE | Flags.TOPIC_SEND);

    final int globalFlags;
    final int streamFlags;
    final int topicFlags;

    Right(int globalFlags, int streamFlags, int topicFlags) {
        this.globalFlags = globalFlags;
        this.streamFlags = streamFlags;
        this.topicFlags = topicFlags;
    }

    /// The bits of the three scopes.
    static final class Flags {
        static final int MANAGE_SERVERS = 1;
        static final int READ_SERVERS = 1 << 1;
        static final int MANAGE_USERS = 1 << 2;
        static final int READ_USERS = 1 << 3;
        static final int MANAGE_STREAMS = 1 << 4;
        static final int READ_STREAMS = 1 << 5;
        static final int MANAGE_TOPICS = 1 << 6;
        static final int READ_TOPICS = 1 << 7;
        static final int POLL_MESSAGES = 1 << 8;
        static final int SEND_MESSAGES = 1 << 9;
        static final int GLOBAL_COUNT = 10;

        static final int STREAM_MANAGE = 1;
        static final int STREAM_READ = 1 << 1;
        static final int STREAM_MANAGE_TOPICS = 1 << 2;
        static final int STREAM_READ_TOPICS = 1 << 3;
        static final int STREAM_POLL = 1 << 4;
        static final int STREAM_SEND = 1 << 5;
        static final int STREAM_COUNT = 6;

        static final int TOPIC_MANAGE = 1;
        static final int TOPIC_READ = 1 << 1;
        static final int TOPIC_POLL = 1 << 2;
        static final int TOPIC_SEND = 1 << 3;
        static final int TOPIC_COUNT = 4;

        static final int WRITES = MANAGE_STREAMS | MANAGE_TOPICS;
        static final int READS = WRITES | READ_STREAMS | READ_TOPICS;
        static final int STREAM_WRITES = STREAM_MANAGE | STREAM_MANAGE_TOPICS;
        static final int STREAM_READS = STREAM_WRITES | STREAM_READ | STREAM_READ_TOPICS;

        private Flags() {}
    }
}
