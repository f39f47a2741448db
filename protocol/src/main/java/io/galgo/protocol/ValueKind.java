package io.galgo.protocol;

import org.jspecify.annotations.Nullable;

/// The known kinds of option and message header values (spec protocol 5.9). Other kind bytes are forwarded as they
/// are.
public enum ValueKind {
    RAW(1, 0),
    STRING(2, 0),
    BOOL(3, 1),
    INT8(4, 1),
    INT16(5, 2),
    INT32(6, 4),
    INT64(7, 8),
    INT128(8, 16),
    UINT8(9, 1),
    UINT16(10, 2),
    UINT32(11, 4),
    UINT64(12, 8),
    UINT128(13, 16),
    FLOAT32(14, 4),
    FLOAT64(15, 8);

    private static final ValueKind[] KINDS = values();

    private final int value;
    private final int length;

    ValueKind(int value, int length) {
        this.value = value;
        this.length = length;
    }

    /// The byte on the wire.
    public int value() {
        return value;
    }

    /// Whether data of this length can be a value of this kind.
    public boolean isLength(int length) {
        return this.length == 0 ? 1 <= length && length <= 255 : length == this.length;
    }

    /// The kind of a byte, or null for 0 and kinds that are only forwarded.
    public static @Nullable ValueKind of(int value) {
        return 1 <= value && value <= KINDS.length ? KINDS[value - 1] : null;
    }
}
