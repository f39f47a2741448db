package io.galgo.model;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.GlobalPermission;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.TypedValue;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What the server knows, in plain maps.
final class State {
    static final long UNKNOWN = -1;

    static final class StreamState {
        final int id;
        String name;
        long createdAt = UNKNOWN;
        final TreeMap<Integer, TopicState> topics = new TreeMap<>();

        StreamState(int id, String name) {
            this.id = id;
            this.name = name;
        }

        StreamState copy() {
            StreamState copy = new StreamState(id, name);
            copy.createdAt = createdAt;
            topics.forEach((topicId, topic) -> copy.topics.put(topicId, topic.copy()));
            return copy;
        }

        @Nullable TopicState topic(Identifier identifier) {
            return find(topics.values(), identifier, topic -> topic.id, topic -> topic.name);
        }
    }

    static final class TopicState {
        final int streamId;
        final int id;
        String name;
        long createdAt = UNKNOWN;
        final TreeMap<String, TypedValue> explicit = new TreeMap<>();
        final List<PartitionState> partitions = new ArrayList<>();
        final TreeMap<Integer, GroupState> groups = new TreeMap<>();
        int groupsEver;

        TopicState(int streamId, int id, String name) {
            this.streamId = streamId;
            this.id = id;
            this.name = name;
        }

        TopicState copy() {
            TopicState copy = new TopicState(streamId, id, name);
            copy.createdAt = createdAt;
            copy.explicit.putAll(explicit);
            partitions.forEach(partition -> copy.partitions.add(partition.copy()));
            groups.forEach((groupId, group) -> copy.groups.put(groupId, group.copy()));
            copy.groupsEver = groupsEver;
            return copy;
        }

        @Nullable GroupState group(Identifier identifier) {
            return find(groups.values(), identifier, group -> group.id, group -> group.name);
        }

        /// A partition by its number on the wire, or null.
        @Nullable PartitionState partition(int partitionId) {
            return 0 <= partitionId && partitionId < partitions.size() ? partitions.get(partitionId) : null;
        }

        TypedValue option(String key) {
            TypedValue value = explicit.get(key);
            if (value == null) {
                value = TopicChoice.DEFAULTS.get(key);
            }
            if (value == null) {
                throw new IllegalArgumentException("no option " + key);
            }
            return value;
        }

        Map<String, TypedValue> derived() {
            TreeMap<String, TypedValue> derived = new TreeMap<>(TopicChoice.DEFAULTS);
            derived.keySet().removeAll(explicit.keySet());
            return derived;
        }

        long bytes() {
            return partitions.stream().mapToLong(PartitionState::bytes).sum();
        }

        long messagesCount() {
            return partitions.stream().mapToLong(PartitionState::messagesCount).sum();
        }

        /// The group's stored offset by partition.
        Map<Integer, Long> stored(GroupState group) {
            Map<Integer, Long> stored = new TreeMap<>();
            for (int partition = 0; partition < partitions.size(); partition++) {
                stored.put(partition, partitions.get(partition).storedOffset(true, group.id));
            }
            return stored;
        }

        void addPartitions(long count) {
            for (long i = 0; i < count; i++) {
                PartitionState partition = new PartitionState();
                TypedValue expiry = explicit.get("message_expiry");
                if (expiry != null && expiry.number() > 0) {
                    partition.expiryMicros = expiry.number();
                }
                partitions.add(partition);
            }
        }
    }

    static final class UserState {
        final int id;
        String name;
        String password;
        boolean isActive = true;
        long createdAt = UNKNOWN;

        @Nullable Permissions permissions;

        final TreeMap<String, TokenState> tokens = new TreeMap<>();

        UserState(int id, String name, String password) {
            this.id = id;
            this.name = name;
            this.password = password;
        }

        UserState copy() {
            UserState copy = new UserState(id, name, password);
            copy.isActive = isActive;
            copy.createdAt = createdAt;
            copy.permissions = permissions;
            tokens.forEach((tokenName, token) -> copy.tokens.put(tokenName, new TokenState(token)));
            return copy;
        }
    }

    static final class TokenState {
        /// Null when the reply with it was lost.
        final @Nullable String secret;
        final boolean isEndless;
        /// [#UNKNOWN] until it was listed.
        long expiresAt;

        TokenState(@Nullable String secret, boolean isEndless) {
            this.secret = secret;
            this.isEndless = isEndless;
            this.expiresAt = UNKNOWN;
        }

        TokenState(TokenState other) {
            this(other.secret, other.isEndless);
            expiresAt = other.expiresAt;
        }
    }

    /// A metadata command that was carried out.
    ///
    /// @param reply null when it was lost
    /// @param isOpen whether it may just as well not have been carried out, without a trace
    record Done(
            long number,
            long checksum,
            boolean isToken,
            String outcome,
            @Nullable ByteBuffer reply,
            boolean isOpen) {}

    /// What is kept of a client id.
    static final class SessionState {
        static final int REPLIES = 5;

        final int userId;
        long epoch;
        long watermark;
        final Deque<Done> done = new ArrayDeque<>();

        SessionState(int userId) {
            this.userId = userId;
        }

        SessionState copy() {
            SessionState copy = new SessionState(userId);
            copy.epoch = epoch;
            copy.watermark = watermark;
            copy.done.addAll(done);
            return copy;
        }

        void remember(Done command) {
            done.addLast(command);
            if (done.size() > REPLIES) {
                done.removeFirst();
            }
            watermark = Math.max(watermark, command.number);
        }

        @Nullable Done done(long number) {
            for (Done command : done) {
                if (command.number == number) {
                    return command;
                }
            }
            return null;
        }
    }

    final TreeMap<Integer, StreamState> streams = new TreeMap<>();
    final TreeMap<Integer, UserState> users = new TreeMap<>();
    final Map<ClientId, SessionState> sessions = new LinkedHashMap<>();

    static State fresh() {
        State state = new State();
        UserState root = new UserState(0, Subject.ROOT_NAME, Subject.ROOT_PASSWORD);
        root.permissions = new Permissions(GlobalPermission.ALL, List.of());
        root.createdAt = 1;
        state.users.put(0, root);
        return state;
    }

    State copy() {
        State copy = new State();
        streams.forEach((id, stream) -> copy.streams.put(id, stream.copy()));
        users.forEach((id, user) -> copy.users.put(id, user.copy()));
        sessions.forEach((id, session) -> copy.sessions.put(id, session.copy()));
        return copy;
    }

    // Looking up

    static <T> @Nullable T find(
            Collection<T> all, Identifier identifier, Function<T, Integer> id, Function<T, String> name) {
        for (T each : all) {
            boolean isMeant = switch (identifier) {
                case Identifier.Numeric numeric -> id.apply(each) == numeric.id();
                case Identifier.Named named -> name.apply(each).equals(named.name());
            };
            if (isMeant) {
                return each;
            }
        }
        return null;
    }

    @Nullable StreamState stream(Identifier identifier) {
        return find(streams.values(), identifier, stream -> stream.id, stream -> stream.name);
    }

    @Nullable TopicState topic(Identifier stream, Identifier topic) {
        StreamState found = stream(stream);
        return found == null ? null : found.topic(topic);
    }

    @Nullable UserState user(Identifier identifier) {
        return find(users.values(), identifier, user -> user.id, user -> user.name);
    }

    static <T> int lowestFree(Map<Integer, T> taken) {
        int id = 0;
        while (taken.containsKey(id)) {
            id++;
        }
        return id;
    }

    boolean may(int userId, Deed deed, int streamId, int topicId) {
        UserState user = users.get(userId);
        return user != null && deed.isAllowed(user.permissions, streamId, topicId);
    }

    List<TopicState> topics() {
        return streams.values().stream()
                .flatMap(stream -> stream.topics.values().stream())
                .toList();
    }

    // What ends a session

    /// The client's session is over for good: it is in no group any more.
    void endSession(ClientId client) {
        sessions.remove(client);
        for (TopicState topic : topics()) {
            for (GroupState group : topic.groups.values()) {
                group.leave(client);
            }
        }
    }

    /// The client may be in its groups for some time yet.
    void onLimbo(ClientId client) {
        for (TopicState topic : topics()) {
            for (GroupState group : topic.groups.values()) {
                Integer slot = group.slot(client);
                if (slot != null) {
                    group.member(slot).isLimbo = true;
                }
            }
        }
    }

    void onUserDeleted(int userId) {
        users.remove(userId);
        for (ClientId client : List.copyOf(sessions.keySet())) {
            SessionState session = sessions.get(client);
            if (session != null && session.userId == userId) {
                sessions.remove(client);
                onLimbo(client);
            }
        }
    }

    /// Groups in which a client is, as `stream/topic/group`.
    Set<String> memberships(ClientId client) {
        Set<String> memberships = new TreeSet<>();
        for (TopicState topic : topics()) {
            for (GroupState group : topic.groups.values()) {
                if (group.slot(client) != null) {
                    memberships.add(topic.streamId + "/" + topic.id + "/" + group.id);
                }
            }
        }
        return memberships;
    }

    void onRestart(Subject.End end) {
        for (TopicState topic : topics()) {
            for (PartitionState partition : topic.partitions) {
                partition.onRestart(end == Subject.End.POWER_LOSS);
            }
            for (GroupState group : topic.groups.values()) {
                group.onServedForgotten();
                group.members.values().forEach(member -> member.isLimbo = true);
            }
        }
    }
}
