package io.galgo.simulator.client;

import io.galgo.protocol.FrameHeader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// Puts frames together from bytes that arrive in any pieces.
final class FrameAssembler {
    private static final long FRAME_BYTES_MAX = FrameHeader.FRAME_BYTES_MAX_DEFAULT;

    private ByteBuffer bytes = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);

    void add(ByteBuffer more) {
        if (bytes.remaining() < more.remaining()) {
            int needed = bytes.position() + more.remaining();
            ByteBuffer larger =
                    ByteBuffer.allocate(Math.max(needed, 2 * bytes.capacity())).order(ByteOrder.LITTLE_ENDIAN);
            bytes = larger.put(bytes.flip());
        }
        bytes.put(more.duplicate());
    }

    /// The next whole frame, or null while there is none.
    ///
    /// @throws IllegalArgumentException when the bytes are no frame of any client's
    @Nullable ByteBuffer next() {
        if (bytes.position() < FrameHeader.BYTES) {
            return null;
        }
        long size = FrameHeader.size(bytes, 0);
        if (size < FrameHeader.BYTES || size > FRAME_BYTES_MAX) {
            throw new IllegalArgumentException("a frame of " + size + " bytes");
        }
        if (bytes.position() < size) {
            return null;
        }
        ByteBuffer frame = ByteBuffer.allocate((int) size).order(ByteOrder.LITTLE_ENDIAN);
        bytes.flip();
        frame.put(0, bytes, 0, (int) size);
        bytes.position((int) size);
        bytes.compact();
        return frame;
    }

    void clear() {
        bytes.clear();
    }
}
