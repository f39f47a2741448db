package io.galgo.torture.wire;

/// Operation discriminants of request frames.
public final class Operation {
    public static final int REGISTER = 1;
    public static final int NON_REPLICATED = 2;
    public static final int LOGOUT = 3;
    public static final int CREATE_STREAM = 128;
    public static final int UPDATE_STREAM = 129;
    public static final int DELETE_STREAM = 130;
    public static final int PURGE_STREAM = 131;
    public static final int CREATE_TOPIC = 132;
    public static final int UPDATE_TOPIC = 133;
    public static final int DELETE_TOPIC = 134;
    public static final int PURGE_TOPIC = 135;
    public static final int CREATE_PARTITIONS = 136;
    public static final int DELETE_PARTITIONS = 137;
    public static final int DELETE_SEGMENTS = 138;
    public static final int CREATE_GROUP = 139;
    public static final int DELETE_GROUP = 140;
    public static final int CREATE_USER = 141;
    public static final int UPDATE_USER = 142;
    public static final int DELETE_USER = 143;
    public static final int CHANGE_PASSWORD = 144;
    public static final int UPDATE_PERMISSIONS = 145;
    public static final int CREATE_TOKEN = 146;
    public static final int DELETE_TOKEN = 147;
    public static final int JOIN_GROUP = 148;
    public static final int LEAVE_GROUP = 149;
    public static final int SEND = 160;
    public static final int STORE_OFFSET = 161;
    public static final int DELETE_OFFSET = 162;

    private Operation() {}

    /// Whether a reply with this operation begins with the result section.
    public static boolean isResultFramed(int operation) {
        return operation == REGISTER
                || (64 <= operation && operation <= 68)
                || (CREATE_STREAM <= operation && operation <= LEAVE_GROUP && operation != DELETE_SEGMENTS)
                || operation == STORE_OFFSET
                || operation == DELETE_OFFSET;
    }
}
