package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One topic with its partitions (spec protocol 8.5.1, 8.5.2).
///
/// @param partitions as many as the topic says
public record TopicDetails(TopicRecord topic, List<PartitionRecord> partitions) implements Body {
    public TopicDetails {
        partitions = List.copyOf(partitions);
        if (partitions.size() != topic.partitionsCount()) {
            throw new IllegalArgumentException(
                    partitions.size() + " partitions for a topic of " + topic.partitionsCount());
        }
    }

    public static @Nullable TopicDetails decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        TopicRecord topic = TopicRecord.read(in);
        long count = Integer.toUnsignedLong(topic.partitionsCount());
        in.require(count * PartitionRecord.BYTES <= in.remaining());
        if (in.isFailed()) {
            return null;
        }
        return new TopicDetails(topic, Records.read(in, (int) count, PartitionRecord::read));
    }

    @Override
    public int encodedBytes() {
        return topic.encodedBytes() + Records.encodedBytes(partitions);
    }

    @Override
    public void put(ByteBuffer target) {
        topic.put(target);
        Records.put(target, partitions);
    }
}
