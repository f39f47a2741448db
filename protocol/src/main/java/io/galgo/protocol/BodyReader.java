package io.galgo.protocol;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// Reads the fields of a body one behind the other, and remembers whether all of them were there.
///
/// Nothing throws, whatever the bytes are. After the first field that is short, out of range or no UTF-8 the reader
/// has failed: every later field reads as a harmless placeholder, and [#orNull] gives null. So a decoder reads all
/// fields straight and asks once at the end.
///
/// Works between the position and limit that the buffer had at the start and changes neither. Reusable with
/// [#over]; one thread at a time.
public final class BodyReader {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).order(ByteOrder.LITTLE_ENDIAN);
    private static final String PLACEHOLDER = "?";
    private static final byte[] NO_BYTES = {};

    private final @Nullable NameCache names;
    private ByteBuffer bytes = NOTHING;
    private int position;
    private int limit;
    private boolean failed;

    public BodyReader(ByteBuffer body) {
        this.names = null;
        over(body);
    }

    /// A reader over nothing, to be used with [#over].
    ///
    /// @param names where named identifiers are looked up before they are made
    public BodyReader(NameCache names) {
        this.names = names;
    }

    /// Begins anew with another body.
    public BodyReader over(ByteBuffer body) {
        bytes = body.order() == ByteOrder.LITTLE_ENDIAN
                ? body
                : body.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        position = body.position();
        limit = body.limit();
        failed = false;
        return this;
    }

    /// The value when every field so far was good, else null.
    public <T> @Nullable T orNull(T value) {
        return failed ? null : value;
    }

    public boolean isFailed() {
        return failed;
    }

    /// Declares the body undecodable.
    public void fail() {
        failed = true;
    }

    /// Fails unless the condition holds.
    public void require(boolean condition) {
        failed |= !condition;
    }

    /// The body's buffer, little-endian, for what is used in place.
    public ByteBuffer buffer() {
        return bytes;
    }

    /// Index in the buffer of the next byte.
    public int position() {
        return position;
    }

    /// Bytes not read yet; 0 after a failure.
    public int remaining() {
        return failed ? 0 : limit - position;
    }

    public int u8() {
        return take(1) ? bytes.get(position - 1) & 0xFF : 0;
    }

    public int u16() {
        return take(2) ? bytes.getShort(position - 2) & 0xFFFF : 0;
    }

    /// 32 bits, to be taken as unsigned.
    public int u32() {
        return take(4) ? bytes.getInt(position - 4) : 0;
    }

    /// 64 bits, to be taken as unsigned.
    public long u64() {
        return take(8) ? bytes.getLong(position - 8) : 0;
    }

    public float f32() {
        return Float.intBitsToFloat(u32());
    }

    public ClientId clientId() {
        long low = u64();
        return new ClientId(u64(), low);
    }

    /// An unsigned 32-bit count of entries that take at least `entryBytesMin` bytes each. Fails when so many cannot
    /// follow, so that the result is a safe size for a collection.
    public int count(int entryBytesMin) {
        long count = Integer.toUnsignedLong(u32());
        if (count * entryBytesMin > remaining()) {
            failed = true;
            return 0;
        }
        return (int) count;
    }

    /// A string of 1..255 bytes behind a length of 8 bits (5.1).
    public String name() {
        int length = u8();
        require(length > 0);
        return text(length);
    }

    /// A string of 0..255 bytes behind a length of 8 bits.
    public String shortText() {
        return text(u8());
    }

    /// A string behind a length of 32 bits.
    public String longText() {
        return text(length());
    }

    /// An unsigned 32-bit length. Fails when so many bytes do not follow.
    public int length() {
        return count(1);
    }

    /// The next bytes, copied.
    public byte[] bytes(int length) {
        if (!take(length)) {
            return NO_BYTES;
        }
        byte[] copy = new byte[length];
        bytes.get(position - length, copy);
        return copy;
    }

    public void skip(int length) {
        take(length);
    }

    /// A named identifier's text, from the cache where there is one.
    Identifier named(int length) {
        if (length == 0 || !take(length)) {
            failed = true;
            return Identifier.of(0);
        }
        Identifier named = names == null
                ? NameCache.made(bytes, position - length, length)
                : names.named(bytes, position - length, length);
        if (named == null) {
            failed = true;
            return Identifier.of(0);
        }
        return named;
    }

    private String text(int length) {
        if (!take(length)) {
            return PLACEHOLDER;
        }
        String text = Utf8.decode(bytes, position - length, length);
        if (text == null || failed) {
            failed = true;
            return PLACEHOLDER;
        }
        return text;
    }

    private boolean take(int length) {
        if (failed || length < 0 || length > limit - position) {
            failed = true;
            return false;
        }
        position += length;
        return true;
    }
}
