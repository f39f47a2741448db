package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The topics of a stream (spec protocol 8.5.1).
///
/// @param topics in ascending order of ids
public record TopicRecords(List<TopicRecord> topics) implements Body {
    public TopicRecords {
        topics = List.copyOf(topics);
    }

    public static @Nullable TopicRecords decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(read(in));
    }

    static TopicRecords read(BodyReader in) {
        return new TopicRecords(Records.readCounted(in, TopicRecord.BYTES_MIN, TopicRecord::read));
    }

    @Override
    public int encodedBytes() {
        return 4 + Records.encodedBytes(topics);
    }

    @Override
    public void put(ByteBuffer target) {
        Records.putCounted(target, topics);
    }
}
