package io.galgo.protocol;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// A value that says its own kind: an option's value, a message header's key or value (spec protocol 5.9).
///
/// On the wire: kind in 8 bits (not 0), length in 32 bits (1..255), data. Whether the data suit the kind is not
/// looked at here; [#isWellFormed] asks.
public final class TypedValue {
    /// Bytes before the data.
    static final int HEADER_BYTES = 5;
    /// Bytes of the shortest value.
    static final int BYTES_MIN = HEADER_BYTES + 1;

    private final int kind;
    private final byte[] data;

    private TypedValue(int kind, byte[] data) {
        this.kind = kind;
        this.data = data;
    }

    /// @param kind 1..255
    /// @param data 1..255 bytes, copied
    public static TypedValue of(int kind, byte[] data) {
        if (kind < 1 || kind > 255) {
            throw new IllegalArgumentException("value kind " + kind + " is not in 1..255");
        }
        if (data.length < 1 || data.length > 255) {
            throw new IllegalArgumentException("a value has 1..255 bytes, this one has " + data.length);
        }
        return new TypedValue(kind, data.clone());
    }

    public static TypedValue raw(byte[] data) {
        return of(ValueKind.RAW.value(), data);
    }

    /// @param text 1..255 bytes of UTF-8
    public static TypedValue string(String text) {
        return of(ValueKind.STRING.value(), Utf8.requireName(text).getBytes(StandardCharsets.UTF_8));
    }

    public static TypedValue bool(boolean value) {
        return number(ValueKind.BOOL, value ? 1 : 0, 1);
    }

    public static TypedValue uint8(int value) {
        return number(ValueKind.UINT8, value, 1);
    }

    public static TypedValue uint32(int value) {
        return number(ValueKind.UINT32, value, 4);
    }

    public static TypedValue uint64(long value) {
        return number(ValueKind.UINT64, value, 8);
    }

    private static TypedValue number(ValueKind kind, long value, int length) {
        byte[] data = new byte[length];
        for (int i = 0; i < length; i++) {
            data[i] = (byte) (value >>> (8 * i));
        }
        return new TypedValue(kind.value(), data);
    }

    /// The kind byte, 1..255; see [ValueKind#of].
    public int kind() {
        return kind;
    }

    public boolean is(ValueKind kind) {
        return this.kind == kind.value();
    }

    /// Bytes of the data, 1..255.
    public int length() {
        return data.length;
    }

    /// The data, copied.
    public byte[] data() {
        return data.clone();
    }

    /// Whether the data suit the kind: length, UTF-8 of a string, 0 or 1 of a bool. True for kinds not known.
    public boolean isWellFormed() {
        ValueKind known = ValueKind.of(kind);
        if (known == null) {
            return true;
        }
        return known.isLength(data.length)
                && (known != ValueKind.STRING || text() != null)
                && (known != ValueKind.BOOL || data[0] == 0 || data[0] == 1);
    }

    /// The data as UTF-8, whatever the kind, or null when they are not.
    public @Nullable String text() {
        return Utf8.decode(ByteBuffer.wrap(data), 0, data.length);
    }

    /// The first 8 bytes of the data as a little-endian number, missing ones taken as 0, whatever the kind.
    public long number() {
        long number = 0;
        for (int i = 0; i < Math.min(8, data.length); i++) {
            number |= (data[i] & 0xFFL) << (8 * i);
        }
        return number;
    }

    /// Reads a value; fails the reader on kind 0 or a length outside 1..255.
    public static TypedValue read(BodyReader in) {
        int kind = in.u8();
        int length = in.u32();
        in.require(kind != 0 && 1 <= length && length <= 255);
        return new TypedValue(kind, in.bytes(length));
    }

    public int encodedBytes() {
        return HEADER_BYTES + data.length;
    }

    /// Appends the bytes; the target is little-endian.
    public void put(ByteBuffer target) {
        assert target.order() == ByteOrder.LITTLE_ENDIAN;
        target.put((byte) kind).putInt(data.length).put(data);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TypedValue value && kind == value.kind && Arrays.equals(data, value.data);
    }

    @Override
    public int hashCode() {
        return 31 * kind + Arrays.hashCode(data);
    }

    /// Kind and content, for logs and failure texts.
    @Override
    public String toString() {
        ValueKind known = ValueKind.of(kind);
        String text = known == ValueKind.STRING ? text() : null;
        return (known == null ? "kind " + kind : known) + " "
                + (text == null ? HexFormat.of().formatHex(data) : text);
    }
}
