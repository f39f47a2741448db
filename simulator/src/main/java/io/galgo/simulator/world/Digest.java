package io.galgo.simulator.world;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/// A number that stands for everything that happened in a run, in order.
final class Digest {
    private final CRC32C checksum = new CRC32C();
    private long state = 0x243f_6a88_85a3_08d3L;

    void add(long value) {
        state = Long.rotateLeft(state ^ value, 29) * 0x9e37_79b9_7f4a_7c15L;
    }

    /// Adds what lies between position and limit, which does not move.
    void add(ByteBuffer bytes) {
        checksum.reset();
        checksum.update(bytes.duplicate());
        add(checksum.getValue());
        add(bytes.remaining());
    }

    void add(byte[] bytes) {
        add(ByteBuffer.wrap(bytes));
    }

    void add(String text) {
        for (int i = 0; i < text.length(); i++) {
            state = Long.rotateLeft(state ^ text.charAt(i), 29) * 0x9e37_79b9_7f4a_7c15L;
        }
    }

    long value() {
        return state;
    }
}
