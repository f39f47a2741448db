package io.galgo.storage.log;

import io.galgo.protocol.batch.BatchCut;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.DiskFile;
import io.galgo.storage.form.StoredForm;
import io.galgo.storage.form.StoredForms;
import io.galgo.storage.memory.BufferPool;
import io.galgo.storage.memory.PooledBuffer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One read of a [PartitionLog] in flight: what is wanted still, and the slices that were found.
///
/// Goes from segment to segment, a chunk of a file at a time, until the tail covers the rest. It holds what it
/// uses: its slices pin their buffers, and a file stays open while a chunk is read from it.
final class LogReader implements SegmentWalk.Visitor {
    private static final int CHUNK_BYTES_MIN = 32 * 1024;
    private static final int CHUNK_BYTES_MAX = 1024 * 1024;
    private static final int HEADERS_BYTES = 4 * BatchHeader.BYTES;
    private static final int OPENED_BYTES_MIN = 4 * 1024;
    private static final int OPENED_BYTES_MAX = 64 * 1024;
    private static final long OFFSETS = -1;

    private final PartitionLog log;
    private final LogStorage storage;
    private final List<Segment> segments;
    private final int epoch;
    private final Consumer<LogRead> done;
    private final List<BatchSlice> slices = new ArrayList<>(4);

    private long messagesLeft;
    private long bytesLeft;
    private int messagesCount;
    private long lastOffset;

    // The next offset to look at; the first one delivered may be behind it.
    private long offset;

    // The time from which on batches count, until one is found; then OFFSETS.
    private long since = OFFSETS;

    // While a time is looked for: the offset of damage behind all batches that are too old, -1 for none.
    private long damagedSince = -1;

    private boolean isOver;
    private @Nullable LogRead failure;

    // What is being read.
    private @Nullable SegmentWalk walk;
    private @Nullable Segment segment;
    private long segmentEnd;
    private @Nullable PooledBuffer chunk;

    // The slice that is growing: neighbours in one buffer become one.
    private @Nullable PooledBuffer sliceBuffer;
    private int slicePosition;
    private int sliceLength;

    // Headers of cut batches.
    private @Nullable PooledBuffer headers;
    private int headersUsed;

    // Batches that were not stored as on the wire.
    private @Nullable PooledBuffer opened;
    private int openedUsed;
    private int openedBytes = OPENED_BYTES_MIN;

    LogReader(PartitionLog log, int messagesMax, int bytesMax, Consumer<LogRead> done) {
        this.log = log;
        this.storage = log.storage();
        this.segments = log.segments();
        this.epoch = log.epoch();
        this.messagesLeft = messagesMax;
        this.bytesLeft = bytesMax;
        this.done = done;
    }

    void fromOffset(long offset) {
        this.offset = offset;
        step();
    }

    /// @param timestamp unsigned
    void fromTimestamp(long timestamp) {
        this.since = timestamp < 0 ? Long.MAX_VALUE : timestamp;
        this.offset = log.firstOffset();
        this.isOver = since > log.lastTimestamp();
        step();
    }

    /// Whether the log has not been purged or closed since the read began.
    private boolean isCurrent() {
        return epoch == log.epoch();
    }

    private void step() {
        if (isOver
                || failure != null
                || messagesLeft <= 0
                || bytesLeft <= 0
                || !isCurrent()
                || offset >= log.nextOffset()
                || readTail()) {
            finish();
            return;
        }
        try {
            readSegment();
        } catch (DiskException e) {
            onFault(e.fault());
        }
    }

    // ------------------------------------------------------------------------------------ from memory

    /// Takes the rest from the tail, if it is all there.
    private boolean readTail() {
        Tail tail = log.tail();
        long sequence;
        if (since == OFFSETS) {
            if (offset < tail.coveredFrom()) {
                return false;
            }
            sequence = tail.findOffset(offset);
        } else {
            boolean isCovered = offset >= tail.coveredFrom()
                    || (tail.first() < tail.committed() && tail.timestamp(tail.first()) < since);
            if (!isCovered) {
                return false;
            }
            sequence = tail.findTimestamp(since);
            if (sequence > tail.first()) {
                damagedSince = -1;
            }
            if (sequence < tail.committed() && isDamagedBefore()) {
                return true;
            }
        }
        // Memory for what is taken may come from the tail itself: then the read ends with what it has.
        while (sequence < tail.committed()
                && sequence >= tail.first()
                && take(tail.buffer(sequence), tail.position(sequence), tail.length(sequence))) {
            sequence++;
        }
        return true;
    }

    /// The first batch of the time looked for is found; damage before it may have been of that time, too.
    private boolean isDamagedBefore() {
        if (damagedSince < 0) {
            since = OFFSETS;
            return false;
        }
        failure = new LogRead.Damaged(damagedSince, "the messages before the first good one of that time are damaged");
        return true;
    }

    // ------------------------------------------------------------------------------------ from files

    private void readSegment() {
        Segment next = findSegment();
        if (next == null) {
            // Nothing there is new enough; what the tail has comes behind.
            offset = Math.max(offset, log.tail().coveredFrom());
            step();
            return;
        }
        segment = next;
        if (next.index == null) {
            loadIndex(next);
            return;
        }
        startWalk(next, next.index);
        readChunk();
    }

    private @Nullable Segment findSegment() {
        int low = 0;
        int high = segments.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (segments.get(middle).endOffset() <= offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        while (since != OFFSETS
                && low < segments.size()
                && segments.get(low).lastTimestamp() < since
                && !segments.get(low).endsDamaged()) {
            if (segments.get(low).messagesCount() > 0) {
                // What is good in it is too old, and so is all damage before it.
                damagedSince = -1;
            }
            low++;
        }
        return low < segments.size() ? segments.get(low) : null;
    }

    private void startWalk(Segment next, SegmentIndex index) {
        if (next != segments.getLast()) {
            storage.onIndexUsed(next);
        }
        int entry = since == OFFSETS ? index.findOffset(offset) : index.findTimestamp(since);
        if (since != OFFSETS) {
            entry = Math.max(entry, index.findOffset(offset));
        }
        SegmentWalk fresh = new SegmentWalk(storage.checksum());
        segmentEnd = next.bytes();
        fresh.start(
                entry < 0 ? 0 : index.position(entry),
                segmentEnd,
                entry < 0 ? offsetBefore(next) : index.offset(entry),
                next.partitionId(),
                log.settings().validateChecksum());
        walk = fresh;
    }

    /// Where the segment before ends: what lies between is a jump, which the log tells, or lost.
    private long offsetBefore(Segment next) {
        int place = segments.indexOf(next);
        return place > 0 ? segments.get(place - 1).endOffset() : Math.min(next.startOffset(), next.firstOffset());
    }

    private void loadIndex(Segment next) {
        SegmentIndex empty = new SegmentIndex(log.settings().indexIntervalBytes());
        if (next.isDamaged() || !storage.disk().exists(next.indexPath())) {
            useIndex(next, empty);
            return;
        }
        DiskFile file = storage.disk().open(next.indexPath(), false);
        long length;
        try {
            length = file.size();
        } catch (DiskException e) {
            file.close();
            throw e;
        }
        boolean isTooLong = length > CHUNK_BYTES_MAX * 64L || !mayEverHold(BufferPool.bytesTaken((int) length));
        PooledBuffer buffer = isTooLong ? null : storage.acquire((int) length);
        if (buffer == null) {
            file.close();
            if (isTooLong) {
                useIndex(next, empty);
            } else {
                onNoMemory();
            }
            return;
        }
        file.read(0, buffer.slice(0, (int) length), (bytes, fault) -> {
            file.close();
            SegmentIndex loaded = fault == null ? IndexFile.decode(next, buffer.bytes(), bytes) : null;
            buffer.release();
            if (!isCurrent()) {
                finish();
                return;
            }
            useIndex(next, loaded == null ? empty : loaded);
        });
    }

    /// An index that is empty grows while readers pass.
    private void useIndex(Segment next, SegmentIndex index) {
        if (next.index == null) {
            next.index = index;
            storage.onIndexUsed(next);
        }
        step();
    }

    private void readChunk() {
        SegmentWalk walk = Objects.requireNonNull(this.walk);
        Segment segment = Objects.requireNonNull(this.segment);
        if (walk.isDone()) {
            // Whatever the segment held was looked at.
            offset = Math.max(offset, Math.max(walk.expectedOffset(), endOffsetSeen(segment)));
            step();
            return;
        }
        long left = segmentEnd - walk.position();
        long wanted = Math.max(walk.bytesWanted(), Math.min(left, chunkBytes(segment)));
        PooledBuffer buffer = storage.acquire((int) wanted);
        if (buffer == null && walk.bytesWanted() < wanted) {
            wanted = walk.bytesWanted();
            buffer = storage.acquire((int) wanted);
        }
        if (buffer == null) {
            failWithoutMemory(BufferPool.bytesTaken((int) walk.bytesWanted()), offset);
            finish();
            return;
        }
        int length = (int) Math.min(left, Math.min(wanted, buffer.capacity()));
        DiskFile file;
        try {
            file = storage.files().pin(segment.file(), false);
        } catch (DiskException e) {
            buffer.release();
            throw e;
        }
        PooledBuffer target = buffer;
        file.read(walk.position(), target.slice(0, length), (bytes, fault) -> {
            storage.files().unpin(segment.file());
            onChunk(target, bytes, length, fault);
        });
    }

    /// A sealed segment was seen as a whole, the last one as far as it was when the walk began.
    private long endOffsetSeen(Segment segment) {
        return segment.bytes() == segmentEnd ? segment.endOffset() : 0;
    }

    /// About as much as the messages still wanted take, judged by those in the segment.
    private long chunkBytes(Segment segment) {
        long perMessage = segment.messagesCount() == 0 ? 0 : segment.contentBytes() / segment.messagesCount();
        long estimate = log.settings().indexIntervalBytes() + Math.min(bytesLeft, messagesLeft * (perMessage + 1));
        return Math.clamp(estimate, CHUNK_BYTES_MIN, CHUNK_BYTES_MAX);
    }

    private void onChunk(PooledBuffer buffer, int bytes, int length, @Nullable DiskFault fault) {
        SegmentWalk walk = Objects.requireNonNull(this.walk);
        Segment segment = Objects.requireNonNull(this.segment);
        if (fault != null || !isCurrent()) {
            buffer.release();
            if (fault == null) {
                finish();
            } else {
                onFault(fault);
            }
            return;
        }
        if (bytes < length) {
            buffer.release();
            onFault(new DiskFault(
                    DiskFault.Kind.IO,
                    "read",
                    segment.file().path(),
                    "the file ends at " + (walk.position() + bytes) + ", not at " + segmentEnd));
            return;
        }
        chunk = buffer;
        walk.feed(buffer.bytes(), 0, bytes, this);
        chunk = null;
        buffer.release();
        if (isOver || failure != null) {
            finish();
            return;
        }
        try {
            readChunk();
        } catch (DiskException e) {
            onFault(e.fault());
        }
    }

    @Override
    public boolean onBatch(ByteBuffer bytes, int at, int length, long position) {
        long baseOffset = BatchHeader.baseOffset(bytes, at);
        long endOffset = baseOffset + BatchHeader.messageCount(bytes, at);
        long timestamp = BatchHeader.baseTimestamp(bytes, at);
        SegmentIndex index = Objects.requireNonNull(segment).index;
        if (index != null) {
            index.cover(position, length, baseOffset, timestamp);
        }
        if (since != OFFSETS) {
            if (timestamp < since) {
                damagedSince = -1;
                offset = endOffset;
                return true;
            }
            if (endOffset > log.nextOffset() || isDamagedBefore()) {
                isOver = true;
                return false;
            }
        }
        if (endOffset <= offset) {
            return true;
        }
        if (endOffset > log.nextOffset()) {
            isOver = true;
            return false;
        }
        return take(Objects.requireNonNull(chunk), at, length);
    }

    @Override
    public void onFiller(long position, long length) {
        SegmentIndex index = Objects.requireNonNull(segment).index;
        if (index != null) {
            index.skip(position, length);
        }
    }

    @Override
    public boolean onDamage(long position, long length, long fromOffset, long toOffset) {
        Segment segment = Objects.requireNonNull(this.segment);
        long to = toOffset < 0 ? Math.max(fromOffset, segment.endOffset()) : toOffset;
        String detail = segment.file().path() + " at byte " + position + ": offsets " + fromOffset + " to " + (to - 1)
                + " cannot be read";
        log.onDamage(segment);
        SegmentIndex index = segment.index;
        if (index != null) {
            index.skip(position, length);
        }
        if (to <= fromOffset) {
            // Bytes without messages were damaged: a filler or a jump.
            return true;
        }
        if (since != OFFSETS) {
            damagedSince = damagedSince < 0 ? fromOffset : damagedSince;
            offset = Math.max(offset, to);
            return true;
        }
        if (to <= offset) {
            return true;
        }
        isOver = true;
        if (messagesCount == 0 && fromOffset < log.nextOffset()) {
            failure = new LogRead.Damaged(Math.max(offset, fromOffset), detail);
        }
        return false;
    }

    // ------------------------------------------------------------------------------------ taking

    /// Takes what is wanted of a batch, whatever its form.
    ///
    /// @return whether more is wanted
    private boolean take(PooledBuffer buffer, int position, int length) {
        // Whoever else holds it may let it go when memory is wanted for the rest.
        buffer.retain();
        boolean goesOn = StoredForm.isPlain(buffer.bytes(), position)
                ? takePlain(buffer, position, length)
                : takeOpened(buffer, position, length);
        buffer.release();
        return goesOn;
    }

    private boolean takeOpened(PooledBuffer record, int position, int length) {
        OpenedBatches known = storage.opened();
        int index = known.find(log, BatchHeader.baseOffset(record.bytes(), position));
        if (index >= 0) {
            PooledBuffer plain = known.buffer(index);
            int plainPosition = known.position(index);
            return take(plain, plainPosition, (int) BatchHeader.length(plain.bytes(), plainPosition));
        }
        boolean takesScratch = StoredForm.isDeflatedAndEncrypted(record.bytes(), position);
        int plainLength = StoredForm.plainLengthMax(record.bytes(), position);
        PooledBuffer scratch = takesScratch ? storage.acquire(length) : null;
        if ((takesScratch && scratch == null) || !hasRoom(plainLength)) {
            failWithoutMemory(
                    record.capacity()
                            + (takesScratch ? BufferPool.bytesTaken(length) : 0)
                            + BufferPool.bytesTaken(plainLength),
                    BatchHeader.baseOffset(record.bytes(), position));
            isOver = true;
            if (scratch != null) {
                scratch.release();
            }
            return false;
        }
        boolean goesOn = open(record, position, scratch == null ? null : scratch.bytes());
        if (scratch != null) {
            scratch.release();
        }
        return goesOn;
    }

    /// There is no memory for the next batch, now or ever.
    ///
    /// @param bytesTaken what it takes at a time
    private void failWithoutMemory(long bytesTaken, long batchOffset) {
        if (messagesCount == 0) {
            failure = mayEverHold(bytesTaken)
                    ? new LogRead.NoMemory()
                    : new LogRead.TooLarge(Math.max(offset, batchOffset), bytesTaken);
        }
    }

    private boolean mayEverHold(long bytesTaken) {
        return bytesTaken <= storage.buffers().bytesMax();
    }

    /// Sees to it that `length` bytes are free in the buffer for opened batches.
    private boolean hasRoom(int length) {
        PooledBuffer current = opened;
        if (current != null && openedUsed + length <= current.capacity()) {
            return true;
        }
        if (current != null) {
            current.release();
        }
        opened = storage.acquire(Math.max(length, openedBytes));
        openedBytes = Math.min(OPENED_BYTES_MAX, openedBytes * 2);
        openedUsed = 0;
        return opened != null;
    }

    private boolean open(PooledBuffer record, int position, @Nullable ByteBuffer scratch) {
        PooledBuffer target = Objects.requireNonNull(opened);
        int begin = openedUsed;
        long baseOffset = BatchHeader.baseOffset(record.bytes(), position);
        int length = storage.forms().open(record.bytes(), position, target.bytes(), begin, scratch, storage.checksum());
        if (length < 0) {
            if (messagesCount == 0) {
                long from = Math.max(offset, baseOffset);
                failure = length == StoredForms.UNDECRYPTABLE
                        ? new LogRead.Undecryptable(from)
                        : new LogRead.Damaged(from, "offset " + baseOffset + " cannot be unpacked");
            }
            isOver = true;
            return false;
        }
        openedUsed += length;
        if (length >= OpenedBatches.BYTES_MIN) {
            storage.opened().put(log, baseOffset, target, begin);
        }
        return take(target, begin, length);
    }

    private boolean takePlain(PooledBuffer buffer, int position, int length) {
        ByteBuffer bytes = buffer.bytes();
        BatchCut cut = storage.cut();
        long from = Math.max(offset, BatchHeader.baseOffset(bytes, position));
        if (!cut.find(bytes, position, from, messagesLeft, bytesLeft)) {
            isOver = true;
            return false;
        }
        if (cut.isWhole()) {
            addSlice(buffer, position, length);
            bytesLeft -= length;
        } else {
            long cutLength = BatchHeader.BYTES + (long) cut.framesLength();
            if ((messagesCount > 0 && cutLength > bytesLeft) || !addHeader(bytes, position, cut)) {
                isOver = true;
                return false;
            }
            addSlice(buffer, cut.framesPosition(), cut.framesLength());
            bytesLeft -= cutLength;
        }
        messagesCount += cut.messagesCount();
        messagesLeft -= cut.messagesCount();
        lastOffset = cut.lastOffset();
        offset = lastOffset + 1;
        isOver = messagesLeft <= 0
                || bytesLeft <= 0
                || offset < BatchHeader.baseOffset(bytes, position) + BatchHeader.messageCount(bytes, position);
        return !isOver;
    }

    private boolean addHeader(ByteBuffer bytes, int position, BatchCut cut) {
        PooledBuffer headers = this.headers;
        if (headers == null) {
            headers = storage.acquire(HEADERS_BYTES);
            if (headers == null) {
                if (messagesCount == 0) {
                    failure = new LogRead.NoMemory();
                }
                return false;
            }
            this.headers = headers;
        }
        cut.writeHeader(bytes, position, headers.bytes(), headersUsed, storage.checksum());
        addSlice(headers, headersUsed, BatchHeader.BYTES);
        headersUsed += BatchHeader.BYTES;
        return true;
    }

    private void addSlice(PooledBuffer buffer, int position, int length) {
        if (buffer == sliceBuffer && slicePosition + sliceLength == position) {
            sliceLength += length;
            return;
        }
        endSlice();
        sliceBuffer = buffer.retain();
        slicePosition = position;
        sliceLength = length;
    }

    private void endSlice() {
        PooledBuffer buffer = sliceBuffer;
        if (buffer != null) {
            slices.add(new BatchSlice(buffer, slicePosition, sliceLength));
            sliceBuffer = null;
        }
    }

    // ------------------------------------------------------------------------------------ ending

    private void onFault(DiskFault fault) {
        if (isCurrent()
                && fault.kind() == DiskFault.Kind.NOT_FOUND
                && segment != null
                && segment.file().isForgotten()) {
            // The segment was deleted meanwhile. Go on with what is left.
            offset = Math.max(offset, log.firstOffset());
            step();
            return;
        }
        if (messagesCount == 0 && isCurrent()) {
            failure = new LogRead.Faulted(fault);
        }
        finish();
    }

    private void onNoMemory() {
        if (messagesCount == 0) {
            failure = new LogRead.NoMemory();
        }
        finish();
    }

    private void finish() {
        if (failure == null && since != OFFSETS && damagedSince >= 0 && isCurrent()) {
            failure = new LogRead.Damaged(damagedSince, "the messages of that time may be among the damaged ones");
        }
        endSlice();
        if (headers != null) {
            headers.release();
        }
        if (opened != null) {
            opened.release();
        }
        LogRead outcome = failure;
        if (outcome != null) {
            for (int i = 0; i < slices.size(); i++) {
                slices.get(i).release();
            }
        } else {
            outcome = new LogRead.Messages(slices, messagesCount, lastOffset);
        }
        done.accept(outcome);
    }
}
