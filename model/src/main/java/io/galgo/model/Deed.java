package io.galgo.model;

import static io.galgo.protocol.GlobalPermission.MANAGE_SERVERS;
import static io.galgo.protocol.GlobalPermission.MANAGE_STREAMS;
import static io.galgo.protocol.GlobalPermission.MANAGE_USERS;
import static io.galgo.protocol.GlobalPermission.READ_SERVERS;
import static io.galgo.protocol.GlobalPermission.READ_STREAMS;
import static io.galgo.protocol.GlobalPermission.READ_USERS;
import static io.galgo.protocol.StreamPermission.MANAGE_STREAM;
import static io.galgo.protocol.StreamPermission.READ_STREAM;
import static io.galgo.protocol.TopicPermission.MANAGE_TOPIC;
import static io.galgo.protocol.TopicPermission.READ_TOPIC;

import io.galgo.protocol.GlobalPermission;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.StreamPermission;
import io.galgo.protocol.TopicPermission;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The rows of the permission table (spec semantics 16.2): which flags allow what, any one of them.
enum Deed {
    SEE_SERVER(List.of(MANAGE_SERVERS, READ_SERVERS), List.of(), List.of()),
    SEE_USERS(List.of(MANAGE_USERS, READ_USERS), List.of(), List.of()),
    MANAGE_ALL_USERS(List.of(MANAGE_USERS), List.of(), List.of()),
    CREATE_STREAM(List.of(MANAGE_STREAMS), List.of(), List.of()),
    LIST_STREAMS(List.of(MANAGE_STREAMS, READ_STREAMS), List.of(), List.of()),
    SEE_STREAM(List.of(MANAGE_STREAMS, READ_STREAMS), List.of(MANAGE_STREAM, READ_STREAM), List.of()),
    CHANGE_STREAM(List.of(MANAGE_STREAMS), List.of(MANAGE_STREAM), List.of()),
    LIST_TOPICS(
            List.of(MANAGE_STREAMS, READ_STREAMS, GlobalPermission.MANAGE_TOPICS, GlobalPermission.READ_TOPICS),
            List.of(MANAGE_STREAM, READ_STREAM, StreamPermission.MANAGE_TOPICS, StreamPermission.READ_TOPICS),
            List.of()),
    SEE_TOPIC(
            List.of(MANAGE_STREAMS, READ_STREAMS, GlobalPermission.MANAGE_TOPICS, GlobalPermission.READ_TOPICS),
            List.of(MANAGE_STREAM, READ_STREAM, StreamPermission.MANAGE_TOPICS, StreamPermission.READ_TOPICS),
            List.of(MANAGE_TOPIC, READ_TOPIC)),
    CREATE_TOPIC(
            List.of(MANAGE_STREAMS, GlobalPermission.MANAGE_TOPICS),
            List.of(MANAGE_STREAM, StreamPermission.MANAGE_TOPICS),
            List.of()),
    CHANGE_TOPIC(
            List.of(MANAGE_STREAMS, GlobalPermission.MANAGE_TOPICS),
            List.of(MANAGE_STREAM, StreamPermission.MANAGE_TOPICS),
            List.of(MANAGE_TOPIC)),
    POLL(
            List.of(
                    GlobalPermission.POLL_MESSAGES,
                    MANAGE_STREAMS,
                    READ_STREAMS,
                    GlobalPermission.MANAGE_TOPICS,
                    GlobalPermission.READ_TOPICS),
            List.of(
                    StreamPermission.POLL_MESSAGES,
                    MANAGE_STREAM,
                    READ_STREAM,
                    StreamPermission.MANAGE_TOPICS,
                    StreamPermission.READ_TOPICS),
            List.of(TopicPermission.POLL_MESSAGES, MANAGE_TOPIC, READ_TOPIC)),
    SEND(
            List.of(GlobalPermission.SEND_MESSAGES, MANAGE_STREAMS, GlobalPermission.MANAGE_TOPICS),
            List.of(StreamPermission.SEND_MESSAGES, MANAGE_STREAM, StreamPermission.MANAGE_TOPICS),
            List.of(TopicPermission.SEND_MESSAGES, MANAGE_TOPIC));

    static final int NONE = -1;

    private final int global;
    private final int stream;
    private final int topic;

    Deed(List<GlobalPermission> global, List<StreamPermission> stream, List<TopicPermission> topic) {
        this.global = global.stream().mapToInt(GlobalPermission::mask).sum();
        this.stream = stream.stream().mapToInt(StreamPermission::mask).sum();
        this.topic = topic.stream().mapToInt(TopicPermission::mask).sum();
    }

    boolean isAllowed(@Nullable Permissions permissions, int streamId, int topicId) {
        if (permissions == null) {
            return false;
        }
        if ((permissions.global() & global) != 0) {
            return true;
        }
        for (Permissions.OnStream onStream : permissions.streams()) {
            if (onStream.streamId() == streamId) {
                if ((onStream.flags() & stream) != 0) {
                    return true;
                }
                for (Permissions.OnTopic onTopic : onStream.topics()) {
                    if (onTopic.topicId() == topicId && (onTopic.flags() & topic) != 0) {
                        return true;
                    }
                }
            }
        }
        return false;
    }
}
