package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One stream with its topics (spec protocol 8.4.1).
///
/// @param topics in ascending order of ids
public record StreamDetails(StreamRecord stream, List<TopicRecord> topics) implements Body {
    public StreamDetails {
        topics = List.copyOf(topics);
    }

    public static @Nullable StreamDetails decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(read(in));
    }

    static StreamDetails read(BodyReader in) {
        return new StreamDetails(StreamRecord.read(in), Records.readToEnd(in, TopicRecord::read));
    }

    @Override
    public int encodedBytes() {
        return stream.encodedBytes() + Records.encodedBytes(topics);
    }

    @Override
    public void put(ByteBuffer target) {
        stream.put(target);
        Records.put(target, topics);
    }
}
