package io.galgo.storage.journal;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.galgo.protocol.Checksum;
import io.galgo.storage.disk.DiskFile;
import java.nio.ByteBuffer;

/// Reads one journal file at start, from its header to the last record that is whole, and judges what is behind.
final class JournalScan {
    private static final int WINDOW_BYTES = 1024 * 1024;

    private final DiskFile file;
    private final String path;
    private final long firstOp;
    private final long size;

    // Bytes of the file from windowPosition on; the limit is how many.
    private final ByteBuffer window;
    private long windowPosition;

    private long end = JournalFile.HEADER_BYTES;
    private long lastOp;
    private long lastBatch = JournalFile.HEADER_BYTES;
    private boolean isMarked;

    JournalScan(DiskFile file, long firstOp) {
        this.file = file;
        this.path = file.path();
        this.firstOp = firstOp;
        this.size = file.size();
        this.lastOp = firstOp - 1;
        this.window = ByteBuffer.allocate((int) Math.min(WINDOW_BYTES, size))
                .order(LITTLE_ENDIAN)
                .limit(0);
    }

    /// Where the last whole record ends.
    long end() {
        return end;
    }

    /// Bytes behind the last whole record, which were never acknowledged.
    long tornBytes() {
        return size - end;
    }

    /// Op of the last whole record, the one before the first when there is none.
    long lastOp() {
        return lastOp;
    }

    boolean isEmpty() {
        return lastOp < firstOp;
    }

    /// Where the last write began: what is behind may never have been synced.
    long lastBatch() {
        return lastBatch;
    }

    /// Whether the last record is a mark.
    boolean isMarked() {
        return isMarked;
    }

    /// Reads all records and hands the operations from `fromOp` on over.
    void run(long fromOp, MetadataJournal.Replay replay) {
        JournalFile.checkHeader(path, window, fill(0, JournalFile.HEADER_BYTES), firstOp);
        while (readRecord(fromOp, replay)) {
            // The record has moved `end`.
        }
        if (end < size) {
            checkTorn();
        }
    }

    private boolean readRecord(long fromOp, MetadataJournal.Replay replay) {
        if (fill(end, JournalFile.RECORD_BYTES) < JournalFile.RECORD_BYTES) {
            return false;
        }
        int at = (int) (end - windowPosition);
        if (!JournalFile.isRecord(window, at, end)) {
            return false;
        }
        int kind = JournalFile.kind(window, at);
        int length = JournalFile.bodyBytes(window, at);
        long op = JournalFile.op(window, at);
        long synced = JournalFile.synced(window, at);
        checkMeaning(kind, length, op, synced);
        if (end + JournalFile.recordBytes(length) > size) {
            return false;
        }
        long checksum = JournalFile.bodyChecksum(window, at);
        ByteBuffer body = readBody(end + JournalFile.RECORD_BYTES, length);
        if (checksum != Checksum.xxh3(body, 0, length)) {
            return false;
        }
        isMarked = kind == JournalFile.KIND_MARK;
        if (!isMarked) {
            lastOp = op;
            if (op >= fromOp) {
                replay.onOperation(op, body);
            }
        }
        lastBatch = synced;
        end += JournalFile.recordBytes(length);
        return true;
    }

    /// A record whose checksum holds says what its writer meant to say.
    private void checkMeaning(int kind, int length, long op, long synced) {
        boolean isMark = kind == JournalFile.KIND_MARK;
        boolean isKnown = isMark ? length == 0 : kind == JournalFile.KIND_OPERATION;
        if (!isKnown || length < 0 || length > JournalFile.BODY_BYTES_MAX) {
            throw Findings.damaged(
                    "the metadata journal " + path + " holds a record of unknown kind " + kind + " at position " + end);
        }
        long expected = isMark ? lastOp : lastOp + 1;
        if (synced < lastBatch || synced > end) {
            throw Findings.damaged("the metadata journal " + path + " holds a record at position " + end
                    + " that contradicts the one before it");
        }
        if (op != expected) {
            throw Findings.damaged("the metadata journal " + path + " holds op " + op + " at position " + end
                    + " where op " + expected + " belongs");
        }
    }

    private ByteBuffer readBody(long position, int length) {
        ByteBuffer body = ByteBuffer.allocate(length).order(LITTLE_ENDIAN);
        int inWindow = (int) Math.min(length, windowPosition + window.limit() - position);
        body.put(0, window, (int) (position - windowPosition), inWindow);
        for (int at = inWindow; at < length; ) {
            body.limit(Math.min(length, at + WINDOW_BYTES)).position(at);
            file.readNow(position + at, body);
            at = body.limit();
        }
        return body.clear();
    }

    /// Makes sure that nothing behind the last whole record proves that it was followed by something synced.
    private void checkTorn() {
        long from = end / JournalFile.ALIGNMENT * JournalFile.ALIGNMENT;
        for (long position = from; position + JournalFile.RECORD_BYTES <= size; position += JournalFile.ALIGNMENT) {
            fill(position, JournalFile.RECORD_BYTES);
            int at = (int) (position - windowPosition);
            if (JournalFile.isRecord(window, at, position) && JournalFile.synced(window, at) > end) {
                throw Findings.damaged("the metadata journal " + path + " is damaged at position " + end + " (op "
                        + (lastOp + 1) + "), intact records follow at position " + position);
            }
        }
    }

    /// Makes at least `length` bytes at `position` available in the window, as far as the file has them.
    ///
    /// @return how many are there
    private int fill(long position, int length) {
        long available = windowPosition + window.limit() - position;
        if (position < windowPosition || available < length) {
            window.clear();
            window.limit(file.readNow(position, window));
            windowPosition = position;
            available = window.limit();
        }
        return (int) Math.min(available, Integer.MAX_VALUE);
    }
}
