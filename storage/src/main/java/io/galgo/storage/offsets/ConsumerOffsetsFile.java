package io.galgo.storage.offsets;

import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.Disk;
import java.util.function.Consumer;

/// The stored consumer offsets of one partition on disk: an append-only file of small checksummed records,
/// rewritten when most of it is old.
///
/// Owned by one shard and confined to its thread.
public final class ConsumerOffsetsFile {
    private ConsumerOffsetsFile() {}

    /// One stored offset.
    ///
    /// @param group whether the key is a consumer group's id, otherwise a plain consumer's key
    /// @param key the numeric id or XXH32 of the name, as unsigned bits (spec protocol 5.3)
    /// @param offset the last consumed offset
    public record Entry(boolean group, int key, long offset) {}

    /// Hears the entries that were found, each key once.
    @FunctionalInterface
    public interface Loaded {
        void onEntry(Entry entry);
    }

    /// Opens the file, making it when missing; a torn tail is cut. Entries of another `created` or of an older
    /// `purgeGeneration` are dropped.
    public static ConsumerOffsetsFile open(
            Disk disk, String path, long created, long purgeGeneration, Loaded loaded, Consumer<String> events) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Records that a key now stands at `offset`. `done` hears when that is written, or synced when `sync`.
    public void store(boolean group, int key, long offset, boolean sync, Completion done) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Records that a key has no offset any more.
    public void delete(boolean group, int key, boolean sync, Completion done) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Drops every entry.
    public void purge(long purgeGeneration) {
        throw new UnsupportedOperationException("not written yet");
    }

    public void close(Completion done) {
        throw new UnsupportedOperationException("not written yet");
    }
}
