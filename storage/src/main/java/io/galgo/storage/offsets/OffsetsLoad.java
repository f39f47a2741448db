package io.galgo.storage.offsets;

import io.galgo.storage.Incident;
import io.galgo.storage.Unreadable;
import io.galgo.storage.disk.DiskFile;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/// Reads a consumer offsets file at start.
final class OffsetsLoad {
    private static final int PIECE_RECORDS = 500;

    private final OffsetsStorage storage;
    private final DiskFile file;
    private final String path;
    private final long created;
    private final long generation;
    private final Consumer<String> events;

    private long recordsCount;
    private boolean isWhole = true;

    OffsetsLoad(OffsetsStorage storage, DiskFile file, long created, long generation, Consumer<String> events) {
        this.storage = storage;
        this.file = file;
        this.path = file.path();
        this.created = created;
        this.generation = generation;
        this.events = events;
    }

    /// Whether the file is as a clean stop leaves it, so that records can be added to it.
    boolean isWhole() {
        return isWhole;
    }

    long recordsCount() {
        return recordsCount;
    }

    void run(OffsetTable table) {
        ByteBuffer buffer = storage.takeBuffer(PIECE_RECORDS * OffsetsFormat.RECORD_BYTES);
        try {
            if (isOurs(buffer)) {
                readRecords(buffer, table);
            }
        } finally {
            storage.giveBuffer(buffer);
        }
    }

    private boolean isOurs(ByteBuffer buffer) {
        buffer.limit(OffsetsFormat.HEADER_BYTES);
        buffer.limit(file.readNow(0, buffer));
        if (!OffsetsFormat.isHeader(buffer)) {
            isWhole = false;
            if (file.size() > 0) {
                storage.incidents().count(Incident.OFFSETS_HEADER_DAMAGED);
                events.accept("the header of the consumer offsets " + path
                        + " is torn or damaged at position 0; intact records behind it count");
            }
            return true;
        }
        if (OffsetsFormat.version(buffer) != OffsetsFormat.VERSION) {
            throw new Unreadable(path + " has format version "
                    + Integer.toUnsignedString(OffsetsFormat.version(buffer)) + " and this program knows version "
                    + OffsetsFormat.VERSION + "; start the program that wrote it, or remove the file to lose the"
                    + " stored offsets of its partition");
        }
        boolean isOurs = OffsetsFormat.created(buffer) == created && OffsetsFormat.generation(buffer) == generation;
        if (OffsetsFormat.created(buffer) == created && OffsetsFormat.generation(buffer) > generation) {
            events.accept("the consumer offsets " + path + " are of a later purge than the metadata know; they are"
                    + " left out");
        }
        isWhole = isOurs;
        return isOurs;
    }

    private void readRecords(ByteBuffer buffer, OffsetTable table) {
        ByteBuffer scratch = OffsetsFormat.scratch();
        long size = file.size();
        long count = Math.max(0, size - OffsetsFormat.HEADER_BYTES) / OffsetsFormat.RECORD_BYTES;
        long goodCount = 0;
        long badBefore = 0;
        long badSince = 0;
        long firstBad = -1;
        for (long first = 0; first < count; first += PIECE_RECORDS) {
            int pieceCount = (int) Math.min(PIECE_RECORDS, count - first);
            buffer.clear().limit(pieceCount * OffsetsFormat.RECORD_BYTES);
            file.readNow(OffsetsFormat.position(first), buffer);
            for (int i = 0; i < pieceCount; i++) {
                int at = i * OffsetsFormat.RECORD_BYTES;
                if (OffsetsFormat.isRecord(buffer, at, first + i, created, generation, scratch)) {
                    apply(buffer, at, table);
                    goodCount = first + i + 1;
                    badBefore += badSince;
                    badSince = 0;
                } else {
                    badSince++;
                    firstBad = firstBad < 0 ? first + i : firstBad;
                }
            }
        }
        recordsCount = goodCount;
        if (badBefore > 0) {
            isWhole = false;
            storage.incidents().count(Incident.OFFSETS_DAMAGED);
            events.accept(badBefore + " records of the consumer offsets " + path
                    + " are damaged, from position " + OffsetsFormat.position(firstBad)
                    + " on; they are left out, and what they replaced counts");
        }
        long end = OffsetsFormat.position(goodCount);
        if (size > end) {
            isWhole = false;
            storage.incidents().count(Incident.OFFSETS_END_TORN);
            events.accept("the end of the consumer offsets " + path + " was torn by a crash: " + (size - end)
                    + " bytes behind position " + end + " are left out");
        }
    }

    private static void apply(ByteBuffer buffer, int at, OffsetTable table) {
        if (OffsetsFormat.kind(buffer, at) == OffsetsFormat.STORED) {
            table.put(OffsetsFormat.tableKey(buffer, at), OffsetsFormat.offset(buffer, at));
        } else {
            table.remove(OffsetsFormat.tableKey(buffer, at));
        }
    }
}
