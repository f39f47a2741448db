package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Where a consumer stands (spec protocol 8.9.1).
///
/// @param currentOffset offset of the last committed message, 0 when there is none
public record StoredOffset(int partitionId, long currentOffset, long storedOffset) implements Body {
    public static @Nullable StoredOffset decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(read(in));
    }

    static StoredOffset read(BodyReader in) {
        return new StoredOffset(in.u32(), in.u64(), in.u64());
    }

    @Override
    public int encodedBytes() {
        return 4 + 8 + 8;
    }

    @Override
    public void put(ByteBuffer target) {
        target.putInt(partitionId);
        target.putLong(currentOffset);
        target.putLong(storedOffset);
    }
}
