package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Asks for one connection by its number (spec protocol 8.1.6).
///
/// @param clientId number of the connection, not the 128-bit client id
public record GetClient(int clientId) implements Request {
    public static @Nullable GetClient decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new GetClient(in.u32()));
    }

    @Override
    public CommandCode command() {
        return CommandCode.GET_CLIENT;
    }

    @Override
    public int encodedBytes() {
        return 4;
    }

    @Override
    public void put(ByteBuffer target) {
        target.putInt(clientId);
    }
}
