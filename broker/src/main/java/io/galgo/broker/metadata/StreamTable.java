package io.galgo.broker.metadata;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.Identifier;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The streams with their topics, by id and by name.
///
/// Keeps names unique, ids lowest first and the totals right; who may change what is decided elsewhere. Adds to the
/// list of changes what a shard must act on.
final class StreamTable {
    static final int STREAMS_MAX = 1_048_576;
    static final int TOPICS_MAX = 4_096;
    static final int PARTITIONS_MAX = 1_000_000;

    private final Slots<Stream> streams = new Slots<>();
    private final Map<String, Stream> streamsByName = new HashMap<>();
    private int topicsCount;
    private int partitionsCount;
    private int groupsCount;

    @Nullable Stream stream(int streamId) {
        return streams.get(streamId);
    }

    @Nullable Stream stream(Identifier identifier) {
        return switch (identifier) {
            case Identifier.Numeric numeric -> streams.get(numeric.id());
            case Identifier.Named named -> streamsByName.get(named.name());
        };
    }

    boolean hasStreamNamed(String name) {
        return streamsByName.containsKey(name);
    }

    int streamsCount() {
        return streams.count();
    }

    int streamIdsEnd() {
        return streams.end();
    }

    int topicsCount() {
        return topicsCount;
    }

    int partitionsCount() {
        return partitionsCount;
    }

    int groupsCount() {
        return groupsCount;
    }

    Stream createStream(String name, long createdAtMicros) {
        Stream stream = new Stream(streams.lowestFree(), createdAtMicros, name);
        add(stream);
        return stream;
    }

    void rename(Stream stream, String name) {
        streamsByName.remove(stream.name());
        stream.rename(name);
        streamsByName.put(name, stream);
    }

    void delete(Stream stream, List<Change> changes) {
        for (int topicId = 0; topicId < stream.topicIdsEnd(); topicId++) {
            Topic topic = stream.topic(topicId);
            if (topic != null) {
                deletePartitions(topic, topic.partitionsCount(), changes);
                groupsCount -= topic.groups().size();
                changes.add(new Change.TopicRemoved(stream.id(), topicId));
            }
        }
        topicsCount -= stream.topicsCount();
        streams.remove(stream.id());
        streamsByName.remove(stream.name());
        changes.add(new Change.StreamRemoved(stream.id()));
    }

    void purge(Stream stream, long op, List<Change> changes) {
        for (int topicId = 0; topicId < stream.topicIdsEnd(); topicId++) {
            Topic topic = stream.topic(topicId);
            if (topic != null) {
                purge(topic, op, changes);
            }
        }
    }

    Topic createTopic(Stream stream, String name, TopicOptions options, long createdAtMicros) {
        Topic topic = new Topic(stream.id(), stream.lowestFreeTopicId(), createdAtMicros, name, options);
        stream.add(topic);
        topicsCount++;
        return topic;
    }

    void delete(Stream stream, Topic topic, List<Change> changes) {
        deletePartitions(topic, topic.partitionsCount(), changes);
        stream.remove(topic);
        topicsCount--;
        groupsCount -= topic.groups().size();
        changes.add(new Change.TopicRemoved(stream.id(), topic.id()));
    }

    void purge(Topic topic, long op, List<Change> changes) {
        topic.purge(op);
        if (topic.partitionsCount() > 0) {
            changes.add(new Change.TopicPurged(topic.streamId(), topic.id(), topic.partitionsCount(), op));
        }
    }

    void createPartitions(Topic topic, int count, long op, long createdAtMicros, List<Change> changes) {
        if (count == 0) {
            return;
        }
        int first = topic.partitionsCount();
        topic.addPartitions(count, op, createdAtMicros);
        partitionsCount += count;
        changes.add(new Change.PartitionsCreated(topic.streamId(), topic.id(), first, count, op, topic.settings()));
    }

    /// Removes the partitions with the highest ids.
    void deletePartitions(Topic topic, int count, List<Change> changes) {
        if (count == 0) {
            return;
        }
        topic.removePartitions(count);
        partitionsCount -= count;
        changes.add(new Change.PartitionsRemoved(topic.streamId(), topic.id(), topic.partitionsCount(), count));
    }

    ConsumerGroup createGroup(Topic topic, String name) {
        groupsCount++;
        return topic.createGroup(name);
    }

    void delete(Topic topic, ConsumerGroup group) {
        topic.remove(group);
        groupsCount--;
    }

    /// | size | field |
    /// |---|---|
    /// | 4 | streams, then for each, in the order of ids: |
    /// | 4, 8 | id, creation time |
    /// | | name behind 8 bits of length |
    /// | 4 | topics, then each, in the order of ids, see [Topic#write] |
    void write(ByteWriter out) {
        out.u32(streams.count());
        for (int streamId = 0; streamId < streams.end(); streamId++) {
            Stream stream = streams.get(streamId);
            if (stream != null) {
                write(stream, out);
            }
        }
    }

    private static void write(Stream stream, ByteWriter out) {
        out.u32(stream.id()).u64(stream.createdAtMicros()).name(stream.name());
        out.u32(stream.topicsCount());
        for (int topicId = 0; topicId < stream.topicIdsEnd(); topicId++) {
            Topic topic = stream.topic(topicId);
            if (topic != null) {
                topic.write(out);
            }
        }
    }

    /// Reads what [#write] wrote into an empty table. Fails the reader on anything else.
    void read(BodyReader in) {
        int streamsCount = in.count(4 + 8 + 2 + 4);
        int lastStreamId = -1;
        for (int i = 0; i < streamsCount && !in.isFailed(); i++) {
            Stream stream = new Stream(in.u32(), in.u64(), in.name());
            in.require(stream.id() > lastStreamId && stream.id() < STREAMS_MAX && !hasStreamNamed(stream.name()));
            lastStreamId = stream.id();
            readTopics(stream, in);
            if (!in.isFailed()) {
                add(stream);
            }
        }
    }

    private void readTopics(Stream stream, BodyReader in) {
        int count = in.count(4 + 8 + 2);
        int lastTopicId = -1;
        for (int i = 0; i < count && !in.isFailed(); i++) {
            Topic topic = Topic.read(stream.id(), in);
            in.require(topic.id() > lastTopicId && topic.id() < TOPICS_MAX && !stream.hasTopicNamed(topic.name()));
            lastTopicId = topic.id();
            if (!in.isFailed()) {
                stream.add(topic);
                topicsCount++;
                partitionsCount += topic.partitionsCount();
                groupsCount += topic.groups().size();
            }
        }
    }

    private void add(Stream stream) {
        streams.put(stream.id(), stream);
        streamsByName.put(stream.name(), stream);
    }
}
