package io.galgo.torture.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Reads a reply body front to back, little-endian. Reading past the end fails the test.
public final class Fields {
    private final ByteBuffer bytes;

    public Fields(byte[] bytes) {
        this.bytes = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    public int u8() {
        need(1);
        return bytes.get() & 0xFF;
    }

    public int u16() {
        need(2);
        return bytes.getShort() & 0xFFFF;
    }

    public long u32() {
        need(4);
        return bytes.getInt() & 0xFFFF_FFFFL;
    }

    public long u64() {
        need(8);
        return bytes.getLong();
    }

    public float f32() {
        need(4);
        return bytes.getFloat();
    }

    public byte[] raw(long length) {
        need(length);
        byte[] value = new byte[(int) length];
        bytes.get(value);
        return value;
    }

    public String name() {
        return new String(raw(u8()), StandardCharsets.UTF_8);
    }

    public String longString() {
        return new String(raw(u32()), StandardCharsets.UTF_8);
    }

    public boolean hasMore() {
        return bytes.hasRemaining();
    }

    public int position() {
        return bytes.position();
    }

    public int remaining() {
        return bytes.remaining();
    }

    /// The bytes from `position` up to where reading stands.
    public byte[] since(int position) {
        return Arrays.copyOfRange(bytes.array(), position, bytes.position());
    }

    public void mustEnd() {
        if (bytes.hasRemaining()) {
            throw new AssertionError(bytes.remaining() + " bytes behind the last field of the reply");
        }
    }

    private void need(long length) {
        if (length > bytes.remaining()) {
            throw new AssertionError("the reply ends after " + bytes.limit() + " bytes, in the middle of a field of "
                    + length + " at " + bytes.position());
        }
    }
}
