package io.galgo.broker.metadata;

import org.jspecify.annotations.Nullable;

/// One stream of the catalog. Read-only outside it.
public final class Stream {
    Stream() {}

    public int id() {
        throw new UnsupportedOperationException("not written yet");
    }

    public long createdAtMicros() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// UTF-8, 1..255 bytes; not to be changed.
    public byte[] name() {
        throw new UnsupportedOperationException("not written yet");
    }

    public int topicsCount() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// One more than the highest topic id in use.
    public int topicIdsEnd() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// The topic with an id, in `[0, topicIdsEnd())` or not, or null.
    public @Nullable Topic topic(int topicId) {
        throw new UnsupportedOperationException("not written yet");
    }
}
