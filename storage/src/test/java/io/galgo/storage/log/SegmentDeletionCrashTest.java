package io.galgo.storage.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.storage.disk.MemoryDisk.PowerLoss;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What a crash at any point of a deletion of segments leaves: all of the segments, or none of them.
class SegmentDeletionCrashTest {
    private static final int BATCHES = 6;
    private static final int DELETED = 3;

    private static LogFixture filled(boolean persisted) {
        LogFixture fixture = new LogFixture(with -> {
            with.segmentBytesMax = 300;
            with.persisted = persisted;
        });
        for (int i = 0; i < BATCHES; i++) {
            fixture.append("m" + i);
        }
        return fixture;
    }

    /// Begins a deletion and lets so many operations of the disk happen.
    ///
    /// @return whether all of it happened
    private static boolean deleteInPart(LogFixture fixture, int operations) {
        fixture.log.deleteOldest(DELETED, (_, _) -> {});
        for (int i = 0; i < operations; i++) {
            if (!fixture.disk.runNext()) {
                return true;
            }
        }
        return fixture.disk.pendingCount() == 0;
    }

    private static void assertAllOrNothing(LogFixture fixture, String when) {
        List<Long> offsets = fixture.offsets(0);
        long first = fixture.log.firstOffset();
        assertThat(first).as("first offset, " + when).isIn(0L, (long) DELETED);
        assertThat(offsets).as("offsets, " + when).hasSize((int) (BATCHES - first));
        assertThat(fixture.log.messagesCount()).as("messages, " + when).isEqualTo(BATCHES - first);
        assertThat(fixture.log.isDamaged()).as("damage, " + when).isFalse();
        assertThat(fixture.log.currentOffset()).as("current offset, " + when).isEqualTo(BATCHES - 1L);
    }

    @AfterEach
    void freeMemory() {
        LogFixture.freeAll();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aKilledProcessLeavesAllOrNothing(boolean persisted) {
        boolean isWhole = false;
        for (int operations = 0; !isWhole; operations++) {
            LogFixture fixture = filled(persisted);
            isWhole = deleteInPart(fixture, operations);
            fixture.kill();
            assertAllOrNothing(fixture, "killed after " + operations + " operations");
            fixture.append("later");
            assertThat(fixture.offsets(0)).endsWith((long) BATCHES);
        }
    }

    @ParameterizedTest
    @EnumSource(PowerLoss.class)
    void aPowerLossLeavesAllOrNothing(PowerLoss extent) {
        boolean isWhole = false;
        for (int operations = 0; !isWhole; operations++) {
            LogFixture fixture = filled(true);
            isWhole = deleteInPart(fixture, operations);
            fixture.powerLoss(extent);
            assertAllOrNothing(fixture, "power lost after " + operations + " operations");
            fixture.append("later");
            assertThat(fixture.log.currentOffset()).isGreaterThanOrEqualTo(BATCHES);
        }
    }

    @Test
    void noOffsetIsIssuedAgainWhenNothingIsLeftButTheNextSegmentsName() {
        LogFixture fixture = filled(true);
        assertThat(fixture.delete(BATCHES)).isEqualTo("6");
        fixture.powerLoss(PowerLoss.CLEAN);
        assertThat(fixture.log.currentOffset()).isEqualTo(BATCHES - 1L);
        assertThat(fixture.log.appendOffset()).isGreaterThanOrEqualTo(BATCHES);
        fixture.append("later");
        assertThat(fixture.offsets(0)).allMatch(offset -> offset >= BATCHES);
    }

    @Test
    void theLastOffsetIsRememberedAcrossAJumpWhenNothingIsLeft() {
        LogFixture fixture = filled(false);
        fixture.powerLoss(PowerLoss.CLEAN);
        long last = fixture.log.currentOffset();
        fixture.append("behind a jump");
        long jumped = fixture.log.currentOffset();
        assertThat(jumped).isGreaterThan(last + 1);
        assertThat(fixture.delete(100)).isNotEqualTo("0");
        assertThat(fixture.payloads(0)).isEmpty();
        assertThat(fixture.log.currentOffset()).isEqualTo(jumped);
        fixture.closeAndReopen();
        assertThat(fixture.log.currentOffset()).isEqualTo(jumped);
        fixture.append("one more");
        assertThat(fixture.offsets(0)).containsExactly(jumped + 1);
    }

    @Test
    void aDeletionThatThePurgeOvertakesTakesNothingFromTheNewBeginning() {
        LogFixture fixture = filled(false);
        fixture.log.deleteOldest(DELETED, (_, _) -> {});
        fixture.purgeGeneration = 9;
        fixture.log.purge(9);
        for (int i = 0; i < 4; i++) {
            fixture.append("n" + i);
        }
        assertThat(fixture.payloads(0)).containsExactly("n0", "n1", "n2", "n3");
        assertThat(fixture.kill().payloads(0)).containsExactly("n0", "n1", "n2", "n3");
    }

    @Test
    void aDeletionThatAStopOvertakesIsCompletedByTheNextStart() {
        LogFixture fixture = filled(false);
        fixture.log.deleteOldest(DELETED, (_, _) -> {});
        fixture.closeAndReopen();
        assertThat(fixture.offsets(0)).containsExactly(3L, 4L, 5L);
    }
}
