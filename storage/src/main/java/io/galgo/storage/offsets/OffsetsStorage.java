package io.galgo.storage.offsets;

import io.galgo.storage.Incidents;
import io.galgo.storage.disk.Abandoned;
import io.galgo.storage.disk.Disk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashSet;

/// What the consumer offset files of one shard share: its disk, its buffers and the bound on open files, so that
/// ten thousand partitions cost no more handles than one.
///
/// Confined to the shard's thread.
public final class OffsetsStorage {
    private static final int BUFFER_BYTES = 16 * 1024;
    private static final int BUFFERS_MAX = 64;
    private static final int RECORDS_MIN = 8192;

    private final Disk disk;
    private final int idleFilesMax;
    private final int recordsMin;
    private final Incidents incidents;
    private final LinkedHashSet<ConsumerOffsetsFile> idle = new LinkedHashSet<>();
    private final ArrayDeque<ByteBuffer> buffers = new ArrayDeque<>();
    private final Abandoned abandoned = new Abandoned();

    /// @param idleFilesMax files that stay open while nothing is written to them; beyond it the one that was
    ///     written to longest ago is closed
    /// @param incidents counts what is wrong with the files
    public OffsetsStorage(Disk disk, int idleFilesMax, Incidents incidents) {
        this(disk, idleFilesMax, RECORDS_MIN, incidents);
    }

    /// As the other, when nobody counts.
    public OffsetsStorage(Disk disk, int idleFilesMax) {
        this(disk, idleFilesMax, RECORDS_MIN);
    }

    /// @param recordsMin records that a file may hold whatever they say
    OffsetsStorage(Disk disk, int idleFilesMax, int recordsMin) {
        this(disk, idleFilesMax, recordsMin, new Incidents());
    }

    private OffsetsStorage(Disk disk, int idleFilesMax, int recordsMin, Incidents incidents) {
        this.disk = disk;
        this.idleFilesMax = idleFilesMax;
        this.recordsMin = recordsMin;
        this.incidents = incidents;
    }

    Incidents incidents() {
        return incidents;
    }

    int recordsMin() {
        return recordsMin;
    }

    /// What deletions left in flight.
    public Abandoned abandoned() {
        return abandoned;
    }

    Disk disk() {
        return disk;
    }

    /// Runs an action on the shard's thread, not from inside this call.
    void later(Runnable action) {
        disk.syncDirectory("", (_, _) -> action.run());
    }

    /// A buffer of at least `bytes`, cleared, little-endian.
    ByteBuffer takeBuffer(int bytes) {
        ByteBuffer buffer = bytes <= BUFFER_BYTES ? buffers.poll() : null;
        if (buffer == null) {
            buffer = ByteBuffer.allocateDirect(Math.max(bytes, BUFFER_BYTES)).order(ByteOrder.LITTLE_ENDIAN);
        }
        return buffer.clear();
    }

    void giveBuffer(ByteBuffer buffer) {
        if (buffer.capacity() == BUFFER_BYTES && buffers.size() < BUFFERS_MAX) {
            buffers.push(buffer);
        }
    }

    /// The file has an open handle that nothing uses now.
    void onIdle(ConsumerOffsetsFile file) {
        idle.add(file);
        if (idle.size() > idleFilesMax) {
            Iterator<ConsumerOffsetsFile> files = idle.iterator();
            ConsumerOffsetsFile oldest = files.next();
            files.remove();
            oldest.closeHandle();
        }
    }

    /// The file uses its handle again, or has closed it.
    void onBusy(ConsumerOffsetsFile file) {
        idle.remove(file);
    }
}
