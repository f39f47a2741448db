package io.galgo.torture.wire;

/// Command codes of non-replicated requests.
public final class Code {
    public static final int PING = 1;
    public static final int STATS = 10;
    public static final int SNAPSHOT = 11;
    public static final int CLUSTER_METADATA = 12;
    public static final int DESCRIBE_OPTIONS = 13;
    public static final int ATTACH_SESSION = 14;
    public static final int ME = 20;
    public static final int CLIENT = 21;
    public static final int CLIENTS = 22;
    public static final int USER = 31;
    public static final int USERS = 32;
    public static final int TOKENS = 41;
    public static final int POLL = 100;
    public static final int FLUSH = 102;
    public static final int POLL_ROUTING = 103;
    public static final int POLL_ON_PRIMARY = 104;
    public static final int OFFSET = 120;
    public static final int OFFSET_ROUTING = 123;
    public static final int STREAM = 200;
    public static final int STREAMS = 201;
    public static final int TOPIC = 300;
    public static final int TOPICS = 301;
    public static final int GROUP = 600;
    public static final int GROUPS = 601;
    public static final int SYNC_GROUP = 606;

    private Code() {}
}
