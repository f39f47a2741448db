package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The nodes of a cluster (spec protocol 8.1.4).
///
/// @param nodes at least one, or clients fail
public record ClusterMetadata(String name, List<NodeRecord> nodes) implements Body {
    public ClusterMetadata {
        nodes = List.copyOf(nodes);
    }

    public static @Nullable ClusterMetadata decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(read(in));
    }

    static ClusterMetadata read(BodyReader in) {
        return new ClusterMetadata(in.longText(), Records.readCounted(in, NodeRecord.BYTES_MIN, NodeRecord::read));
    }

    @Override
    public int encodedBytes() {
        return Utf8.longBytes(name) + 4 + Records.encodedBytes(nodes);
    }

    @Override
    public void put(ByteBuffer target) {
        Utf8.putLong(target, name);
        Records.putCounted(target, nodes);
    }
}
