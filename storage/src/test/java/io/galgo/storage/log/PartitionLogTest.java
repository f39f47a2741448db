package io.galgo.storage.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.protocol.batch.BatchHeader;
import io.galgo.storage.Invariant;
import io.galgo.storage.disk.MemoryDisk.Operation;
import io.galgo.storage.disk.MemoryDisk.PowerLoss;
import io.galgo.storage.memory.BufferPool;
import io.galgo.storage.memory.MemoryBudget;
import io.galgo.storage.memory.PooledBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Appending, committing and reading while nothing goes wrong.
class PartitionLogTest {
    private final LogFixture fixture = new LogFixture();

    // ------------------------------------------------------------------------------------ appending

    @AfterEach
    void freeMemory() {
        LogFixture.freeAll();
    }

    @Test
    void whatWasAppendedIsRead() {
        fixture.append("a", "b");
        fixture.append("c");
        assertThat(fixture.payloads(0)).containsExactly("a", "b", "c");
        assertThat(fixture.offsets(1)).containsExactly(1L, 2L);
        fixture.close();
    }

    @Test
    void anEmptyLogHasNothingAndMakesNothing() {
        assertThat(fixture.log.firstOffset()).isZero();
        assertThat(fixture.log.nextOffset()).isZero();
        assertThat(fixture.log.currentOffset()).isZero();
        assertThat(fixture.log.isEverWritten()).isFalse();
        assertThat(fixture.log.segmentsCount()).isEqualTo(1);
        assertThat(fixture.payloads(0)).isEmpty();
        fixture.closeAndReopen();
        assertThat(fixture.disk.files()).isEmpty();
        assertThat(fixture.disk.exists(LogFixture.DIRECTORY)).isFalse();
    }

    @Test
    void nothingIsReadableBeforeItIsCommitted() {
        PooledBuffer buffer = Batches.pooled(fixture.buffers, 0, 0, 1, "a");
        List<Integer> bytes = new ArrayList<>();
        fixture.log.append(buffer, 0, Batches.length("a"), (count, _) -> bytes.add(count));
        buffer.release();
        assertThat(bytes).as("completions inside the call").isEmpty();
        fixture.disk.runCompletions();
        assertThat(bytes).containsExactly(Batches.length("a"));
        assertThat(fixture.payloads(0)).isEmpty();
        assertThat(fixture.log.sizeBytes()).isZero();
        fixture.log.commit(1);
        assertThat(fixture.payloads(0)).containsExactly("a");
        assertThat(fixture.log.sizeBytes()).isEqualTo(Batches.length("a"));
        assertThat(fixture.log.messagesCount()).isEqualTo(1);
        assertThat(fixture.log.currentOffset()).isZero();
        assertThat(fixture.log.isEverWritten()).isTrue();
    }

    @Test
    void theFileHoldsTheRecordsAsTheyAreOnTheWire() {
        fixture.append("a", "b");
        fixture.append("c");
        byte[] first = Batches.record(0, 1001, "a", "b");
        byte[] second = Batches.record(2, 1002, "c");
        assertThat(fixture.disk.content(LogFixture.segmentPath(0)))
                .startsWith(first)
                .endsWith(second)
                .hasSize(first.length + second.length);
    }

    @Test
    void aReplicatedAppendWaitsForItsWriteOnly() {
        fixture.append("first");
        fixture.submit("second");
        assertThat(fixture.disk.pendingCount()).isEqualTo(1);
        fixture.disk.runNext();
        assertThat(fixture.outcomes).containsExactly("0 acked", "1 acked");
    }

    @Test
    void theFirstReplicatedAppendWaitsForItsOffsetsToBeReserved() {
        fixture.submit("a");
        fixture.disk.run(0);
        assertThat(fixture.outcomes).isEmpty();
        fixture.disk.runCompletions();
        assertThat(fixture.outcomes).containsExactly("0 acked");
        fixture.disk.powerLoss(PowerLoss.CLEAN);
        fixture.reopen(true);
        assertThat(fixture.log.appendOffset()).isEqualTo(100);
    }

    @Test
    void offsetsAreReservedAheadSoThatNobodyWaits() {
        LogFixture small = new LogFixture(with -> with.lease = 10);
        small.append("0", "1");
        for (int i = 0; i < 50; i++) {
            small.submit("x");
            small.disk.runCompletionsExcept(Operation.SYNC);
            assertThat(small.outcomes)
                    .as("append %s waited for a reservation", i)
                    .hasSize(i + 2);
            small.disk.runCompletions();
        }
    }

    @Test
    void aPersistedAppendWaitsForItsSyncAndSurvivesPowerLoss() {
        LogFixture persisted = new LogFixture(with -> with.persisted = true);
        persisted.append("a");
        persisted.submit("b");
        persisted.disk.runNext();
        assertThat(persisted.outcomes).as("after the write").containsExactly("0 acked");
        persisted.disk.runNext();
        assertThat(persisted.outcomes).as("after the sync").containsExactly("0 acked", "1 acked");
        persisted.powerLoss(PowerLoss.CLEAN);
        assertThat(persisted.payloads(0)).containsExactly("a", "b");
        assertThat(persisted.log.appendOffset()).as("no jump").isEqualTo(2);
    }

    @Test
    void theFirstPersistedAppendSurvivesPowerLossWithItsDirectories() {
        LogFixture persisted = new LogFixture(with -> with.persisted = true);
        persisted.append("a");
        persisted.powerLoss(PowerLoss.CLEAN);
        assertThat(persisted.payloads(0)).containsExactly("a");
    }

    @Test
    void aNewSegmentsNameIsDurableBeforeItsFirstPersistedAcknowledgement() {
        LogFixture persisted = new LogFixture(with -> {
            with.persisted = true;
            with.segmentBytesMax = 600;
        });
        for (int i = 0; i < 6; i++) {
            persisted.append("message " + i);
            persisted.powerLoss(PowerLoss.CLEAN);
            assertThat(persisted.log.nextOffset()).isEqualTo(i + 1);
        }
        assertThat(persisted.segments()).hasSizeGreaterThan(2);
    }

    @Test
    void aPersistedAppendWaitsForTheNameOfItsSegment() {
        LogFixture persisted = new LogFixture(with -> {
            with.persisted = true;
            with.segmentBytesMax = 600;
        });
        persisted.append("a");
        persisted.submit("b");
        persisted.submit("c");
        persisted.disk.runCompletionsExcept(Operation.SYNC_DIRECTORY);
        assertThat(persisted.segments()).containsExactly(0L, 2L);
        assertThat(persisted.outcomes)
                .as("synced, but in a segment that may have no name")
                .hasSize(2);
        persisted.disk.runCompletions();
        assertThat(persisted.outcomes).hasSize(3);
    }

    @Test
    void whatWaitsForAWriteGoesOutTogetherAndCompletesInOrder() {
        fixture.append("first");
        fixture.submit("1");
        fixture.submit("2");
        fixture.submit("3");
        assertThat(fixture.disk.pendingCount()).as("one write at a time").isEqualTo(1);
        fixture.disk.runNext();
        assertThat(fixture.disk.pendingCount())
                .as("one write for all that waited")
                .isEqualTo(1);
        fixture.disk.runNext();
        assertThat(fixture.outcomes).containsExactly("0 acked", "1 acked", "2 acked", "3 acked");
    }

    @Test
    void oneSyncCoversAllThatWait() {
        LogFixture persisted = new LogFixture(with -> with.persisted = true);
        persisted.append("first");
        for (int i = 0; i < 20; i++) {
            persisted.submit("x");
        }
        int operations = 0;
        while (persisted.disk.runNext()) {
            operations++;
        }
        assertThat(operations).as("two writes and two syncs").isEqualTo(4);
        assertThat(persisted.outcomes).hasSize(21);
    }

    @Test
    void aBatchThatDoesNotCarryTheNextOffsetIsABug() {
        PooledBuffer buffer = Batches.pooled(fixture.buffers, 0, 1, 1, "a");
        assertThatThrownBy(() -> fixture.log.append(buffer, 0, Batches.length("a"), (_, _) -> {}))
                .isInstanceOf(Invariant.Violation.class)
                .hasMessageContaining("next offset");
        buffer.release();
    }

    @Test
    void aBatchOlderThanTheOneBeforeIsABug() {
        fixture.append("a");
        PooledBuffer buffer = Batches.pooled(fixture.buffers, 0, 1, 999, "a");
        assertThatThrownBy(() -> fixture.log.append(buffer, 0, Batches.length("a"), (_, _) -> {}))
                .isInstanceOf(Invariant.Violation.class)
                .hasMessageContaining("time");
        buffer.release();
    }

    @Test
    void aCommitInsideABatchOrBehindTheLastIsABug() {
        fixture.append("a", "b");
        assertThatThrownBy(() -> fixture.log.commit(3)).isInstanceOf(Invariant.Violation.class);
    }

    // ------------------------------------------------------------------------------------ segments

    @Test
    void aFullSegmentIsSealedAndTheNextStartsAtTheNextOffset() {
        LogFixture small = new LogFixture(with -> with.segmentBytesMax = 2L * Batches.length("x", "x", "x"));
        for (int i = 0; i < 7; i++) {
            small.append("x", "x", "x");
        }
        assertThat(small.segments()).containsExactly(0L, 6L, 12L, 18L);
        assertThat(small.log.segmentsCount()).isEqualTo(4);
        assertThat(small.log.sealedSegmentsCount()).isEqualTo(3);
        assertThat(small.disk.content(LogFixture.segmentPath(6))).hasSize((int) small.segmentBytesMax);
        assertThat(small.offsets(0)).hasSize(21).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void theNextSegmentIsThereAndEmptyAtOnce() {
        LogFixture small = new LogFixture(with -> with.segmentBytesMax = 300);
        small.append("x");
        assertThat(small.segments()).containsExactly(0L, 1L);
        assertThat(small.disk.content(LogFixture.segmentPath(1))).isEmpty();
        small.closeAndReopen();
        assertThat(small.log.segmentsCount()).isEqualTo(2);
        assertThat(small.log.appendOffset()).isEqualTo(1);
    }

    @Test
    void theBatchThatCrossesTheLimitStaysWhole() {
        LogFixture small = new LogFixture(with -> with.segmentBytesMax = Batches.length("x") + 1L);
        small.append("x");
        small.append("y".repeat(1000));
        small.append("z");
        assertThat(small.segments()).containsExactly(0L, 2L);
        assertThat(small.disk.content(LogFixture.segmentPath(0)))
                .hasSize(Batches.length("x") + Batches.length("y".repeat(1000)));
    }

    @Test
    void aWriteDoesNotRunIntoTheNextSegment() {
        LogFixture small = new LogFixture(with -> with.segmentBytesMax = 700);
        for (int i = 0; i < 10; i++) {
            small.submit("x");
        }
        small.disk.runCompletions();
        assertThat(small.segments()).containsExactly(0L, 3L, 6L, 9L);
        assertThat(small.offsets(0)).hasSize(10);
    }

    @Test
    void roomIsReservedWhenTheTopicAsksForIt() {
        LogFixture reserving = new LogFixture(with -> {
            with.preallocate = true;
            with.segmentBytesMax = 100_000;
        });
        reserving.append("x");
        assertThat(reserving.disk.usedBytes()).isGreaterThanOrEqualTo(100_000);
        assertThat(reserving.disk.content(LogFixture.segmentPath(0))).hasSize(Batches.length("x"));
    }

    @Test
    void theOldestSealedSegmentsAreDeleted() {
        LogFixture small = new LogFixture(with -> with.segmentBytesMax = 700);
        for (int i = 0; i < 10; i++) {
            small.append("x");
        }
        long bytes = small.log.sizeBytes();
        assertThat(small.delete(2)).isEqualTo("2");
        assertThat(small.log.firstOffset()).isEqualTo(6);
        assertThat(small.log.messagesCount()).isEqualTo(4);
        assertThat(small.log.sizeBytes()).isEqualTo(bytes * 4 / 10);
        assertThat(small.offsets(0)).containsExactly(6L, 7L, 8L, 9L);
        assertThat(small.delete(100)).as("the active one stays").isEqualTo("1");
        assertThat(small.offsets(0)).containsExactly(9L);
        assertThat(small.log.currentOffset()).isEqualTo(9);
        small.closeAndReopen();
        assertThat(small.segments()).containsExactly(9L);
        assertThat(small.offsets(0)).containsExactly(9L);
    }

    @Test
    void deletingEverythingKeepsTheOffsetsGoing() {
        LogFixture small = new LogFixture(with -> with.segmentBytesMax = 300);
        small.append("x");
        small.append("y");
        small.delete(2);
        assertThat(small.log.firstOffset()).isEqualTo(2);
        assertThat(small.log.nextOffset()).isEqualTo(2);
        assertThat(small.log.currentOffset()).isEqualTo(1);
        assertThat(small.payloads(0)).isEmpty();
        small.closeAndReopen();
        assertThat(small.log.currentOffset()).isEqualTo(1);
        assertThat(small.log.isEverWritten()).isTrue();
        small.append("z");
        assertThat(small.offsets(0)).containsExactly(2L);
    }

    // ------------------------------------------------------------------------------------ reading

    @Test
    void aReadGoesFromTheDiskOnToTheTailWithoutAGap() {
        LogFixture small = new LogFixture(with -> with.segmentBytesMax = 1500);
        for (int i = 0; i < 40; i++) {
            small.append("m" + i);
        }
        small.log.evictTail(6000);
        small.append("last");
        for (long offset = 0; offset <= 40; offset++) {
            assertThat(small.offsets(offset))
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(offset, 40).boxed().toList());
        }
    }

    @Test
    void aReadIsCutToExactlyTheWantedMessages() {
        fixture.append("0", "1", "2", "3");
        fixture.append("4", "5", "6", "7");
        for (int pass = 0; pass < 2; pass++) {
            for (int from = 0; from < 8; from++) {
                for (int count = 1; count <= 9; count++) {
                    List<String> expected = new ArrayList<>();
                    for (int i = from; i < Math.min(8, from + count); i++) {
                        expected.add(String.valueOf(i));
                    }
                    assertThat(fixture.messages(from, count).stream().map(Batches.Message::payload))
                            .as("%s from %s", count, from)
                            .containsExactlyElementsOf(expected);
                }
            }
            fixture.log.evictTail(Long.MAX_VALUE);
        }
        fixture.close();
    }

    @Test
    void aReadStopsAtItsBytesButTakesOneMessageAtLeast() {
        fixture.append("a".repeat(1000), "b".repeat(1000), "c".repeat(1000));
        fixture.append("d".repeat(1000));
        for (int pass = 0; pass < 2; pass++) {
            assertThat(Batches.messages(fixture.read(0, 10, 1))).hasSize(1);
            assertThat(Batches.messages(fixture.read(0, 10, 256 + 2 * 1048))).hasSize(2);
            assertThat(Batches.messages(fixture.read(0, 10, 256 + 3 * 1048 - 1)))
                    .hasSize(2);
            assertThat(Batches.messages(fixture.read(0, 10, 256 + 3 * 1048))).hasSize(3);
            assertThat(Batches.messages(fixture.read(0, 10, 256 + 3 * 1048 + 1000)))
                    .hasSize(3);
            assertThat(Batches.messages(fixture.read(2, 10, 100_000))).hasSize(2);
            fixture.log.evictTail(Long.MAX_VALUE);
        }
    }

    @Test
    void aReadBehindTheEndOrOfNothingIsEmpty() {
        fixture.append("a");
        assertThat(fixture.payloads(1)).isEmpty();
        assertThat(fixture.payloads(100)).isEmpty();
        assertThat(fixture.messages(0, 0)).isEmpty();
    }

    @Test
    void aReadSinceATimeBeginsAtTheFirstBatchThatIsNotOlder() {
        LogFixture small = new LogFixture(with -> with.segmentBytesMax = 1000);
        for (int i = 0; i < 20; i++) {
            small.append("a" + i, "b" + i);
        }
        for (int pass = 0; pass < 3; pass++) {
            assertThat(Batches.messages(small.readSince(0, 3)).getFirst().offset())
                    .isZero();
            for (int i = 0; i < 20; i++) {
                List<Batches.Message> found = Batches.messages(small.readSince(1001 + i, 3));
                assertThat(found.getFirst().offset()).as("since %s", 1001 + i).isEqualTo(2L * i);
                assertThat(found.getFirst().timestamp()).isEqualTo(1001 + i);
            }
            assertThat(Batches.messages(small.readSince(1021, 3)))
                    .as("behind the last")
                    .isEmpty();
            assertThat(Batches.messages(small.readSince(-1, 3))).as("unsigned").isEmpty();
            small.log.evictTail(pass == 0 ? 3000 : Long.MAX_VALUE);
        }
        small.close();
    }

    @Test
    void batchesOfOneTimeAreAllFoundSinceIt() {
        LogFixture small = new LogFixture(with -> with.segmentBytesMax = 1000);
        for (int i = 0; i < 10; i++) {
            small.timestamp = i < 5 ? 999 : 1099;
            small.append("m" + i);
        }
        for (int pass = 0; pass < 2; pass++) {
            assertThat(Batches.messages(small.readSince(1000, 100))).hasSize(10);
            assertThat(Batches.messages(small.readSince(1001, 100)).getFirst().offset())
                    .isEqualTo(5);
            small.log.evictTail(Long.MAX_VALUE);
        }
    }

    @Test
    void shortBatchesInMemoryAreOneSlice() {
        for (int i = 0; i < 10; i++) {
            fixture.append("m" + i);
        }
        LogRead.Messages found = (LogRead.Messages) fixture.read(0, 100, 1 << 20);
        assertThat(found.slices()).hasSize(1);
        assertThat(Batches.messages(found)).hasSize(10);
    }

    @Test
    void batchesOnTheDiskAreOneSliceAChunk() {
        for (int i = 0; i < 10; i++) {
            fixture.append("m" + i);
        }
        fixture.log.evictTail(Long.MAX_VALUE);
        LogRead.Messages found = (LogRead.Messages) fixture.read(0, 100, 1 << 20);
        assertThat(found.slices()).hasSize(1);
        assertThat(Batches.messages(found)).hasSize(10);
    }

    @Test
    void aBatchLargerThanAChunkIsReadWhole() {
        String large = "x".repeat(3 * 1024 * 1024);
        fixture.append("a");
        fixture.append(large);
        fixture.append("b");
        fixture.log.evictTail(Long.MAX_VALUE);
        assertThat(fixture.offsets(0)).containsExactly(0L, 1L, 2L);
        assertThat(fixture.payloads(1).getFirst()).hasSameSizeAs(large);
        fixture.close();
    }

    @Test
    void whatAReaderHoldsOutlivesEvictionPurgeAndClose() {
        fixture.append("kept");
        LogRead.Messages fromTail = (LogRead.Messages) fixture.read(0, 10, 1 << 20);
        fixture.log.evictTail(Long.MAX_VALUE);
        LogRead.Messages fromDisk = (LogRead.Messages) fixture.read(0, 10, 1 << 20);
        fixture.log.purge(9);
        fixture.append("other");
        fixture.log.close((_, _) -> {});
        fixture.disk.runCompletions();
        assertThat(fixture.buffers.inUse()).isEqualTo(2);
        assertThat(Batches.messages(fromTail).getFirst().payload()).isEqualTo("kept");
        assertThat(Batches.messages(fromDisk).getFirst().payload()).isEqualTo("kept");
        assertThat(fixture.buffers.inUse()).isZero();
    }

    @Test
    void aReadInFlightEndsWhenThePartitionIsPurgedDeletedOrClosed() {
        for (int way = 0; way < 3; way++) {
            LogFixture fixture = new LogFixture(with -> with.segmentBytesMax = 300);
            for (int i = 0; i < 5; i++) {
                fixture.append("m" + i);
            }
            fixture.log.evictTail(Long.MAX_VALUE);
            List<LogRead> reads = new ArrayList<>();
            fixture.log.read(0, 100, 1 << 20, reads::add);
            fixture.disk.runNext();
            switch (way) {
                case 0 -> fixture.log.purge(7);
                case 1 -> fixture.log.delete();
                default -> fixture.log.close((_, _) -> {});
            }
            fixture.disk.runCompletions();
            assertThat(reads).hasSize(1);
            Batches.messages(reads.getFirst());
            assertThat(fixture.buffers.inUse()).as("way %s", way).isZero();
            assertThat(fixture.disk.openFiles()).as("way %s", way).isZero();
        }
    }

    @Test
    void aReadInFlightSkipsSegmentsThatAreDeletedBeforeItReachesThem() {
        LogFixture small = new LogFixture(with -> {
            with.segmentBytesMax = 300;
            with.openFilesMax = 1;
        });
        for (int i = 0; i < 6; i++) {
            small.append("m" + i);
        }
        small.log.evictTail(Long.MAX_VALUE);
        List<LogRead> reads = new ArrayList<>();
        small.log.read(0, 100, 1 << 20, reads::add);
        small.log.deleteOldest(3, (_, _) -> {});
        small.disk.runCompletions();
        List<Batches.Message> found = Batches.messages(reads.getFirst());
        assertThat(found.stream().map(Batches.Message::offset))
                .contains(3L, 4L, 5L)
                .isSorted();
    }

    // ------------------------------------------------------------------------------------ memory, handles

    @Test
    void shortBatchesDoNotHoldTheFramesTheyCameIn() {
        for (int i = 0; i < 12; i++) {
            fixture.append("m" + i);
        }
        assertThat(fixture.buffers.inUse()).as("one buffer that gathers them").isEqualTo(1);
        assertThat(fixture.storage.tailBytes()).isEqualTo(4096);
    }

    @Test
    void longBatchesStayInTheFramesTheyCameIn() {
        String large = "x".repeat(20_000);
        PooledBuffer frame = Batches.pooled(fixture.buffers, 300, 0, 1, large);
        fixture.log.append(frame, 300, Batches.length(large), (_, _) -> fixture.log.commit(1));
        fixture.disk.runCompletions();
        LogRead.Messages found = (LogRead.Messages) fixture.read(0, 10, 1 << 20);
        assertThat(found.slices()).hasSize(1);
        assertThat(found.slices().getFirst().buffer()).isSameAs(frame);
        assertThat(found.slices().getFirst().position()).isEqualTo(300);
        found.slices().forEach(BatchSlice::release);
        frame.release();
    }

    @Test
    void theTailStaysWithinItsBound() {
        LogFixture small = new LogFixture(with -> with.tailBytesMax = 100_000);
        for (int i = 0; i < 20; i++) {
            small.append("x".repeat(20_000));
            assertThat(small.storage.tailBytes()).isLessThanOrEqualTo(100_000);
        }
        assertThat(small.offsets(0)).hasSize(20);
        assertThat(small.log.evictTail(Long.MAX_VALUE)).isPositive();
        assertThat(small.storage.tailBytes()).isZero();
        assertThat(small.buffers.inUse()).isZero();
    }

    @Test
    void theTailsOfAllLogsStayWithinTheirBoundAndTheOldestGivesWay() {
        LogFixture shared = new LogFixture(with -> with.storageTailBytesMax = 100_000);
        List<PartitionLog> logs = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            PartitionLog log =
                    PartitionLog.open(shared.storage, "p/" + i, shared.settings(), 1, 0, false, shared.events::add);
            logs.add(log);
            String large = "x".repeat(20_000);
            PooledBuffer frame = Batches.pooled(shared.buffers, 0, 0, 1, large);
            log.append(frame, 0, Batches.length(large), (_, _) -> log.commit(1));
            frame.release();
            shared.disk.runCompletions();
            assertThat(shared.storage.tailBytes()).isLessThanOrEqualTo(100_000);
        }
        assertThat(logs.getFirst().evictTail(1)).as("the oldest gave way").isZero();
        assertThat(logs.getLast().evictTail(1)).as("the newest did not").isPositive();
    }

    @Test
    void anAppendNeedsNoMemoryOfItsOwn() {
        MemoryBudget budget = new MemoryBudget(64 * 1024);
        BufferPool pool = new BufferPool(budget);
        LogStorage storage = new LogStorage(fixture.disk, pool, 4, 1 << 20, 1 << 20);
        PartitionLog log = PartitionLog.open(storage, "p", fixture.settings(), 1, 0, false, fixture.events::add);
        PooledBuffer frame = Batches.pooled(pool, 0, 0, 1, "x");
        List<PooledBuffer> rest = new ArrayList<>();
        for (PooledBuffer more = pool.acquire(1); more != null; more = pool.acquire(1)) {
            rest.add(more);
        }
        log.append(frame, 0, Batches.length("x"), (_, _) -> log.commit(1));
        frame.release();
        fixture.disk.runCompletions();
        assertThat(log.nextOffset()).isEqualTo(1);
        rest.forEach(PooledBuffer::release);
        log.close((_, _) -> {});
        fixture.disk.runCompletions();
        assertThat(pool.inUse()).isZero();
    }

    @Test
    void aReadWithoutMemorySaysSoAndLaterWorks() {
        fixture.append("a", "b");
        fixture.log.evictTail(Long.MAX_VALUE);
        List<PooledBuffer> all = new ArrayList<>();
        for (int bytes = 1 << 24; bytes >= 4096; bytes /= 2) {
            for (PooledBuffer more = fixture.buffers.acquire(bytes);
                    more != null;
                    more = fixture.buffers.acquire(bytes)) {
                all.add(more);
            }
        }
        assertThat(fixture.read(0, 10, 1 << 20)).isInstanceOf(LogRead.NoMemory.class);
        all.forEach(PooledBuffer::release);
        assertThat(fixture.payloads(0)).containsExactly("a", "b");
    }

    @Test
    void aReadTakesMemoryFromTails() {
        LogFixture other = new LogFixture(with -> {
            with.memoryBytes = 16L * 1024 * 1024;
            with.tailBytesMax = 1L << 30;
            with.storageTailBytesMax = 1L << 30;
        });
        String large = "x".repeat(900_000);
        other.append("first");
        other.log.evictTail(Long.MAX_VALUE);
        while (other.buffers.bytesInUse() < 10L * 1024 * 1024) {
            other.append(large);
        }
        List<PooledBuffer> rest = new ArrayList<>();
        for (int bytes = 1 << 20; bytes >= 4096; bytes /= 2) {
            for (PooledBuffer more = other.buffers.acquire(bytes); more != null; more = other.buffers.acquire(bytes)) {
                rest.add(more);
            }
        }
        assertThat(other.messages(0, 1)).hasSize(1);
        rest.forEach(PooledBuffer::release);
    }

    @Test
    void handlesStayWithinTheirBound() {
        LogFixture small = new LogFixture(with -> {
            with.segmentBytesMax = 300;
            with.openFilesMax = 3;
        });
        for (int i = 0; i < 30; i++) {
            small.append("m" + i);
            assertThat(small.disk.openFiles()).isLessThanOrEqualTo(4);
        }
        small.log.evictTail(Long.MAX_VALUE);
        assertThat(small.offsets(0)).hasSize(30);
        assertThat(small.storage.openFiles()).isLessThanOrEqualTo(3);
        assertThat(small.disk.openFiles()).isLessThanOrEqualTo(3);
        small.close();
    }

    @Test
    void manyIdlePartitionsCostNoHandlesAndNoFiles() {
        for (int i = 0; i < 10_000; i++) {
            PartitionLog.open(fixture.storage, "p/" + i, fixture.settings(), 1, 0, false, fixture.events::add);
        }
        assertThat(fixture.disk.openFiles()).isZero();
        assertThat(fixture.disk.files()).isEmpty();
        assertThat(fixture.buffers.inUse()).isZero();
    }

    // ------------------------------------------------------------------------------------ purge, delete

    @Test
    void aPurgeStartsAnew() {
        fixture.append("a", "b");
        fixture.log.purge(9);
        assertThat(fixture.log.appendOffset()).isZero();
        assertThat(fixture.log.nextOffset()).isZero();
        assertThat(fixture.log.sizeBytes()).isZero();
        assertThat(fixture.log.messagesCount()).isZero();
        assertThat(fixture.log.segmentsCount()).isEqualTo(1);
        assertThat(fixture.log.isEverWritten()).isFalse();
        assertThat(fixture.payloads(0)).isEmpty();
        fixture.append("c");
        assertThat(fixture.payloads(0)).containsExactly("c");
        fixture.purgeGeneration = 9;
        fixture.closeAndReopen();
        assertThat(fixture.payloads(0)).containsExactly("c");
        fixture.powerLoss(PowerLoss.CLEAN);
        assertThat(fixture.payloads(0)).as("what was purged does not return").doesNotContain("a", "b");
    }

    @Test
    void appendsInFlightEndWithThePurgeAndPutNothingBack() {
        fixture.append("a");
        fixture.submit("b");
        fixture.submit("c");
        fixture.log.purge(9);
        assertThat(fixture.outcomes).containsExactly("0 acked", "1 acked", "2 acked");
        fixture.disk.runCompletions();
        assertThat(fixture.payloads(0)).isEmpty();
        fixture.append("d");
        assertThat(fixture.payloads(0)).containsExactly("d");
        fixture.close();
    }

    @Test
    void aPurgeIsCompletedAtTheNextStart() {
        fixture.append("a");
        fixture.purgeGeneration = 9;
        fixture.kill();
        assertThat(fixture.payloads(0)).isEmpty();
        assertThat(fixture.log.appendOffset()).isZero();
        fixture.append("b");
        fixture.kill();
        assertThat(fixture.payloads(0)).containsExactly("b");
    }

    @Test
    void filesOfADeletedPartitionAreNotThoseOfTheNext() {
        fixture.append("a");
        fixture.created = 6;
        fixture.kill();
        assertThat(fixture.payloads(0)).isEmpty();
        fixture.disk.runCompletions();
        assertThat(fixture.disk.files()).isEmpty();
    }

    @Test
    void aDeletedLogsDirectoryGoesAndAppendsInFlightEnd() {
        fixture.append("a");
        fixture.submit("b");
        fixture.log.delete();
        assertThat(fixture.outcomes).containsExactly("0 acked", "1 acked");
        assertThat(fixture.disk.exists(LogFixture.DIRECTORY)).isFalse();
        fixture.disk.runCompletions();
        assertThat(fixture.disk.files()).isEmpty();
        assertThat(fixture.disk.openFiles()).isZero();
        assertThat(fixture.buffers.inUse()).isZero();
    }

    @Test
    void aCloseWritesWhatIsInFlight() {
        fixture.submit("a");
        fixture.submit("b");
        List<Integer> closed = new ArrayList<>();
        fixture.log.close((_, _) -> closed.add(fixture.outcomes.size()));
        assertThat(closed).isEmpty();
        fixture.disk.runCompletions();
        assertThat(closed).as("closed behind both appends").containsExactly(2);
        assertThat(fixture.buffers.inUse()).isZero();
        fixture.reopen(true);
        assertThat(fixture.payloads(0)).containsExactly("a", "b");
    }

    @Test
    void sizesCountHeadersAndFrames() {
        fixture.append("abc", "de");
        assertThat(fixture.log.sizeBytes()).isEqualTo(BatchHeader.BYTES + 48 + 3 + 48 + 2);
        fixture.kill();
        assertThat(fixture.log.sizeBytes()).isEqualTo(BatchHeader.BYTES + 48 + 3 + 48 + 2);
    }
}
