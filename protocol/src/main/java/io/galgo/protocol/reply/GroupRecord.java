package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// One consumer group (spec protocol 5.14).
///
/// @param partitionsCount partitions of the topic
public record GroupRecord(int id, int partitionsCount, int membersCount, String name) implements Body {
    public GroupRecord {
        Utf8.requireName(name);
    }

    public static @Nullable GroupRecord decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(read(in));
    }

    static GroupRecord read(BodyReader in) {
        return new GroupRecord(in.u32(), in.u32(), in.u32(), in.name());
    }

    @Override
    public int encodedBytes() {
        return 4 + 4 + 4 + Utf8.shortBytes(name);
    }

    @Override
    public void put(ByteBuffer target) {
        target.putInt(id);
        target.putInt(partitionsCount);
        target.putInt(membersCount);
        Utf8.putShort(target, name);
    }
}
