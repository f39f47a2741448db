package io.galgo.storage.journal;

import io.galgo.storage.Incidents;
import io.galgo.storage.Invariant;
import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.Disk;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.DiskFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The metadata operations of a node on disk: a snapshot, the operations after it, and a superblock that says which
/// belong together.
///
/// A torn last write is dropped: it was never acknowledged. Damage before that refuses to open, and so does a
/// format version that this program does not know. Owned by shard 0 and confined to its thread.
///
/// Room for some thousand operations is reserved ahead, where the file system can, so that they go on when the disk
/// is full. After a failed write or sync the journal accepts nothing more. When only room or handles were lacking,
/// [#probe] brings it back: everything before the failed write is synced, and all behind is cut off for good. After
/// any other fault, or when a name may not be durable, what is on the disk is known again after a restart only. A
/// snapshot that failed otherwise changes nothing and can be tried again.
///
/// | file | content |
/// |---|---|
/// | `superblock.a`, `superblock.b` | which snapshot counts, see `JournalSuperblock` |
/// | `N.snapshot` | the state after op N, see `Snapshot` |
/// | `N.journal` | the operations from op N on, see `JournalFile` |
/// | `*.tmp` | of no meaning: a file on its way to its name |
public final class MetadataJournal {
    // One write and its sync are on their way at a time, and all that arrives meanwhile goes with the next. So what
    // is behind the last synced byte of a file is a part of one write, and recovery can tell a torn end from
    // damage.
    //
    // A snapshot first moves the appends to a new journal file, then becomes durable itself, then a superblock that
    // names both does, and only then are older files removed. Wherever a crash comes in between, the older snapshot
    // and all operations after it are there, or the newer ones.

    /// Bytes of the file that are reserved ahead of its end; topped up when half of them are used.
    private static final long RESERVE_BYTES = 4L << 20;

    private static final int PROBE_BYTES = 64 << 10;

    private final Disk disk;
    private final String directory;
    private final Consumer<String> events;

    private DiskFile file;
    private long firstOp;
    private long end;
    private boolean isMarked;
    private long syncedOp;
    private long appendedOp;
    private JournalSuperblock superblock;

    private final ArrayDeque<JournalBatch> waiting = new ArrayDeque<>();
    private final ArrayDeque<JournalBatch> spare = new ArrayDeque<>();
    private boolean isBusy;
    private @Nullable Running snapshot;
    private @Nullable Completion closing;
    private boolean isClosed;
    private @Nullable DiskFault fault;

    // Whether the fault has left all before `end` as it was.
    private boolean isHealable;
    private long reservedTo;

    /// A snapshot on its way to the disk.
    private static final class Running {
        final long op;
        final ByteBuffer state;
        final Completion done;
        boolean isAfterMove;

        Running(long op, ByteBuffer state, Completion done) {
            this.op = op;
            this.state = state;
            this.done = done;
        }
    }

    private MetadataJournal(Disk disk, String directory, Consumer<String> events, JournalOpening.Opened opened) {
        this.disk = disk;
        this.directory = directory;
        this.events = events;
        this.file = opened.file();
        this.firstOp = opened.firstOp();
        this.end = opened.end();
        this.isMarked = opened.isMarked();
        this.syncedOp = opened.lastOp();
        this.appendedOp = opened.lastOp();
        this.superblock = opened.superblock();
    }

    /// Hears what was found, in order: first the snapshot when there is one, then each operation after it. The
    /// buffers are the listener's to keep.
    public interface Replay {
        void onSnapshot(long op, ByteBuffer state);

        void onOperation(long op, ByteBuffer body);
    }

    /// Opens the journal in `directory`, making it when missing, and replays it. What was replayed is durable when
    /// the call returns.
    ///
    /// @throws io.galgo.storage.Unreadable one sentence: what is damaged or unknown, where, and what to do
    /// @throws DiskException when the disk fails
    public static MetadataJournal open(Disk disk, String directory, Replay replay, Consumer<String> events) {
        return open(disk, directory, replay, events, new Incidents());
    }

    /// The same, and counts what was wrong.
    public static MetadataJournal open(
            Disk disk, String directory, Replay replay, Consumer<String> events, Incidents incidents) {
        JournalOpening.Opened opened = new JournalOpening(disk, directory, replay, events, incidents).open();
        MetadataJournal journal = new MetadataJournal(disk, directory, events, opened);
        try {
            journal.markNow();
            journal.reserve();
            journal.removeLeftovers();
        } catch (DiskException e) {
            opened.file().close();
            throw e;
        }
        return journal;
    }

    /// The last operation that is synced, in the journal or snapshot; 0 when there is none.
    public long lastOp() {
        return syncedOp;
    }

    /// Operations since the last snapshot.
    public int operationsCount() {
        return (int) Math.min(Integer.MAX_VALUE, syncedOp - superblock.snapshotOp());
    }

    /// What stopped the journal, or null while it works.
    public @Nullable DiskFault fault() {
        return fault;
    }

    // ------------------------------------------------------------------------------------ appending

    /// Appends an operation; ops are consecutive. The bytes are copied before the call returns. `done` hears when
    /// it is synced; one sync covers all that wait; completions come in order. A body has at most 96 MiB.
    public void append(long op, ByteBuffer body, Completion done) {
        checkOpen();
        DiskFault stopped = fault;
        if (stopped != null && !isBusy) {
            later(done, stopped);
            return;
        }
        admit(op, body);
        JournalBatch batch = waiting.peekLast();
        if (batch == null || batch.isFull()) {
            batch = takeBatch();
            waiting.add(batch);
        }
        batch.add(op, body, done);
        advance();
    }

    /// Appends as [#append] does and waits until it is synced. For start-up only: the first user of an empty
    /// journal.
    ///
    /// @throws DiskException when that failed; the journal accepts nothing more
    public void appendNow(long op, ByteBuffer body) {
        checkOpen();
        Invariant.check(!isBusy && waiting.isEmpty(), "nothing is on its way when the caller waits for an append");
        DiskFault stopped = fault;
        if (stopped != null) {
            throw new DiskException(stopped);
        }
        admit(op, body);
        JournalBatch batch = takeBatch();
        batch.add(op, body, (_, _) -> {});
        try {
            writeNow(batch);
        } catch (DiskException e) {
            fault = e.fault();
            throw e;
        }
        syncedOp = op;
        isMarked = false;
    }

    private void admit(long op, ByteBuffer body) {
        Invariant.check(op == appendedOp + 1, "appended ops are consecutive (op, last op)", op, appendedOp);
        Invariant.check(
                body.remaining() <= JournalFile.BODY_BYTES_MAX,
                "an operation is not too large (bytes, most)",
                body.remaining(),
                JournalFile.BODY_BYTES_MAX);
        appendedOp = op;
    }

    private void markNow() {
        if (!isMarked && syncedOp >= firstOp) {
            JournalBatch batch = takeBatch();
            batch.addMark(syncedOp);
            writeNow(batch);
            isMarked = true;
        }
    }

    private void writeNow(JournalBatch batch) {
        batch.seal(end);
        long position = end;
        for (int i = 0; i < batch.chunksCount(); i++) {
            file.writeNow(position, batch.chunks()[i]);
            position += batch.chunks()[i].limit();
        }
        file.syncNow();
        end += batch.bytes();
        giveBatch(batch);
    }

    private JournalBatch takeBatch() {
        JournalBatch batch = spare.poll();
        return batch == null ? new JournalBatch() : batch;
    }

    private void giveBatch(JournalBatch batch) {
        if (spare.size() < 2) {
            batch.clear();
            spare.add(batch);
        }
    }

    /// Reserves room ahead. Where that cannot be, it is tried again when as much has been written.
    private void reserve() {
        if (reservedTo - end < RESERVE_BYTES / 2) {
            file.preallocate(end + RESERVE_BYTES);
            reservedTo = end + RESERVE_BYTES;
        }
    }

    /// Looks whether a journal that found no room, or no handle, can go on. To be called now and then; does nothing
    /// while it works or is busy, nor after another fault. The ops that failed are given again.
    public void probe() {
        if (fault == null || !isHealable || isBusy || isClosed || snapshot != null || closing != null) {
            return;
        }
        isBusy = true;
        try {
            file.truncate(end);
        } catch (DiskException e) {
            later((_, _) -> endProbe(e.fault()), null);
            return;
        }
        reservedTo = 0;
        reserve();
        file.write(end, ByteBuffer.allocateDirect(PROBE_BYTES), (_, writeFault) -> {
            if (writeFault != null) {
                endProbe(writeFault);
                return;
            }
            try {
                file.truncate(end);
            } catch (DiskException e) {
                endProbe(e.fault());
                return;
            }
            // Now the file ends for certain where it is known to be good, also after a power loss.
            file.sync((_, syncFault) -> endProbe(syncFault));
        });
    }

    private void endProbe(@Nullable DiskFault found) {
        isBusy = false;
        if (found == null) {
            fault = null;
            isHealable = false;
            appendedOp = syncedOp;
            reservedTo = 0;
            reserve();
            events.accept("the metadata journal takes operations again from op " + (syncedOp + 1));
        } else {
            isHealable = isPassing(found.kind());
        }
        advance();
    }

    /// Whether a fault ends by itself.
    private static boolean isPassing(DiskFault.Kind kind) {
        return kind == DiskFault.Kind.NO_SPACE || kind == DiskFault.Kind.TOO_MANY_FILES;
    }

    /// Starts the next step when none is on its way.
    private void advance() {
        if (isBusy || isClosed) {
            return;
        }
        DiskFault stopped = fault;
        if (stopped != null) {
            failWaiting(stopped);
        }
        Running moving = snapshot;
        if (moving != null && !moving.isAfterMove) {
            move(moving);
            return;
        }
        JournalBatch batch = waiting.poll();
        if (batch != null) {
            write(batch);
        } else if (closing != null && snapshot == null) {
            finish(closing);
        }
    }

    private void write(JournalBatch batch) {
        isBusy = true;
        batch.seal(end);
        file.write(end, batch.chunks(), batch.chunksCount(), (_, writeFault) -> {
            if (writeFault == null) {
                file.sync((_, syncFault) -> onSynced(batch, syncFault));
            } else {
                onSynced(batch, writeFault);
            }
        });
    }

    private void onSynced(JournalBatch batch, @Nullable DiskFault failed) {
        if (failed == null) {
            end += batch.bytes();
            syncedOp = batch.lastOp();
            isMarked = false;
            reserve();
            batch.complete(null);
            giveBatch(batch);
        } else {
            // What a failed sync has left in the file may look whole and still not be on the disk, and so may what
            // a second sync confirms. Nothing is built on it; the next start writes it again, and a probe cuts it
            // off.
            stop(failed);
            isHealable = isPassing(failed.kind());
            batch.complete(fault);
        }
        isBusy = false;
        advance();
    }

    /// Accepts nothing from now on. What waits fails once what is on its way has ended.
    private void stop(DiskFault cause) {
        if (fault == null) {
            fault = new DiskFault(cause.kind(), cause.operation(), path(firstOp), cause.detail());
        }
        isHealable = false;
    }

    private void failWaiting(DiskFault stopped) {
        for (JournalBatch next = waiting.poll(); next != null; next = waiting.poll()) {
            next.complete(stopped);
        }
        Running unmoved = snapshot;
        if (unmoved != null && !unmoved.isAfterMove) {
            endSnapshot(unmoved, stopped);
        }
    }

    private String path(long first) {
        return directory + "/" + JournalFile.name(first);
    }

    // ------------------------------------------------------------------------------------ snapshots

    /// Replaces the snapshot by `state`, which is the result of all operations up to and including `op`, and drops
    /// those operations. `done` hears when that is durable. Appends go on meanwhile.
    ///
    /// One snapshot at a time. The op is not behind [#lastOp]. The buffer must not change until `done` is called.
    public void snapshot(long op, ByteBuffer state, Completion done) {
        checkOpen();
        Invariant.check(snapshot == null, "one snapshot is written at a time");
        Invariant.check(op <= syncedOp, "a snapshot covers synced operations (op, last op)", op, syncedOp);
        Invariant.check(
                op >= superblock.snapshotOp(),
                "snapshots go forward (op, op of the last one)",
                op,
                superblock.snapshotOp());
        DiskFault stopped = fault;
        if (stopped != null || op == superblock.snapshotOp()) {
            later(done, stopped);
            return;
        }
        snapshot = new Running(op, state.slice().order(ByteOrder.LITTLE_ENDIAN), done);
        advance();
    }

    /// Lets appends go on in a new file, so that the older one can be removed as a whole.
    private void move(Running running) {
        running.isAfterMove = true;
        if (syncedOp < firstOp) {
            writeSnapshot(running);
            advance();
            return;
        }
        isBusy = true;
        long newFirst = syncedOp + 1;
        FileReplacement newer = new FileReplacement(
                disk,
                directory,
                JournalFile.TEMPORARY,
                JournalFile.name(newFirst),
                JournalFile.header(newFirst),
                ByteBuffer.allocate(0));
        newer.start((_, failed) -> onMoved(running, newer, newFirst, failed));
    }

    private void onMoved(Running running, FileReplacement newer, long newFirst, @Nullable DiskFault failed) {
        if (failed == null) {
            file.close();
            file = newer.takeFile();
            firstOp = newFirst;
            end = JournalFile.HEADER_BYTES;
            isMarked = false;
            reservedTo = 0;
            reserve();
            writeSnapshot(running);
        } else {
            if (newer.isRenamed()) {
                // The new file is there now and perhaps not after a crash: neither file may take the next op.
                stop(failed);
            }
            endSnapshot(running, failed);
        }
        isBusy = false;
        advance();
    }

    private void writeSnapshot(Running running) {
        ByteBuffer header = Snapshot.header(running.op, running.state);
        new FileReplacement(disk, directory, Snapshot.TEMPORARY, Snapshot.name(running.op), header, running.state)
                .start((_, failed) -> onSnapshotWritten(running, Snapshot.checksum(header), failed));
    }

    private void onSnapshotWritten(Running running, long checksum, @Nullable DiskFault failed) {
        if (failed != null) {
            endSnapshot(running, failed);
            advance();
            return;
        }
        JournalSuperblock next = new JournalSuperblock(superblock.sequence() + 1, running.op, checksum, firstOp);
        FileReplacement copy = new FileReplacement(
                disk, directory, JournalSuperblock.TEMPORARY, next.name(), next.encode(), ByteBuffer.allocate(0));
        copy.start((_, copyFault) -> onSuperblockWritten(running, copy, next, copyFault));
    }

    private void onSuperblockWritten(
            Running running, FileReplacement copy, JournalSuperblock next, @Nullable DiskFault failed) {
        if (failed == null) {
            superblock = next;
            removeLeftovers();
        } else if (copy.isRenamed()) {
            // Which superblock a crash leaves is not known. Both are true now and must stay so.
            stop(failed);
        }
        endSnapshot(running, failed);
        advance();
    }

    private void removeLeftovers() {
        try {
            JournalLeftovers.remove(disk, directory, superblock.snapshotOp());
        } catch (DiskException e) {
            events.accept("files that a snapshot of the metadata has replaced are not removed yet: " + e.fault());
        }
    }

    private void endSnapshot(Running running, @Nullable DiskFault failed) {
        snapshot = null;
        running.done.onComplete(0, failed);
    }

    // ------------------------------------------------------------------------------------ the end

    /// Stops for good once all that is on its way has ended. `done` hears of a fault, also of an earlier one.
    public void close(Completion done) {
        checkOpen();
        closing = done;
        advance();
    }

    private void finish(Completion done) {
        isClosed = true;
        DiskFault stopped = fault;
        if (stopped != null || isMarked || syncedOp < firstOp) {
            file.close();
            disk.syncDirectory("", (_, _) -> done.onComplete(0, stopped));
            return;
        }
        JournalBatch batch = takeBatch();
        batch.addMark(syncedOp);
        batch.seal(end);
        file.write(end, batch.chunks(), batch.chunksCount(), (_, writeFault) -> {
            if (writeFault == null) {
                file.sync((_, syncFault) -> onFinished(done, syncFault));
            } else {
                onFinished(done, writeFault);
            }
        });
    }

    private void onFinished(Completion done, @Nullable DiskFault failed) {
        file.close();
        done.onComplete(0, failed);
    }

    private void checkOpen() {
        Invariant.check(closing == null, "a closed journal is not used");
    }

    /// Answers not from inside the call: a completion comes when the disk has done something.
    private void later(Completion done, @Nullable DiskFault stopped) {
        disk.syncDirectory("", (_, _) -> done.onComplete(0, stopped));
    }
}
