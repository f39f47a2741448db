package io.galgo.protocol;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// What follows the header of a frame: something that knows its own bytes.
public interface Body {
    /// How many bytes [#encode] writes.
    int encodedBytes();

    /// Appends the bytes at the target's position; called through [#encode] only. The order is little-endian.
    void put(ByteBuffer target);

    /// Appends the bytes at the target's position.
    ///
    /// @param target little-endian, with room for [#encodedBytes]
    default void encode(ByteBuffer target) {
        if (target.order() != ByteOrder.LITTLE_ENDIAN) {
            throw new IllegalArgumentException("target buffer is not little-endian");
        }
        int end = target.position() + encodedBytes();
        put(target);
        if (target.position() != end) {
            throw new IllegalStateException(
                    getClass().getSimpleName() + " ends at " + target.position() + " rather than " + end);
        }
    }

    /// The bytes in a new buffer, ready to be read.
    default ByteBuffer toBuffer() {
        ByteBuffer buffer = ByteBuffer.allocate(encodedBytes()).order(ByteOrder.LITTLE_ENDIAN);
        encode(buffer);
        return buffer.flip();
    }
}
