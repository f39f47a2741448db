package io.galgo.torture.wire;

import java.util.ArrayList;
import java.util.List;

/// A stream as `get_stream` and `get_streams` tell it.
///
/// @param topics empty in the list of all streams
public record StreamDescription(
        long id,
        long createdAt,
        long topicsCount,
        long sizeBytes,
        long messagesCount,
        String name,
        List<TopicDescription> topics) {
    static StreamDescription read(Fields fields) {
        long id = fields.u32();
        long createdAt = fields.u64();
        long topicsCount = fields.u32();
        long sizeBytes = fields.u64();
        long messagesCount = fields.u64();
        String name = fields.name();
        fields.raw(fields.u32());
        return new StreamDescription(id, createdAt, topicsCount, sizeBytes, messagesCount, name, List.of());
    }

    static StreamDescription readWithTopics(Fields fields) {
        StreamDescription stream = read(fields);
        List<TopicDescription> topics = new ArrayList<>();
        while (fields.hasMore()) {
            topics.add(TopicDescription.readHeader(fields));
        }
        return new StreamDescription(
                stream.id,
                stream.createdAt,
                stream.topicsCount,
                stream.sizeBytes,
                stream.messagesCount,
                stream.name,
                topics);
    }
}
