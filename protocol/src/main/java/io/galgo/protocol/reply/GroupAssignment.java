package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a member of a consumer group may poll (spec protocol 8.7.5).
public record GroupAssignment(long generation, List<Integer> partitionIds) implements Body {
    public GroupAssignment {
        partitionIds = List.copyOf(partitionIds);
    }

    public static @Nullable GroupAssignment decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(read(in));
    }

    static GroupAssignment read(BodyReader in) {
        return new GroupAssignment(in.u64(), Records.readIds(in));
    }

    @Override
    public int encodedBytes() {
        return 8 + 4 + 4 * partitionIds.size();
    }

    @Override
    public void put(ByteBuffer target) {
        target.putLong(generation);
        Records.putIds(target, partitionIds);
    }
}
