package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;
import java.util.List;

/// A member of a consumer group (spec protocol 8.7.1).
///
/// @param partitionIds all that are assigned, those being handed over included
public record GroupMember(int id, List<Integer> partitionIds) implements Body {
    public GroupMember {
        partitionIds = List.copyOf(partitionIds);
    }

    static GroupMember read(BodyReader in) {
        return new GroupMember(in.u32(), Records.readIds(in));
    }

    @Override
    public int encodedBytes() {
        return 4 + 4 + 4 * partitionIds.size();
    }

    @Override
    public void put(ByteBuffer target) {
        target.putInt(id);
        Records.putIds(target, partitionIds);
    }
}
