package io.galgo.storage.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.protocol.Checksum;
import io.galgo.storage.Unreadable;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk.Operation;
import io.galgo.storage.disk.MemoryDisk.PowerLoss;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What is there after a stop, clean or not, and where offsets go on.
class PartitionLogCrashTest {
    private final LogFixture fixture = new LogFixture();

    @AfterEach
    void freeMemory() {
        LogFixture.freeAll();
    }

    @Test
    void aCleanStopLosesNothingAndLeavesNoJump() {
        fixture.append("a", "b");
        fixture.closeAndReopen();
        fixture.append("c");
        fixture.close();
        fixture.reopen(true);
        fixture.append("d");
        assertThat(fixture.payloads(0)).containsExactly("a", "b", "c", "d");
        assertThat(fixture.offsets(0)).containsExactly(0L, 1L, 2L, 3L);
    }

    @Test
    void aKilledProcessLosesNothingAcknowledgedAndLeavesNoJump() {
        for (int i = 0; i < 10; i++) {
            fixture.append("m" + i);
            fixture.kill();
        }
        assertThat(fixture.offsets(0)).hasSize(10);
        assertThat(fixture.log.appendOffset()).isEqualTo(10);
    }

    @Test
    void aLogWithOneMessageGoesOnAtOne() {
        fixture.append("a");
        fixture.kill();
        assertThat(fixture.log.appendOffset()).isEqualTo(1);
        fixture.closeAndReopen();
        assertThat(fixture.log.appendOffset()).isEqualTo(1);
    }

    @Test
    void theLastTimestampIsFoundAgain() {
        fixture.append("a");
        fixture.append("b");
        long last = fixture.log.lastTimestamp();
        assertThat(fixture.kill().log.lastTimestamp()).isEqualTo(last);
        assertThat(fixture.closeAndReopen().log.lastTimestamp()).isEqualTo(last);
    }

    // ------------------------------------------------------------------------------------ torn tails

    @Test
    void aTornTailIsCutAtTheLastWholeBatchWhereverItIsTorn() {
        fixture.append("a", "b");
        int whole = fixture.disk.content(LogFixture.segmentPath(0)).length;
        fixture.append("c".repeat(300), "d");
        byte[] content = fixture.disk.content(LogFixture.segmentPath(0));
        for (int length = whole; length < content.length; length++) {
            LogFixture torn = with(Arrays.copyOf(content, length));
            assertThat(torn.payloads(0)).as("cut to %s", length).containsExactly("a", "b");
            assertThat(torn.log.appendOffset()).as("cut to %s: no jump", length).isEqualTo(2);
            assertThat(torn.log.sizeBytes()).as("cut to %s", length).isEqualTo(whole);
            torn.append("e");
            torn.kill();
            assertThat(torn.payloads(0)).as("cut to %s", length).containsExactly("a", "b", "e");
        }
    }

    @Test
    void garbageBehindTheTailIsCutAndCountsNowhere() {
        fixture.append("a", "b");
        byte[] content = fixture.disk.content(LogFixture.segmentPath(0));
        for (int garbage : new int[] {1, 100, 303, 304, 5000}) {
            byte[] longer = Arrays.copyOf(content, content.length + garbage);
            Arrays.fill(longer, content.length, longer.length, (byte) 0x5a);
            LogFixture other = with(longer);
            assertThat(other.payloads(0)).as("%s bytes", garbage).containsExactly("a", "b");
            assertThat(other.log.sizeBytes()).isEqualTo(content.length);
            assertThat(other.log.messagesCount()).isEqualTo(2);
            other.append("c");
            other.closeAndReopen();
            assertThat(other.payloads(0)).containsExactly("a", "b", "c");
            other.closeAndReopen();
            assertThat(other.payloads(0)).containsExactly("a", "b", "c");
        }
    }

    @Test
    void garbageAfterACleanStopLeavesNoJump() {
        fixture.append("a", "b");
        fixture.close();
        byte[] content = fixture.disk.content(LogFixture.segmentPath(0));
        byte[] longer = Arrays.copyOf(content, content.length + 1000);
        Arrays.fill(longer, content.length, longer.length, (byte) 0x5a);
        fixture.disk.content(LogFixture.segmentPath(0), longer);
        fixture.reopen(true);
        assertThat(fixture.log.appendOffset()).isEqualTo(2);
        assertThat(fixture.payloads(0)).containsExactly("a", "b");
    }

    @Test
    void zerosBehindTheTailAreNoData() {
        fixture.append("a", "b");
        byte[] content = fixture.disk.content(LogFixture.segmentPath(0));
        LogFixture padded = with(Arrays.copyOf(content, content.length + 100_000));
        assertThat(padded.payloads(0)).containsExactly("a", "b");
        assertThat(padded.log.appendOffset()).isEqualTo(2);
        assertThat(padded.disk.content(LogFixture.segmentPath(0))).hasSize(content.length);
    }

    @Test
    void aTornTailIsStillGoneAfterTwoRestarts() {
        fixture.append("a");
        byte[] content = fixture.disk.content(LogFixture.segmentPath(0));
        LogFixture torn = with(Arrays.copyOf(content, content.length + 200));
        for (int i = 0; i < 3; i++) {
            assertThat(torn.log.sizeBytes()).isEqualTo(content.length);
            assertThat(torn.disk.content(LogFixture.segmentPath(0))).hasSize(content.length);
            torn.kill();
        }
    }

    // ------------------------------------------------------------------------------------ power loss, jumps

    @Test
    void afterPowerLossAReplicatedLogGoesOnAtItsReservedOffset() {
        fixture.append("a", "b");
        fixture.powerLoss(PowerLoss.CLEAN);
        assertThat(fixture.payloads(0)).isEmpty();
        assertThat(fixture.log.appendOffset()).isEqualTo(100);
        assertThat(fixture.log.nextOffset()).as("nothing new is readable").isZero();
        fixture.append("c");
        assertThat(fixture.offsets(0))
                .as("a read inside the jump goes to what follows")
                .containsExactly(100L);
        assertThat(fixture.offsets(50)).containsExactly(100L);
    }

    @Test
    void aJumpLiesOnASegmentBorder() {
        fixture.append("a");
        fixture.close();
        fixture.reopen(true);
        fixture.append("b");
        fixture.powerLoss(PowerLoss.CLEAN);
        assertThat(fixture.payloads(0)).as("what was synced by the clean stop").containsExactly("a");
        fixture.append("c");
        assertThat(fixture.segments()).hasSize(2).contains(fixture.log.currentOffset());
        assertThat(fixture.offsets(0)).containsExactly(0L, fixture.log.currentOffset());
        fixture.kill();
        assertThat(fixture.payloads(0)).containsExactly("a", "c");
        assertThat(fixture.log.isDamaged()).as("a jump is no damage").isFalse();
        fixture.closeAndReopen();
        assertThat(fixture.payloads(1)).containsExactly("c");
    }

    @Test
    void theCurrentOffsetStaysUntilTheFirstMessageBehindTheJump() {
        fixture.append("a", "b", "c");
        fixture.closeAndReopen();
        fixture.append("d");
        fixture.powerLoss(PowerLoss.CLEAN);
        assertThat(fixture.log.currentOffset()).isEqualTo(2);
        assertThat(fixture.log.nextOffset()).isEqualTo(3);
        assertThat(fixture.log.appendOffset()).isGreaterThan(3);
    }

    @Test
    void aProcessThatDiesBeforeItsFirstAppendAfterAPowerLossStillJumps() {
        fixture.append("a", "b");
        fixture.powerLoss(PowerLoss.CLEAN);
        long appendOffset = fixture.log.appendOffset();
        // The next process is told that no memory was lost, which is true since the one before it.
        fixture.kill();
        assertThat(fixture.log.appendOffset()).isEqualTo(appendOffset);
        fixture.closeAndReopen();
        assertThat(fixture.log.appendOffset()).isEqualTo(appendOffset);
    }

    @Test
    void aJumpIsAtMostOneBlock() {
        for (int i = 0; i < 300; i++) {
            fixture.append("x");
        }
        long confirmed = fixture.log.nextOffset();
        fixture.powerLoss(PowerLoss.CLEAN);
        assertThat(fixture.log.appendOffset()).isBetween(confirmed, confirmed + fixture.lease);
    }

    @Test
    void theOffsetsOfAPurgedLogAreGivenBack() {
        fixture.append("a", "b");
        fixture.purgeGeneration = 9;
        fixture.log.purge(9);
        fixture.powerLoss(PowerLoss.CLEAN);
        assertThat(fixture.log.appendOffset()).isZero();
    }

    @Test
    void aLostSuperblockDoesNotLetOffsetsBeIssuedAgain() {
        fixture.append("a", "b");
        fixture.append("c");
        for (long position = 0; position < 2 * Superblock.COPY_BYTES; position += 8) {
            fixture.disk.flipBit(LogFixture.superblockPath(), position, 1);
        }
        fixture.kill();
        assertThat(fixture.payloads(0)).containsExactly("a", "b", "c");
        assertThat(fixture.log.appendOffset()).isEqualTo(3);
        fixture.append("d");
        for (long position = 0; position < 2 * Superblock.COPY_BYTES; position += 8) {
            fixture.disk.flipBit(LogFixture.superblockPath(), position, 1);
        }
        fixture.powerLoss(PowerLoss.TORN);
        assertThat(fixture.log.appendOffset()).isGreaterThan(3);
    }

    // ------------------------------------------------------------------------------------ files of another kind

    @Test
    void aSuperblockOfALaterFormatIsRefused() {
        fixture.append("a");
        fixture.close();
        byte[] content = fixture.disk.content(LogFixture.superblockPath());
        ByteBuffer bytes = ByteBuffer.allocateDirect(content.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(0, content);
        for (int at = 0; at < content.length; at += Superblock.COPY_BYTES) {
            bytes.putInt(at + 8, 2);
            bytes.putLong(at + Superblock.COPY_BYTES - 8, Checksum.xxh3(bytes, at, Superblock.COPY_BYTES - 8));
        }
        bytes.get(0, content);
        fixture.disk.content(LogFixture.superblockPath(), content);
        assertThatThrownBy(() -> fixture.reopen(false))
                .isInstanceOf(Unreadable.class)
                .hasMessageContaining("format version 2")
                .hasMessageContaining(LogFixture.superblockPath());
    }

    @Test
    void segmentsThatOverlapAreRefused() {
        LogFixture small = new LogFixture(with -> with.segmentBytesMax = 700);
        for (int i = 0; i < 8; i++) {
            small.append("x");
        }
        small.disk.content(LogFixture.segmentPath(4), small.disk.content(LogFixture.segmentPath(3)));
        assertThatThrownBy(small::kill).isInstanceOf(Unreadable.class).hasMessageContaining("overlaps");
    }

    @Test
    void segmentsWithoutASuperblockAreSetAside() {
        fixture.disk.content(LogFixture.segmentPath(0), Batches.record(0, 1, "whose?"));
        fixture.reopen(false);
        assertThat(fixture.payloads(0)).isEmpty();
        fixture.append("a");
        fixture.kill();
        assertThat(fixture.payloads(0)).containsExactly("a");
        assertThat(fixture.disk.files()).contains(LogFixture.segmentPath(0) + ".unclaimed");
    }

    @Test
    void strangeFilesAreLeftAlone() {
        fixture.append("a");
        fixture.disk.content(LogFixture.DIRECTORY + "/offsets", new byte[] {1});
        fixture.disk.content(LogFixture.DIRECTORY + "/0.log", new byte[] {1});
        fixture.disk.content(LogFixture.DIRECTORY + "/99999999999999999999.log", new byte[] {1});
        fixture.created = 6;
        fixture.kill();
        fixture.disk.runCompletions();
        assertThat(fixture.disk.list(LogFixture.DIRECTORY))
                .containsExactly("0.log", "99999999999999999999.log", "offsets");
    }

    @Test
    void whatWasToBeRemovedIsRemovedAtTheNextStart() {
        fixture.append("a");
        fixture.log.purge(9);
        fixture.disk.failAll(Operation.OPEN, DiskFault.Kind.IO, "nothing");
        fixture.disk.kill();
        fixture.reopen(false);
        fixture.disk.runCompletions();
        assertThat(fixture.disk.files()).noneMatch(path -> path.endsWith(".removed"));
    }

    // ------------------------------------------------------------------------------------ indexes

    @Test
    void aMissingIndexIsMadeAgain() {
        LogFixture small = segments();
        small.close();
        byte[] index = small.disk.content(LogFixture.indexPath(0));
        for (long start : small.segments()) {
            small.disk.rename(LogFixture.indexPath(start), "gone");
        }
        small.reopen(false);
        assertThat(small.offsets(0)).hasSize(60);
        assertThat(small.disk.content(LogFixture.indexPath(0))).isEqualTo(index);
    }

    @Test
    void aDamagedIndexIsNeverBelieved() {
        LogFixture small = segments();
        small.close();
        for (long start : small.segments()) {
            String path = LogFixture.indexPath(start);
            int length = small.disk.content(path).length;
            for (int position = 0; position < length; position += 3) {
                small.disk.flipBit(path, position, position % 8);
                small.reopen(position % 2 == 0);
                assertThat(small.log.messagesCount())
                        .as("%s byte %s", path, position)
                        .isEqualTo(60);
                assertThat(small.offsets(position % 60))
                        .as("%s byte %s", path, position)
                        .hasSize(60 - position % 60);
                small.close();
            }
        }
    }

    @Test
    void aTornIndexIsNeverBelieved() {
        LogFixture small = segments();
        small.close();
        byte[] content = small.disk.content(LogFixture.indexPath(0));
        for (int length = 0; length < content.length; length += 5) {
            small.disk.content(LogFixture.indexPath(0), Arrays.copyOf(content, length));
            small.reopen(false);
            assertThat(small.offsets(0)).as("cut to %s", length).hasSize(60);
            assertThat(small.offsets(7)).as("cut to %s", length).hasSize(53);
            small.close();
        }
    }

    @Test
    void anIndexThatGoesBadWhileTheLogServesIsDoneWithout() {
        LogFixture small = segments();
        small.closeAndReopen();
        small.disk.flipBit(LogFixture.indexPath(0), 200, 1);
        for (int offset = 0; offset < 60; offset++) {
            assertThat(small.offsets(offset)).as("from %s", offset).hasSize(60 - offset);
        }
        for (int i = 0; i < 60; i++) {
            assertThat(Batches.messages(small.readSince(1001 + i, 1)).getFirst().offset())
                    .isEqualTo(i);
        }
    }

    @Test
    void anIndexWithoutItsLogIsRemoved() {
        fixture.append("a");
        fixture.disk.content(LogFixture.indexPath(77), new byte[] {1, 2, 3});
        fixture.kill();
        fixture.disk.runCompletions();
        assertThat(fixture.disk.exists(LogFixture.indexPath(77))).isFalse();
        assertThat(fixture.payloads(0)).containsExactly("a");
    }

    @Test
    void aLogThatWasStoppedCleanlyIsNotReadAtItsStart() {
        LogFixture small = segments();
        small.close();
        small.disk.failAll(Operation.READ, DiskFault.Kind.IO, ".log");
        small.reopen(true);
        assertThat(small.log.messagesCount()).isEqualTo(60);
        small.disk.heal();
        assertThat(small.offsets(0)).hasSize(60);
        small.append("more");
        assertThat(small.offsets(0)).hasSize(61);
    }

    @Test
    void aLogThatWasStoppedCleanlyIsReadWhenItsSizeChanged() {
        LogFixture small = segments();
        small.close();
        byte[] content = small.disk.content(LogFixture.segmentPath(0));
        small.disk.content(LogFixture.segmentPath(0), Arrays.copyOf(content, content.length - 10));
        small.reopen(false);
        assertThat(small.log.messagesCount()).isLessThan(60);
        assertThat(small.log.isDamaged()).isTrue();
        assertThat(small.log.appendOffset()).isEqualTo(60);
    }

    private LogFixture segments() {
        LogFixture small = new LogFixture(with -> with.segmentBytesMax = 5000);
        for (int i = 0; i < 60; i++) {
            small.append("message " + i);
        }
        assertThat(small.segments()).hasSize(4);
        return small;
    }

    private static LogFixture with(byte[] segment) {
        LogFixture other = new LogFixture();
        other.append("a", "b");
        other.disk.kill();
        other.disk.content(LogFixture.segmentPath(0), segment);
        other.buffers.abandon();
        return other.reopen(false);
    }
}
