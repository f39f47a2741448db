package io.galgo.broker.metadata;

import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.GlobalPermission;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.StreamPermission;
import io.galgo.protocol.TopicPermission;
import io.galgo.protocol.TypedValue;
import io.galgo.protocol.request.ChangePassword;
import io.galgo.protocol.request.CreateConsumerGroup;
import io.galgo.protocol.request.CreatePartitions;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeleteConsumerGroup;
import io.galgo.protocol.request.DeletePartitions;
import io.galgo.protocol.request.DeletePersonalAccessToken;
import io.galgo.protocol.request.DeleteSegments;
import io.galgo.protocol.request.DeleteStream;
import io.galgo.protocol.request.DeleteTopic;
import io.galgo.protocol.request.DeleteUser;
import io.galgo.protocol.request.JoinConsumerGroup;
import io.galgo.protocol.request.LeaveConsumerGroup;
import io.galgo.protocol.request.PurgeStream;
import io.galgo.protocol.request.PurgeTopic;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.UpdatePermissions;
import io.galgo.protocol.request.UpdateStream;
import io.galgo.protocol.request.UpdateTopic;
import io.galgo.protocol.request.UpdateUser;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The metadata as the specification tells it, written down a second time without regard for speed: plain maps, one
/// method, no snapshots. What it says about streams, topics, partitions, users, tokens and group members is
/// compared with the catalog.
final class NaiveMetadata {
    static final class NaiveTopic {
        String name = "";
        long createdAt;
        long segmentBytes = 1_073_741_824;
        final TreeMap<String, TypedValue> explicit = new TreeMap<>();
        final List<Long> partitionsCreated = new ArrayList<>();
        final List<Long> purged = new ArrayList<>();
        final TreeMap<Integer, NaiveGroup> groups = new TreeMap<>();
        int groupsEver;

        void addPartitions(int count, long op) {
            for (int i = 0; i < count; i++) {
                partitionsCreated.add(op);
                purged.add(0L);
            }
        }

        void purge(long op) {
            purged.replaceAll(_ -> op);
        }
    }

    static final class NaiveStream {
        String name = "";
        long createdAt;
        final TreeMap<Integer, NaiveTopic> topics = new TreeMap<>();
    }

    static final class NaiveGroup {
        String name = "";
        final TreeSet<Integer> clients = new TreeSet<>();
    }

    static final class NaiveUser {
        String name = "";
        String password = "";
        boolean active = true;

        @Nullable Permissions permissions;

        final TreeMap<String, Long> tokens = new TreeMap<>();
    }

    final TreeMap<Integer, NaiveStream> streams = new TreeMap<>();
    final TreeMap<Integer, NaiveUser> users = new TreeMap<>();
    /// Client number to user id.
    final TreeMap<Integer, Integer> sessions = new TreeMap<>();

    NaiveMetadata() {
        NaiveUser root = new NaiveUser();
        root.name = Metadata.ROOT;
        root.password = "root";
        root.permissions = new Permissions(GlobalPermission.ALL, List.of());
        users.put(0, root);
    }

    void login(int client, int userId) {
        sessions.put(client, userId);
    }

    void logout(int client) {
        sessions.remove(client);
        for (NaiveStream stream : streams.values()) {
            for (NaiveTopic topic : stream.topics.values()) {
                for (NaiveGroup group : topic.groups.values()) {
                    group.clients.remove(client);
                }
            }
        }
    }

    /// What a command answers, null for success, and what it does.
    ///
    /// @param options what the request's options should come to
    @Nullable ErrorCode execute(int client, Request request, OptionCase options, long op, long now) {
        int userId = sessions.getOrDefault(client, -1);
        ErrorCode early = early(request, options);
        return early != null ? early : inTurn(client, userId, request, options, op, now);
    }

    private @Nullable ErrorCode early(Request request, OptionCase options) {
        return switch (request) {
            case CreateTopic create -> {
                if (options.createError() != null && options.createError() != ErrorCode.INVALID_TOPIC_SIZE) {
                    yield options.createError();
                }
                if (create.partitionsCount() > 1_000) {
                    yield ErrorCode.TOO_MANY_PARTITIONS;
                }
                yield options.createError();
            }
            case UpdateTopic update -> {
                if (options.updateError() != null) {
                    yield options.updateError();
                }
                NaiveStream stream = find(streams, update.stream());
                NaiveTopic topic = stream == null ? null : findTopic(stream.topics, update.topic());
                long floor = topic == null ? 1_073_741_824 : topic.segmentBytes;
                yield options.updateBytes() != 0 && options.updateBytes() < floor ? ErrorCode.INVALID_TOPIC_SIZE : null;
            }
            case CreatePartitions create ->
                create.partitionsCount() == 0 || create.partitionsCount() > 1_000
                        ? ErrorCode.TOO_MANY_PARTITIONS
                        : null;
            case DeletePartitions delete ->
                delete.partitionsCount() == 0 || delete.partitionsCount() > 1_000
                        ? ErrorCode.TOO_MANY_PARTITIONS
                        : null;
            default -> null;
        };
    }

    private @Nullable ErrorCode inTurn(int client, int userId, Request request, OptionCase options, long op, long now) {
        switch (request) {
            case CreateStream create -> {
                if (!may(userId, -1, -1, "manage_streams", "", "")) {
                    return ErrorCode.UNAUTHORIZED;
                }
                if (find(streams, Identifier.of(create.name())) != null) {
                    return ErrorCode.STREAM_NAME_ALREADY_EXISTS;
                }
                NaiveStream stream = new NaiveStream();
                stream.name = create.name();
                stream.createdAt = now;
                streams.put(lowestFree(streams), stream);
            }
            case UpdateStream update -> {
                NaiveStream stream = find(streams, update.stream());
                ErrorCode error = checkStream(userId, update.stream());
                if (error != null || stream == null) {
                    return error;
                }
                NaiveStream other = find(streams, Identifier.of(update.name()));
                if (other != null && other != stream) {
                    return ErrorCode.STREAM_NAME_ALREADY_EXISTS;
                }
                stream.name = update.name();
            }
            case DeleteStream delete -> {
                ErrorCode error = checkStream(userId, delete.stream());
                if (error != null) {
                    return error;
                }
                streams.remove(streamId(delete.stream()));
            }
            case PurgeStream purge -> {
                NaiveStream stream = find(streams, purge.stream());
                ErrorCode error = checkStream(userId, purge.stream());
                if (error != null || stream == null) {
                    return error;
                }
                stream.topics.values().forEach(topic -> topic.purge(op));
            }
            case CreateTopic create -> {
                NaiveStream stream = find(streams, create.stream());
                if (stream == null) {
                    return ErrorCode.STREAM_ID_NOT_FOUND;
                }
                if (!may(
                        userId,
                        streamId(create.stream()),
                        -1,
                        "manage_streams manage_topics",
                        "manage_stream manage_topics",
                        "")) {
                    return ErrorCode.UNAUTHORIZED;
                }
                if (findTopic(stream.topics, Identifier.of(create.name())) != null) {
                    return ErrorCode.TOPIC_NAME_ALREADY_EXISTS;
                }
                NaiveTopic topic = new NaiveTopic();
                topic.name = create.name();
                topic.createdAt = now;
                topic.segmentBytes = options.segmentBytes();
                topic.explicit.putAll(options.created());
                topic.addPartitions((int) create.partitionsCount(), op);
                stream.topics.put(lowestFree(stream.topics), topic);
            }
            case UpdateTopic update -> {
                ErrorCode error = checkTopic(userId, update.stream(), update.topic(), true);
                if (error != null) {
                    return error;
                }
                NaiveStream stream = streams.get(streamId(update.stream()));
                NaiveTopic topic = topic(update.stream(), update.topic());
                NaiveTopic other = stream == null ? null : findTopic(stream.topics, Identifier.of(update.name()));
                if (other != null && other != topic) {
                    return ErrorCode.TOPIC_NAME_ALREADY_EXISTS;
                }
                topic.name = update.name();
                topic.explicit.putAll(options.updated());
            }
            case DeleteTopic delete -> {
                ErrorCode error = checkTopic(userId, delete.stream(), delete.topic(), true);
                if (error != null) {
                    return error;
                }
                NaiveTopic topic = topic(delete.stream(), delete.topic());
                streams.values().forEach(stream -> stream.topics.values().remove(topic));
            }
            case PurgeTopic purge -> {
                ErrorCode error = checkTopic(userId, purge.stream(), purge.topic(), true);
                if (error != null) {
                    return error;
                }
                topic(purge.stream(), purge.topic()).purge(op);
            }
            case CreatePartitions create -> {
                ErrorCode error = checkTopic(userId, create.stream(), create.topic(), true);
                if (error != null) {
                    return error;
                }
                topic(create.stream(), create.topic()).addPartitions((int) create.partitionsCount(), op);
            }
            case DeletePartitions delete -> {
                ErrorCode error = checkTopic(userId, delete.stream(), delete.topic(), true);
                if (error != null) {
                    return error;
                }
                NaiveTopic topic = topic(delete.stream(), delete.topic());
                if (delete.partitionsCount() > topic.partitionsCreated.size()) {
                    return ErrorCode.INVALID_PARTITIONS_COUNT;
                }
                for (int i = 0; i < delete.partitionsCount(); i++) {
                    topic.partitionsCreated.removeLast();
                    topic.purged.removeLast();
                }
            }
            case DeleteSegments delete -> {
                ErrorCode error = checkTopic(userId, delete.stream(), delete.topic(), true);
                if (error != null) {
                    return error;
                }
                int count =
                        topic(delete.stream(), delete.topic()).partitionsCreated.size();
                return Integer.compareUnsigned(delete.partitionId(), count) >= 0 ? ErrorCode.PARTITION_NOT_FOUND : null;
            }
            case CreateConsumerGroup create -> {
                ErrorCode error = checkTopic(userId, create.stream(), create.topic(), false);
                if (error != null) {
                    return error;
                }
                NaiveTopic topic = topic(create.stream(), create.topic());
                if (topic.groups.values().stream().anyMatch(group -> group.name.equals(create.name()))) {
                    return ErrorCode.CONSUMER_GROUP_NAME_ALREADY_EXISTS;
                }
                NaiveGroup group = new NaiveGroup();
                group.name = create.name();
                topic.groups.put(topic.groupsEver++, group);
            }
            case DeleteConsumerGroup delete -> {
                ErrorCode error = checkGroup(userId, delete.stream(), delete.topic(), delete.group());
                if (error != null) {
                    return error;
                }
                topic(delete.stream(), delete.topic())
                        .groups
                        .values()
                        .remove(group(delete.stream(), delete.topic(), delete.group()));
            }
            case JoinConsumerGroup join -> {
                ErrorCode error = checkGroup(userId, join.stream(), join.topic(), join.group());
                if (error != null) {
                    return error;
                }
                group(join.stream(), join.topic(), join.group()).clients.add(client);
            }
            case LeaveConsumerGroup leave -> {
                ErrorCode error = checkGroup(userId, leave.stream(), leave.topic(), leave.group());
                if (error != null) {
                    return error;
                }
                return group(leave.stream(), leave.topic(), leave.group())
                                .clients
                                .remove(client)
                        ? null
                        : ErrorCode.CONSUMER_GROUP_MEMBER_NOT_FOUND;
            }
            case CreateUser create -> {
                if (!may(userId, -1, -1, "manage_users", "", "")) {
                    return ErrorCode.UNAUTHORIZED;
                }
                if (create.username().length() < 3) {
                    return ErrorCode.INVALID_USERNAME;
                }
                if (userId(Identifier.of(create.username())) >= 0) {
                    return ErrorCode.USER_ALREADY_EXISTS;
                }
                NaiveUser user = new NaiveUser();
                user.name = create.username();
                user.password = create.password();
                user.active = create.status() != 2;
                user.permissions = create.permissions();
                users.put(lowestFree(users), user);
            }
            case UpdateUser update -> {
                ErrorCode error = checkUser(userId, update.user());
                if (error != null) {
                    return error;
                }
                NaiveUser user = user(userId(update.user()));
                String name = update.username();
                if (name != null && name.length() < 3) {
                    return ErrorCode.INVALID_USERNAME;
                }
                if (name != null
                        && userId(Identifier.of(name)) >= 0
                        && users.get(userId(Identifier.of(name))) != user) {
                    return ErrorCode.USER_ALREADY_EXISTS;
                }
                if (name != null) {
                    user.name = name;
                }
                if (update.status() == 1 || update.status() == 2) {
                    user.active = update.status() == 1;
                }
            }
            case DeleteUser delete -> {
                ErrorCode error = checkUser(userId, delete.user());
                if (error != null) {
                    return error;
                }
                int id = userId(delete.user());
                if (id == 0) {
                    return ErrorCode.CANNOT_DELETE_USER;
                }
                users.remove(id);
                List.copyOf(sessions.entrySet()).stream()
                        .filter(session -> session.getValue() == id)
                        .forEach(session -> logout(session.getKey()));
            }
            case UpdatePermissions update -> {
                ErrorCode error = checkUser(userId, update.user());
                if (error != null) {
                    return error;
                }
                if (userId(update.user()) == 0) {
                    return ErrorCode.CANNOT_CHANGE_PERMISSIONS;
                }
                user(userId(update.user())).permissions = update.permissions();
            }
            case ChangePassword change -> {
                NaiveUser user = users.get(userId(change.user()));
                if (user == null) {
                    return ErrorCode.RESOURCE_NOT_FOUND;
                }
                if (userId(change.user()) != userId && !may(userId, -1, -1, "manage_users", "", "")) {
                    return ErrorCode.UNAUTHORIZED;
                }
                if (!user.password.equals(change.currentPassword())) {
                    return ErrorCode.INVALID_CREDENTIALS;
                }
                user.password = change.newPassword();
            }
            case CreatePersonalAccessToken create -> {
                if (user(userId).tokens.containsKey(create.name())) {
                    return ErrorCode.PERSONAL_ACCESS_TOKEN_ALREADY_EXISTS;
                }
                if (create.expiryMicros() == -2) {
                    return ErrorCode.INVALID_PERSONAL_ACCESS_TOKEN_EXPIRY;
                }
                long expiry = create.expiryMicros();
                user(userId).tokens.put(create.name(), expiry == 0 || expiry == -1 ? 0 : now + expiry);
            }
            case DeletePersonalAccessToken delete -> {
                return user(userId).tokens.remove(delete.name()) == null ? ErrorCode.RESOURCE_NOT_FOUND : null;
            }
            default -> throw new IllegalArgumentException(request.toString());
        }
        return null;
    }

    private @Nullable ErrorCode checkStream(int userId, Identifier identifier) {
        if (find(streams, identifier) == null) {
            return ErrorCode.STREAM_ID_NOT_FOUND;
        }
        return may(userId, streamId(identifier), -1, "manage_streams", "manage_stream", "")
                ? null
                : ErrorCode.UNAUTHORIZED;
    }

    private @Nullable ErrorCode checkTopic(
            int userId, Identifier streamIdentifier, Identifier identifier, boolean manage) {
        NaiveStream stream = find(streams, streamIdentifier);
        if (stream == null) {
            return ErrorCode.STREAM_ID_NOT_FOUND;
        }
        NaiveTopic topic = findTopic(stream.topics, identifier);
        if (topic == null) {
            return ErrorCode.TOPIC_ID_NOT_FOUND;
        }
        int topicId = stream.topics.entrySet().stream()
                .filter(entry -> entry.getValue() == topic)
                .findFirst()
                .orElseThrow()
                .getKey();
        boolean allowed = manage
                ? may(
                        userId,
                        streamId(streamIdentifier),
                        topicId,
                        "manage_streams manage_topics",
                        "manage_stream manage_topics",
                        "manage_topic")
                : may(
                        userId,
                        streamId(streamIdentifier),
                        topicId,
                        "manage_streams read_streams manage_topics read_topics",
                        "manage_stream read_stream manage_topics read_topics",
                        "manage_topic read_topic");
        return allowed ? null : ErrorCode.UNAUTHORIZED;
    }

    private @Nullable ErrorCode checkGroup(int userId, Identifier stream, Identifier topic, Identifier group) {
        ErrorCode error = checkTopic(userId, stream, topic, false);
        if (error != null) {
            return error;
        }
        return topic(stream, topic).groups.containsValue(group(stream, topic, group))
                ? null
                : ErrorCode.CONSUMER_GROUP_ID_NOT_FOUND;
    }

    private @Nullable ErrorCode checkUser(int userId, Identifier user) {
        if (!may(userId, -1, -1, "manage_users", "", "")) {
            return ErrorCode.UNAUTHORIZED;
        }
        return userId(user) < 0 ? ErrorCode.RESOURCE_NOT_FOUND : null;
    }

    /// Whether any of the named flags is set, scope by scope.
    private boolean may(int userId, int streamId, int topicId, String global, String stream, String topic) {
        NaiveUser user = users.get(userId);
        Permissions permissions = user == null ? null : user.permissions;
        if (permissions == null) {
            return false;
        }
        boolean allowed = false;
        for (GlobalPermission flag : GlobalPermission.values()) {
            allowed |= permissions.has(flag) && has(global, flag);
        }
        for (Permissions.OnStream onStream : permissions.streams()) {
            if (onStream.streamId() == streamId) {
                for (StreamPermission flag : StreamPermission.values()) {
                    allowed |= onStream.has(flag) && has(stream, flag);
                }
                for (Permissions.OnTopic onTopic : onStream.topics()) {
                    for (TopicPermission flag : TopicPermission.values()) {
                        allowed |= onTopic.topicId() == topicId && onTopic.has(flag) && has(topic, flag);
                    }
                }
            }
        }
        return allowed;
    }

    private static boolean has(String flags, Enum<?> flag) {
        return List.of(flags.toUpperCase(Locale.ROOT).split(" ", -1)).contains(flag.name());
    }

    private int streamId(Identifier identifier) {
        NaiveStream stream = find(streams, identifier);
        return streams.entrySet().stream()
                .filter(entry -> entry.getValue() == stream)
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    private int userId(Identifier identifier) {
        for (var entry : users.entrySet()) {
            if (identifier.equals(Identifier.of(entry.getKey()))
                    || identifier.equals(Identifier.of(entry.getValue().name))) {
                return entry.getKey();
            }
        }
        return -1;
    }

    private NaiveUser user(int userId) {
        return Objects.requireNonNull(users.get(userId));
    }

    private NaiveTopic topic(Identifier stream, Identifier topic) {
        NaiveStream found = Objects.requireNonNull(find(streams, stream));
        return Objects.requireNonNull(findTopic(found.topics, topic));
    }

    private NaiveGroup group(Identifier stream, Identifier topic, Identifier group) {
        for (var entry : topic(stream, topic).groups.entrySet()) {
            if (group.equals(Identifier.of(entry.getKey())) || group.equals(Identifier.of(entry.getValue().name))) {
                return entry.getValue();
            }
        }
        return new NaiveGroup();
    }

    private static @Nullable NaiveStream find(Map<Integer, NaiveStream> streams, Identifier identifier) {
        for (var entry : streams.entrySet()) {
            if (identifier.equals(Identifier.of(entry.getKey()))
                    || identifier.equals(Identifier.of(entry.getValue().name))) {
                return entry.getValue();
            }
        }
        return null;
    }

    private static @Nullable NaiveTopic findTopic(Map<Integer, NaiveTopic> topics, Identifier identifier) {
        for (var entry : topics.entrySet()) {
            if (identifier.equals(Identifier.of(entry.getKey()))
                    || identifier.equals(Identifier.of(entry.getValue().name))) {
                return entry.getValue();
            }
        }
        return null;
    }

    private static int lowestFree(Map<Integer, ?> map) {
        int id = 0;
        while (map.containsKey(id)) {
            id++;
        }
        return id;
    }
}
