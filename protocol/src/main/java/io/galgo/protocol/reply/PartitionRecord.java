package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;

/// One partition (spec protocol 5.10).
///
/// @param segmentsCount at least 1; 0 in the reply to the creation
/// @param currentOffset offset of the last committed message, 0 when there is none
public record PartitionRecord(
        int id, long createdAtMicros, int segmentsCount, long currentOffset, long sizeBytes, long messagesCount)
        implements Body {
    static final int BYTES = 40;

    static PartitionRecord read(BodyReader in) {
        return new PartitionRecord(in.u32(), in.u64(), in.u32(), in.u64(), in.u64(), in.u64());
    }

    @Override
    public int encodedBytes() {
        return 4 + 8 + 4 + 8 + 8 + 8;
    }

    @Override
    public void put(ByteBuffer target) {
        target.putInt(id);
        target.putLong(createdAtMicros);
        target.putInt(segmentsCount);
        target.putLong(currentOffset);
        target.putLong(sizeBytes);
        target.putLong(messagesCount);
    }
}
