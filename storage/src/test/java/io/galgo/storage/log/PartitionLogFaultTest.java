package io.galgo.storage.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk.Operation;
import io.galgo.storage.disk.MemoryDisk.PowerLoss;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A disk that fails or is full.
class PartitionLogFaultTest {
    private final LogFixture fixture = new LogFixture();

    @AfterEach
    void freeMemory() {
        LogFixture.freeAll();
    }

    @Test
    void aFailedWriteFailsAllAppendsInFlightAndFencesTheLog() {
        fixture.append("a");
        fixture.disk.failNext(Operation.WRITE, DiskFault.Kind.IO, ".log");
        fixture.submit("b");
        fixture.submit("c");
        fixture.submit("d");
        fixture.disk.runCompletions();
        assertThat(fixture.outcomes).containsExactly("0 acked", "1 IO", "2 IO", "3 IO");
        assertThat(fixture.log.isWritable()).isFalse();
        assertThat(Objects.requireNonNull(fixture.log.fault()).kind()).isEqualTo(DiskFault.Kind.IO);
        assertThat(fixture.payloads(0)).as("reads go on").containsExactly("a");
        assertThat(fixture.events).as("whoever sent is told, and tells people").isEmpty();
    }

    @Test
    void afterAFailedDeviceOnlyARestartHeals() {
        fixture.append("a");
        fixture.disk.failNext(Operation.WRITE, DiskFault.Kind.IO, ".log");
        fixture.append("b");
        fixture.log.probe();
        fixture.disk.runCompletions();
        assertThat(fixture.log.isWritable()).isFalse();
        fixture.kill();
        assertThat(fixture.log.isWritable()).isTrue();
        fixture.append("c");
        assertThat(fixture.payloads(0)).containsExactly("a", "c");
    }

    @Test
    void aFullDiskRefusesUntilThereIsRoomAgain() {
        fixture.append("a");
        fixture.disk.capacity(fixture.disk.usedBytes() + 100);
        fixture.append("b".repeat(500));
        assertThat(fixture.outcomes).containsExactly("0 acked", "1 NO_SPACE");
        assertThat(fixture.log.isWritable()).isFalse();
        fixture.log.probe();
        fixture.disk.runCompletions();
        assertThat(fixture.log.isWritable()).as("still full").isFalse();
        assertThat(fixture.payloads(0)).containsExactly("a");
        fixture.disk.capacity(Long.MAX_VALUE);
        assertThat(fixture.log.isWritable()).as("nobody has looked yet").isFalse();
        fixture.log.probe();
        fixture.disk.runCompletions();
        assertThat(fixture.log.isWritable()).isTrue();
        assertThat(fixture.log.fault()).isNull();
        fixture.append("c");
        assertThat(fixture.payloads(0)).containsExactly("a", "c");
        assertThat(fixture.offsets(0)).as("the failed offset is skipped").containsExactly(0L, 2L);
        fixture.closeAndReopen();
        assertThat(fixture.payloads(0)).containsExactly("a", "c");
        assertThat(fixture.log.isDamaged())
                .as("the gap is a jump and no damage")
                .isFalse();
        fixture.kill();
        assertThat(fixture.payloads(1)).containsExactly("c");
    }

    @Test
    void aProbeLeavesNothingBehind() {
        fixture.append("a");
        byte[] content = fixture.disk.content(LogFixture.segmentPath(0));
        fixture.disk.failNext(Operation.WRITE, DiskFault.Kind.NO_SPACE, ".log");
        fixture.append("b");
        fixture.log.probe();
        fixture.disk.runCompletions();
        assertThat(fixture.disk.content(LogFixture.segmentPath(0))).isEqualTo(content);
        assertThat(fixture.log.isWritable()).isTrue();
    }

    @Test
    void aProcessKilledWhileItProbesLeavesAGoodLog() {
        for (int step = 1; step < 6; step++) {
            LogFixture fixture = new LogFixture();
            fixture.append("a");
            fixture.disk.failNext(Operation.WRITE, DiskFault.Kind.NO_SPACE, ".log");
            fixture.append("b");
            fixture.log.probe();
            for (int i = 0; i < step; i++) {
                fixture.disk.runNext();
            }
            fixture.kill();
            assertThat(fixture.payloads(0)).as("after %s steps", step).containsExactly("a");
            fixture.append("c");
            assertThat(fixture.payloads(0)).as("after %s steps", step).containsExactly("a", "c");
        }
    }

    @Test
    void aDiskThatIsFullAtTheFirstAppendIsGoodLater() {
        fixture.disk.capacity(0);
        fixture.append("a");
        assertThat(fixture.outcomes).containsExactly("0 NO_SPACE");
        fixture.disk.capacity(Long.MAX_VALUE);
        fixture.log.probe();
        fixture.disk.runCompletions();
        fixture.append("b");
        assertThat(fixture.offsets(0)).containsExactly(1L);
        fixture.kill();
        assertThat(fixture.payloads(0)).containsExactly("b");
    }

    @Test
    void aFailedSyncIsNotTriedAgainAsIfNothingHadHappened() {
        LogFixture persisted = new LogFixture(with -> with.persisted = true);
        persisted.append("a");
        persisted.disk.failNext(Operation.SYNC, DiskFault.Kind.IO, ".log");
        persisted.submit("b");
        persisted.submit("c");
        persisted.disk.runCompletions();
        assertThat(persisted.outcomes).containsExactly("0 acked", "1 IO", "2 IO");
        persisted.kill();
        assertThat(persisted.payloads(0))
                .as("what could not be synced is not found")
                .containsExactly("a");
        persisted.append("d");
        persisted.powerLoss(PowerLoss.SCATTERED);
        assertThat(persisted.payloads(0)).containsExactly("a", "d");
    }

    @Test
    void aFailedDirectorySyncFailsThePersistedAppend() {
        LogFixture persisted = new LogFixture(with -> {
            with.persisted = true;
            with.segmentBytesMax = 600;
        });
        persisted.append("a");
        persisted.disk.failNext(Operation.SYNC_DIRECTORY, DiskFault.Kind.NO_SPACE, LogFixture.DIRECTORY);
        persisted.submit("b");
        while (persisted.outcomes.size() < 2) {
            persisted.disk.runNext();
        }
        persisted.submit("c");
        persisted.disk.runCompletions();
        assertThat(persisted.outcomes).containsExactly("0 acked", "1 acked", "2 NO_SPACE");
        persisted.log.probe();
        persisted.disk.runCompletions();
        persisted.append("f");
        List<String> payloads = persisted.payloads(0);
        persisted.powerLoss(PowerLoss.CLEAN);
        assertThat(persisted.payloads(0)).isEqualTo(payloads).endsWith("f");
    }

    @Test
    void aReservationThatFailsFailsWhatWaitsForIt() {
        fixture.disk.failNext(Operation.SYNC, DiskFault.Kind.IO, Superblock.NAME);
        fixture.append("a");
        assertThat(fixture.outcomes).containsExactly("0 IO");
        fixture.kill();
        fixture.append("b");
        assertThat(fixture.payloads(0)).containsExactly("b");
    }

    @Test
    void aSegmentThatCannotBeStartedFailsTheNextAppend() {
        LogFixture small = new LogFixture(with -> with.segmentBytesMax = 300);
        small.disk.failAll(Operation.OPEN, DiskFault.Kind.NO_SPACE, LogFixture.segmentPath(1));
        small.append("a");
        assertThat(small.outcomes).as("the full segment took it").containsExactly("0 acked");
        assertThat(small.log.isWritable()).isTrue();
        small.submit("b");
        assertThat(small.outcomes).as("not from inside the call").containsExactly("0 acked");
        small.disk.runCompletions();
        assertThat(small.outcomes).containsExactly("0 acked", "1 NO_SPACE");
        small.disk.heal();
        small.log.probe();
        small.disk.runCompletions();
        small.append("c");
        assertThat(small.payloads(0)).containsExactly("a", "c");
    }

    @Test
    void tooManyOpenFilesFailAppendsAndReadsAndNothingElse() {
        fixture.append("a");
        fixture.log.evictTail(Long.MAX_VALUE);
        fixture.close();
        fixture.openFilesMax = 0;
        fixture.reopen(false);
        fixture.disk.handlesMax(0);
        assertThat(fixture.read(0, 10, 1 << 20)).isInstanceOf(LogRead.Faulted.class);
        fixture.append("b");
        assertThat(fixture.outcomes).containsExactly("0 acked", "1 TOO_MANY_FILES");
        fixture.disk.handlesMax(100);
        assertThat(fixture.payloads(0)).containsExactly("a");
    }

    @Test
    void anIndexThatCannotBeWrittenFailsNothing() {
        LogFixture small = new LogFixture(with -> with.segmentBytesMax = 700);
        small.disk.failAll(Operation.WRITE, DiskFault.Kind.NO_SPACE, ".index");
        for (int i = 0; i < 12; i++) {
            small.append("m" + i);
        }
        assertThat(small.outcomes).allMatch(outcome -> outcome.endsWith("acked"));
        small.log.evictTail(Long.MAX_VALUE);
        for (int offset = 0; offset < 12; offset++) {
            assertThat(small.offsets(offset)).hasSize(12 - offset);
        }
        assertThat(small.events).anyMatch(event -> event.contains("index"));
    }

    @Test
    void aCloseAfterAFaultTellsIt() {
        fixture.append("a");
        fixture.disk.failNext(Operation.WRITE, DiskFault.Kind.IO, ".log");
        fixture.append("b");
        List<String> closed = new ArrayList<>();
        fixture.log.close(
                (_, fault) -> closed.add(fault == null ? "clean" : fault.kind().name()));
        fixture.disk.runCompletions();
        assertThat(closed).containsExactly("IO");
        assertThat(fixture.buffers.inUse()).isZero();
        assertThat(fixture.disk.openFiles()).isZero();
    }

    @Test
    void aSegmentThatCannotBeDeletedStays() {
        LogFixture small = new LogFixture(with -> with.segmentBytesMax = 300);
        for (int i = 0; i < 4; i++) {
            small.append("m" + i);
        }
        small.disk.failNext(Operation.RENAME, DiskFault.Kind.IO);
        assertThat(small.delete(2)).isEqualTo("0 IO");
        assertThat(small.offsets(0)).hasSize(4);
        assertThat(small.delete(2)).isEqualTo("2");
    }

    @Test
    void aDeletionThatCannotBeWrittenDownDeletesNothing() {
        LogFixture small = new LogFixture(with -> with.segmentBytesMax = 300);
        for (int i = 0; i < 4; i++) {
            small.append("m" + i);
        }
        small.disk.failNext(Operation.WRITE, DiskFault.Kind.IO, LogFixture.superblockPath());
        assertThat(small.delete(2)).isEqualTo("0 IO");
        assertThat(small.segments()).containsExactly(0L, 1L, 2L, 3L, 4L);
        assertThat(small.delete(2)).isEqualTo("2");
        assertThat(small.segments()).containsExactly(2L, 3L, 4L);
    }

    @Test
    void aLogThatTakesNoMessagesStillDeletesOldOnes() {
        LogFixture small = new LogFixture(with -> with.segmentBytesMax = 300);
        for (int i = 0; i < 4; i++) {
            small.append("m" + i);
        }
        small.disk.capacity(small.disk.usedBytes());
        small.append("x");
        assertThat(small.log.isWritable()).isFalse();
        assertThat(small.delete(3)).isEqualTo("3");
        assertThat(small.offsets(0)).containsExactly(3L);
    }

    @Test
    void aLogThatFoundNoHandleTakesMessagesAgainWhenThereIsOne() {
        LogFixture busy = new LogFixture(with -> with.openFilesMax = 1);
        busy.append("a");
        busy.disk.failNext(Operation.OPEN, DiskFault.Kind.TOO_MANY_FILES);
        busy.closeAndReopen();
        busy.disk.heal();
        busy.disk.handlesMax(busy.disk.openFiles());
        busy.append("refused");
        assertThat(busy.outcomes).last().isEqualTo("1 TOO_MANY_FILES");
        assertThat(busy.log.isWritable()).isFalse();
        busy.log.probe();
        busy.disk.runCompletions();
        assertThat(busy.log.isWritable()).as("while there is no handle").isFalse();
        busy.disk.handlesMax(Integer.MAX_VALUE);
        busy.log.probe();
        busy.disk.runCompletions();
        assertThat(busy.log.isWritable()).as("with a handle").isTrue();
        busy.append("b");
        assertThat(busy.payloads(0)).containsExactly("a", "b");
        assertThat(busy.kill().payloads(0)).containsExactly("a", "b");
    }

    @Test
    void aPurgeThatCannotRemoveFencesTheLogUntilARestartRemoves() {
        fixture.append("a");
        fixture.disk.failNext(Operation.RENAME, DiskFault.Kind.IO);
        fixture.purgeGeneration = 9;
        fixture.log.purge(9);
        assertThat(fixture.payloads(0)).isEmpty();
        assertThat(fixture.log.isWritable()).isFalse();
        fixture.kill();
        assertThat(fixture.payloads(0)).isEmpty();
        assertThat(fixture.log.isWritable()).isTrue();
    }
}
