package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One connection with its memberships (spec protocol 8.1.6).
public record ClientDetails(ClientRecord client, List<ClientMembership> memberships) implements Body {
    public ClientDetails {
        memberships = List.copyOf(memberships);
    }

    public static @Nullable ClientDetails decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(read(in));
    }

    static ClientDetails read(BodyReader in) {
        return new ClientDetails(ClientRecord.read(in), Records.readToEnd(in, ClientMembership::read));
    }

    @Override
    public int encodedBytes() {
        return client.encodedBytes() + Records.encodedBytes(memberships);
    }

    @Override
    public void put(ByteBuffer target) {
        client.put(target);
        Records.put(target, memberships);
    }
}
