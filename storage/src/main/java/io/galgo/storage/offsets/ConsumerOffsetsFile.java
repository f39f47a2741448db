package io.galgo.storage.offsets;

import io.galgo.storage.Invariant;
import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.Disk;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.DiskFile;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The stored consumer offsets of one partition on disk: an append-only file of small checksummed records,
/// rewritten when most of it is old.
///
/// The file is made with the first stored offset. One write covers all that waits, and one sync all of these that
/// ask for it; completions come in the order of the calls. A file is rewritten when it holds more than 8192 records
/// and four times as many as offsets; until that is done it grows on.
///
/// After a failed write or sync the file is in doubt: the next store or deletion writes a new one from what was
/// acknowledged, and fails when that fails. Damage is never repaired in place either: what is whole counts, and the
/// next store writes a new file.
///
/// Owned by one shard and confined to its thread.
public final class ConsumerOffsetsFile {
    // One step uses the file at a time: an append, or the switch to a new file. The new file is written and synced
    // beside it while appends go on. What they add meanwhile is added to the new file in the switch, and if some of
    // it was asked to be synced, the new file is synced again. So both files hold what was acknowledged when the
    // name goes from one to the other, whichever of them a crash leaves.

    private static final int RECORDS_PER_OFFSET = 4;
    private static final int BATCH_RECORDS_MAX = 2048;
    private static final String TEMPORARY = ".tmp";
    private static final String DISCARDED = ".discarded";

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

    /// A change on its way to the file.
    private record Change(int kind, long key, long offset, boolean sync, Completion done) {}

    private final OffsetsStorage storage;
    private final String path;
    private final long created;
    private final Consumer<String> events;
    private final OffsetTable table = new OffsetTable();
    private final ArrayDeque<Change> waiting = new ArrayDeque<>();

    private long generation;
    private @Nullable DiskFile handle;
    private long recordsCount;
    private boolean exists;
    private boolean isInDoubt;
    private boolean isNameUnsure = true;
    private boolean isBusy;
    private long rewriteAt;
    private @Nullable Rewrite rewrite;
    private @Nullable Completion closing;
    private boolean isDiscarded;
    private boolean isLeft;
    private boolean isClosed;

    private ConsumerOffsetsFile(
            OffsetsStorage storage, String path, long created, long generation, Consumer<String> events) {
        this.storage = storage;
        this.path = path;
        this.created = created;
        this.generation = generation;
        this.events = events;
        this.rewriteAt = storage.recordsMin();
    }

    /// Opens a file that shares nothing: it is open while something is written only.
    ///
    /// @see #open(OffsetsStorage, String, long, long, Loaded, Consumer)
    public static ConsumerOffsetsFile open(
            Disk disk, String path, long created, long purgeGeneration, Loaded loaded, Consumer<String> events) {
        return open(new OffsetsStorage(disk, 0), path, created, purgeGeneration, loaded, events);
    }

    /// Opens the file when there is one. Entries of another `created` or of another `purgeGeneration` are dropped;
    /// damaged records are left out and reported.
    ///
    /// @throws io.galgo.storage.Unreadable when its format is of another program
    /// @throws DiskException when the disk fails
    public static ConsumerOffsetsFile open(
            OffsetsStorage storage,
            String path,
            long created,
            long purgeGeneration,
            Loaded loaded,
            Consumer<String> events) {
        ConsumerOffsetsFile file = new ConsumerOffsetsFile(storage, path, created, purgeGeneration, events);
        file.load();
        for (int place = 0; place < file.table.places(); place++) {
            if (!file.table.isFree(place)) {
                long key = file.table.key(place);
                loaded.onEntry(new Entry(OffsetsFormat.isGroup(key), (int) key, file.table.offset(place)));
            }
        }
        return file;
    }

    private void load() {
        Disk disk = storage.disk();
        if (disk.exists(path + TEMPORARY)) {
            // Removal comes later, so the name that is used again must be free before.
            disk.rename(path + TEMPORARY, path + DISCARDED);
            disk.removeLater(path + DISCARDED);
        }
        if (!disk.exists(path)) {
            return;
        }
        DiskFile file = disk.open(path, false);
        try {
            OffsetsLoad load = new OffsetsLoad(storage, file, created, generation, events);
            load.run(table);
            exists = true;
            isInDoubt = !load.isWhole();
            recordsCount = load.recordsCount();
        } finally {
            file.close();
        }
    }

    // ------------------------------------------------------------------------------------ verbs

    /// Records that a key now stands at `offset`. `done` hears when that is written, or synced when `sync`.
    public void store(boolean group, int key, long offset, boolean sync, Completion done) {
        change(new Change(OffsetsFormat.STORED, OffsetsFormat.tableKey(group, key), offset, sync, done));
    }

    /// Records that a key has no offset any more.
    public void delete(boolean group, int key, boolean sync, Completion done) {
        change(new Change(OffsetsFormat.DELETED, OffsetsFormat.tableKey(group, key), 0, sync, done));
    }

    private void change(Change change) {
        checkOpen();
        waiting.add(change);
        advance();
    }

    /// Drops every entry. What is on its way completes later, without a fault, and puts nothing back.
    ///
    /// Nothing is written: the metadata says which generation counts, and the file of an older one does not.
    public void purge(long purgeGeneration) {
        checkOpen();
        generation = purgeGeneration;
        table.clear();
        isInDoubt = exists;
        rewriteAt = storage.recordsMin();
        if (!waiting.isEmpty()) {
            List<Change> dropped = new ArrayList<>(waiting);
            waiting.clear();
            storage.later(() -> complete(dropped, null));
        }
    }

    /// Stops for good because the partition is gone. No name is opened, made or renamed from now on, for another
    /// partition may use the same path at once. What is on its way completes later and puts nothing anywhere.
    public void discard() {
        checkOpen();
        closing = (_, _) -> {};
        isDiscarded = true;
        List<Change> dropped = new ArrayList<>(waiting);
        waiting.clear();
        if (!dropped.isEmpty()) {
            storage.later(() -> complete(dropped, null));
        }
        advance();
        if (!isClosed) {
            isLeft = true;
            storage.abandoned().onLeft();
        }
    }

    /// Stops for good once all that is on its way has ended.
    public void close(Completion done) {
        checkOpen();
        closing = done;
        advance();
    }

    private void checkOpen() {
        Invariant.check(closing == null, "closed consumer offsets are not used");
    }

    // ------------------------------------------------------------------------------------ steps

    /// Starts what is to be done next and can be.
    private void advance() {
        if (isBusy || isClosed) {
            return;
        }
        Rewrite running = rewrite;
        if (isDiscarded) {
            // A new file that is being written is closed when that has ended.
            if (running == null || running.isReady) {
                isClosed = true;
                closeHandle();
                closeNew(running);
                if (isLeft) {
                    storage.abandoned().onEnded();
                }
            }
            return;
        }
        if (running != null) {
            if (running.isReady) {
                switchTo(running);
            } else if (!isInDoubt && !waiting.isEmpty()) {
                append();
            }
        } else if (isInDoubt && !waiting.isEmpty()) {
            startRewrite();
        } else if (!waiting.isEmpty()) {
            append();
        } else if (closing != null) {
            finish(closing);
        } else if (handle != null) {
            storage.onIdle(this);
        }
    }

    private List<Change> takeBatch() {
        int count = Math.min(waiting.size(), BATCH_RECORDS_MAX);
        List<Change> batch = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            batch.add(waiting.remove());
        }
        return batch;
    }

    private static boolean isSyncAsked(List<Change> changes) {
        for (Change change : changes) {
            if (change.sync) {
                return true;
            }
        }
        return false;
    }

    private static void complete(List<Change> batch, @Nullable DiskFault fault) {
        for (Change change : batch) {
            change.done.onComplete(0, fault);
        }
    }

    // ------------------------------------------------------------------------------------ append

    private void append() {
        isBusy = true;
        List<Change> batch = takeBatch();
        long at = generation;
        DiskFile file;
        try {
            file = openHandle();
        } catch (DiskException e) {
            // Nothing was touched, so nothing is in doubt.
            storage.later(() -> end(at, batch, e.fault()));
            return;
        }
        boolean isNew = !exists;
        int head = isNew ? OffsetsFormat.HEADER_BYTES : 0;
        ByteBuffer buffer = storage.takeBuffer(bytesFor(head, batch.size()));
        if (isNew) {
            OffsetsFormat.putHeader(buffer, created, generation);
        }
        put(buffer, head, batch, recordsCount);
        long position = isNew ? 0 : OffsetsFormat.position(recordsCount);
        exists = true;
        file.write(position, buffer, (_, fault) -> {
            storage.giveBuffer(buffer);
            if (fault == null && isSyncAsked(batch)) {
                sync(file, at, batch);
            } else {
                onAppended(at, batch, fault, batch.size());
            }
        });
    }

    private void sync(DiskFile file, long at, List<Change> batch) {
        file.sync((_, fault) -> {
            if (fault == null && isNameUnsure && !isDiscarded) {
                syncNames(path, nameFault -> onAppended(at, batch, nameFault, batch.size()));
            } else {
                onAppended(at, batch, fault, batch.size());
            }
        });
    }

    private void onAppended(long at, List<Change> batch, @Nullable DiskFault fault, int more) {
        if (at != generation || fault != null) {
            // After a purge the file is replaced, whatever it holds.
            isInDoubt = true;
        } else {
            recordsCount += more;
            apply(batch);
            startRewriteIfOld();
        }
        end(at, batch, fault);
    }

    private void apply(List<Change> batch) {
        for (Change change : batch) {
            if (change.kind == OffsetsFormat.STORED) {
                table.put(change.key, change.offset);
            } else {
                table.remove(change.key);
            }
        }
        if (rewrite != null) {
            rewrite.since.addAll(batch);
        }
    }

    /// Tells those of a batch how it ended, unless a purge has made that meaningless, and goes on.
    private void end(long at, List<Change> batch, @Nullable DiskFault fault) {
        complete(batch, fault == null || at != generation ? null : named(fault));
        isBusy = false;
        advance();
    }

    /// A file that was renamed keeps its old name in its faults.
    private DiskFault named(DiskFault fault) {
        return fault.path().equals(path + TEMPORARY)
                ? new DiskFault(fault.kind(), fault.operation(), path, fault.detail())
                : fault;
    }

    private static int bytesFor(int head, int records) {
        return head + records * OffsetsFormat.RECORD_BYTES + OffsetsFormat.SCRATCH_BYTES;
    }

    /// Puts records in the buffer and sets its limit behind them.
    private void put(ByteBuffer buffer, int head, List<Change> changes, long firstNumber) {
        int at = head;
        long number = firstNumber;
        for (Change change : changes) {
            OffsetsFormat.putRecord(buffer, at, change.kind, change.key, change.offset, number, created, generation);
            at += OffsetsFormat.RECORD_BYTES;
            number++;
        }
        buffer.limit(at);
    }

    // ------------------------------------------------------------------------------------ names and handles

    private DiskFile openHandle() {
        DiskFile open = handle;
        if (open != null) {
            storage.onBusy(this);
            return open;
        }
        if (!exists) {
            storage.disk().createDirectories(parent(path));
        }
        open = storage.disk().open(path, !exists);
        handle = open;
        return open;
    }

    void closeHandle() {
        DiskFile open = handle;
        if (open != null) {
            storage.onBusy(this);
            open.close();
            handle = null;
        }
    }

    /// Hears whether names are durable.
    @FunctionalInterface
    private interface NamesSynced {
        void onSynced(@Nullable DiskFault fault);
    }

    /// Makes the names on the way to the file durable, from the bottom up: any of them may be as new as the file.
    private void syncNames(String below, NamesSynced done) {
        String directory = parent(below);
        try {
            storage.disk().syncDirectory(directory, (_, fault) -> {
                if (fault != null) {
                    done.onSynced(fault);
                } else if (directory.isEmpty()) {
                    isNameUnsure = false;
                    done.onSynced(null);
                } else {
                    syncNames(directory, done);
                }
            });
        } catch (DiskException e) {
            storage.later(() -> done.onSynced(e.fault()));
        }
    }

    private static String parent(String path) {
        int slash = path.lastIndexOf('/');
        return slash < 0 ? "" : path.substring(0, slash);
    }

    // ------------------------------------------------------------------------------------ rewrite

    /// A new file on its way to the name of the file.
    private static final class Rewrite {
        final long generation;
        final List<Change> since = new ArrayList<>();

        @Nullable DiskFile file;

        long recordsCount;
        boolean isReady;

        Rewrite(long generation) {
            this.generation = generation;
        }
    }

    private void startRewriteIfOld() {
        if (rewrite == null
                && !isDiscarded
                && recordsCount > Math.max(rewriteAt, RECORDS_PER_OFFSET * (long) table.size())) {
            startRewrite();
        }
    }

    /// Writes what the table holds to a new file. That is everything acknowledged until now.
    private void startRewrite() {
        Rewrite started = new Rewrite(generation);
        rewrite = started;
        try {
            storage.disk().createDirectories(parent(path));
            DiskFile file = storage.disk().open(path + TEMPORARY, true);
            started.file = file;
            file.truncate(0);
            ByteBuffer buffer = storage.takeBuffer(bytesFor(OffsetsFormat.HEADER_BYTES, table.size()));
            OffsetsFormat.putHeader(buffer, created, generation);
            putTable(buffer, started);
            file.write(0, buffer, (_, fault) -> {
                storage.giveBuffer(buffer);
                if (fault == null) {
                    file.sync((_, syncFault) -> onRewritten(started, syncFault));
                } else {
                    onRewritten(started, fault);
                }
            });
        } catch (DiskException e) {
            storage.later(() -> onRewritten(started, e.fault()));
        }
    }

    private void putTable(ByteBuffer buffer, Rewrite target) {
        int at = OffsetsFormat.HEADER_BYTES;
        for (int place = 0; place < table.places(); place++) {
            if (!table.isFree(place)) {
                OffsetsFormat.putRecord(
                        buffer,
                        at,
                        OffsetsFormat.STORED,
                        table.key(place),
                        table.offset(place),
                        target.recordsCount,
                        created,
                        generation);
                at += OffsetsFormat.RECORD_BYTES;
                target.recordsCount++;
            }
        }
        buffer.limit(at);
    }

    private void onRewritten(Rewrite written, @Nullable DiskFault fault) {
        if (isDiscarded) {
            closeNew(written);
        } else if (fault != null) {
            giveUp(written, fault);
        } else {
            written.isReady = true;
        }
        advance();
    }

    /// The old file stays. When it is in doubt, those that wait fail with the new one.
    private void giveUp(Rewrite failed, DiskFault fault) {
        closeNew(failed);
        if (isInDoubt && failed.generation == generation) {
            List<Change> batch = new ArrayList<>(waiting);
            waiting.clear();
            complete(batch, named(fault));
        } else if (!isInDoubt) {
            postpone(fault);
        }
    }

    private void closeNew(@Nullable Rewrite old) {
        if (old != null && old.file != null) {
            old.file.close();
        }
        rewrite = null;
    }

    /// Adds what changed meanwhile to the new file and gives it the name. When the old file is in doubt, what waits
    /// goes to the new one only.
    private void switchTo(Rewrite ready) {
        DiskFile file = ready.file;
        if (ready.generation != generation || file == null) {
            closeNew(ready);
            advance();
            return;
        }
        isBusy = true;
        List<Change> batch = isInDoubt ? takeBatch() : List.of();
        List<Change> added = new ArrayList<>(ready.since);
        added.addAll(batch);
        if (added.isEmpty()) {
            rename(ready, file, batch, null);
            return;
        }
        ByteBuffer buffer = storage.takeBuffer(bytesFor(0, added.size()));
        put(buffer, 0, added, ready.recordsCount);
        ready.recordsCount += added.size();
        file.write(OffsetsFormat.position(ready.recordsCount - added.size()), buffer, (_, fault) -> {
            storage.giveBuffer(buffer);
            if (fault == null && isSyncAsked(added)) {
                file.sync((_, syncFault) -> rename(ready, file, batch, syncFault));
            } else {
                rename(ready, file, batch, fault);
            }
        });
    }

    private void rename(Rewrite ready, DiskFile file, List<Change> batch, @Nullable DiskFault fault) {
        if (isDiscarded) {
            closeNew(ready);
            end(ready.generation, batch, null);
            return;
        }
        DiskFault failed = fault;
        if (failed == null) {
            try {
                storage.disk().rename(path + TEMPORARY, path);
            } catch (DiskException e) {
                failed = e.fault();
            }
        }
        if (failed != null) {
            fail(ready, batch, failed);
            return;
        }
        closeHandle();
        handle = file;
        rewrite = null;
        exists = true;
        isNameUnsure = true;
        recordsCount = ready.recordsCount;
        rewriteAt = storage.recordsMin();
        isInDoubt = false;
        if (isSyncAsked(batch)) {
            syncNames(path, nameFault -> onAppended(ready.generation, batch, nameFault, 0));
        } else {
            onAppended(ready.generation, batch, null, 0);
        }
    }

    private void fail(Rewrite failed, List<Change> batch, DiskFault fault) {
        closeNew(failed);
        if (!isInDoubt) {
            postpone(fault);
        }
        end(failed.generation, batch, fault);
    }

    private void postpone(DiskFault fault) {
        events.accept("the consumer offsets " + path + " could not be rewritten and grow: " + fault);
        rewriteAt = 2 * recordsCount;
    }

    // ------------------------------------------------------------------------------------ the end

    private void finish(Completion done) {
        isClosed = true;
        closeHandle();
        storage.later(() -> done.onComplete(0, null));
    }
}
