package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One consumer group with its members (spec protocol 8.7.1).
public record GroupDetails(GroupRecord group, List<GroupMember> members) implements Body {
    public GroupDetails {
        members = List.copyOf(members);
    }

    public static @Nullable GroupDetails decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(read(in));
    }

    static GroupDetails read(BodyReader in) {
        return new GroupDetails(GroupRecord.read(in), Records.readToEnd(in, GroupMember::read));
    }

    @Override
    public int encodedBytes() {
        return group.encodedBytes() + Records.encodedBytes(members);
    }

    @Override
    public void put(ByteBuffer target) {
        group.put(target);
        Records.put(target, members);
    }
}
