package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// All streams (spec protocol 8.4.1).
///
/// @param streams in ascending order of ids
public record StreamRecords(List<StreamRecord> streams) implements Body {
    public StreamRecords {
        streams = List.copyOf(streams);
    }

    public static @Nullable StreamRecords decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(read(in));
    }

    static StreamRecords read(BodyReader in) {
        return new StreamRecords(Records.readToEnd(in, StreamRecord::read));
    }

    @Override
    public int encodedBytes() {
        return Records.encodedBytes(streams);
    }

    @Override
    public void put(ByteBuffer target) {
        Records.put(target, streams);
    }
}
