package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;

/// Where a batch was appended (spec protocol 8.8.1).
///
/// @param baseOffset offset of its first message
public record SendConfirmation(int streamId, int topicId, int partitionId, long baseOffset) implements Body {
    static final int BYTES = 20;

    static SendConfirmation read(BodyReader in) {
        return new SendConfirmation(in.u32(), in.u32(), in.u32(), in.u64());
    }

    @Override
    public int encodedBytes() {
        return BYTES;
    }

    @Override
    public void put(ByteBuffer target) {
        target.putInt(streamId).putInt(topicId).putInt(partitionId).putLong(baseOffset);
    }
}
