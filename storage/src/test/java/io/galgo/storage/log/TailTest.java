package io.galgo.storage.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.storage.disk.MemoryDisk;
import io.galgo.storage.memory.BufferPool;
import io.galgo.storage.memory.MemoryBudget;
import io.galgo.storage.memory.PooledBuffer;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class TailTest {
    private final BufferPool pool = BufferPool.withOrigins(new MemoryBudget(8 * 1024 * 1024));
    private final LogStorage storage = new LogStorage(new MemoryDisk(1), pool, 4, 1 << 20, 1 << 20);
    private final Tail tail = new Tail(storage, 0);
    private long nextOffset;

    private void add(int length) {
        PooledBuffer frame = Objects.requireNonNull(pool.acquire(length));
        tail.add(frame, 0, length, nextOffset, nextOffset + 2, 100 + nextOffset, (_, _) -> {});
        frame.release();
        nextOffset += 2;
    }

    private void commitAll() {
        while (tail.acked() < tail.end()) {
            tail.ack();
            tail.commitNext();
        }
    }

    @Test
    void findsBatchesByOffsetAndTimeAcrossManyTurnsOfTheRing() {
        for (int round = 0; round < 50; round++) {
            for (int i = 0; i < 7; i++) {
                add(300);
            }
            commitAll();
            for (long sequence = tail.first(); sequence < tail.committed(); sequence++) {
                long base = tail.baseOffset(sequence);
                assertThat(tail.findOffset(base)).isEqualTo(sequence);
                assertThat(tail.findOffset(base + 1)).isEqualTo(sequence);
                assertThat(tail.findTimestamp(100 + base)).isEqualTo(sequence);
                assertThat(tail.findTimestamp(100 + base + 1)).isEqualTo(sequence + 1);
            }
            tail.evict(round % 3 * 4096L);
        }
        tail.close();
        assertThat(pool.inUse()).isZero();
        assertThat(storage.tailBytes()).isZero();
    }

    @Test
    void shortBatchesShareABufferThatGrowsWithTheirNumber() {
        for (int i = 0; i < 200; i++) {
            add(1000);
        }
        assertThat(pool.inUse()).isLessThan(12);
        assertThat(storage.tailBytes()).isLessThan(400_000);
        commitAll();
        assertThat(tail.evict(1)).isPositive();
        tail.close();
        assertThat(pool.inUse()).isZero();
    }

    @Test
    void longBatchesKeepTheirOwnBuffer() {
        add(Tail.COPIED_BYTES_MAX + 1);
        assertThat(tail.bytesHeld()).isEqualTo(32 * 1024);
        add(Tail.COPIED_BYTES_MAX);
        assertThat(tail.buffer(0)).isNotSameAs(tail.buffer(1));
        tail.close();
        assertThat(pool.inUse()).isZero();
    }

    @Test
    void whatIsNotCommittedIsNotEvicted() {
        add(300);
        add(300);
        tail.ack();
        tail.commitNext();
        tail.ack();
        tail.evict(Long.MAX_VALUE);
        assertThat(tail.first()).isEqualTo(1);
        assertThat(tail.coveredFrom()).isEqualTo(2);
        tail.close();
    }

    @Test
    void whatIsNotAckedCanBeDroppedAgain() {
        add(300);
        add(30_000);
        add(300);
        tail.ack();
        tail.dropUnacked();
        assertThat(tail.end()).isEqualTo(1);
        assertThat(pool.inUse()).isEqualTo(1);
        tail.close();
        assertThat(pool.inUse()).isZero();
        assertThat(storage.tailBytes()).isZero();
    }
}
