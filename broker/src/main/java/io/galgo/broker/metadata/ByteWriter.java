package io.galgo.broker.metadata;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Bytes that grow while they are written, little-endian.
final class ByteWriter {
    private ByteBuffer bytes;

    ByteWriter(int bytesExpected) {
        bytes = ByteBuffer.allocate(Math.max(bytesExpected, 16)).order(ByteOrder.LITTLE_ENDIAN);
    }

    ByteWriter u8(int value) {
        room(1).put((byte) value);
        return this;
    }

    ByteWriter flag(boolean value) {
        return u8(value ? 1 : 0);
    }

    ByteWriter u16(int value) {
        room(2).putShort((short) value);
        return this;
    }

    ByteWriter u32(int value) {
        room(4).putInt(value);
        return this;
    }

    ByteWriter u64(long value) {
        room(8).putLong(value);
        return this;
    }

    ByteWriter bytes(byte[] value) {
        room(value.length).put(value);
        return this;
    }

    /// One byte of length, then the bytes.
    ByteWriter name(byte[] value) {
        return u8(value.length).bytes(value);
    }

    /// Four bytes of length, then the bytes.
    ByteWriter block(byte[] value) {
        return u32(value.length).bytes(value);
    }

    /// One byte of length, then UTF-8.
    ByteWriter name(String value) {
        Utf8.putShort(room(1 + Utf8.SHORT_BYTES_MAX), value);
        return this;
    }

    /// Four bytes of length, then UTF-8.
    ByteWriter text(String value) {
        return block(value.getBytes(StandardCharsets.UTF_8));
    }

    ByteWriter client(ClientId client) {
        return u64(client.low()).u64(client.high());
    }

    ByteWriter identifier(Identifier identifier) {
        identifier.put(room(identifier.encodedBytes()));
        return this;
    }

    ByteWriter hash(TokenHash hash) {
        return u64(hash.first()).u64(hash.second()).u64(hash.third()).u64(hash.fourth());
    }

    /// A flag, then, when there are permissions, their block behind 32 bits of length.
    ByteWriter permissions(@Nullable Permissions permissions) {
        Permissions.putOptional(room(Permissions.optionalBytes(permissions)), permissions);
        return this;
    }

    int length() {
        return bytes.position();
    }

    /// Overwrites four bytes that were written before.
    void patchU32(int position, int value) {
        bytes.putInt(position, value);
    }

    byte[] toArray() {
        byte[] copy = new byte[bytes.position()];
        bytes.get(0, copy);
        return copy;
    }

    /// What was written, position to limit. The writer is done with.
    ByteBuffer toBuffer() {
        return bytes.flip();
    }

    private ByteBuffer room(int count) {
        if (bytes.remaining() < count) {
            int capacity = Math.max(Math.addExact(bytes.position(), count), bytes.capacity() * 2);
            bytes = ByteBuffer.allocate(Math.max(capacity, 16))
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .put(bytes.flip());
        }
        return bytes;
    }
}
