package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;

/// A consumer group that a client is a member of (spec protocol 8.1.6).
public record ClientMembership(int streamId, int topicId, int groupId) implements Body {
    static ClientMembership read(BodyReader in) {
        return new ClientMembership(in.u32(), in.u32(), in.u32());
    }

    @Override
    public int encodedBytes() {
        return 4 + 4 + 4;
    }

    @Override
    public void put(ByteBuffer target) {
        target.putInt(streamId);
        target.putInt(topicId);
        target.putInt(groupId);
    }
}
