package io.galgo.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Strings as the protocol has them: UTF-8 behind a length of 8 or 32 bits (spec protocol 0, 5.1).
///
/// Decoding is strict. Encoding writes `?` for half a surrogate pair, as Java does everywhere.
public final class Utf8 {
    /// Longest string behind a length of 8 bits.
    public static final int SHORT_BYTES_MAX = 255;

    private Utf8() {}

    /// The string of these bytes, or null when they are not UTF-8.
    public static @Nullable String decode(ByteBuffer bytes, int position, int length) {
        byte[] copy = new byte[length];
        bytes.get(position, copy);
        String text = new String(copy, StandardCharsets.UTF_8);

        // Malformed bytes became U+FFFD, which encodes to other bytes than those.
        return Arrays.equals(text.getBytes(StandardCharsets.UTF_8), copy) ? text : null;
    }

    /// How many bytes the text takes, without a length.
    public static int bytes(String text) {
        int bytes = text.length();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                continue;
            }
            if (c < 0x800) {
                bytes += 1;
            } else if (!Character.isSurrogate(c)) {
                bytes += 2;
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1))) {
                bytes += 2;
                i++;
            }
        }
        return bytes;
    }

    /// Whether the text may be a name: 1..255 bytes, no half surrogate pairs (5.1).
    public static boolean isName(String text) {
        return !text.isEmpty() && isShort(text);
    }

    /// Whether the text fits behind a length of 8 bits and has no half surrogate pairs.
    public static boolean isShort(String text) {
        return text.length() <= SHORT_BYTES_MAX && bytes(text) <= SHORT_BYTES_MAX && isWellFormed(text);
    }

    private static boolean isWellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (i + 1 == text.length() || !Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1))) {
                    return false;
                }
                i++;
            }
        }
        return true;
    }

    /// The text, which must be a name.
    public static String requireName(String text) {
        if (!isName(text)) {
            throw new IllegalArgumentException("a name has 1..255 bytes of UTF-8, this one has " + bytes(text));
        }
        return text;
    }

    /// The text, which must fit behind a length of 8 bits.
    public static String requireShort(String text) {
        if (!isShort(text)) {
            throw new IllegalArgumentException("at most 255 bytes of UTF-8 are allowed, these are " + bytes(text));
        }
        return text;
    }

    /// Size of the text behind a length of 8 bits.
    public static int shortBytes(String text) {
        return 1 + bytes(text);
    }

    /// Size of the text behind a length of 32 bits.
    public static int longBytes(String text) {
        return 4 + bytes(text);
    }

    /// Appends a length of 8 bits and the text, which must be short.
    public static void putShort(ByteBuffer target, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > SHORT_BYTES_MAX) {
            throw new IllegalArgumentException("at most 255 bytes of UTF-8 are allowed, these are " + bytes.length);
        }
        target.put((byte) bytes.length).put(bytes);
    }

    /// Appends a length of 32 bits and the text.
    public static void putLong(ByteBuffer target, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        target.putInt(bytes.length).put(bytes);
    }
}
