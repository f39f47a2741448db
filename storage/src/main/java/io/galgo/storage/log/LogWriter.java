package io.galgo.storage.log;

import io.galgo.protocol.batch.BatchHeader;
import io.galgo.storage.Incident;
import io.galgo.storage.Invariant;
import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.DiskFile;
import io.galgo.storage.memory.PooledBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Brings the batches of a [Tail] to the disk, in order, and says when each is as safe as its topic asks.
///
/// Lives from the opening of the log, or a purge, to the next purge or the close. Confined to the shard's thread.
final class LogWriter {
    // A batch passes four gates before its completion is called:
    //   1. it is written: one write is in flight at a time, and takes all that waited for the one before it;
    //   2. on a persisted topic it is synced, and its segment's name is: one sync is in flight at a time, and
    //   covers all that was written before it began, while the next write runs beside it; 3. the superblock on disk
    //   says that this partition and purge generation write here and were not stopped cleanly, and the names on the
    //   way to it are durable. Each life of a log sees to that once; 4. on a replicated topic the superblock on
    //   disk reserves its offsets. The next block is claimed when half of the last one is used, so that nobody
    //   waits for it while the disk keeps up. What is known of a segment changes only when a batch has passed them
    //   all. So after a fault everything behind the last acked batch can be forgotten: it is cut off, or
    //   overwritten, or skipped by a jump.

    private static final int WRITE_BUFFERS_MAX = 256;
    private static final int WRITE_BYTES_MAX = 8 * 1024 * 1024;
    private static final int PROBE_BYTES = 64 * 1024;
    private static final @Nullable PooledBuffer[] NO_BUFFERS = {};
    private static final ByteBuffer[] NO_SOURCES = {};

    private final LogStorage storage;
    private final String directory;
    private final LogSettings settings;
    private final List<Segment> segments;
    private final Tail tail;
    private final SuperblockFile superblock;
    private final long created;
    private final long generation;
    private final long floor;
    private final Consumer<String> events;

    private long appendOffset;
    private long ackedOffset;
    private long lastTimestamp;

    // Sequences of the tail.
    private long submitted;
    private long written;
    private long synced;
    private long syncTarget;

    private boolean startsSegment;
    private long writePosition;

    // Accounted bytes of the active segment's batches, those being written included.
    private long writeContent;
    private long jumpSequence = -1;

    private boolean isWriting;
    private boolean isSyncing;
    private boolean isSyncingDirectory;
    private boolean isProbing;
    private boolean isClaiming;
    private int givingUp;
    private int sealings;

    private boolean isDirectorySynced = true;
    private boolean isOpened;
    private boolean isSuperblockClean;
    private long reserved;

    // What the state that is being claimed reserves.
    private long claimed;

    // Below which segments are given up: as the superblock says, and as it will once what is asked of it is
    // written.
    private long kept;
    private long keptAsked;
    private long ended;

    private boolean hasUnsyncedBytes;
    private boolean isAbandoned;
    private boolean isLeft;
    private @Nullable DiskFault fault;
    private @Nullable Completion closing;

    // The buffers of the write in flight: the tail may let go of them before the disk does.
    private @Nullable PooledBuffer[] held = NO_BUFFERS;
    private int heldCount;
    private ByteBuffer[] sources = NO_SOURCES;

    // Made once, not for each write.
    private final Completion writeEnd = this::onWritten;

    /// @param ackedOffset the offset behind the last message that the log has
    /// @param appendOffset the offset at which it goes on
    /// @param startsSegment whether it goes on in a new segment whatever room the last one has
    /// @param onDisk what the superblock says of this generation, null when it says nothing
    LogWriter(
            LogStorage storage,
            String directory,
            LogSettings settings,
            List<Segment> segments,
            Tail tail,
            SuperblockFile superblock,
            long created,
            long generation,
            long ackedOffset,
            long appendOffset,
            long lastTimestamp,
            boolean startsSegment,
            @Nullable Superblock onDisk,
            @Nullable DiskFault fault,
            Consumer<String> events) {
        this.storage = storage;
        this.directory = directory;
        this.settings = settings;
        this.segments = segments;
        this.tail = tail;
        this.superblock = superblock;
        this.created = created;
        this.generation = generation;
        this.ackedOffset = ackedOffset;
        this.appendOffset = appendOffset;
        this.lastTimestamp = lastTimestamp;
        this.startsSegment = startsSegment;
        this.floor = onDisk == null ? 0 : onDisk.floor();
        this.reserved = onDisk == null ? 0 : onDisk.reserved();
        this.claimed = reserved;
        this.kept = onDisk == null ? 0 : onDisk.kept();
        this.keptAsked = kept;
        this.ended = onDisk == null ? 0 : onDisk.ended();
        this.isSuperblockClean = onDisk == null || onDisk.isClean();
        this.hasUnsyncedBytes = !isSuperblockClean && !segments.isEmpty();
        this.fault = fault;
        this.events = events;
        this.writePosition = segments.isEmpty() ? 0 : segments.getLast().bytes();
        this.writeContent = segments.isEmpty() ? 0 : segments.getLast().contentBytes();
    }

    long appendOffset() {
        return appendOffset;
    }

    long lastTimestamp() {
        return lastTimestamp;
    }

    @Nullable DiskFault fault() {
        return fault;
    }

    boolean isWritable() {
        return fault == null && closing == null && !isAbandoned;
    }

    /// Takes a batch in that was checked against [#appendOffset] and [#lastTimestamp].
    void append(PooledBuffer buffer, int position, int length, Completion done) {
        ByteBuffer bytes = buffer.bytes();
        long baseOffset = BatchHeader.baseOffset(bytes, position);
        long endOffset = baseOffset + BatchHeader.messageCount(bytes, position);
        lastTimestamp = BatchHeader.baseTimestamp(bytes, position);
        tail.add(buffer, position, length, baseOffset, endOffset, lastTimestamp, done);
        appendOffset = endOffset;
        claimIfDue();
        writeIfDue();
    }

    // ------------------------------------------------------------------------------------ writing

    private void writeIfDue() {
        if (isWriting || fault != null || isAbandoned || submitted == tail.end()) {
            return;
        }
        try {
            if (prepareSegment()) {
                write();
            }
        } catch (DiskException e) {
            // The append that came upon this must not hear of it from inside its own call.
            isWriting = true;
            storage.later(() -> {
                isWriting = false;
                fail(e.fault());
                closeIfDone();
            });
        }
    }

    /// Whether there is a segment for the next batch; if not, it must wait for those before it to be acked.
    private boolean prepareSegment() {
        boolean isFull = !segments.isEmpty() && isFull(0);
        if (!segments.isEmpty() && !isFull && !startsSegment) {
            return true;
        }
        if (tail.acked() != submitted) {
            return false;
        }
        startSegment(tail.baseOffset(submitted));
        return true;
    }

    /// Whether the active segment has reached its limit with `more` bytes behind what is written.
    private boolean isFull(long more) {
        return Math.max(writePosition + more, writeContent) >= settings.segmentBytesMax();
    }

    private void write() {
        DiskFile file = storage.files().pin(active().file(), false);
        int count = 0;
        long bytes = 0;
        long sequence = submitted;
        if (tail.baseOffset(sequence) > endOffsetBefore(sequence)) {
            source(count++, jumpRecord(endOffsetBefore(sequence), tail.baseOffset(sequence)));
            bytes = JumpRecord.BYTES;
            jumpSequence = sequence;
        }
        // At least one batch goes, however little room is left: a batch that crosses the limit stays whole.
        while (sequence < tail.end()
                && (sequence == submitted
                        || (count < WRITE_BUFFERS_MAX && bytes < WRITE_BYTES_MAX && !isFull(bytes)))) {
            PooledBuffer buffer = tail.buffer(sequence);
            int from = tail.position(sequence);
            int to = from;
            // Neighbours in one buffer are one source.
            do {
                to += tail.length(sequence);
                writeContent += tail.accountedLength(sequence);
                sequence++;
            } while (sequence < tail.end()
                    && tail.buffer(sequence) == buffer
                    && tail.position(sequence) == to
                    && bytes + (to - from) < WRITE_BYTES_MAX
                    && !isFull(bytes + (to - from)));
            hold(buffer);
            source(count++, buffer.slice(from, to - from));
            bytes += to - from;
        }
        submitted = sequence;
        isWriting = true;
        hasUnsyncedBytes = true;
        long position = writePosition;
        writePosition += bytes;
        file.write(position, sources, count, writeEnd);
        Arrays.fill(sources, 0, count, null);
    }

    private long endOffsetBefore(long sequence) {
        return sequence == tail.acked() ? ackedOffset : tail.endOffset(sequence - 1);
    }

    private ByteBuffer jumpRecord(long fromOffset, long toOffset) {
        ByteBuffer record = ByteBuffer.allocateDirect(JumpRecord.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        JumpRecord.write(record, 0, fromOffset, toOffset, storage.checksum());
        return record;
    }

    private void source(int index, ByteBuffer source) {
        if (index == sources.length) {
            sources = Arrays.copyOf(sources, Math.max(4, index * 2));
        }
        sources[index] = source;
    }

    private void hold(PooledBuffer buffer) {
        if (heldCount == held.length) {
            held = Arrays.copyOf(held, Math.max(4, heldCount * 2));
        }
        held[heldCount++] = buffer.retain();
    }

    private void onWritten(int bytes, @Nullable DiskFault writeFault) {
        isWriting = false;
        storage.files().unpin(active().file());
        for (int i = 0; i < heldCount; i++) {
            PooledBuffer buffer = held[i];
            if (buffer != null) {
                buffer.release();
                held[i] = null;
            }
        }
        heldCount = 0;
        if (isAbandoned || fault != null) {
            if (!isAbandoned) {
                takeBack();
            }
            closeIfDone();
            return;
        }
        if (writeFault != null) {
            fail(writeFault);
            closeIfDone();
            return;
        }
        written = submitted;
        proceed();
    }

    private void syncIfDue() {
        if (!settings.persisted() || isSyncing || fault != null || isAbandoned || synced == written) {
            return;
        }
        Segment segment = active();
        isSyncing = true;
        syncTarget = written;
        try {
            storage.files().pin(segment.file(), false).sync((_, syncFault) -> onSynced(segment, syncFault));
        } catch (DiskException e) {
            storage.later(() -> {
                isSyncing = false;
                fail(e.fault());
                closeIfDone();
            });
        }
    }

    private void onSynced(Segment segment, @Nullable DiskFault syncFault) {
        isSyncing = false;
        storage.files().unpin(segment.file());
        if (isAbandoned || fault != null) {
            closeIfDone();
            return;
        }
        if (syncFault != null) {
            fail(syncFault);
            closeIfDone();
            return;
        }
        synced = syncTarget;
        proceed();
    }

    // ------------------------------------------------------------------------------------ acknowledging

    /// Something that batches wait for has happened.
    private void proceed() {
        while (fault == null && !isAbandoned && tail.acked() < written && isSafe(tail.acked())) {
            long sequence = tail.acked();
            int length = tail.length(sequence);
            accept(sequence);
            tail.ack().onComplete(length, null);
        }
        if (fault == null && !isAbandoned) {
            sealIfFull();
            claimIfDue();
            writeIfDue();
            syncIfDue();
        }
        closeIfDone();
    }

    private boolean isSafe(long sequence) {
        return isOpened
                && (settings.persisted()
                        ? sequence < synced && isDirectorySynced
                        : tail.endOffset(sequence) <= reserved);
    }

    private void accept(long sequence) {
        Segment segment = active();
        SegmentIndex index = Objects.requireNonNull(segment.index);
        if (sequence == jumpSequence) {
            index.skip(segment.bytes(), JumpRecord.BYTES);
            segment.onFiller(segment.bytes() + JumpRecord.BYTES);
            jumpSequence = -1;
        }
        long position = segment.bytes();
        int length = tail.length(sequence);
        long baseOffset = tail.baseOffset(sequence);
        long timestamp = tail.timestamp(sequence);
        index.cover(position, length, baseOffset, timestamp);
        ackedOffset = tail.endOffset(sequence);
        segment.onBatch(
                baseOffset,
                ackedOffset,
                timestamp,
                BatchHeader.partitionId(tail.buffer(sequence).bytes(), tail.position(sequence)),
                tail.accountedLength(sequence),
                position + length);
    }

    // ------------------------------------------------------------------------------------ reserving

    private void claimIfDue() {
        if (isClaiming || fault != null || isAbandoned) {
            return;
        }
        long target = settings.persisted()
                ? Math.max(reserved, floor)
                : Math.max(appendOffset, ackedOffset + settings.reservationLease());
        boolean isRunningOut =
                !settings.persisted() && target > reserved && reserved - appendOffset < settings.reservationLease() / 2;
        if (isOpened && !isRunningOut) {
            return;
        }
        isClaiming = true;
        claimed = target;
        superblock.write(state(target, floor, false), (_, claimFault) -> onClaimed(target, claimFault));
    }

    private Superblock state(long reservedOffset, long floorOffset, boolean isClean) {
        return new Superblock(created, generation, reservedOffset, floorOffset, isClean, keptAsked, ended);
    }

    /// The segments that start below this offset are given up for good, whatever a crash leaves of them.
    long kept() {
        return kept;
    }

    /// Gives the segments up that start below an offset. Also a log that takes no messages does so.
    void giveUpBelow(long startOffset, Completion done) {
        keptAsked = Math.max(keptAsked, startOffset);
        ended = ackedOffset;
        givingUp++;
        superblock.write(
                state(Math.max(reserved, claimed), floor, isSuperblockClean && !isClaiming), (_, keptFault) -> {
                    givingUp--;
                    if (keptFault == null) {
                        kept = Math.max(kept, startOffset);
                    }
                    done.onComplete(0, keptFault);
                    closeIfDone();
                });
    }

    private void onClaimed(long target, @Nullable DiskFault claimFault) {
        isClaiming = false;
        if (claimFault == null) {
            isOpened = true;
            isSuperblockClean = false;
            reserved = target;
        }
        if (isAbandoned || fault != null) {
            closeIfDone();
            return;
        }
        if (claimFault != null) {
            fail(claimFault);
            closeIfDone();
            return;
        }
        proceed();
    }

    // ------------------------------------------------------------------------------------ segments

    private Segment active() {
        return segments.getLast();
    }

    private void sealIfFull() {
        if (segments.isEmpty() || tail.acked() != submitted || active().fillBytes() < settings.segmentBytesMax()) {
            return;
        }
        try {
            startSegment(submitted < tail.end() ? tail.baseOffset(submitted) : appendOffset);
        } catch (DiskException _) {
            // The next batch tries again, and fails with this if it must; then its sender's partition tells people.
        }
    }

    private void startSegment(long startOffset) {
        Invariant.check(
                segments.isEmpty() || (startOffset > active().startOffset() && startOffset >= active().endOffset()),
                "a segment starts behind the one before it (end, start)",
                segments.isEmpty() ? 0 : active().endOffset(),
                startOffset);
        storage.disk().createDirectories(directory);
        Segment segment = new Segment(directory, startOffset);
        DiskFile file = storage.files().pin(segment.file(), true);
        try {
            file.truncate(0);
            if (settings.preallocate() && !file.preallocate(settings.segmentBytesMax())) {
                events.accept("no room was reserved for " + segment.file().path());
            }
        } catch (DiskException e) {
            storage.files().forget(segment.file());
            throw e;
        } finally {
            storage.files().unpin(segment.file());
        }
        if (!segments.isEmpty()) {
            seal(active());
        }
        segment.index = new SegmentIndex(settings.indexIntervalBytes());
        segments.add(segment);
        writePosition = 0;
        writeContent = 0;
        startsSegment = false;
        if (settings.persisted()) {
            syncDirectory();
        }
    }

    private void syncDirectory() {
        isDirectorySynced = false;
        isSyncingDirectory = true;
        storage.disk().syncDirectory(directory, (_, directoryFault) -> {
            isSyncingDirectory = false;
            isDirectorySynced = directoryFault == null;
            if (isAbandoned || fault != null) {
                closeIfDone();
            } else if (directoryFault != null) {
                fail(directoryFault);
                closeIfDone();
            } else {
                proceed();
            }
        });
    }

    /// Nothing is added to a segment any more: its index is kept on disk, and its content is made durable, so that
    /// a power loss hits the end of the log and not its middle.
    private void seal(Segment segment) {
        storage.onIndexUsed(segment);
        writeIndex(segment);
        if (settings.persisted()) {
            return;
        }
        syncInBackground(segment);
    }

    /// Syncs a segment and its name, beside what goes on.
    private void syncInBackground(Segment segment) {
        try {
            storage.files().pin(segment.file(), false).sync((_, syncFault) -> {
                storage.files().unpin(segment.file());
                endInBackground(syncFault);
            });
            sealings++;
            storage.disk().syncDirectory(directory, (_, namesFault) -> endInBackground(namesFault));
            sealings++;
        } catch (DiskException e) {
            events.accept("a segment could not be synced: " + e.fault());
        }
    }

    private void endInBackground(@Nullable DiskFault found) {
        sealings--;
        if (found != null) {
            fail(found);
        }
        closeIfDone();
    }

    private void writeIndex(Segment segment) {
        SegmentIndex index = segment.index;
        if (index == null || segment.isDamaged() || index.coveredBytes() != segment.bytes()) {
            return;
        }
        int length = IndexFile.length(index);
        PooledBuffer buffer = storage.acquire(length);
        if (buffer == null) {
            // Readers find their way without it, only slower.
            return;
        }
        IndexFile.encode(segment, index, buffer.bytes());
        DiskFile file;
        try {
            file = openEmpty(segment.indexPath());
        } catch (DiskException e) {
            buffer.release();
            onIndexFault(e.fault());
            return;
        }
        sealings++;
        file.write(0, buffer.slice(0, length), (_, indexFault) -> {
            sealings--;
            buffer.release();
            file.close();
            if (indexFault != null) {
                onIndexFault(indexFault);
            }
            closeIfDone();
        });
    }

    private DiskFile openEmpty(String path) {
        DiskFile file = storage.disk().open(path, true);
        try {
            file.truncate(0);
        } catch (DiskException e) {
            file.close();
            throw e;
        }
        return file;
    }

    private void onIndexFault(DiskFault indexFault) {
        storage.incidents().count(Incident.INDEX_NOT_WRITTEN);
        events.accept("an index could not be written and will be rebuilt: " + indexFault);
    }

    // ------------------------------------------------------------------------------------ faults

    private void fail(DiskFault cause) {
        if (fault != null || isAbandoned) {
            return;
        }
        fault = cause;
        List<Completion> waiting = takeWaiting();
        takeBack();
        for (int i = 0; i < waiting.size(); i++) {
            waiting.get(i).onComplete(0, cause);
        }
    }

    /// Cuts off what is not acked: when it could not be synced it may be in the system's memory only, and the next
    /// process must not take it for durable.
    private void takeBack() {
        if (isWriting || segments.isEmpty()) {
            return;
        }
        Segment segment = active();
        try {
            DiskFile file = storage.files().pin(segment.file(), false);
            try {
                cutBehindAcked(file, segment);
            } finally {
                storage.files().unpin(segment.file());
            }
        } catch (DiskException e) {
            events.accept("bytes of failed appends stay behind the end of "
                    + segment.file().path() + ": " + e.fault());
        }
    }

    /// Forgets the batches that are not acked. Their offsets stay used: the next batch is behind them.
    private List<Completion> takeWaiting() {
        List<Completion> waiting = new ArrayList<>();
        for (long sequence = tail.acked(); sequence < tail.end(); sequence++) {
            waiting.add(tail.completion(sequence));
        }
        tail.dropUnacked();
        submitted = tail.acked();
        written = submitted;
        synced = submitted;
        jumpSequence = -1;
        return waiting;
    }

    /// Looks whether the disk has room again, and the process handles.
    void probe() {
        if (fault == null || !isPassing(fault.kind()) || closing != null || isAbandoned || isProbing || isBusy()) {
            return;
        }
        PooledBuffer buffer = storage.acquire(PROBE_BYTES);
        if (buffer == null) {
            return;
        }
        for (int i = 0; i < PROBE_BYTES; i += 8) {
            buffer.bytes().putLong(i, 0);
        }
        isProbing = true;
        Segment segment;
        DiskFile file;
        try {
            if (segments.isEmpty()) {
                startSegment(appendOffset);
            }
            segment = active();
            file = storage.files().pin(segment.file(), false);
        } catch (DiskException e) {
            buffer.release();
            endProbe(e.fault());
            return;
        }
        try {
            cutBehindAcked(file, segment);
        } catch (DiskException e) {
            buffer.release();
            storage.files().unpin(segment.file());
            endProbe(e.fault());
            return;
        }
        file.write(segment.bytes(), buffer.slice(0, PROBE_BYTES), (_, probeFault) -> {
            buffer.release();
            onProbeWritten(file, segment, probeFault);
        });
    }

    /// Whether a fault says nothing about what the disk holds and ends by itself.
    private static boolean isPassing(DiskFault.Kind kind) {
        return kind == DiskFault.Kind.NO_SPACE || kind == DiskFault.Kind.TOO_MANY_FILES;
    }

    private void cutBehindAcked(DiskFile file, Segment segment) {
        file.truncate(segment.bytes());
        writePosition = segment.bytes();
        writeContent = segment.contentBytes();
    }

    private void onProbeWritten(DiskFile file, Segment segment, @Nullable DiskFault probeFault) {
        DiskFault found = probeFault;
        try {
            cutBehindAcked(file, segment);
        } catch (DiskException e) {
            found = found == null ? e.fault() : found;
        }
        storage.files().unpin(segment.file());
        if (found != null || isAbandoned) {
            endProbe(found);
            return;
        }
        long target = Math.max(reserved, settings.persisted() ? floor : ackedOffset + settings.reservationLease());
        isClaiming = true;
        claimed = target;
        superblock.write(state(target, floor, false), (_, claimFault) -> {
            isClaiming = false;
            if (claimFault == null) {
                isOpened = true;
                isSuperblockClean = false;
                reserved = target;
            }
            endProbe(claimFault);
        });
    }

    private void endProbe(@Nullable DiskFault found) {
        isProbing = false;
        if (!isAbandoned) {
            fault = found;
            if (found == null) {
                if (settings.persisted() && !isDirectorySynced) {
                    syncDirectory();
                }
            }
        }
        closeIfDone();
    }

    private boolean isBusy() {
        return isWriting || isSyncing || isSyncingDirectory || isClaiming || sealings > 0 || givingUp > 0;
    }

    // ------------------------------------------------------------------------------------ ending

    /// Lets go of everything; what is in flight completes unheard.
    ///
    /// @return who waits for batches that are not acked
    List<Completion> abandon() {
        isAbandoned = true;
        if (isProbing || isBusy()) {
            isLeft = true;
            storage.abandoned().onLeft();
        }
        return takeWaiting();
    }

    /// Ends when all batches are acked, or after a fault: makes all durable, and says so in the superblock.
    void close(Completion done) {
        Invariant.check(closing == null, "a log is closed once");
        closing = done;
        closeIfDone();
    }

    private void closeIfDone() {
        if (isLeft && !isProbing && !isBusy()) {
            isLeft = false;
            storage.abandoned().onEnded();
        }
        Completion done = closing;
        if (done == null || isAbandoned || isProbing || isBusy()) {
            return;
        }
        if (fault != null) {
            finish(done, fault);
            return;
        }
        if (tail.acked() < tail.end()) {
            return;
        }
        if (hasUnsyncedBytes) {
            hasUnsyncedBytes = false;
            writeIndex(active());
            if (!settings.persisted()) {
                syncInBackground(active());
            }
            closeIfDone();
            return;
        }
        if (isSuperblockClean) {
            finish(done, null);
            return;
        }
        isClaiming = true;
        superblock.write(state(appendOffset, appendOffset, true), (_, cleanFault) -> {
            isClaiming = false;
            isSuperblockClean = true;
            if (cleanFault != null) {
                fault = cleanFault;
            }
            closeIfDone();
        });
    }

    private void finish(Completion done, @Nullable DiskFault outcome) {
        isAbandoned = true;
        done.onComplete(0, outcome);
    }
}
