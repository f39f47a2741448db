package io.galgo.storage.log;

import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.batch.MessageFrame;
import io.galgo.storage.Incident;
import io.galgo.storage.Unreadable;
import io.galgo.storage.disk.Disk;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.DiskFile;
import io.galgo.storage.form.StoredForm;
import io.galgo.storage.memory.PooledBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Finds out what the files of a log hold when it is opened, and where it goes on.
///
/// Works once, waiting for the disk.
final class LogRecovery implements SegmentWalk.Visitor {
    // Where the log goes on. The next offset must be behind every offset that was ever confirmed or readable:
    //   - behind the last message found, of course;
    //   - not below the superblock's floor: an earlier recovery, or a clean stop, put it behind something;
    //   - when memory was lost, not below its reserved offset: up to there replicated messages may have been
    //     confirmed that never reached the disk. Without a loss of memory all confirmed ones are in the files;
    //   - when bytes at the end are cut that may have been confirmed, because nothing but damage explains them,
    //     not below what they can have held.
    // When that leaves a gap, the log goes on in a new segment that begins with a JumpRecord. The floor is made
    // durable before anything else happens: if the process dies before the first append, the next start will not
    // know any more that memory was lost.

    private static final int WINDOW_BYTES = 2 * 1024 * 1024;
    private static final int WINDOW_BYTES_MIN = 64 * 1024;

    /// No configuration allows larger blocks of claimed offsets.
    private static final int RESERVATION_LEASE_MAX = 1 << 24;

    private final LogStorage storage;
    private final Disk disk;
    private final String directory;
    private final LogSettings settings;
    private final long created;
    private final long purgeGeneration;
    private final boolean memoryWasLost;
    private final Consumer<String> events;
    private final SuperblockFile superblock;
    private final SegmentWalk walk;
    private final List<Segment> segments = new ArrayList<>();

    private @Nullable Superblock onDisk;
    private long endOffset;
    private long appendOffset;
    private long lastTimestamp;
    private long partitionId = -1;

    // The segment being walked.
    private @Nullable Segment segment;
    private boolean isLast;
    private long followingOffset;
    private long tornPosition;
    private long tornOffset;
    private int framesEnd;
    private boolean hasDeflated;

    private @Nullable PooledBuffer window;

    LogRecovery(
            LogStorage storage,
            String directory,
            LogSettings settings,
            long created,
            long purgeGeneration,
            boolean memoryWasLost,
            Consumer<String> events) {
        this.storage = storage;
        this.disk = storage.disk();
        this.directory = directory;
        this.settings = settings;
        this.created = created;
        this.purgeGeneration = purgeGeneration;
        this.memoryWasLost = memoryWasLost;
        this.events = events;
        this.superblock = new SuperblockFile(storage, directory);
        this.walk = new SegmentWalk(storage.checksum());
    }

    SuperblockFile superblock() {
        return superblock;
    }

    List<Segment> segments() {
        return segments;
    }

    /// What the superblock says, null when it says nothing about this partition as it is now.
    @Nullable Superblock onDisk() {
        return onDisk;
    }

    /// The offset behind the last message found.
    long endOffset() {
        return endOffset;
    }

    /// The offset of the next message.
    long appendOffset() {
        return appendOffset;
    }

    long lastTimestamp() {
        return lastTimestamp;
    }

    /// Whether the log goes on in a new segment.
    boolean startsSegment() {
        return appendOffset > endOffset
                && !segments.isEmpty()
                && !segments.getLast().isEmpty();
    }

    void run() {
        boolean isDone = false;
        try {
            recover();
            isDone = true;
        } finally {
            if (!isDone) {
                // Nobody will ask for these files again: whoever tries once more has segments of its own.
                for (Segment read : segments) {
                    storage.files().forget(read.file());
                }
            }
        }
    }

    private void recover() {
        List<String> names = disk.list(directory);
        if (names.isEmpty()) {
            return;
        }
        removeLeftovers(names);
        if (names.contains(Superblock.NAME)) {
            onDisk = superblock.read();
        }
        if (isOfAnother(onDisk)) {
            removeAll(names);
            onDisk = null;
            return;
        }
        NavigableMap<Long, String> logs = logs(names);
        removeGivenUp(logs);
        removeIndexesWithoutLog(names, logs);
        if (onDisk == null && !logs.isEmpty()) {
            if (!superblock.wasEverWritten()) {
                setAside(logs);
                return;
            }
            storage.incidents().count(Incident.SUPERBLOCK_DAMAGED);
            events.accept(directory + "/" + Superblock.NAME + " is damaged; the log is read without it");
        }
        try {
            readSegments(logs);
        } finally {
            releaseWindow();
        }
        rememberTheEnd();
        decideWhereToGoOn();
    }

    // ------------------------------------------------------------------------------------ files

    private void removeLeftovers(List<String> names) {
        for (String name : names) {
            if (name.endsWith(PartitionLog.REMOVED)) {
                disk.removeLater(directory + "/" + name);
            }
        }
    }

    private boolean isOfAnother(@Nullable Superblock state) {
        if (state == null) {
            return false;
        }
        if (state.created() != created) {
            storage.incidents().count(Incident.DELETED_PARTITION_REMOVED);
            events.accept("files of a deleted partition are removed from " + directory);
            return true;
        }
        if (state.generation() < purgeGeneration) {
            storage.incidents().count(Incident.PURGE_COMPLETED);
            events.accept("the purge of " + directory + " is completed");
            return true;
        }
        return false;
    }

    private void removeAll(List<String> names) {
        for (String name : names) {
            if (name.equals(Superblock.NAME) || Segment.startOffset(name) >= 0 || Segment.indexStartOffset(name) >= 0) {
                remove(name);
            }
        }
        // The names must be gone for good before a superblock of ours stands beside them.
        disk.syncDirectoryNow(directory);
        superblock.onForgotten();
    }

    /// Without a superblock nothing tells which partition these are of, or whether they were purged. Nothing in
    /// them was confirmed, because the first superblock is durable before that; or somebody took it away. So they
    /// are neither served nor removed.
    private void setAside(NavigableMap<Long, String> logs) {
        for (String name : logs.values()) {
            disk.rename(directory + "/" + name, directory + "/" + name + PartitionLog.UNCLAIMED);
        }
        disk.syncDirectoryNow(directory);
        storage.incidents().count(Incident.SEGMENTS_SET_ASIDE);
        events.accept(directory + " holds segments but no " + Superblock.NAME + "; they are set aside as *"
                + PartitionLog.UNCLAIMED);
    }

    private void remove(String name) {
        String removed = directory + "/" + name + PartitionLog.REMOVED;
        disk.rename(directory + "/" + name, removed);
        disk.removeLater(removed);
    }

    private static NavigableMap<Long, String> logs(List<String> names) {
        NavigableMap<Long, String> logs = new TreeMap<>();
        for (String name : names) {
            long startOffset = Segment.startOffset(name);
            if (startOffset >= 0) {
                logs.put(startOffset, name);
            }
        }
        return logs;
    }

    /// Completes a deletion of segments that a crash has overtaken.
    private void removeGivenUp(NavigableMap<Long, String> logs) {
        if (onDisk != null) {
            NavigableMap<Long, String> givenUp = logs.headMap(onDisk.kept(), false);
            for (String name : givenUp.values()) {
                remove(name);
            }
            givenUp.clear();
        }
    }

    private void removeIndexesWithoutLog(List<String> names, NavigableMap<Long, String> logs) {
        for (String name : names) {
            long startOffset = Segment.indexStartOffset(name);
            if (startOffset >= 0 && !logs.containsKey(startOffset)) {
                remove(name);
            }
        }
    }

    // ------------------------------------------------------------------------------------ segments

    private void readSegments(NavigableMap<Long, String> logs) {
        boolean isTrusted = onDisk != null && onDisk.isClean();
        for (Long startOffset : logs.keySet()) {
            Long following = logs.higherKey(startOffset);
            isLast = following == null;
            followingOffset = following == null ? Long.MAX_VALUE : following;
            Segment next = new Segment(directory, startOffset);
            if (segments.isEmpty()) {
                endOffset = startOffset;
            } else if (startOffset < endOffset) {
                throw new Unreadable(next.file().path() + " overlaps the segment before it, which ends at offset "
                        + endOffset + ": move the one away that does not belong there");
            }
            readSegment(next, isTrusted);
        }
    }

    private void readSegment(Segment next, boolean isTrusted) {
        DiskFile file = storage.files().pin(next.file(), false);
        boolean isRead = false;
        try {
            long fileBytes = file.size();
            if (fileBytes == 0 && !isLast) {
                events.accept(next.file().path() + " is empty and is left aside");
                storage.files().forget(next.file());
                return;
            }
            SegmentIndex stored = readIndex(next, fileBytes, isTrusted);
            if (stored == null) {
                walk(next, file, fileBytes);
                // What is readable from now on must stay so. And what was cut off, now or by the process before,
                // may be on the device still: it must not come back in a power loss once its offsets and its place
                // were used for something else.
                file.syncNow();
            } else {
                next.index = stored;
            }
            isRead = true;
        } finally {
            storage.files().unpin(next.file());
            if (!isRead) {
                storage.files().forget(next.file());
            }
        }
        segments.add(next);
        if (!next.isEmpty()) {
            // An empty one may have been started behind a jump whose record was lost with its first batch.
            endOffset = Math.max(endOffset, next.endOffset());
        }
        lastTimestamp = Math.max(lastTimestamp, next.lastTimestamp());
        partitionId = next.partitionId() == -1 ? partitionId : next.partitionId();
        if (!isLast) {
            next.index = null;
        }
    }

    /// Reads the index of a segment that was stopped cleanly.
    ///
    /// @return null when the segment itself must be read
    private @Nullable SegmentIndex readIndex(Segment next, long fileBytes, boolean isTrusted) {
        if (!isTrusted || !disk.exists(next.indexPath())) {
            return null;
        }
        DiskFile file = disk.open(next.indexPath(), false);
        try {
            int length = (int) Math.min(Integer.MAX_VALUE, file.size());
            // Only the segment that is written needs its entries now.
            int wanted = isLast ? length : Math.min(length, IndexFile.HEADER_BYTES);
            ByteBuffer bytes = window(wanted).bytes();
            if (file.readNow(0, bytes.slice(0, wanted).order(ByteOrder.LITTLE_ENDIAN)) != wanted
                    || !IndexFile.isHeaderOf(next, fileBytes, bytes, wanted)) {
                return null;
            }
            Segment summary = new Segment(directory, next.startOffset());
            IndexFile.restore(summary, bytes);
            SegmentIndex index =
                    isLast ? IndexFile.decode(summary, bytes, wanted) : new SegmentIndex(settings.indexIntervalBytes());
            boolean fits = summary.firstOffset() >= endOffset && summary.endOffset() <= followingOffset;
            // A gap to the segment before may be a loss, which only the log itself tells from a jump.
            if (index == null || !fits || (summary.firstOffset() > endOffset && !segments.isEmpty())) {
                return null;
            }
            IndexFile.restore(next, bytes);
            return index;
        } finally {
            file.close();
        }
    }

    private void walk(Segment next, DiskFile file, long fileBytes) {
        segment = next;
        tornPosition = -1;
        SegmentIndex index = new SegmentIndex(settings.indexIntervalBytes());
        next.index = index;
        walk.start(0, fileBytes, segments.isEmpty() ? next.startOffset() : endOffset, partitionId, true);
        while (!walk.isDone()) {
            long left = fileBytes - walk.position();
            ByteBuffer bytes = window((int) Math.min(Integer.MAX_VALUE, walk.bytesWanted()))
                    .bytes();
            int length = (int) Math.min(left, bytes.capacity());
            readWhole(file, walk.position(), bytes, length);
            walk.feed(bytes, 0, length, this);
        }
        // The last record may be a jump whose batch was torn off. Nothing may stand behind it that is not behind
        // the jump.
        appendOffset = Math.max(appendOffset, tornPosition < 0 ? walk.expectedOffset() : tornOffset);
        if (tornPosition >= 0) {
            onTail(next, file, fileBytes);
        }
        if (!isLast) {
            keepIndex(next, index);
        }
    }

    private static void readWhole(DiskFile file, long position, ByteBuffer bytes, int length) {
        int read = file.readNow(position, bytes.slice(0, length));
        if (read < length) {
            throw new DiskException(new DiskFault(
                    DiskFault.Kind.IO, "read", file.path(), "the file ends early, at " + (position + read)));
        }
    }

    /// Writes the index of a segment that will not grow any more, unless the stored one is the same.
    private void keepIndex(Segment next, SegmentIndex index) {
        if (next.isDamaged()) {
            if (disk.exists(next.indexPath())) {
                remove(next.indexPath().substring(directory.length() + 1));
            }
            return;
        }
        int length = IndexFile.length(index);
        ByteBuffer bytes = window(2 * length).bytes();
        IndexFile.encode(next, index, bytes);
        DiskFile file;
        try {
            file = disk.open(next.indexPath(), true);
        } catch (DiskException e) {
            // Readers find their way without it, only slower.
            storage.incidents().count(Incident.INDEX_NOT_WRITTEN);
            events.accept("an index could not be written: " + e.fault());
            return;
        }
        try {
            ByteBuffer stored = bytes.slice(length, length);
            if (file.size() == length && file.readNow(0, stored) == length && stored.equals(bytes.slice(0, length))) {
                return;
            }
            file.truncate(0);
            file.writeNow(0, bytes.slice(0, length));
        } catch (DiskException e) {
            storage.incidents().count(Incident.INDEX_NOT_WRITTEN);
            events.accept("an index could not be written: " + e.fault());
        } finally {
            file.close();
        }
    }

    @Override
    public boolean onBatch(ByteBuffer bytes, int at, int length, long position) {
        Segment next = Objects.requireNonNull(segment);
        long baseOffset = BatchHeader.baseOffset(bytes, at);
        long timestamp = BatchHeader.baseTimestamp(bytes, at);
        Objects.requireNonNull(next.index).cover(position, length, baseOffset, timestamp);
        next.onBatch(
                baseOffset,
                baseOffset + BatchHeader.messageCount(bytes, at),
                timestamp,
                BatchHeader.partitionId(bytes, at),
                StoredForm.accountedLength(bytes, at),
                position + length);
        hasDeflated |= StoredForm.accountedLength(bytes, at) != length;
        return true;
    }

    @Override
    public void onFiller(long position, long length) {
        Segment next = Objects.requireNonNull(segment);
        Objects.requireNonNull(next.index).skip(position, length);
        next.onFiller(position + length);
    }

    @Override
    public boolean onDamage(long position, long length, long fromOffset, long toOffset) {
        if (toOffset < 0 && isLast) {
            tornPosition = position;
            tornOffset = fromOffset;
            return true;
        }
        onDamaged(position, length, fromOffset, toOffset < 0 ? Math.max(fromOffset, followingOffset) : toOffset);
        return true;
    }

    private void onDamaged(long position, long length, long fromOffset, long toOffset) {
        Segment next = Objects.requireNonNull(segment);
        Objects.requireNonNull(next.index).skip(position, length);
        next.onDamage(fromOffset, toOffset, position + length);
        storage.incidents().count(Incident.DAMAGE_FOUND);
        events.accept("damage in " + next.file().path() + " at byte " + position + ", " + length + " bytes: "
                + (fromOffset < toOffset
                        ? "offsets " + fromOffset + " to " + (toOffset - 1) + " cannot be read"
                        : "no message is lost"));
    }

    // ------------------------------------------------------------------------------------ the end of the log

    /// What lies behind the last good record of the log: an append that was not finished, or damage.
    private void onTail(Segment next, DiskFile file, long fileBytes) {
        long length = fileBytes - tornPosition;
        if (isZero(file, tornPosition, fileBytes)) {
            cut(next, file, length, "zeros");
            return;
        }
        int headBytes = (int) Math.min(length, WINDOW_BYTES);
        ByteBuffer head = window(headBytes).bytes();
        readWhole(file, tornPosition, head, headBytes);
        if (length < BatchHeader.BYTES + MessageFrame.HEADER_BYTES) {
            cut(next, file, length, "an unfinished append");
            return;
        }
        long batchLength = BatchHeader.length(head, 0);
        boolean hasHeader =
                StoredForm.hasRightHeader(head, 0, batchLength) && BatchHeader.baseOffset(head, 0) == tornOffset;
        int frames = intactFrames(head, headBytes);
        if (hasHeader && batchLength > length && frames < BatchHeader.messageCount(head, 0)) {
            cut(next, file, length, "an unfinished append");
            return;
        }
        // What is cut or given up from here on may have been confirmed. How many messages it was is told by the
        // header, or by the frames behind a bad header when they fill the rest; each takes a frame header at least,
        // or a byte if it was deflated.
        long lost = hasDeflated ? length : length / MessageFrame.HEADER_BYTES;
        if (hasHeader && batchLength == length) {
            lost = BatchHeader.messageCount(head, 0);
        } else if (framesEnd == length) {
            lost = frames;
        }
        long lostTo = tornOffset + lost;
        if (!memoryWasLost && (hasHeader || frames > 0)) {
            // The process alone cannot have left this. Messages were here.
            onDamaged(tornPosition, length, tornOffset, lostTo);
            return;
        }
        cut(next, file, length, "damage");
        appendOffset = settings.persisted() || onDisk == null ? lostTo : Math.max(appendOffset, onDisk.reserved());
    }

    private void cut(Segment next, DiskFile file, long length, String what) {
        file.truncate(tornPosition);
        storage.incidents().count(Incident.LOG_END_CUT);
        events.accept(next.file().path() + " is cut at byte " + tornPosition + ": " + length + " bytes of " + what
                + " lay behind the last whole batch");
    }

    private boolean isZero(DiskFile file, long from, long to) {
        ByteBuffer bytes = window(WINDOW_BYTES_MIN).bytes();
        for (long position = from; position < to; ) {
            int length = (int) Math.min(bytes.capacity(), to - position);
            readWhole(file, position, bytes, length);
            for (int i = 0; i < length; i++) {
                if (bytes.get(i) != 0) {
                    return false;
                }
            }
            position += length;
        }
        return true;
    }

    /// How many good messages follow a batch header, whether or not that is good; they end at [#framesEnd].
    private int intactFrames(ByteBuffer bytes, int length) {
        int count = 0;
        framesEnd = BatchHeader.BYTES;
        while (length - framesEnd >= MessageFrame.HEADER_BYTES) {
            long frameLength = MessageFrame.length(bytes, framesEnd);
            if (frameLength > length - framesEnd
                    || MessageFrame.checksum(bytes, framesEnd)
                            != MessageFrame.computedChecksum(bytes, framesEnd, (int) frameLength)) {
                return count;
            }
            framesEnd += (int) frameLength;
            count++;
        }
        return count;
    }

    // ------------------------------------------------------------------------------------ going on

    /// When no message is left, the superblock tells where the last one was.
    private void rememberTheEnd() {
        boolean isEmpty = segments.isEmpty()
                || (segments.size() == 1 && segments.getLast().isEmpty());
        if (onDisk != null && onDisk.kept() > 0 && isEmpty) {
            appendOffset = Math.max(appendOffset, Math.max(endOffset, onDisk.kept()));
            endOffset = segments.isEmpty() ? onDisk.ended() : Math.min(endOffset, onDisk.ended());
        }
    }

    private void decideWhereToGoOn() {
        Superblock state = onDisk;
        appendOffset = Math.max(appendOffset, endOffset);
        if (!segments.isEmpty()) {
            appendOffset = Math.max(appendOffset, segments.getLast().startOffset());
        }
        if (state != null) {
            appendOffset = Math.max(appendOffset, memoryWasLost ? state.reserved() : state.floor());
        } else if (memoryWasLost && !segments.isEmpty() && !settings.persisted()) {
            // The reserved offset is lost. It was at most a block ahead of what was confirmed, and blocks may have
            // been larger when it was claimed.
            appendOffset += Math.max(RESERVATION_LEASE_MAX, settings.reservationLease());
        }
        if (appendOffset > endOffset && !segments.isEmpty()) {
            storage.incidents().count(Incident.OFFSETS_LEFT_OUT);
            events.accept(directory + " goes on at offset " + appendOffset + " after " + endOffset
                    + ": messages between were lost or never confirmed");
        }
        if (state != null && state.isClean() && appendOffset == state.floor()) {
            return;
        }
        makeDurable(state);
    }

    /// What is readable from now on, and where the log goes on, must hold after a power loss too. The process
    /// before may have left both in the system's memory.
    private void makeDurable(@Nullable Superblock state) {
        if (segments.isEmpty() && state == null) {
            return;
        }
        if (!segments.isEmpty()) {
            disk.syncDirectoryNow(directory);
        }
        long floor = appendOffset > endOffset ? appendOffset : state == null ? 0 : state.floor();
        long generation = state == null ? purgeGeneration : state.generation();
        if (covers(superblock.knownDurable(), generation, floor)) {
            return;
        }
        if (covers(state, generation, floor)) {
            superblock.syncNow();
            return;
        }
        Superblock next = new Superblock(
                created,
                generation,
                Math.max(appendOffset, state == null ? 0 : state.reserved()),
                floor,
                false,
                state == null ? 0 : state.kept(),
                state == null ? 0 : state.ended());
        superblock.writeNow(next);
        onDisk = next;
    }

    private boolean covers(@Nullable Superblock state, long generation, long floor) {
        return state != null
                && state.created() == created
                && state.generation() == generation
                && state.floor() == floor
                && (onDisk == null || state.kept() >= onDisk.kept())
                && (settings.persisted() || state.reserved() >= appendOffset);
    }

    // ------------------------------------------------------------------------------------ memory

    private PooledBuffer window(int bytes) {
        PooledBuffer current = window;
        if (current != null && current.capacity() >= bytes) {
            return current;
        }
        releaseWindow();
        PooledBuffer fresh = storage.acquire(Math.max(bytes, WINDOW_BYTES));
        if (fresh == null) {
            fresh = storage.acquire(Math.max(bytes, WINDOW_BYTES_MIN));
        }
        if (fresh == null) {
            throw new Unreadable(directory + " holds a batch that needs " + bytes
                    + " bytes of memory to be read: raise memory_pool.size");
        }
        window = fresh;
        return fresh;
    }

    private void releaseWindow() {
        PooledBuffer current = window;
        if (current != null) {
            window = null;
            current.release();
        }
    }
}
