package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import io.galgo.protocol.Options;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;

/// One topic; the spec calls this TopicHeader (spec protocol 5.12).
///
/// @param messageExpiryMicros 2^64-1 never, 0 server default
/// @param topicBytesMax 2^64-1 unlimited, 0 server default
/// @param explicitOptions those that the client set, sorted
/// @param derivedOptions those that the server filled in, sorted
public record TopicRecord(
        int id,
        long createdAtMicros,
        int partitionsCount,
        long messageExpiryMicros,
        CompressionAlgorithm compressionAlgorithm,
        long topicBytesMax,
        long sizeBytes,
        long messagesCount,
        String name,
        Options explicitOptions,
        Options derivedOptions)
        implements Body {
    /// A name of one byte and no options.
    static final int BYTES_MIN = 59;

    public TopicRecord {
        Utf8.requireName(name);
    }

    static TopicRecord read(BodyReader in) {
        return new TopicRecord(
                in.u32(),
                in.u64(),
                in.u32(),
                in.u64(),
                CompressionAlgorithm.read(in),
                in.u64(),
                in.u64(),
                in.u64(),
                in.name(),
                Options.readPrefixed(in),
                Options.readPrefixed(in));
    }

    @Override
    public int encodedBytes() {
        return 4
                + 8
                + 4
                + 8
                + 1
                + 8
                + 8
                + 8
                + Utf8.shortBytes(name)
                + explicitOptions.prefixedBytes()
                + derivedOptions.prefixedBytes();
    }

    @Override
    public void put(ByteBuffer target) {
        target.putInt(id);
        target.putLong(createdAtMicros);
        target.putInt(partitionsCount);
        target.putLong(messageExpiryMicros);
        target.put((byte) compressionAlgorithm.value());
        target.putLong(topicBytesMax);
        target.putLong(sizeBytes);
        target.putLong(messagesCount);
        Utf8.putShort(target, name);
        explicitOptions.putPrefixed(target);
        derivedOptions.putPrefixed(target);
    }
}
