package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// All connections (spec protocol 8.1.6).
public record ClientRecords(List<ClientRecord> clients) implements Body {
    public ClientRecords {
        clients = List.copyOf(clients);
    }

    public static @Nullable ClientRecords decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(read(in));
    }

    static ClientRecords read(BodyReader in) {
        return new ClientRecords(Records.readToEnd(in, ClientRecord::read));
    }

    @Override
    public int encodedBytes() {
        return Records.encodedBytes(clients);
    }

    @Override
    public void put(ByteBuffer target) {
        Records.put(target, clients);
    }
}
