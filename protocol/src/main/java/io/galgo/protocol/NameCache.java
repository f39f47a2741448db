package io.galgo.protocol;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Named identifiers that were seen lately, so that the names in every send and poll are not made anew each time.
///
/// Holds a fixed number of names and replaces the one in its way. Whatever names arrive, an answer is right;
/// strange ones only cost their making. One thread at a time.
public final class NameCache {
    private final byte[][] keys;
    private final Identifier.@Nullable Named[] names;

    /// @param slots how many names, a power of two
    public NameCache(int slots) {
        if (Integer.bitCount(slots) != 1) {
            throw new IllegalArgumentException(slots + " slots, must be a power of two");
        }
        this.keys = new byte[slots][];
        this.names = new Identifier.@Nullable Named[slots];
    }

    /// The identifier of a name of 1..255 bytes, or null when they are not UTF-8. The buffer is little-endian.
    Identifier.@Nullable Named named(ByteBuffer bytes, int position, int length) {
        int slot = (int) Checksum.xxh3(bytes, position, length) & (keys.length - 1);
        Identifier.Named named = names[slot];
        if (named != null && isEqual(keys[slot], bytes, position, length)) {
            return named;
        }
        named = made(bytes, position, length);
        if (named != null) {
            byte[] key = new byte[length];
            bytes.get(position, key);
            keys[slot] = key;
            names[slot] = named;
        }
        return named;
    }

    static Identifier.@Nullable Named made(ByteBuffer bytes, int position, int length) {
        String name = Utf8.decode(bytes, position, length);
        return name == null ? null : new Identifier.Named(name);
    }

    private static boolean isEqual(byte[] key, ByteBuffer bytes, int position, int length) {
        if (key.length != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (key[i] != bytes.get(position + i)) {
                return false;
            }
        }
        return true;
    }
}
