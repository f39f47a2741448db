package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import io.galgo.protocol.Options;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;

/// One user (spec protocol 5.13).
///
/// @param id 0 is root
/// @param options always empty in this release
public record UserRecord(int id, long createdAtMicros, UserStatus status, String username, Options options)
        implements Body {
    public UserRecord {
        Utf8.requireName(username);
    }

    static UserRecord read(BodyReader in) {
        return new UserRecord(in.u32(), in.u64(), UserStatus.read(in), in.name(), Options.readPrefixed(in));
    }

    @Override
    public int encodedBytes() {
        return 4 + 8 + 1 + Utf8.shortBytes(username) + options.prefixedBytes();
    }

    @Override
    public void put(ByteBuffer target) {
        target.putInt(id);
        target.putLong(createdAtMicros);
        target.put((byte) status.value());
        Utf8.putShort(target, username);
        options.putPrefixed(target);
    }
}
