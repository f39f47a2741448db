package io.galgo.storage.log;

import io.galgo.protocol.batch.BatchHeader;
import io.galgo.storage.Incident;
import io.galgo.storage.Invariant;
import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.form.StoredForms;
import io.galgo.storage.memory.BufferPool;
import io.galgo.storage.memory.PooledBuffer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The messages of one partition, oldest first: segment files, then a tail in memory.
///
/// Offsets grow and are never issued twice. Offsets in `[firstOffset(), nextOffset())` are readable; between
/// batches they may jump (spec semantics 22.3). Owned by one shard and confined to its thread.
///
/// | file in the directory | content |
/// |---|---|
/// | `%020d.log` | a segment, named by the first offset that it may hold |
/// | `%020d.index` | [IndexFile] of the segment of that name |
/// | `superblock` | [Superblock] |
/// | `*.removed` | given up, to be removed |
/// | `*.unclaimed` | segments found without a superblock: unfinished first appends, or for a person to look at |
///
/// A segment is batch records as on the wire, one behind the other. Filler records may lie between them; readers
/// and recovery skip them. Nothing is there before the first append.
public final class PartitionLog {
    // A batch is in the tail from its append until it is evicted, which happens when it is committed and so on
    // disk. A reader takes what the tail covers from there and all else from the segments; what is known of a
    // segment includes acked batches only, so that it never sees bytes that may be taken back.
    //
    // A purge begins a new list of segments, a new tail and a new writer. Operations in flight belong to the old
    // ones, which is how they know that they are of no use any more.

    /// How the names of files and directories end that are given up and wait for their removal.
    public static final String REMOVED = ".removed";

    static final String UNCLAIMED = ".unclaimed";

    private final LogStorage storage;
    private final String directory;
    private final LogSettings settings;
    private final long created;
    private final Consumer<String> events;
    private final SuperblockFile superblock;

    private List<Segment> segments;
    private Tail tail;
    private LogWriter writer;
    private long nextOffset;
    private long sizeBytes;
    private long messagesCount;
    private boolean isClosed;
    private boolean isDeleting;
    private int epoch;
    private int removals;

    private PartitionLog(
            LogStorage storage,
            String directory,
            LogSettings settings,
            long created,
            long purgeGeneration,
            LogRecovery recovery,
            Consumer<String> events) {
        this.storage = storage;
        this.directory = directory;
        this.settings = settings;
        this.created = created;
        this.events = events;
        this.superblock = recovery.superblock();
        this.segments = recovery.segments();
        this.nextOffset = recovery.endOffset();
        this.tail = new Tail(storage, nextOffset);
        for (int i = 0; i < segments.size(); i++) {
            sizeBytes += segments.get(i).contentBytes();
            messagesCount += segments.get(i).messagesCount();
        }
        this.writer = new LogWriter(
                storage,
                directory,
                settings,
                segments,
                tail,
                superblock,
                created,
                purgeGeneration,
                nextOffset,
                recovery.appendOffset(),
                recovery.lastTimestamp(),
                recovery.startsSegment(),
                recovery.onDisk(),
                null,
                events);
    }

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
    /// @throws DiskException when the disk fails
    public static PartitionLog open(
            LogStorage storage,
            String directory,
            LogSettings settings,
            long created,
            long purgeGeneration,
            boolean memoryWasLost,
            Consumer<String> events) {
        LogRecovery recovery =
                new LogRecovery(storage, directory, settings, created, purgeGeneration, memoryWasLost, events);
        recovery.run();
        return new PartitionLog(storage, directory, settings, created, purgeGeneration, recovery, events);
    }

    /// First offset still kept; equals [#nextOffset] when nothing is.
    public long firstOffset() {
        for (int i = 0; i < segments.size(); i++) {
            if (!segments.get(i).isEmpty()) {
                return Math.min(segments.get(i).firstOffset(), nextOffset);
            }
        }
        return nextOffset;
    }

    /// First offset that cannot be read yet.
    public long nextOffset() {
        return nextOffset;
    }

    /// Offset of the last committed message ever (deleting segments does not lower it), 0 when there was none.
    public long currentOffset() {
        return Math.max(0, nextOffset - 1);
    }

    /// Whether a message was ever committed since creation or the last purge.
    public boolean isEverWritten() {
        return nextOffset > 0;
    }

    /// The offset that the next appended batch must carry as its base offset.
    public long appendOffset() {
        return writer.appendOffset();
    }

    /// The base timestamp of the newest batch in the log, 0 when there is none. The next one must not be below it.
    public long lastTimestamp() {
        return writer.lastTimestamp();
    }

    /// Puts a stamped batch into the form in which it is to be appended.
    ///
    /// @param deflates whether it is to be deflated if that is worth while (topic option `compression_algorithm`)
    /// @return what holds the record, from byte 0; `buffer` when the batch is appended as it is; null when there is
    ///     no memory now. One reference belongs to the caller.
    public @Nullable PooledBuffer toStored(PooledBuffer buffer, int position, boolean deflates) {
        StoredForms forms = storage.forms();
        ByteBuffer bytes = buffer.bytes();
        long room = forms.roomFor(bytes, position, deflates);
        if (room == 0) {
            return buffer.retain();
        }
        PooledBuffer target = room > BufferPool.bufferBytesMax() ? null : storage.acquire((int) room);
        if (target == null) {
            return null;
        }
        int length = forms.store(bytes, position, target.bytes(), deflates, storage.checksum());
        if (length == 0) {
            target.release();
            return buffer.retain();
        }
        if (BatchHeader.length(bytes, position) >= OpenedBatches.BYTES_MIN) {
            // Whoever keeps up reads it soon.
            storage.opened().put(this, BatchHeader.baseOffset(bytes, position), buffer, position);
        }
        return target;
    }

    /// Whether a batch for which [#toStored] found no memory takes more than there is, so that it never will.
    public boolean isTooLarge(PooledBuffer buffer, int position, boolean deflates) {
        long room = storage.forms().roomFor(buffer.bytes(), position, deflates);
        return room > BufferPool.bufferBytesMax()
                || buffer.capacity() + BufferPool.bytesTaken((int) room)
                        > storage.buffers().bytesMax();
    }

    /// Appends one stamped batch record, in its stored form ([#toStored]), to a log that is writable: partition id,
    /// base offset ([#appendOffset]), base timestamp and batch checksum are final. Takes a reference of its own on
    /// `buffer`, or a copy of a short batch.
    ///
    /// `done` hears when the batch is as safe as the topic asks (written, or synced when persisted) and its
    /// offsets are reserved. Completions come in append order. After a fault the log accepts nothing more until
    /// [#isWritable] is true again; appends in flight all fail, and their offsets are skipped.
    public void append(PooledBuffer buffer, int position, int length, Completion done) {
        Invariant.check(isWritable(), "only a writable log is appended to");
        Invariant.check(
                BatchHeader.length(buffer.bytes(), position) == length,
                "a batch record is appended whole (its length, bytes given)",
                BatchHeader.length(buffer.bytes(), position),
                length);
        Invariant.check(
                BatchHeader.baseOffset(buffer.bytes(), position) == writer.appendOffset(),
                "a batch carries the next offset (base offset, next offset)",
                BatchHeader.baseOffset(buffer.bytes(), position),
                writer.appendOffset());
        Invariant.check(
                BatchHeader.messageCount(buffer.bytes(), position) > 0, "a batch that is appended has messages");
        Invariant.check(
                BatchHeader.baseTimestamp(buffer.bytes(), position) >= writer.lastTimestamp(),
                "time does not go back within a partition (batch, log)",
                BatchHeader.baseTimestamp(buffer.bytes(), position),
                writer.lastTimestamp());
        writer.append(buffer, position, length, done);
        trim();
    }

    /// Makes the batches below `nextOffset` readable. Goes forward only, to the end of a completed append.
    public void commit(long nextOffset) {
        while (tail.committed() < tail.acked() && tail.endOffset(tail.committed()) <= nextOffset) {
            long sequence = tail.committed();
            this.nextOffset = tail.endOffset(sequence);
            sizeBytes += tail.accountedLength(sequence);
            messagesCount += tail.endOffset(sequence) - tail.baseOffset(sequence);
            tail.commitNext();
        }
        Invariant.check(
                nextOffset <= this.nextOffset,
                "a commit ends where a completed append does (commit, readable)",
                nextOffset,
                this.nextOffset);
        trim();
    }

    private void trim() {
        if (tail.bytesHeld() > settings.tailBytesMax()) {
            tail.evict(tail.bytesHeld() - settings.tailBytesMax());
        }
        storage.trimTails();
    }

    /// Reads from `offset` on, at most `messagesMax` messages and about `bytesMax` bytes, at least one message when
    /// there is one. An offset below the first one is served from the first; one inside a jump from the next batch.
    ///
    /// `done` may be called from inside this call when everything is in memory. A purge, the deletion of segments
    /// and a close let a read in flight end with what it has.
    public void read(long offset, int messagesMax, int bytesMax, Consumer<LogRead> done) {
        new LogReader(this, messagesMax, bytesMax, done).fromOffset(Math.max(offset, firstOffset()));
    }

    /// Whether a read from `offset` on finds all that there is in memory, so that it ends inside its call.
    public boolean isInTail(long offset) {
        return Math.max(offset, firstOffset()) >= tail.coveredFrom();
    }

    /// Reads from the first batch whose base timestamp is at least `timestampMicros`.
    public void readSince(long timestampMicros, int messagesMax, int bytesMax, Consumer<LogRead> done) {
        new LogReader(this, messagesMax, bytesMax, done).fromTimestamp(timestampMicros);
    }

    /// False after a failed write or sync, until the log is known to be good again (a full disk has room again, or
    /// a handle is free).
    public boolean isWritable() {
        return !isClosed && writer.isWritable();
    }

    /// Why the log is not writable, or null while it is.
    public @Nullable DiskFault fault() {
        return writer.fault();
    }

    /// Finds out whether a log that ran out of space or handles is good again. To be called now and then while
    /// [#isWritable] is false; does nothing otherwise, and nothing after a fault of another kind, which only a
    /// restart heals.
    public void probe() {
        writer.probe();
    }

    /// Whether some of the log's files cannot be read to the end or in the middle: that range answers
    /// [LogRead.Damaged], the rest serves.
    public boolean isDamaged() {
        for (int i = 0; i < segments.size(); i++) {
            if (segments.get(i).isDamaged()) {
                return true;
            }
        }
        return false;
    }

    /// Bytes of the committed batches that are kept: headers and frames, filler not counted. Deflated ones count as
    /// if they were not.
    public long sizeBytes() {
        return sizeBytes;
    }

    /// Committed messages that are kept.
    public long messagesCount() {
        return messagesCount;
    }

    /// What is kept at and behind an offset. Reads nothing from the disk.
    public Backlog backlog(long offset) {
        if (offset >= nextOffset) {
            return Backlog.NONE;
        }
        long messages = messagesCount;
        long bytes = sizeBytes;
        for (int i = 0; i < segments.size() && segments.get(i).firstOffset() < offset; i++) {
            Segment segment = segments.get(i);
            if (segment.endOffset() <= offset) {
                messages -= segment.messagesCount();
                bytes -= segment.contentBytes();
            } else if (segment.messagesCount() > 0) {
                long before = Math.min(offset - segment.firstOffset(), segment.messagesCount());
                messages -= before;
                bytes -= (long) ((double) segment.contentBytes() / segment.messagesCount() * before);
            }
        }
        return new Backlog(Math.max(0, messages), Math.max(0, bytes));
    }

    /// At least 1.
    public int segmentsCount() {
        return Math.max(1, segments.size());
    }

    /// Segments that are full, all committed, and so may be deleted.
    public int sealedSegmentsCount() {
        int count = 0;
        while (count + 1 < segments.size() && segments.get(count).endOffset() <= nextOffset) {
            count++;
        }
        return count;
    }

    /// The offset behind the last message of a sealed segment, counted from the oldest.
    public long sealedEndOffset(int segment) {
        return segments.get(segment).endOffset();
    }

    /// Bytes of a sealed segment, as if nothing in it was deflated: what counts against the size of a topic.
    public long sealedBytes(int segment) {
        return segments.get(segment).fillBytes();
    }

    /// No message of a sealed segment is newer than this; 0 when that is not known. Where the end of a segment is
    /// damaged, the newest message of the next one tells.
    public long sealedTimestamp(int segment) {
        int place = segment;
        while (place < segments.size()
                && (segments.get(place).endsDamaged() || segments.get(place).lastTimestamp() == 0)) {
            place++;
        }
        return place < segments.size() ? segments.get(place).lastTimestamp() : 0;
    }

    /// Hears how a deletion of segments ended.
    @FunctionalInterface
    public interface Deleted {
        /// @param segmentsCount how many are gone
        /// @param fault why not all of them are
        void onDeleted(int segmentsCount, @Nullable DiskFault fault);
    }

    /// Deletes the oldest sealed segments, as many as there are at most. That is said durably before the first file
    /// goes, so no crash leaves a hole or brings one back. Readers that have begun go on with what they hold.
    ///
    /// One deletion runs at a time. `done` may be called from inside this call when there is nothing to wait for.
    public void deleteOldest(int segmentsMax, Deleted done) {
        int count = Math.min(segmentsMax, sealedSegmentsCount());
        if (isClosed || isDeleting || count <= 0) {
            done.onDeleted(0, null);
            return;
        }
        long keptFrom = segments.get(count).startOffset();
        if (writer.kept() >= keptFrom) {
            removeBelow(keptFrom, done);
            return;
        }
        int begun = epoch;
        isDeleting = true;
        writer.giveUpBelow(keptFrom, (_, fault) -> {
            isDeleting = false;
            if (fault != null || isClosed || begun != epoch) {
                done.onDeleted(0, fault);
            } else {
                removeBelow(keptFrom, done);
            }
        });
    }

    private void removeBelow(long keptFrom, Deleted done) {
        int count = 0;
        while (segments.getFirst().startOffset() < keptFrom) {
            Segment segment = segments.getFirst();
            try {
                remove(segment);
            } catch (DiskException e) {
                done.onDeleted(count, e.fault());
                return;
            }
            segments.removeFirst();
            sizeBytes -= segment.contentBytes();
            messagesCount -= segment.messagesCount();
            tail.dropBelow(segment.endOffset());
            count++;
        }
        done.onDeleted(count, null);
    }

    /// Gives tail memory back, oldest first.
    ///
    /// @return bytes given back
    public long evictTail(long bytes) {
        return tail.evict(bytes);
    }

    /// Throws all messages away; offsets start at 0 again. Appends in flight complete inside this call, without a
    /// fault and with `bytes` 0, and put nothing back. The caller has made the generation durable in the metadata
    /// log.
    public void purge(long purgeGeneration) {
        List<Completion> waiting = writer.abandon();
        DiskFault fault = writer.fault();
        tail.close();
        storage.opened().drop(this);
        for (int i = 0; i < segments.size(); i++) {
            forget(segments.get(i));
        }
        try {
            // Also those that no segment stands for: a start of a segment may have failed when its file was there.
            for (String name : storage.disk().list(directory)) {
                if (Segment.startOffset(name) >= 0 || Segment.indexStartOffset(name) >= 0) {
                    remove(directory + "/" + name);
                }
            }
        } catch (DiskException e) {
            // What is left is of an older generation than the metadata say, so that the next start removes it.
            // Until then nothing may be written beside it.
            events.accept("the log is purged but takes no more messages: " + e.fault());
            fault = new DiskFault(
                    DiskFault.Kind.IO, "rename", directory, e.fault().toString());
        }
        superblock.onShapeChanged();
        segments = new ArrayList<>();
        epoch++;
        nextOffset = 0;
        sizeBytes = 0;
        messagesCount = 0;
        tail = new Tail(storage, 0);
        writer = new LogWriter(
                storage,
                directory,
                settings,
                segments,
                tail,
                superblock,
                created,
                purgeGeneration,
                0,
                0,
                0,
                false,
                null,
                fault,
                events);
        completeUnheard(waiting);
    }

    /// Stops for good: writes what is in flight, gives reserved offsets back and closes the files. Memory is
    /// released. `done` may be called from inside this call when nothing is in flight.
    public void close(Completion done) {
        isClosed = true;
        writer.close((bytes, fault) -> {
            tail.close();
            storage.opened().drop(this);
            for (int i = 0; i < segments.size(); i++) {
                forget(segments.get(i));
            }
            segments = new ArrayList<>();
            epoch++;
            done.onComplete(bytes, fault);
        });
    }

    /// Gives back what a log holds that was opened and never used. Nothing is written.
    public void leave() {
        isClosed = true;
        tail.close();
        for (int i = 0; i < segments.size(); i++) {
            forget(segments.get(i));
        }
        segments = new ArrayList<>();
        epoch++;
    }

    /// Stops for good and removes the directory. Appends in flight complete as by [#purge].
    public void delete() {
        isClosed = true;
        List<Completion> waiting = writer.abandon();
        superblock.abandon();
        tail.close();
        storage.opened().drop(this);
        for (int i = 0; i < segments.size(); i++) {
            forget(segments.get(i));
        }
        segments = new ArrayList<>();
        epoch++;
        nextOffset = 0;
        sizeBytes = 0;
        messagesCount = 0;
        if (storage.disk().exists(directory)) {
            String removed = directory + "." + created + REMOVED;
            try {
                storage.disk().rename(directory, removed);
                storage.disk().removeLater(removed);
            } catch (DiskException e) {
                storage.incidents().count(Incident.NOT_REMOVED);
                events.accept("a deleted partition's directory stays until the next start: " + e.fault());
            }
        }
        completeUnheard(waiting);
    }

    private static void completeUnheard(List<Completion> waiting) {
        for (int i = 0; i < waiting.size(); i++) {
            waiting.get(i).onComplete(0, null);
        }
    }

    private void remove(Segment segment) {
        remove(segment.file().path());
        forget(segment);
        try {
            if (storage.disk().exists(segment.indexPath())) {
                remove(segment.indexPath());
            }
        } catch (DiskException e) {
            // The next start removes an index without a log.
            events.accept("the index of a deleted segment stays until the next start: " + e.fault());
        }
    }

    private void remove(String path) {
        // A name that was never used before: the file may stay for a while, and another one of its name may follow.
        removals++;
        String removed = path + "." + removals + REMOVED;
        storage.disk().rename(path, removed);
        storage.disk().removeLater(removed);
    }

    private void forget(Segment segment) {
        storage.files().forget(segment.file());
        storage.dropIndex(segment);
    }

    // ------------------------------------------------------------------------------------ for readers

    LogStorage storage() {
        return storage;
    }

    LogSettings settings() {
        return settings;
    }

    /// Changes with a purge and with the end of the log.
    int epoch() {
        return epoch;
    }

    /// Another list in each epoch.
    List<Segment> segments() {
        return segments;
    }

    Tail tail() {
        return tail;
    }

    /// A reader met bytes that recovery had not found bad. What it reads says so to whoever asked.
    void onDamage(Segment segment) {
        if (!segment.isDamaged()) {
            segment.onDamageFound();
        }
    }
}
