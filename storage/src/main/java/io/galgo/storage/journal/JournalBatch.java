package io.galgo.storage.journal;

import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.DiskFault;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Operations that are written and synced together.
final class JournalBatch {
    /// A batch that is that large takes no more operations.
    static final int BYTES_MAX = 64 * 1024 * 1024;

    private static final int FIRST_CHUNK_BYTES = 16 * 1024;
    private static final int CHUNK_BYTES = 256 * 1024;

    private ByteBuffer[] chunks = {chunk(FIRST_CHUNK_BYTES)};
    private int chunksCount = 1;
    private long bytes;
    private long lastOp;
    private final List<Completion> waiting = new ArrayList<>();

    private static ByteBuffer chunk(int size) {
        return ByteBuffer.allocateDirect(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    boolean isFull() {
        return bytes >= BYTES_MAX;
    }

    long bytes() {
        return bytes;
    }

    long lastOp() {
        return lastOp;
    }

    void add(long op, ByteBuffer body, Completion done) {
        put(JournalFile.KIND_OPERATION, op, body);
        lastOp = op;
        waiting.add(done);
    }

    void addMark(long op) {
        put(JournalFile.KIND_MARK, op, ByteBuffer.allocate(0));
        lastOp = op;
    }

    private void put(int kind, long op, ByteBuffer body) {
        int length = JournalFile.recordBytes(body.remaining());
        if (chunks[chunksCount - 1].remaining() < length) {
            if (chunksCount == chunks.length) {
                chunks = Arrays.copyOf(chunks, 2 * chunksCount);
            }
            chunks[chunksCount++] = chunk(Math.max(CHUNK_BYTES, length));
        }
        JournalFile.put(chunks[chunksCount - 1], kind, op, body);
        bytes += length;
    }

    /// Completes the records for a write at `position`, where everything before is synced. Nothing is added any
    /// more.
    void seal(long position) {
        long at = position;
        for (int i = 0; i < chunksCount; i++) {
            ByteBuffer chunk = chunks[i].flip();
            for (int record = 0; record < chunk.limit(); ) {
                JournalFile.seal(chunk, record, at, position);
                int length = JournalFile.recordBytes(JournalFile.bodyBytes(chunk, record));
                record += length;
                at += length;
            }
        }
    }

    ByteBuffer[] chunks() {
        return chunks;
    }

    int chunksCount() {
        return chunksCount;
    }

    /// Tells those that wait, in order.
    void complete(@Nullable DiskFault fault) {
        for (Completion done : waiting) {
            done.onComplete(0, fault);
        }
    }

    /// Empties it for the next use.
    void clear() {
        waiting.clear();
        chunks = new ByteBuffer[] {chunks[0].clear()};
        chunksCount = 1;
        bytes = 0;
    }
}
