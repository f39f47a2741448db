package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;

/// How often a partition was read from memory (spec protocol 8.1.2).
public record CacheMetrics(int streamId, int topicId, int partitionId, long hits, long misses, float hitRatio)
        implements Body {
    static final int BYTES = 32;

    static CacheMetrics read(BodyReader in) {
        return new CacheMetrics(in.u32(), in.u32(), in.u32(), in.u64(), in.u64(), in.f32());
    }

    @Override
    public int encodedBytes() {
        return 4 + 4 + 4 + 8 + 8 + 4;
    }

    @Override
    public void put(ByteBuffer target) {
        target.putInt(streamId);
        target.putInt(topicId);
        target.putInt(partitionId);
        target.putLong(hits);
        target.putLong(misses);
        target.putFloat(hitRatio);
    }
}
