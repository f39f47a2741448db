package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import io.galgo.protocol.TypedValue;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// An option that may be set (spec protocol 8.1.5).
///
/// @param kind the canonical kind of its values, 1..255; see [io.galgo.protocol.ValueKind]
/// @param defaultValue of that kind, or null where there is no default
/// @param description free text
public record OptionDescription(
        String key, int kind, @Nullable TypedValue defaultValue, String description) implements Body {
    /// A key of one byte, no default, no description.
    static final int BYTES_MIN = 11;

    private static final int VALUE_BYTES_MAX = 255;

    public OptionDescription {
        Utf8.requireName(key);
        Records.requireByte(kind);
        if (defaultValue != null && defaultValue.kind() != kind) {
            throw new IllegalArgumentException("default " + defaultValue + " of an option of kind " + kind);
        }
    }

    static OptionDescription read(BodyReader in) {
        String key = in.name();
        int kind = in.u8();
        int length = in.length();
        in.require(kind != 0 && length <= VALUE_BYTES_MAX);
        byte[] data = in.bytes(length);
        TypedValue defaultValue = in.isFailed() || length == 0 ? null : TypedValue.of(kind, data);
        return new OptionDescription(key, kind, defaultValue, in.longText());
    }

    @Override
    public int encodedBytes() {
        int defaultBytes = defaultValue == null ? 0 : defaultValue.length();
        return Utf8.shortBytes(key) + 1 + 4 + defaultBytes + Utf8.longBytes(description);
    }

    @Override
    public void put(ByteBuffer target) {
        Utf8.putShort(target, key);
        target.put((byte) kind);
        if (defaultValue == null) {
            target.putInt(0);
        } else {
            target.putInt(defaultValue.length()).put(defaultValue.data());
        }
        Utf8.putLong(target, description);
    }
}
