package io.galgo.storage.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.batch.BatchChecksum;
import io.galgo.protocol.batch.FillerRecord;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk.Operation;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Files that are not as they were written: what is damaged is told, and nothing else suffers.
class PartitionLogDamageTest {
    // Five batches of two messages; the third one is damaged in many ways.
    private static final int BATCHES = 5;

    private static byte[] intact() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < BATCHES; i++) {
            bytes.writeBytes(Batches.record(2L * i, 1000 + i, "first " + i, "second " + i));
        }
        return bytes.toByteArray();
    }

    private static int batchLength() {
        return Batches.length("first 0", "second 0");
    }

    /// A log in whose only segment these bytes were found after its process was killed.
    private static LogFixture with(byte[] segment) {
        LogFixture fixture = new LogFixture();
        for (int i = 0; i < BATCHES; i++) {
            fixture.append("first " + i, "second " + i);
        }
        fixture.disk.kill();
        fixture.disk.content(LogFixture.segmentPath(0), segment);
        fixture.buffers.abandon();
        return fixture.reopen(false);
    }

    @AfterEach
    void freeMemory() {
        LogFixture.freeAll();
    }

    @Test
    void aFlippedBitAnywhereHurtsItsOwnBatchOnly() {
        byte[] intact = intact();
        for (int position = 0; position < intact.length; position++) {
            byte[] flipped = intact.clone();
            flipped[position] ^= (byte) (1 << position % 8);
            LogFixture fixture = with(flipped);
            int hurt = position / batchLength();
            checkDamage(fixture, hurt, "byte " + position);
            fixture.append("after");
            fixture.closeAndReopen();
            checkDamage(fixture, hurt, "byte " + position + ", next start");
            assertThat(fixture.payloads(10))
                    .as("byte %s: appends go on", position)
                    .contains("after");
            fixture.close();
            fixture.buffers.abandon();
        }
    }

    private static void checkDamage(LogFixture fixture, int hurt, String what) {
        assertThat(fixture.log.appendOffset())
                .as("%s: no offset is issued again", what)
                .isGreaterThanOrEqualTo(10);
        for (int batch = 0; batch < BATCHES; batch++) {
            LogRead read = fixture.read(2L * batch, 2, 1 << 20);
            if (batch == hurt) {
                assertThat(read).as("%s: batch %s", what, batch).isInstanceOf(LogRead.Damaged.class);
                assertThat(((LogRead.Damaged) read).offset()).isEqualTo(2L * batch);
                assertThat(fixture.damaged(2L * batch + 1).offset()).as(what).isEqualTo(2L * batch + 1);
            } else {
                assertThat(Batches.messages(read).stream().map(Batches.Message::payload))
                        .as("%s: batch %s", what, batch)
                        .containsExactly("first " + batch, "second " + batch);
            }
        }
        if (hurt > 0) {
            assertThat(fixture.offsets(0))
                    .as("%s: a reply ends before the damage", what)
                    .hasSize(2 * hurt);
        }
        assertThat(fixture.log.messagesCount()).as(what).isGreaterThanOrEqualTo(8);
        assertThat(fixture.log.isDamaged()).as(what).isTrue();
    }

    @Test
    void aBitThatFlipsWhileTheLogServesIsNotServed() {
        LogFixture fixture = with(intact());
        fixture.log.evictTail(Long.MAX_VALUE);
        for (int position = 2 * batchLength(); position < 3 * batchLength(); position++) {
            fixture.disk.flipBit(LogFixture.segmentPath(0), position, position % 8);
            assertThat(fixture.offsets(0)).as("byte %s", position).containsExactly(0L, 1L, 2L, 3L);
            assertThat(fixture.damaged(4).offset()).as("byte %s", position).isEqualTo(4);
            assertThat(fixture.damaged(5).offset()).as("byte %s", position).isEqualTo(5);
            assertThat(fixture.offsets(6)).as("byte %s", position).containsExactly(6L, 7L, 8L, 9L);
            fixture.disk.flipBit(LogFixture.segmentPath(0), position, position % 8);
        }
        assertThat(fixture.offsets(0)).hasSize(10);
    }

    @Test
    void withoutValidationPayloadsAreServedAsTheyAreButLengthsAreNotBelieved() {
        LogFixture fixture = new LogFixture(with -> with.validateChecksum = false);
        for (int i = 0; i < BATCHES; i++) {
            fixture.append("first " + i, "second " + i);
        }
        fixture.log.evictTail(Long.MAX_VALUE);
        int payload = 2 * batchLength() + 256 + 48;
        fixture.disk.flipBit(LogFixture.segmentPath(0), payload, 0);
        LogRead.Messages found = (LogRead.Messages) fixture.read(0, 100, 1 << 20);
        assertThat(found.messagesCount()).isEqualTo(10);
        found.slices().forEach(BatchSlice::release);
        int frameLength = 2 * batchLength() + 256 + 36;
        fixture.disk.flipBit(LogFixture.segmentPath(0), frameLength, 5);
        assertThat(fixture.damaged(4).offset()).isEqualTo(4);
        assertThat(fixture.offsets(6)).containsExactly(6L, 7L, 8L, 9L);
    }

    @Test
    void severalDamagedPlacesAreEachPassed() {
        byte[] bytes = intact();
        bytes[10] ^= 1;
        bytes[2 * batchLength() + 300] ^= 1;
        bytes[3 * batchLength() + 32] ^= 1;
        LogFixture fixture = with(bytes);
        assertThat(fixture.damaged(0).offset()).isZero();
        assertThat(fixture.offsets(2)).containsExactly(2L, 3L);
        assertThat(fixture.damaged(4).offset()).isEqualTo(4);
        assertThat(fixture.damaged(7).offset()).isEqualTo(7);
        assertThat(fixture.offsets(8)).containsExactly(8L, 9L);
    }

    @Test
    void batchesThatAreMissingInTheMiddleAreToldAsDamage() {
        byte[] bytes = intact();
        byte[] shorter = new byte[4 * batchLength()];
        System.arraycopy(bytes, 0, shorter, 0, 2 * batchLength());
        System.arraycopy(bytes, 3 * batchLength(), shorter, 2 * batchLength(), 2 * batchLength());
        LogFixture fixture = with(shorter);
        assertThat(fixture.offsets(0)).containsExactly(0L, 1L, 2L, 3L);
        assertThat(fixture.damaged(4).offset()).isEqualTo(4);
        assertThat(fixture.offsets(6)).containsExactly(6L, 7L, 8L, 9L);
    }

    @Test
    void aBatchThatComesTwiceIsServedOnce() {
        byte[] bytes = intact();
        byte[] longer = new byte[6 * batchLength()];
        System.arraycopy(bytes, 0, longer, 0, 3 * batchLength());
        System.arraycopy(bytes, 2 * batchLength(), longer, 3 * batchLength(), 3 * batchLength());
        LogFixture fixture = with(longer);
        assertThat(fixture.offsets(0)).isSorted().doesNotHaveDuplicates();
        assertThat(fixture.offsets(6)).containsExactly(6L, 7L, 8L, 9L);
    }

    @Test
    void aHoleInTheMiddleIsPassed() {
        byte[] bytes = intact();
        Arrays.fill(bytes, batchLength() + 100, 3 * batchLength() + 50, (byte) 0);
        LogFixture fixture = with(bytes);
        assertThat(fixture.offsets(0)).containsExactly(0L, 1L);
        assertThat(fixture.damaged(2).offset()).isEqualTo(2);
        assertThat(fixture.damaged(7).offset()).isEqualTo(7);
        assertThat(fixture.offsets(8)).containsExactly(8L, 9L);
    }

    @Test
    void aMissingSegmentIsToldAsDamage() {
        LogFixture small = new LogFixture(with -> with.segmentBytesMax = 700);
        for (int i = 0; i < 12; i++) {
            small.append("x");
        }
        small.disk.rename(LogFixture.segmentPath(3), "elsewhere");
        small.kill();
        assertThat(small.offsets(0)).containsExactly(0L, 1L, 2L);
        assertThat(small.damaged(3).offset()).isEqualTo(3);
        assertThat(small.damaged(5).offset()).isEqualTo(5);
        assertThat(small.offsets(6)).hasSize(6);
        small.append("y");
        small.closeAndReopen();
        assertThat(small.damaged(4).offset()).isEqualTo(4);
        assertThat(small.offsets(6)).hasSize(7);
    }

    @Test
    void aSealedSegmentThatLostItsEndIsToldAsDamage() {
        LogFixture small = new LogFixture(with -> with.segmentBytesMax = 700);
        for (int i = 0; i < 12; i++) {
            small.append("x");
        }
        byte[] content = small.disk.content(LogFixture.segmentPath(3));
        for (int length = 0; length < content.length; length += 37) {
            small.disk.kill();
            small.disk.content(LogFixture.segmentPath(3), Arrays.copyOf(content, length));
            small.buffers.abandon();
            small.reopen(false);
            long lost = 3L + length / Batches.length("x");
            assertThat(small.damaged(lost).offset()).as("cut to %s", length).isEqualTo(lost);
            assertThat(small.damaged(5).offset()).as("cut to %s", length).isEqualTo(5);
            assertThat(small.offsets(6)).as("cut to %s", length).hasSize(6);
            assertThat(small.log.appendOffset()).isEqualTo(12);
        }
    }

    @Test
    void aReadSinceATimeDoesNotSkipDamageThatMayBelongToIt() {
        byte[] bytes = intact();
        bytes[2 * batchLength() + 300] ^= 1;
        LogFixture fixture = with(bytes);
        assertThat(Batches.messages(fixture.readSince(1001, 10)).getFirst().offset())
                .isEqualTo(2);
        assertThat(fixture.readSince(1002, 10))
                .as("the damaged batch is of that time")
                .isInstanceOf(LogRead.Damaged.class);
        assertThat(fixture.readSince(1003, 10))
                .as("the damaged batch may be of that time")
                .isInstanceOf(LogRead.Damaged.class);
        assertThat(Batches.messages(fixture.readSince(1004, 10)).getFirst().offset())
                .as("a good batch behind the damage is older")
                .isEqualTo(8);
    }

    @Test
    void aRecordThatHidesInAPayloadIsNotTakenForTheLog() {
        String hidden = new String(Batches.record(3, 1001, "forged"), java.nio.charset.StandardCharsets.ISO_8859_1);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(Batches.record(0, 1000, "a", "b"));
        bytes.writeBytes(Batches.record(2, 1001, hidden, "c"));
        bytes.writeBytes(Batches.record(4, 1002, "d"));
        byte[] content = bytes.toByteArray();
        content[content.length - Batches.length("d") - 1] ^= 1;
        LogFixture fixture = with(content);
        assertThat(fixture.damaged(2).offset()).isEqualTo(2);
        assertThat(fixture.damaged(3).offset()).isEqualTo(3);
        assertThat(fixture.payloads(4)).containsExactly("d");
    }

    @Test
    void aDiskThatDoesNotReadIsToldAsAFault() {
        LogFixture fixture = with(intact());
        fixture.log.evictTail(Long.MAX_VALUE);
        fixture.disk.failNext(Operation.READ, DiskFault.Kind.IO, ".log");
        assertThat(fixture.read(0, 10, 1 << 20)).isInstanceOf(LogRead.Faulted.class);
        assertThat(fixture.offsets(0)).hasSize(10);
    }

    // ------------------------------------------------------------------------------------ filler

    @Test
    void fillerAnywhereBetweenBatchesIsNeverServed() {
        int[] lengths = {256, 257, 4096, 300, 70_000, 256};
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        long content = 0;
        for (int i = 0; i < BATCHES; i++) {
            bytes.writeBytes(filler(lengths[i], (byte) i));
            bytes.writeBytes(filler(256, (byte) 0xff));
            byte[] record = Batches.record(2L * i, 1000 + i, "first " + i, "second " + i);
            bytes.writeBytes(record);
            content += record.length;
        }
        bytes.writeBytes(filler(lengths[5], (byte) 7));
        LogFixture fixture = with(bytes.toByteArray());
        for (int pass = 0; pass < 3; pass++) {
            assertThat(fixture.log.isDamaged()).isFalse();
            assertThat(fixture.log.sizeBytes()).isEqualTo(content);
            assertThat(fixture.log.messagesCount()).isEqualTo(10);
            assertThat(fixture.log.appendOffset()).isEqualTo(10);
            for (int offset = 0; offset < 10; offset++) {
                assertThat(fixture.offsets(offset))
                        .as("from %s, pass %s", offset, pass)
                        .hasSize(10 - offset);
            }
            for (int i = 0; i < BATCHES; i++) {
                assertThat(Batches.messages(fixture.readSince(1000 + i, 1))
                                .getFirst()
                                .offset())
                        .isEqualTo(2L * i);
            }
            if (pass == 0) {
                fixture.kill();
            } else {
                fixture.closeAndReopen();
            }
        }
        fixture.append("behind");
        assertThat(fixture.payloads(10)).containsExactly("behind");
    }

    @Test
    void aDamagedFillerHurtsNoMessage() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < BATCHES; i++) {
            bytes.writeBytes(filler(600, (byte) 1));
            bytes.writeBytes(Batches.record(2L * i, 1000 + i, "first " + i, "second " + i));
        }
        byte[] intact = bytes.toByteArray();
        for (int position = 0; position < 256; position++) {
            byte[] flipped = intact.clone();
            flipped[2 * (600 + batchLength()) + position] ^= (byte) (1 << position % 8);
            LogFixture fixture = with(flipped);
            assertThat(fixture.offsets(0)).as("byte %s", position).hasSize(10);
            assertThat(fixture.offsets(5)).as("byte %s", position).hasSize(5);
            fixture.buffers.abandon();
        }
    }

    @Test
    void aTornFillerIsCut() {
        byte[] filler = filler(5000, (byte) 3);
        byte[] intact = intact();
        for (int length = 1; length < filler.length; length += 61) {
            byte[] torn = Arrays.copyOf(intact, intact.length + length);
            System.arraycopy(filler, 0, torn, intact.length, length);
            LogFixture fixture = with(torn);
            assertThat(fixture.offsets(0)).as("cut to %s", length).hasSize(10);
            assertThat(fixture.log.isDamaged()).as("cut to %s", length).isFalse();
            fixture.append("behind");
            assertThat(fixture.offsets(0)).as("cut to %s", length).hasSize(11);
            fixture.buffers.abandon();
        }
    }

    private static byte[] filler(int length, byte content) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < length; i++) {
            bytes.put(i, content);
        }
        FillerRecord.write(bytes, 0, length, new BatchChecksum());
        byte[] copy = new byte[length];
        bytes.get(0, copy);
        return copy;
    }

    @Test
    void damageIsToldInWords() {
        byte[] bytes = intact();
        bytes[2 * batchLength() + 300] ^= 1;
        LogFixture fixture = with(bytes);
        List<String> told = new ArrayList<>(fixture.events);
        assertThat(told)
                .anyMatch(event -> event.contains(LogFixture.segmentPath(0))
                        && event.contains("at byte " + 2 * batchLength())
                        && event.contains("offsets 4 to 5 cannot be read"));
    }
}
