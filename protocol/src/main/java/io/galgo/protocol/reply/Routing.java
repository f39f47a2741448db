package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import io.galgo.protocol.ClientId;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Which node serves a partition, and what to attach there (spec protocol 8.8.4). The first 32 bytes are the body
/// of [io.galgo.protocol.request.AttachConsumerSession].
public record Routing(ClientId client, long session, long metadataWatermark, NodeRecord node) implements Body {
    public static @Nullable Routing decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(read(in));
    }

    static Routing read(BodyReader in) {
        return new Routing(in.clientId(), in.u64(), in.u64(), NodeRecord.read(in));
    }

    @Override
    public int encodedBytes() {
        return 16 + 8 + 8 + node.encodedBytes();
    }

    @Override
    public void put(ByteBuffer target) {
        target.putLong(client.low()).putLong(client.high());
        target.putLong(session);
        target.putLong(metadataWatermark);
        node.put(target);
    }
}
