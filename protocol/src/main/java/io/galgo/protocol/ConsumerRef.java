package io.galgo.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// Who polls or stores an offset: a plain consumer or a consumer group (spec protocol 5.3).
///
/// Other kinds decode as they are, because they are refused only after the target was looked up (8.8.2).
///
/// @param kind the byte as sent, 0..255
public record ConsumerRef(int kind, Identifier id) {
    public static final int KIND_CONSUMER = 1;
    public static final int KIND_GROUP = 2;

    public ConsumerRef {
        if (kind < 0 || kind > 255) {
            throw new IllegalArgumentException("consumer kind " + kind + " is no byte");
        }
    }

    public static ConsumerRef consumer(Identifier id) {
        return new ConsumerRef(KIND_CONSUMER, id);
    }

    public static ConsumerRef group(Identifier id) {
        return new ConsumerRef(KIND_GROUP, id);
    }

    public boolean isConsumer() {
        return kind == KIND_CONSUMER;
    }

    public boolean isGroup() {
        return kind == KIND_GROUP;
    }

    public boolean isKnownKind() {
        return isConsumer() || isGroup();
    }

    /// The number under which a plain consumer's offset is stored: its id, or XXH32 of its name. Unsigned. A
    /// group's is the group's own id instead.
    public int offsetKey() {
        return id instanceof Identifier.Named named
                ? Checksum.xxh32(named.name().getBytes(StandardCharsets.UTF_8))
                : ((Identifier.Numeric) id).id();
    }

    public static ConsumerRef read(BodyReader in) {
        return new ConsumerRef(in.u8(), Identifier.read(in));
    }

    public int encodedBytes() {
        return 1 + id.encodedBytes();
    }

    /// Appends the bytes; the target is little-endian.
    public void put(ByteBuffer target) {
        target.put((byte) kind);
        id.put(target);
    }
}
