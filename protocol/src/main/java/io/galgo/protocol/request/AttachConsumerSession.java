package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.CommandCode;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Takes on the consumer group identity of another connection of the same user (spec protocol 8.1.7).
///
/// @param client of the coordinator connection
/// @param session of the coordinator connection
/// @param metadataWatermark the highest metadata position which that connection was told
public record AttachConsumerSession(ClientId client, long session, long metadataWatermark) implements Request {
    public static @Nullable AttachConsumerSession decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new AttachConsumerSession(in.clientId(), in.u64(), in.u64()));
    }

    @Override
    public CommandCode command() {
        return CommandCode.ATTACH_CONSUMER_SESSION;
    }

    @Override
    public int encodedBytes() {
        return 16 + 8 + 8;
    }

    @Override
    public void put(ByteBuffer target) {
        target.putLong(client.low()).putLong(client.high());
        target.putLong(session);
        target.putLong(metadataWatermark);
    }
}
