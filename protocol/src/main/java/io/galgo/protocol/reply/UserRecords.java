package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// All users (spec protocol 8.2.1).
///
/// @param users in ascending order of ids
public record UserRecords(List<UserRecord> users) implements Body {
    public UserRecords {
        users = List.copyOf(users);
    }

    public static @Nullable UserRecords decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(read(in));
    }

    static UserRecords read(BodyReader in) {
        return new UserRecords(Records.readToEnd(in, UserRecord::read));
    }

    @Override
    public int encodedBytes() {
        return Records.encodedBytes(users);
    }

    @Override
    public void put(ByteBuffer target) {
        Records.put(target, users);
    }
}
