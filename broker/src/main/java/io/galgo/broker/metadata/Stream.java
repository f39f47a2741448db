package io.galgo.broker.metadata;

import io.galgo.protocol.Identifier;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One stream of the catalog: its name and its topics. Read-only outside the catalog.
public final class Stream {
    private final int id;
    private final long createdAtMicros;
    private final Slots<Topic> topics = new Slots<>();
    private final Map<String, Topic> topicsByName = new HashMap<>();
    private String name;

    Stream(int id, long createdAtMicros, String name) {
        this.id = id;
        this.createdAtMicros = createdAtMicros;
        this.name = name;
    }

    public int id() {
        return id;
    }

    public long createdAtMicros() {
        return createdAtMicros;
    }

    /// 1..255 bytes of UTF-8.
    public String name() {
        return name;
    }

    public int topicsCount() {
        return topics.count();
    }

    /// One more than the highest topic id in use.
    public int topicIdsEnd() {
        return topics.end();
    }

    /// The topic with an id, or null.
    public @Nullable Topic topic(int topicId) {
        return topics.get(topicId);
    }

    public @Nullable Topic topic(Identifier identifier) {
        return switch (identifier) {
            case Identifier.Numeric numeric -> topics.get(numeric.id());
            case Identifier.Named named -> topicsByName.get(named.name());
        };
    }

    boolean hasTopicNamed(String topicName) {
        return topicsByName.containsKey(topicName);
    }

    int lowestFreeTopicId() {
        return topics.lowestFree();
    }

    void rename(String newName) {
        name = newName;
    }

    void add(Topic topic) {
        topics.put(topic.id(), topic);
        topicsByName.put(topic.name(), topic);
    }

    void rename(Topic topic, String newName) {
        topicsByName.remove(topic.name());
        topic.rename(newName);
        topicsByName.put(newName, topic);
    }

    void remove(Topic topic) {
        topics.remove(topic.id());
        topicsByName.remove(topic.name());
    }

    @Override
    public String toString() {
        return "stream " + id + " " + name;
    }
}
