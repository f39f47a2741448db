package io.galgo.storage.journal;

import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.Disk;
import io.galgo.storage.disk.DiskFault;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The metadata operations of a node on disk: a snapshot, the operations after it, and a superblock that says which
/// belong together.
///
/// A torn last record is dropped: it was never acknowledged. Damage before that refuses to open, and so does a
/// format version that this program does not know. Owned by shard 0 and confined to its thread.
public final class MetadataJournal {
    private MetadataJournal() {}

    /// Hears what was found, in order: first the snapshot when there is one, then each operation after it.
    public interface Replay {
        void onSnapshot(long op, ByteBuffer state);

        void onOperation(long op, ByteBuffer body);
    }

    /// Opens the journal in `directory`, making it when missing, and replays it.
    ///
    /// @throws io.galgo.storage.Unreadable one sentence: what is damaged or unknown, where, and what to do
    public static MetadataJournal open(Disk disk, String directory, Replay replay, Consumer<String> events) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// The last operation in the journal or snapshot, 0 when there is none.
    public long lastOp() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Appends an operation; ops are consecutive. The bytes are copied before the call returns. `done` hears when
    /// it is synced; one sync covers all that wait; completions come in order.
    public void append(long op, ByteBuffer body, Completion done) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Appends as [#append] does and waits until it is synced. For start-up only: the first user of an empty
    /// journal.
    public void appendNow(long op, ByteBuffer body) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Operations since the last snapshot.
    public int operationsCount() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Replaces the snapshot by `state`, which is the result of all operations up to and including `op`, and drops
    /// those
    /// operations. `done` hears when that is durable. Appends go on meanwhile.
    public void snapshot(long op, ByteBuffer state, Completion done) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// What stopped the journal, or null while it works.
    public @Nullable DiskFault fault() {
        throw new UnsupportedOperationException("not written yet");
    }

    public void close(Completion done) {
        throw new UnsupportedOperationException("not written yet");
    }
}
