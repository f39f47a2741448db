package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import io.galgo.protocol.Permissions;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// One user with the permissions (spec protocol 8.2.1).
///
/// Behind the user: 1, a length of 32 bits and the block; or, without permissions, four zero bytes, which some
/// clients take as a flag and others as a length.
///
/// @param permissions null for none
public record UserDetails(UserRecord user, @Nullable Permissions permissions) implements Body {
    private static final int NO_PERMISSIONS_BYTES = 4;

    public static @Nullable UserDetails decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new UserDetails(UserRecord.read(in), Permissions.readOptional(in)));
    }

    @Override
    public int encodedBytes() {
        return user.encodedBytes()
                + (permissions == null ? NO_PERMISSIONS_BYTES : Permissions.optionalBytes(permissions));
    }

    @Override
    public void put(ByteBuffer target) {
        user.put(target);
        if (permissions == null) {
            target.putInt(0);
        } else {
            Permissions.putOptional(target, permissions);
        }
    }
}
