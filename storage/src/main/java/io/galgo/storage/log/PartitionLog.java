package io.galgo.storage.log;

import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.memory.PooledBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The messages of one partition, oldest first: segment files, then a tail in memory.
///
/// Offsets grow and are never issued twice. Offsets in `[firstOffset(), nextOffset())` are readable; between
/// batches they may jump (spec semantics 22.3). Owned by one shard and confined to its thread.
public final class PartitionLog {
    private PartitionLog() {}

    /// Opens the log of a directory and recovers what a crash left. Nothing is made on disk before the first
    /// append.
    ///
    /// @param storage what the logs of this shard share
    /// @param created the metadata op that created this partition; files of another one are of a deleted
    ///     partition and are removed
    /// @param purgeGeneration the metadata op of the last purge, 0 for none; content of an older generation is
    ///     removed
    /// @param memoryWasLost whether written but unsynced bytes may be missing: the machine restarted since, or that
    ///     cannot be told
    /// @param events hears what recovery found, one sentence each, for the log
    /// @throws io.galgo.storage.Unreadable when this partition must not be served (spec semantics 22.3: refused)
    public static PartitionLog open(
            LogStorage storage,
            String directory,
            LogSettings settings,
            long created,
            long purgeGeneration,
            boolean memoryWasLost,
            Consumer<String> events) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// First offset still kept; equals [#nextOffset] when nothing is.
    public long firstOffset() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// First offset that cannot be read yet.
    public long nextOffset() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Offset of the last committed message ever (deleting segments does not lower it), 0 when there was none.
    public long currentOffset() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Whether a message was ever committed since creation or the last purge.
    public boolean isEverWritten() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// The offset that the next appended batch must carry as its base offset.
    public long appendOffset() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// The base timestamp of the newest batch in the log, 0 when there is none. The next one must not be below it.
    public long lastTimestamp() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Appends one stamped batch record to a log that is writable: partition id, base offset ([#appendOffset]),
    /// base timestamp and batch checksum are final. Takes a reference of its own on `buffer`.
    ///
    /// `done` hears when the batch is as safe as the topic asks (written, or synced when persisted) and its
    /// offsets are reserved. Completions come in append order. After a fault the log accepts nothing more until
    /// [#isWritable] is true again; appends in flight all fail, and their offsets are skipped.
    public void append(PooledBuffer buffer, int position, int length, Completion done) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Makes the batches below `nextOffset` readable. Goes forward only, to the end of a completed append.
    public void commit(long nextOffset) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Reads from `offset` on, at most `messagesMax` messages and about `bytesMax` bytes, at least one message when
    /// there is one. An offset below the first one is served from the first; one inside a jump from the next batch.
    ///
    /// `done` may be called from inside this call when everything is in memory.
    public void read(long offset, int messagesMax, int bytesMax, Consumer<LogRead> done) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Reads from the first batch whose base timestamp is at least `timestampMicros`.
    public void readSince(long timestampMicros, int messagesMax, int bytesMax, Consumer<LogRead> done) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// False after a failed write or sync, until the log is known to be good again (a full disk has room again).
    public boolean isWritable() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Why the log is not writable, or null while it is.
    public @Nullable DiskFault fault() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Finds out whether a log that ran out of space is good again. To be called now and then while [#isWritable]
    /// is false; does nothing otherwise, and nothing after a fault of another kind, which only a restart heals.
    public void probe() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Bytes of the committed batches that are kept: headers and frames, filler not counted.
    public long sizeBytes() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Committed messages that are kept.
    public long messagesCount() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// At least 1.
    public int segmentsCount() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Gives tail memory back, oldest first.
    ///
    /// @return bytes given back
    public long evictTail(long bytes) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Throws all messages away; offsets start at 0 again. Appends in flight complete inside this call, without a
    /// fault and with `bytes` 0, and put nothing back. The caller has made the generation durable in the metadata
    /// log.
    public void purge(long purgeGeneration) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Stops for good: writes what is in flight, gives reserved offsets back and closes the files. Memory is
    /// released.
    public void close(Completion done) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Stops for good and removes the directory. Appends in flight complete as by [#purge].
    public void delete() {
        throw new UnsupportedOperationException("not written yet");
    }
}
