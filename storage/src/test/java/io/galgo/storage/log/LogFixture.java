package io.galgo.storage.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk;
import io.galgo.storage.memory.BufferPool;
import io.galgo.storage.memory.MemoryBudget;
import io.galgo.storage.memory.PooledBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A log on a [MemoryDisk], with the settings that a test wants, and what happened to it.
final class LogFixture {
    static final String DIRECTORY = "streams/1/topics/2/partitions/7";

    private static final List<LogFixture> MADE = new ArrayList<>();

    final MemoryDisk disk;
    final List<String> events = new ArrayList<>();
    final List<String> outcomes = new ArrayList<>();
    long memoryBytes = 64L * 1024 * 1024;
    BufferPool buffers = BufferPool.withOrigins(new MemoryBudget(memoryBytes));
    LogStorage storage;
    PartitionLog log;

    long segmentBytesMax = 1024 * 1024;
    boolean persisted;
    boolean preallocate;
    boolean validateChecksum = true;
    int lease = 100;
    int indexIntervalBytes = 600;
    long tailBytesMax = 1024 * 1024;
    long storageTailBytesMax = 64L * 1024 * 1024;
    int openFilesMax = 8;
    long created = 5;
    long purgeGeneration;
    long timestamp = 1000;

    LogFixture() {
        this(_ -> {});
    }

    /// @param change sets what the test needs before the log is opened
    LogFixture(Consumer<LogFixture> change) {
        MADE.add(this);
        disk = new MemoryDisk(1);
        storage = new LogStorage(disk, buffers, openFilesMax, storageTailBytesMax, 1024 * 1024);
        log = PartitionLog.open(storage, DIRECTORY, settings(), created, 0, false, events::add);
        change.accept(this);
        reopen(false);
    }

    /// Frees the memory of all fixtures; the collector does not know how much that is.
    static void freeAll() {
        MADE.forEach(fixture -> fixture.buffers.abandon());
        MADE.clear();
    }

    LogSettings settings() {
        return new LogSettings(
                segmentBytesMax, persisted, preallocate, validateChecksum, lease, indexIntervalBytes, tailBytesMax);
    }

    /// Opens the log again in a new process, with the settings as they are now.
    LogFixture reopen(boolean memoryWasLost) {
        buffers.abandon();
        buffers = BufferPool.withOrigins(new MemoryBudget(memoryBytes));
        storage = new LogStorage(disk, buffers, openFilesMax, storageTailBytesMax, 1024 * 1024);
        log = PartitionLog.open(storage, DIRECTORY, settings(), created, purgeGeneration, memoryWasLost, events::add);
        return this;
    }

    LogFixture kill() {
        disk.kill();
        return reopen(false);
    }

    LogFixture powerLoss(MemoryDisk.PowerLoss extent) {
        disk.powerLoss(extent);
        return reopen(true);
    }

    LogFixture closeAndReopen() {
        close();
        return reopen(false);
    }

    void close() {
        List<@Nullable DiskFault> faults = new ArrayList<>();
        log.close((_, fault) -> faults.add(fault));
        disk.runCompletions();
        assertThat(faults).as("the close completes once").hasSize(1);
        assertThat(buffers.inUse())
                .as("buffers in use after the close: %s", buffers.leaks())
                .isZero();
        assertThat(disk.openFiles()).as("handles open after the close").isZero();
    }

    /// Appends a batch without running the disk.
    void submit(String... payloads) {
        long baseOffset = log.appendOffset();
        timestamp++;
        PooledBuffer buffer = Batches.pooled(buffers, 300, baseOffset, timestamp, payloads);
        PartitionLog target = log;
        log.append(buffer, 300, Batches.length(payloads), (bytes, fault) -> {
            outcomes.add(baseOffset + " " + (fault == null ? "acked" : fault.kind()));
            if (fault == null && bytes > 0) {
                target.commit(baseOffset + payloads.length);
            }
        });
        buffer.release();
    }

    /// Appends a batch and waits for its outcome.
    void append(String... payloads) {
        int before = outcomes.size();
        submit(payloads);
        disk.runCompletions();
        assertThat(outcomes).as("the append has one outcome").hasSize(before + 1);
    }

    /// Deletes the oldest segments and tells how many went, and the fault if there was one.
    String delete(int segmentsMax) {
        List<String> ends = new ArrayList<>();
        log.deleteOldest(segmentsMax, (count, fault) -> ends.add(count + (fault == null ? "" : " " + fault.kind())));
        disk.runCompletions();
        assertThat(ends).as("a deletion ends once").hasSize(1);
        return ends.getFirst();
    }

    LogRead read(long offset, int messagesMax, int bytesMax) {
        List<LogRead> reads = new ArrayList<>();
        log.read(offset, messagesMax, bytesMax, reads::add);
        disk.runCompletions();
        assertThat(reads).as("the read completes once").hasSize(1);
        return reads.getFirst();
    }

    LogRead readSince(long timestampMicros, int messagesMax) {
        List<LogRead> reads = new ArrayList<>();
        log.readSince(timestampMicros, messagesMax, 1 << 20, reads::add);
        disk.runCompletions();
        assertThat(reads).as("the read completes once").hasSize(1);
        return reads.getFirst();
    }

    List<Batches.Message> messages(long offset, int messagesMax) {
        return Batches.messages(read(offset, messagesMax, 1 << 24));
    }

    List<String> payloads(long offset) {
        return messages(offset, 10_000).stream().map(Batches.Message::payload).toList();
    }

    List<Long> offsets(long offset) {
        return messages(offset, 10_000).stream().map(Batches.Message::offset).toList();
    }

    static String segmentPath(long startOffset) {
        return String.format(Locale.ROOT, "%s/%020d.log", DIRECTORY, startOffset);
    }

    static String indexPath(long startOffset) {
        return String.format(Locale.ROOT, "%s/%020d.index", DIRECTORY, startOffset);
    }

    static String superblockPath() {
        return DIRECTORY + "/" + Superblock.NAME;
    }

    /// Start offsets of the segments on the disk.
    List<Long> segments() {
        List<Long> starts = new ArrayList<>();
        for (String name : disk.list(DIRECTORY)) {
            if (Segment.startOffset(name) >= 0) {
                starts.add(Segment.startOffset(name));
            }
        }
        return starts;
    }

    LogRead.Damaged damaged(long offset) {
        LogRead read = read(offset, 100, 1 << 20);
        assertThat(read).isInstanceOf(LogRead.Damaged.class);
        return (LogRead.Damaged) Objects.requireNonNull(read);
    }
}
