package io.galgo.storage.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.batch.BatchHeader;
import io.galgo.storage.Incidents;
import io.galgo.storage.disk.MemoryDisk;
import io.galgo.storage.form.Encryption;
import io.galgo.storage.form.StoredForms;
import io.galgo.storage.memory.BufferPool;
import io.galgo.storage.memory.MemoryBudget;
import io.galgo.storage.memory.PooledBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Reads of encrypted batches when memory for what they become is scarce.
class OpenedBatchesTest {
    private static final int BATCHES = 12;
    private static final int PAYLOAD_BYTES = 60_000;

    private final MemoryDisk disk = new MemoryDisk(1);
    private final MemoryBudget budget = new MemoryBudget(4 << 20);
    private final BufferPool pool = BufferPool.withOrigins(budget);
    private final LogStorage storage = new LogStorage(
            disk,
            pool,
            4,
            1 << 24,
            1 << 20,
            new StoredForms(Encryption.with(new byte[32], true), new SplittableRandom(1)::nextBytes),
            new Incidents());
    private final PartitionLog log = PartitionLog.open(
            storage,
            LogFixture.DIRECTORY,
            new LogSettings(1 << 30, false, false, true, 1000, 4096, 1 << 24),
            1,
            0,
            false,
            _ -> {});

    @AfterEach
    void free() {
        pool.abandon();
    }

    private void append(int number) {
        String payload = number + ":" + "x".repeat(PAYLOAD_BYTES);
        PooledBuffer batch = Batches.pooled(pool, 0, log.appendOffset(), 1, payload);
        PooledBuffer stored = Objects.requireNonNull(log.toStored(batch, 0, false));
        long end = log.appendOffset() + 1;
        log.append(stored, 0, (int) BatchHeader.length(stored.bytes(), 0), (_, fault) -> {
            assertThat(fault).isNull();
            log.commit(end);
        });
        stored.release();
        batch.release();
        disk.runCompletions();
    }

    private List<Batches.Message> read(long offset) {
        List<LogRead> reads = new ArrayList<>();
        log.read(offset, 1000, 1 << 24, reads::add);
        disk.runCompletions();
        return Batches.messages(reads.getFirst());
    }

    @Test
    void aReadThatTakesMemoryFromTheTailItReadsEndsWithWhatItHas() {
        for (int i = 0; i < BATCHES; i++) {
            append(i);
        }
        storage.opened().dropAll();
        // Room is left for less than the tail holds, so opening one batch takes the memory of others.
        pool.freeIdle(Long.MAX_VALUE);
        long hoarded = 0;
        while (budget.claim(64 << 10)) {
            hoarded += 64 << 10;
        }
        assertThat(read(0))
                .as("the first read, which the tail has to make room for")
                .hasSize(1);
        budget.giveBack(512 << 10);
        hoarded -= 512 << 10;
        long next = 1;
        int polls = 0;
        while (next < BATCHES) {
            List<Batches.Message> found = read(next);
            assertThat(found).as("messages from %s on", next).isNotEmpty();
            for (Batches.Message message : found) {
                assertThat(message.offset()).isEqualTo(next);
                assertThat(message.payload()).startsWith(next + ":").hasSize(PAYLOAD_BYTES + 1 + (next < 10 ? 1 : 2));
                next++;
            }
            polls++;
        }
        assertThat(polls).as("reads that were needed").isLessThanOrEqualTo(BATCHES);
        budget.giveBack(hoarded);
        List<String> ends = new ArrayList<>();
        log.close((_, fault) -> ends.add(String.valueOf(fault)));
        disk.runCompletions();
        assertThat(ends).containsExactly("null");
        assertThat(pool.inUse())
                .as("buffers in use at the end: %s", pool.leaks())
                .isZero();
    }

    @Test
    void aBatchThatWasJustWrittenIsNotDecryptedAgain() {
        append(0);
        OpenedBatches opened = storage.opened();
        int index = opened.find(log, 0);
        assertThat(index).as("the newest batch is kept as it came").isGreaterThanOrEqualTo(0);
        assertThat(BatchHeader.length(opened.buffer(index).bytes(), opened.position(index)))
                .isEqualTo(Batches.length("0:" + "x".repeat(PAYLOAD_BYTES)));
        log.purge(1);
        assertThat(opened.find(log, 0)).as("after a purge").isEqualTo(-1);
    }

    @Test
    void batchesOfManyReadsTakeABoundedAmountOfMemory() {
        for (int i = 0; i < 40; i++) {
            append(i);
            storage.evictTails(0);
        }
        assertThat(storage.opened().dropAll()).isLessThanOrEqualTo(16L << 20);
        assertThat(storage.opened().find(log, 39)).isEqualTo(-1);
    }
}
