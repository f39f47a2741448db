package io.galgo.broker.metadata;

/// One topic of the catalog. Read-only outside it.
public final class Topic {
    Topic() {}

    public int streamId() {
        throw new UnsupportedOperationException("not written yet");
    }

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

    public TopicSettings settings() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Partition ids are `[0, partitionsCount())`.
    public int partitionsCount() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// The op that created a partition.
    public long created(int partition) {
        throw new UnsupportedOperationException("not written yet");
    }

    public long partitionCreatedAtMicros(int partition) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// The op of the last purge of a partition, 0 when it was never purged.
    public long purgeGeneration(int partition) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// First offset that deleted segments leave behind: closed segments that end below it may go. 0 when none may.
    public long truncatedBelow(int partition) {
        throw new UnsupportedOperationException("not written yet");
    }
}
