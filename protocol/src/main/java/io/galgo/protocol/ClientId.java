package io.galgo.protocol;

import java.util.HexFormat;

/// The 128-bit number that a client picks for a login (spec protocol 3.4), as two halves.
///
/// @param high bits 64..127: the last 8 bytes on the wire
/// @param low bits 0..63: the first 8 bytes on the wire
public record ClientId(long high, long low) {
    /// No client: a request with it is refused.
    public static final ClientId NONE = new ClientId(0, 0);

    public boolean isNone() {
        return high == 0 && low == 0;
    }

    /// 32 hexadecimal digits, most significant first.
    @Override
    public String toString() {
        return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
    }
}
