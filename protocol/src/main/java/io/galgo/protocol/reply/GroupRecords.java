package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The consumer groups of a topic (spec protocol 8.7.1).
public record GroupRecords(List<GroupRecord> groups) implements Body {
    public GroupRecords {
        groups = List.copyOf(groups);
    }

    public static @Nullable GroupRecords decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(read(in));
    }

    static GroupRecords read(BodyReader in) {
        return new GroupRecords(Records.readToEnd(in, GroupRecord::read));
    }

    @Override
    public int encodedBytes() {
        return Records.encodedBytes(groups);
    }

    @Override
    public void put(ByteBuffer target) {
        Records.put(target, groups);
    }
}
