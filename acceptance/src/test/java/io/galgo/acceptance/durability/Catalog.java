package io.galgo.acceptance.durability;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What streams and topics there are, as the protocol's rules say: a model of the server's metadata.
///
/// Immutable: a change makes a new one.
record Catalog(TreeMap<String, StreamModel> streams) {

    record StreamModel(long id, TreeMap<String, TopicModel> topics) {}

    record TopicModel(long id, int partitions) {}

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

    static Catalog empty() {
        return new Catalog(new TreeMap<>());
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
                next.topics(stream).put(topic, new TopicModel(model.id, model.partitions + count));
            }
        }
        return next;
    }

    private Catalog copy() {
        TreeMap<String, StreamModel> copied = new TreeMap<>();
        streams.forEach((name, stream) -> copied.put(name, new StreamModel(stream.id, new TreeMap<>(stream.topics))));
        return new Catalog(copied);
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

    /// One line for each stream and topic.
    String describe() {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<String, StreamModel> stream : streams.entrySet()) {
            lines.add(stream.getKey() + " #" + stream.getValue().id);
            stream.getValue()
                    .topics
                    .forEach((name, topic) ->
                            lines.add("  " + name + " #" + topic.id + ", " + topic.partitions + " partitions"));
        }
        return String.join("\n", lines);
    }
}
