package io.galgo.torture.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/// What streams, topics, groups, users and tokens there are, as the protocol's rules say: a model of the server's
/// metadata.
///
/// Immutable: a change makes a new one.
///
/// @param users id by name, root among them
/// @param tokens root's
record Catalog(TreeMap<String, StreamModel> streams, TreeMap<String, Long> users, TreeSet<String> tokens) {

    record StreamModel(long id, TreeMap<String, TopicModel> topics) {}

    /// @param groups id by name
    /// @param groupsEver the id of the next group
    record TopicModel(long id, int partitions, TreeMap<String, Long> groups, long groupsEver) {
        TopicModel(long id, int partitions) {
            this(id, partitions, new TreeMap<>(), 0);
        }

        TopicModel with(int count) {
            return new TopicModel(id, count, groups, groupsEver);
        }

        TopicModel withGroup(String group) {
            TreeMap<String, Long> more = new TreeMap<>(groups);
            more.put(group, groupsEver);
            return new TopicModel(id, partitions, more, groupsEver + 1);
        }

        TopicModel withoutGroup(String group) {
            TreeMap<String, Long> less = new TreeMap<>(groups);
            less.remove(group);
            return new TopicModel(id, partitions, less, groupsEver);
        }
    }

    /// A command that changes the catalog.
    sealed interface Change {}

    record CreateStream(String stream) implements Change {}

    record RenameStream(String stream, String name) implements Change {}

    record DeleteStream(String stream) implements Change {}

    record CreateTopic(String stream, String topic, int partitions) implements Change {}

    record RenameTopic(String stream, String topic, String name) implements Change {}

    record DeleteTopic(String stream, String topic) implements Change {}

    /// More partitions, or fewer when `count` is negative.
    record Repartition(String stream, String topic, int count) implements Change {}

    record CreateGroup(String stream, String topic, String group) implements Change {}

    record DeleteGroup(String stream, String topic, String group) implements Change {}

    record CreateUser(String user) implements Change {}

    record RenameUser(String user, String name) implements Change {}

    record DeleteUser(String user) implements Change {}

    record CreateToken(String token) implements Change {}

    record DeleteToken(String token) implements Change {}

    static Catalog empty() {
        return new Catalog(new TreeMap<>(), new TreeMap<>(), new TreeSet<>());
    }

    Catalog with(Change change) {
        Catalog next = copy();
        switch (change) {
            case CreateStream(String stream) ->
                next.streams.put(stream, new StreamModel(next.lowestFreeStream(), new TreeMap<>()));
            case RenameStream(String stream, String name) -> next.streams.put(name, next.take(stream));
            case DeleteStream(String stream) -> next.take(stream);
            case CreateTopic(String stream, String topic, int partitions) ->
                next.topics(stream).put(topic, new TopicModel(next.lowestFreeTopic(stream), partitions));
            case RenameTopic(String stream, String topic, String name) ->
                next.topics(stream).put(name, next.take(stream, topic));
            case DeleteTopic(String stream, String topic) -> next.take(stream, topic);
            case Repartition(String stream, String topic, int count) -> {
                TopicModel model = next.take(stream, topic);
                next.topics(stream).put(topic, model.with(model.partitions + count));
            }
            case CreateGroup(String stream, String topic, String group) ->
                next.topics(stream).put(topic, next.take(stream, topic).withGroup(group));
            case DeleteGroup(String stream, String topic, String group) ->
                next.topics(stream).put(topic, next.take(stream, topic).withoutGroup(group));
            case CreateUser(String user) -> next.users.put(user, lowestFree(List.copyOf(next.users.values())));
            case RenameUser(String user, String name) -> next.users.put(name, known(user, next.users.remove(user)));
            case DeleteUser(String user) -> next.users.remove(user);
            case CreateToken(String token) -> next.tokens.add(token);
            case DeleteToken(String token) -> next.tokens.remove(token);
        }
        return next;
    }

    private Catalog copy() {
        TreeMap<String, StreamModel> copied = new TreeMap<>();
        streams.forEach((name, stream) -> copied.put(name, new StreamModel(stream.id, new TreeMap<>(stream.topics))));
        return new Catalog(copied, new TreeMap<>(users), new TreeSet<>(tokens));
    }

    TreeMap<String, TopicModel> topics(String stream) {
        return known(stream, streams.get(stream)).topics;
    }

    private StreamModel take(String stream) {
        return known(stream, streams.remove(stream));
    }

    private TopicModel take(String stream, String topic) {
        return known(topic, topics(stream).remove(topic));
    }

    private static <T> T known(String name, @org.jspecify.annotations.Nullable T found) {
        if (found == null) {
            throw new IllegalArgumentException("the catalog knows no " + name);
        }
        return found;
    }

    private long lowestFreeStream() {
        return lowestFree(streams.values().stream().map(StreamModel::id).toList());
    }

    private long lowestFreeTopic(String stream) {
        return lowestFree(topics(stream).values().stream().map(TopicModel::id).toList());
    }

    private static long lowestFree(List<Long> taken) {
        long id = 0;
        while (taken.contains(id)) {
            id++;
        }
        return id;
    }

    /// One line for each stream and topic, and one each for users and tokens.
    String describe() {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<String, StreamModel> stream : streams.entrySet()) {
            lines.add(stream.getKey() + " #" + stream.getValue().id);
            stream.getValue()
                    .topics
                    .forEach((name, topic) -> lines.add("  " + name + " #" + topic.id + ", " + topic.partitions
                            + " partitions, groups " + topic.groups));
        }
        lines.add("users " + users);
        lines.add("tokens " + tokens);
        return String.join("\n", lines);
    }
}
