package io.galgo.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.storage.Invariant;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BufferPoolTest {
    private static final int MIB = 1024 * 1024;

    private final MemoryBudget budget = new MemoryBudget(8 * MIB);
    private final BufferPool pool = new BufferPool(budget);

    @Test
    void aBufferIsTheSmallestClassThatHoldsWhatWasAsked() {
        assertThat(acquired(pool, 0).capacity()).isEqualTo(4096);
        assertThat(acquired(pool, 4096).capacity()).isEqualTo(4096);
        assertThat(acquired(pool, 4097).capacity()).isEqualTo(8192);
        assertThat(acquired(pool, MIB + 1).capacity()).isEqualTo(MIB + MIB / 2);
        assertThat(BufferPool.bufferBytesMax()).isEqualTo(512 * MIB);
    }

    @Test
    void theSizeClassesAreThoseOfTheSpecification() {
        assertThat(SizeClasses.count()).isEqualTo(28);
        for (int i = 0; i < SizeClasses.count(); i++) {
            assertThat(SizeClasses.fitting(SizeClasses.bytes(i))).isEqualTo(i);
            assertThat(SizeClasses.bytes(i) % PooledBuffer.PAGE_BYTES).isZero();
            if (i > 0) {
                assertThat(SizeClasses.fitting(SizeClasses.bytes(i - 1) + 1)).isEqualTo(i);
            }
        }
    }

    @Test
    void buffersAreOffHeapPageAlignedAndLittleEndian() {
        for (int bytes : new int[] {1, 5000, 70_000, MIB}) {
            PooledBuffer buffer = acquired(pool, bytes);
            assertThat(MemorySegment.ofBuffer(buffer.bytes()).address() % 4096).isZero();
            assertThat(buffer.bytes().isDirect()).isTrue();
            assertThat(buffer.bytes().order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
            assertThat(buffer.slice(1, 8).order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
        }
    }

    @Test
    void aReleasedBufferIsUsedAgain() {
        PooledBuffer buffer = acquired(pool, 4096);
        buffer.release();
        assertThat(pool.acquire(4000)).isSameAs(buffer);
        assertThat(budget.bytesHeld()).isEqualTo(4096);
    }

    @Test
    void aRetainedBufferComesBackWithItsLastRelease() {
        PooledBuffer buffer = acquired(pool, 4096).retain().retain();
        buffer.release();
        buffer.release();
        assertThat(pool.inUse()).isEqualTo(1);
        buffer.release();
        assertThat(pool.inUse()).isZero();
        assertThat(pool.bytesInUse()).isZero();
        assertThat(pool.bytesIdle()).isEqualTo(4096);
    }

    @Test
    void aFullBudgetGivesNothing() {
        PooledBuffer large = acquired(pool, 8 * MIB);
        assertThat(pool.acquire(1)).isNull();
        large.release();
        assertThat(pool.acquire(1)).isNotNull();
    }

    @Test
    void idleBuffersOfOtherClassesGiveWay() {
        List<PooledBuffer> small = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            small.add(acquired(pool, MIB));
        }
        small.forEach(PooledBuffer::release);
        assertThat(pool.bytesIdle()).isEqualTo(8 * MIB);
        assertThat(acquired(pool, 4 * MIB).capacity()).isEqualTo(4 * MIB);
        assertThat(pool.bytesInUse()).isEqualTo(4 * MIB);
        assertThat(budget.bytesHeld()).isLessThanOrEqualTo(8 * MIB);
    }

    @Test
    void idleBuffersOfAnotherPoolGiveWayWhenItIsUsedNext() {
        BufferPool other = new BufferPool(budget);
        acquired(pool, 8 * MIB).release();
        assertThat(other.acquire(MIB)).isNull();
        pool.giveWayIfShort();
        assertThat(budget.bytesHeld()).isZero();
        assertThat(other.acquire(MIB)).isNotNull();
    }

    @Test
    void releasingTooOftenIsABug() {
        PooledBuffer buffer = acquired(pool, 1);
        buffer.release();
        assertThatThrownBy(buffer::release)
                .isInstanceOf(Invariant.Violation.class)
                .hasMessageContaining("released once for each reference")
                .hasMessageContaining("-1");
    }

    @Test
    void retainingAReturnedBufferIsABug() {
        PooledBuffer buffer = acquired(pool, 1);
        buffer.release();
        assertThatThrownBy(buffer::retain).isInstanceOf(Invariant.Violation.class);
    }

    @Test
    void aBufferLargerThanAllClassesIsRefused() {
        assertThatThrownBy(() -> pool.acquire(512 * MIB + 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aLeakTellsWhereItWasAcquired() {
        BufferPool watched = BufferPool.withOrigins(budget);
        PooledBuffer kept = acquired(watched, 1);
        acquired(watched, 1).release();
        assertThat(watched.leaks()).hasSize(1);
        assertThat(watched.leaks().getFirst().getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("aLeakTellsWhereItWasAcquired"));
        kept.release();
        assertThat(watched.leaks()).isEmpty();
    }

    @Test
    void buffersReleasedOnAnotherThreadAllComeBack() throws InterruptedException {
        long seed = 7;
        Random random = new Random(seed);
        ArrayBlockingQueue<PooledBuffer> handedOver = new ArrayBlockingQueue<>(64);
        int count = 20_000;
        Thread[] others = new Thread[2];
        for (int i = 0; i < others.length; i++) {
            others[i] = new Thread(() -> {
                try {
                    for (int released = 0; released < count / 2; released++) {
                        handedOver.take().release();
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            others[i].start();
        }
        int acquired = 0;
        while (acquired < count) {
            PooledBuffer buffer = pool.acquire(1 << random.nextInt(18));
            if (buffer == null) {
                Thread.onSpinWait();
                continue;
            }
            // Two holders of one buffer would overwrite each other's mark.
            assertThat(buffer.bytes().get(0)).as("seed " + seed).isZero();
            buffer.bytes().put(0, (byte) 1);
            buffer.bytes().put(0, (byte) 0);
            handedOver.put(buffer);
            acquired++;
        }
        for (Thread other : others) {
            other.join();
        }
        assertThat(pool.inUse()).as("seed " + seed).isZero();
        assertThat(budget.bytesHeld()).isEqualTo(pool.bytesIdle());
    }

    private static PooledBuffer acquired(BufferPool pool, int bytes) {
        @Nullable PooledBuffer buffer = pool.acquire(bytes);
        return Objects.requireNonNull(buffer, "no buffer");
    }
}
