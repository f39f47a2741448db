package io.galgo.protocol;

import java.nio.ByteBuffer;

/// A number or a name, as a user gives it for a stream, topic, group, user or consumer (spec protocol 5.2).
///
/// On the wire: kind (1 numeric, 2 named), length in 8 bits (4, or 1..255), then 32 bits or UTF-8.
public sealed interface Identifier {
    int KIND_NUMERIC = 1;
    int KIND_NAMED = 2;

    /// @param id unsigned
    record Numeric(int id) implements Identifier {
        @Override
        public int encodedBytes() {
            return 6;
        }

        @Override
        public void put(ByteBuffer target) {
            target.put((byte) KIND_NUMERIC).put((byte) 4).putInt(id);
        }

        @Override
        public String toString() {
            return Integer.toUnsignedString(id);
        }
    }

    /// @param name 1..255 bytes of UTF-8; one that looks like a number is still a name
    record Named(String name) implements Identifier {
        public Named {
            Utf8.requireName(name);
        }

        @Override
        public int encodedBytes() {
            return 1 + Utf8.shortBytes(name);
        }

        @Override
        public void put(ByteBuffer target) {
            target.put((byte) KIND_NAMED);
            Utf8.putShort(target, name);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Identifier of(int id) {
        return Numerics.of(id);
    }

    static Identifier of(String name) {
        return new Named(name);
    }

    /// Reads an identifier; fails the reader on another kind, a wrong length or bad UTF-8.
    static Identifier read(BodyReader in) {
        int kind = in.u8();
        int length = in.u8();
        if (kind == KIND_NUMERIC) {
            in.require(length == 4);
            return of(in.u32());
        }
        in.require(kind == KIND_NAMED);
        return in.named(length);
    }

    int encodedBytes();

    /// Appends the bytes; the target is little-endian.
    void put(ByteBuffer target);
}
