package io.galgo.storage.log;

import io.galgo.protocol.batch.BatchChecksum;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.batch.FillerRecord;
import io.galgo.storage.form.StoredForm;
import java.nio.ByteBuffer;

/// Goes through the records of a segment's file in order, as bytes of it arrive, and says what is there: batches,
/// filler, jumps, damage. Recovery and readers share it, so both see the same log.
///
/// The owner brings the bytes from [#position] on, [#bytesWanted] of them or to the end of the file, and calls
/// [#feed]; until [#isDone]. A damaged place is searched for the next good batch byte by byte, and the damage is
/// told when that is found.
///
/// Reusable; confined to the shard's thread.
final class SegmentWalk {
    /// Hears what the walk finds, in file order.
    interface Visitor {
        /// A good batch, whole in `bytes` at `at`.
        ///
        /// @return whether to go on
        boolean onBatch(ByteBuffer bytes, int at, int length, long position);

        /// Bytes without messages.
        void onFiller(long position, long length);

        /// Offsets in `[fromOffset, toOffset)` cannot be read. Their bytes are at `position`, `length` of them,
        /// maybe none.
        ///
        /// @param toOffset -1 when nothing good follows in this file
        /// @return whether to go on
        boolean onDamage(long position, long length, long fromOffset, long toOffset);
    }

    private enum Mode {
        /// At the beginning of a record, if all is well.
        RECORDS,
        /// At the end of a bad batch whose header seems right: a good record here confirms it.
        BEHIND_DAMAGE,
        /// Somewhere behind the beginning of a bad record.
        SEARCH,
        DONE
    }

    private enum Found {
        BATCH,
        FILLER,
        BAD,
        INCOMPLETE
    }

    // The shortest record is a header. A filler that is a jump is read whole, so ask for that much at once.
    private static final int BYTES_WANTED_MIN = JumpRecord.BYTES;

    private final BatchChecksum checksum;

    private Mode mode = Mode.DONE;
    private boolean verifies;
    private long end;
    private long position;
    private long bytesWanted;
    private long expectedOffset;
    private long lastTimestamp;
    private long partitionId;
    private long damagePosition;
    private long damageEndOffset;

    SegmentWalk(BatchChecksum checksum) {
        this.checksum = checksum;
    }

    /// Begins at a record.
    ///
    /// @param end bytes of the file that count
    /// @param expectedOffset the offset that the first batch has if nothing is missing
    /// @param partitionId what batches carry, -1 when not known
    /// @param verifies whether checksums are compared, otherwise only that lengths fit each other
    void start(long position, long end, long expectedOffset, long partitionId, boolean verifies) {
        this.position = position;
        this.end = end;
        this.expectedOffset = expectedOffset;
        this.partitionId = partitionId;
        this.verifies = verifies;
        this.lastTimestamp = 0;
        this.mode = position < end ? Mode.RECORDS : Mode.DONE;
        this.bytesWanted = Math.min(BYTES_WANTED_MIN, end - position);
    }

    boolean isDone() {
        return mode == Mode.DONE;
    }

    /// Where in the file the next bytes are wanted from.
    long position() {
        return position;
    }

    /// At least how many.
    long bytesWanted() {
        return bytesWanted;
    }

    /// The offset that comes next if nothing is missing.
    long expectedOffset() {
        return expectedOffset;
    }

    /// Goes on with the file's bytes from [#position]: those in `bytes` from `from` to `to`.
    void feed(ByteBuffer bytes, int from, int to, Visitor visitor) {
        long origin = position - from;
        boolean goesOn = true;
        while (goesOn && mode != Mode.DONE) {
            if (position >= end) {
                onEnd(visitor);
                return;
            }
            long at = position - origin;
            if (at < from || to - at < Math.min(BatchHeader.BYTES, end - position)) {
                bytesWanted = Math.min(BYTES_WANTED_MIN, end - position);
                return;
            }
            Found found = look(bytes, (int) at, to);
            if (found == Found.INCOMPLETE) {
                return;
            }
            goesOn = switch (mode) {
                case RECORDS -> onRecord(found, bytes, (int) at, visitor);
                case BEHIND_DAMAGE -> onBehindDamage(found, bytes, (int) at, visitor);
                case SEARCH -> onSearch(found, bytes, (int) at, to, visitor);
                case DONE -> false;
            };
            if (!goesOn) {
                mode = Mode.DONE;
            }
        }
    }

    private boolean onRecord(Found found, ByteBuffer bytes, int at, Visitor visitor) {
        if (found == Found.FILLER) {
            return onFiller(bytes, at, visitor);
        }
        if (found == Found.BAD || BatchHeader.baseOffset(bytes, at) < expectedOffset) {
            startDamage(bytes, at);
            return true;
        }
        long baseOffset = BatchHeader.baseOffset(bytes, at);
        if (baseOffset > expectedOffset && !visitor.onDamage(position, 0, expectedOffset, baseOffset)) {
            return false;
        }
        return onBatch(bytes, at, visitor);
    }

    private boolean onBatch(ByteBuffer bytes, int at, Visitor visitor) {
        int length = (int) BatchHeader.length(bytes, at);
        long batchPosition = position;
        expectedOffset = BatchHeader.baseOffset(bytes, at) + BatchHeader.messageCount(bytes, at);
        lastTimestamp = BatchHeader.baseTimestamp(bytes, at);
        partitionId = BatchHeader.partitionId(bytes, at);
        position += length;
        return visitor.onBatch(bytes, at, length, batchPosition);
    }

    private boolean onFiller(ByteBuffer bytes, int at, Visitor visitor) {
        long length = BatchHeader.length(bytes, at);
        long fillerPosition = position;
        position += length;
        visitor.onFiller(fillerPosition, length);
        if (!JumpRecord.isJump(bytes, at, length)) {
            return true;
        }
        long from = JumpRecord.fromOffset(bytes, at);
        long lost = expectedOffset;
        expectedOffset = Math.max(expectedOffset, JumpRecord.toOffset(bytes, at));
        return from <= lost || visitor.onDamage(position, 0, lost, Math.min(from, expectedOffset));
    }

    private void startDamage(ByteBuffer bytes, int at) {
        damagePosition = position;
        long length = end - position < BatchHeader.BYTES ? 0 : BatchHeader.length(bytes, at);
        if (length > 0
                && length <= end - position
                && StoredForm.hasRightHeader(bytes, at, length)
                && BatchHeader.baseOffset(bytes, at) == expectedOffset) {
            damageEndOffset = expectedOffset + BatchHeader.messageCount(bytes, at);
            position += length;
            mode = Mode.BEHIND_DAMAGE;
        } else {
            position++;
            mode = Mode.SEARCH;
        }
    }

    private boolean onBehindDamage(Found found, ByteBuffer bytes, int at, Visitor visitor) {
        boolean isBatchBehind = found == Found.BATCH && BatchHeader.baseOffset(bytes, at) >= damageEndOffset;
        boolean confirmed = found == Found.FILLER || isBatchBehind;
        if (!confirmed) {
            position = damagePosition + 1;
            mode = Mode.SEARCH;
            // If these bytes were left behind already, they are asked for again.
            return true;
        }
        return endDamage(damageEndOffset, visitor);
    }

    private boolean onSearch(Found found, ByteBuffer bytes, int at, int to, Visitor visitor) {
        if (found == Found.BATCH
                && BatchHeader.baseOffset(bytes, at) >= expectedOffset
                && BatchHeader.baseTimestamp(bytes, at) >= lastTimestamp
                && (partitionId == -1 || BatchHeader.partitionId(bytes, at) == partitionId)) {
            return endDamage(BatchHeader.baseOffset(bytes, at), visitor);
        }
        // The quick part of the search: most bytes are no header, which a few of them tell.
        int next = at + 1;
        while (to - next >= BatchHeader.BYTES && !mayBeHeader(bytes, next, end - position - (next - at))) {
            next++;
        }
        position += next - at;
        return true;
    }

    private boolean endDamage(long toOffset, Visitor visitor) {
        long from = expectedOffset;
        expectedOffset = toOffset;
        mode = Mode.RECORDS;
        return visitor.onDamage(damagePosition, position - damagePosition, from, toOffset);
    }

    private void onEnd(Visitor visitor) {
        switch (mode) {
            case RECORDS, DONE -> {}
            case BEHIND_DAMAGE -> {
                long from = expectedOffset;
                expectedOffset = damageEndOffset;
                visitor.onDamage(damagePosition, end - damagePosition, from, -1);
            }
            case SEARCH -> visitor.onDamage(damagePosition, end - damagePosition, expectedOffset, -1);
        }
        mode = Mode.DONE;
    }

    /// What is at `at`; when more bytes are needed to tell, [#bytesWanted] says how many.
    private Found look(ByteBuffer bytes, int at, int to) {
        long left = end - position;
        if (left < BatchHeader.BYTES) {
            return Found.BAD;
        }
        long length = BatchHeader.length(bytes, at);
        if (BatchHeader.messageCount(bytes, at) == 0) {
            if (length > left || !FillerRecord.isFiller(bytes, at, checksum)) {
                return Found.BAD;
            }
            return isThere(at, to, Math.min(length, JumpRecord.BYTES)) ? Found.FILLER : Found.INCOMPLETE;
        }
        if (!StoredForm.hasRightHeader(bytes, at, length) || length > left) {
            return Found.BAD;
        }
        if (!isThere(at, to, length)) {
            return Found.INCOMPLETE;
        }
        return StoredForm.isIntact(bytes, at, (int) length, verifies, checksum) ? Found.BATCH : Found.BAD;
    }

    private boolean isThere(int at, int to, long length) {
        if (to - at >= length) {
            return true;
        }
        bytesWanted = length;
        return false;
    }

    private static boolean mayBeHeader(ByteBuffer bytes, int at, long left) {
        long length = BatchHeader.length(bytes, at);
        return length >= BatchHeader.BYTES
                && length <= left
                && BatchHeader.messageCount(bytes, at) > 0
                && StoredForm.hasRightHeader(bytes, at, length);
    }
}
