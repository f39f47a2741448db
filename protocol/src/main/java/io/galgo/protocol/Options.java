package io.galgo.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A block of options: keys with values, in the order given (spec protocol 6.1).
///
/// In a request the block is the end of the body; in a reply a length of 32 bits comes before it. What the keys
/// mean is not looked at here.
///
/// @param entries no two with the same key; immutable
public record Options(List<Entry> entries) {
    public static final int ENTRIES_MAX = 1024;
    public static final int BYTES_MAX = 100_000;
    public static final Options NONE = new Options(List.of());

    private static final int ENTRY_BYTES_MIN = 2 * TypedValue.BYTES_MIN;

    /// @param key 1..255 bytes of UTF-8
    public record Entry(String key, TypedValue value) {
        public Entry {
            Utf8.requireName(key);
        }

        int encodedBytes() {
            return TypedValue.HEADER_BYTES + Utf8.bytes(key) + value.encodedBytes();
        }
    }

    public Options {
        entries = List.copyOf(entries);
        if (entries.size() > ENTRIES_MAX) {
            throw new IllegalArgumentException(entries.size() + " options, at most " + ENTRIES_MAX + " are allowed");
        }
        if (blockBytes(entries) > BYTES_MAX) {
            throw new IllegalArgumentException(
                    "options of " + blockBytes(entries) + " bytes, at most " + BYTES_MAX + " are allowed");
        }
        if (hasDuplicates(entries)) {
            throw new IllegalArgumentException("an option is given twice");
        }
    }

    public boolean isEmpty() {
        return entries.isEmpty();
    }

    /// The value of a key, or null.
    public @Nullable TypedValue value(String key) {
        for (Entry entry : entries) {
            if (entry.key().equals(key)) {
                return entry.value();
            }
        }
        return null;
    }

    /// The same options in the order in which the server lists them: by the bytes of their keys, as unsigned
    /// numbers (6.3).
    public Options sorted() {
        List<Entry> sorted = new ArrayList<>(entries);
        sorted.sort(
                Comparator.comparing(entry -> entry.key().getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned));
        return new Options(sorted);
    }

    /// Reads the block that fills the rest of a body; fails the reader on any violation of 6.1.
    public static Options readToEnd(BodyReader in) {
        return read(in, in.remaining());
    }

    /// Reads a length of 32 bits and the block; fails the reader on any violation of 6.1.
    public static Options readPrefixed(BodyReader in) {
        return read(in, in.length());
    }

    private static Options read(BodyReader in, int length) {
        if (length == 0) {
            return NONE;
        }
        in.require(length <= BYTES_MAX);
        int end = in.position() + length;
        List<Entry> entries = new ArrayList<>(Math.min(ENTRIES_MAX, length / ENTRY_BYTES_MIN));
        while (!in.isFailed() && in.position() < end) {
            TypedValue key = TypedValue.read(in);
            TypedValue value = TypedValue.read(in);
            String text = key.is(ValueKind.STRING) ? key.text() : null;
            in.require(text != null && entries.size() < ENTRIES_MAX);
            if (text != null && !in.isFailed()) {
                entries.add(new Entry(text, value));
            }
        }
        in.require(in.position() == end && !hasDuplicates(entries));
        return in.isFailed() ? NONE : new Options(entries);
    }

    private static boolean hasDuplicates(List<Entry> entries) {
        if (entries.size() < 2) {
            return false;
        }
        Set<String> keys = new HashSet<>(2 * entries.size());
        for (Entry entry : entries) {
            if (!keys.add(entry.key())) {
                return true;
            }
        }
        return false;
    }

    /// Bytes of the block without a length before it.
    public int encodedBytes() {
        return blockBytes(entries);
    }

    private static int blockBytes(List<Entry> entries) {
        int bytes = 0;
        for (Entry entry : entries) {
            bytes += entry.encodedBytes();
        }
        return bytes;
    }

    /// Appends the block without a length, in this order; the target is little-endian.
    public void put(ByteBuffer target) {
        for (Entry entry : entries) {
            TypedValue.string(entry.key()).put(target);
            entry.value().put(target);
        }
    }

    /// Bytes of the block with the length before it.
    public int prefixedBytes() {
        return 4 + encodedBytes();
    }

    /// Appends a length of 32 bits and the block.
    public void putPrefixed(ByteBuffer target) {
        target.putInt(encodedBytes());
        put(target);
    }
}
