package io.galgo.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The headers that a producer gave a message: keys with values, of any kinds, one behind the other (spec protocol
/// 5.9).
///
/// Servers store and return the bytes and never look into them; this is for clients. A key may come twice.
public record MessageHeaders(List<Entry> entries) implements Body {
    public record Entry(TypedValue key, TypedValue value) {}

    public MessageHeaders {
        entries = List.copyOf(entries);
    }

    /// Decodes the bytes between position and limit, all of them; null when they are no headers, as when a client
    /// encrypted them.
    public static @Nullable MessageHeaders decode(ByteBuffer bytes) {
        BodyReader in = new BodyReader(bytes);
        List<Entry> entries = new ArrayList<>();
        while (in.remaining() > 0) {
            entries.add(new Entry(TypedValue.read(in), TypedValue.read(in)));
        }
        return in.orNull(new MessageHeaders(entries));
    }

    @Override
    public int encodedBytes() {
        int bytes = 0;
        for (Entry entry : entries) {
            bytes += entry.key().encodedBytes() + entry.value().encodedBytes();
        }
        return bytes;
    }

    @Override
    public void put(ByteBuffer target) {
        for (Entry entry : entries) {
            entry.key().put(target);
            entry.value().put(target);
        }
    }
}
