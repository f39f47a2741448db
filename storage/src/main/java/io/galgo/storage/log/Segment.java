package io.galgo.storage.log;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// One file of a log and what is known of it. Batches count from the moment when they are as safe as the topic
/// asks.
final class Segment {
    private static final String LOG = ".log";
    private static final String INDEX = ".index";
    private static final int DIGITS = 20;

    private final long startOffset;
    private final OpenFiles.File file;
    private final String indexPath;

    private long bytes;
    private long contentBytes;
    private long messagesCount;
    private long firstOffset;
    private long endOffset;
    private long lastTimestamp;
    private long partitionId = -1;
    private boolean isDamaged;
    private boolean endsDamaged;

    // Always there for the segment that is written; for a sealed one only while it is read now and then.
    @Nullable SegmentIndex index;

    // What the storage counted for the index of a sealed segment.
    long indexBytesCounted;

    Segment(String directory, long startOffset) {
        this.startOffset = startOffset;
        this.file = new OpenFiles.File(directory + "/" + name(startOffset) + LOG);
        this.indexPath = directory + "/" + name(startOffset) + INDEX;
        this.firstOffset = startOffset;
        this.endOffset = startOffset;
    }

    private static String name(long startOffset) {
        return String.format(Locale.ROOT, "%020d", startOffset);
    }

    /// The start offset in the name of a log file, -1 when it is not one.
    static long startOffset(String name) {
        return startOffset(name, LOG);
    }

    /// The start offset in the name of an index file, -1 when it is not one.
    static long indexStartOffset(String name) {
        return startOffset(name, INDEX);
    }

    private static long startOffset(String name, String end) {
        if (name.length() != DIGITS + end.length() || !name.endsWith(end)) {
            return -1;
        }
        long offset = 0;
        for (int i = 0; i < DIGITS; i++) {
            int digit = name.charAt(i) - '0';
            if (digit < 0 || digit > 9 || offset > (Long.MAX_VALUE - digit) / 10) {
                return -1;
            }
            offset = offset * 10 + digit;
        }
        return offset;
    }

    OpenFiles.File file() {
        return file;
    }

    String indexPath() {
        return indexPath;
    }

    /// The offset in its name: no message in it is below.
    long startOffset() {
        return startOffset;
    }

    /// Bytes of its file that count, filler and damage included.
    long bytes() {
        return bytes;
    }

    /// Bytes of the good batches, as if none was deflated.
    long contentBytes() {
        return contentBytes;
    }

    /// Messages in the good batches.
    long messagesCount() {
        return messagesCount;
    }

    /// The first offset that is there, or was before it was damaged.
    long firstOffset() {
        return firstOffset;
    }

    /// The offset behind the last message.
    long endOffset() {
        return endOffset;
    }

    /// Base timestamp of the last good batch, 0 when there is none.
    long lastTimestamp() {
        return lastTimestamp;
    }

    /// The partition id that the batches carry, -1 when none was seen.
    long partitionId() {
        return partitionId;
    }

    /// What is compared with the size at which a segment is full. Deflating moves no border between segments.
    long fillBytes() {
        return Math.max(bytes, contentBytes);
    }

    boolean isEmpty() {
        return endOffset == firstOffset;
    }

    boolean isDamaged() {
        return isDamaged;
    }

    /// Whether what comes last in it cannot be read, so that its time is not known.
    boolean endsDamaged() {
        return endsDamaged;
    }

    /// A good batch ends at `endPosition` of the file.
    ///
    /// @param accountedBytes what the batch counts in sizes
    void onBatch(
            long baseOffset,
            long batchEndOffset,
            long timestamp,
            long partition,
            long accountedBytes,
            long endPosition) {
        if (isEmpty()) {
            firstOffset = baseOffset;
        }
        endOffset = batchEndOffset;
        lastTimestamp = timestamp;
        partitionId = partition;
        contentBytes += accountedBytes;
        messagesCount += batchEndOffset - baseOffset;
        bytes = endPosition;
        endsDamaged = false;
    }

    /// Bytes without messages end at `endPosition` of the file.
    void onFiller(long endPosition) {
        bytes = endPosition;
    }

    /// Offsets in `[fromOffset, toOffset)` cannot be read; their bytes end at `endPosition` of the file.
    void onDamage(long fromOffset, long toOffset, long endPosition) {
        if (isEmpty()) {
            firstOffset = fromOffset;
        }
        endOffset = Math.max(endOffset, toOffset);
        bytes = endPosition;
        isDamaged = true;
        endsDamaged = true;
    }

    /// A reader met damage in it.
    void onDamageFound() {
        isDamaged = true;
    }

    void restore(
            long bytes,
            long contentBytes,
            long messagesCount,
            long firstOffset,
            long endOffset,
            long lastTimestamp,
            long partitionId) {
        this.bytes = bytes;
        this.contentBytes = contentBytes;
        this.messagesCount = messagesCount;
        this.firstOffset = firstOffset;
        this.endOffset = endOffset;
        this.lastTimestamp = lastTimestamp;
        this.partitionId = partitionId;
    }
}
