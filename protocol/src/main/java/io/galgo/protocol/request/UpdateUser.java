package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Changes the name or the status of a user (spec protocol 8.2.4).
///
/// @param username null to keep the name
/// @param status the byte as sent, 0 to keep the status; only 1 and 2 change it
/// @param options must be empty, which is not checked here
public record UpdateUser(Identifier user, @Nullable String username, int status, Options options) implements Request {
    public UpdateUser {
        if (username != null) {
            Utf8.requireName(username);
        }
        Bounds.requireByte(status);
    }

    public static @Nullable UpdateUser decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        Identifier user = Identifier.read(in);
        String username = in.u8() == 1 ? in.name() : null;
        int status = in.u8() == 1 ? in.u8() : 0;
        return in.orNull(new UpdateUser(user, username, status, Options.readToEnd(in)));
    }

    @Override
    public CommandCode command() {
        return CommandCode.UPDATE_USER;
    }

    @Override
    public int encodedBytes() {
        return user.encodedBytes()
                + (username == null ? 1 : 1 + Utf8.shortBytes(username))
                + (status == 0 ? 1 : 2)
                + options.encodedBytes();
    }

    @Override
    public void put(ByteBuffer target) {
        user.put(target);
        if (username == null) {
            target.put((byte) 0);
        } else {
            target.put((byte) 1);
            Utf8.putShort(target, username);
        }
        if (status == 0) {
            target.put((byte) 0);
        } else {
            target.put((byte) 1).put((byte) status);
        }
        options.put(target);
    }
}
