package io.galgo.protocol.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BatchCutTest {
    private static final long SEED = 882L;
    private static final int POSITION = 40;
    private static final long BASE = 1_000;

    private final BatchChecksum checksum = new BatchChecksum();
    private final BatchCut cut = new BatchCut();
    private final Random random = new Random(SEED);

    @Test
    void everyRangeYieldsExactlyItsMessagesInAnIntactRecord() {
        for (int count = 1; count <= 7; count++) {
            ByteBuffer stored = stored(count);
            for (long offset = BASE - 3; offset < BASE + count + 3; offset++) {
                for (int max = 0; max < count + 5; max++) {
                    check(stored, count, offset, max);
                }
            }
        }
    }

    private void check(ByteBuffer stored, int count, long offset, int max) {
        String what =
                "seed " + SEED + ", " + count + " messages from " + BASE + ", asked for " + max + " from " + offset;
        long first = Math.max(offset, BASE);
        long last = Math.min(offset + max, BASE + count) - 1;
        boolean found = cut.find(stored, POSITION, offset, max, Long.MAX_VALUE);
        assertThat(found).as(what).isEqualTo(first <= last);
        if (!found) {
            return;
        }
        assertThat(cut.firstOffset()).as(what).isEqualTo(first);
        assertThat(cut.lastOffset()).as(what).isEqualTo(last);
        assertThat(cut.isWhole()).as(what).isEqualTo(cut.messagesCount() == count);
        ByteBuffer record = record(stored);
        assertThat(BatchCheck.isIntact(record, 0, record.limit(), checksum))
                .as(what)
                .isTrue();
        MessageCursor cursor = new MessageCursor();
        cursor.reset(record, 0, record.limit());
        for (long expected = first; expected <= last; expected++) {
            assertThat(cursor.next()).as(what).isTrue();
            assertThat(cursor.offset()).as(what).isEqualTo(expected);
        }
        assertThat(cursor.next()).as(what).isFalse();
        assertThat(cursor.isIntact()).as(what).isTrue();
    }

    @Test
    void aWholeRecordKeepsItsHeaderToTheByte() {
        ByteBuffer stored = stored(5);
        assertThat(cut.find(stored, POSITION, 0, Long.MAX_VALUE, Long.MAX_VALUE))
                .isTrue();
        assertThat(cut.isWhole()).isTrue();
        assertThat(record(stored)).isEqualTo(stored.slice(POSITION, (int) BatchHeader.length(stored, POSITION)));
    }

    @Test
    void aLimitOfBytesLeavesLaterMessagesAway() {
        ByteBuffer stored = stored(6);
        for (int bytesMax = 0; bytesMax < BatchHeader.length(stored, POSITION) + 50; bytesMax++) {
            assertThat(cut.find(stored, POSITION, BASE, 6, bytesMax)).isTrue();
            int length = BatchHeader.BYTES + cut.framesLength();
            assertThat(cut.messagesCount() == 1 || length <= bytesMax)
                    .as("%d of %d bytes", length, bytesMax)
                    .isTrue();
            ByteBuffer record = record(stored);
            assertThat(BatchCheck.isIntact(record, 0, record.limit(), checksum)).isTrue();
            if (cut.messagesCount() < 6) {
                int next = cut.framesPosition() + cut.framesLength();
                assertThat(length + MessageFrame.length(stored, next)).isGreaterThan(bytesMax);
            }
        }
    }

    @Test
    void offsetsBeyondTheSignedRangeDoNotConfuseIt() {
        ByteBuffer stored = stored(3);
        for (long offset : new long[] {Long.MAX_VALUE, -1, Long.MIN_VALUE, Long.MIN_VALUE + 2 * BASE}) {
            assertThat(cut.find(stored, POSITION, offset, Long.MAX_VALUE, Long.MAX_VALUE))
                    .as("offset %s", Long.toUnsignedString(offset))
                    .isFalse();
        }
    }

    private ByteBuffer stored(int count) {
        ByteBuffer batch = Batches.random(random, count, 40);
        ByteBuffer stored = ByteBuffer.allocate(POSITION + batch.limit() + 10).order(ByteOrder.LITTLE_ENDIAN);
        stored.put(POSITION, batch, 0, batch.limit());
        BatchStamp.apply(stored, POSITION, 3, BASE, 77, checksum);
        return stored;
    }

    private ByteBuffer record(ByteBuffer stored) {
        ByteBuffer record =
                ByteBuffer.allocate(BatchHeader.BYTES + cut.framesLength()).order(ByteOrder.LITTLE_ENDIAN);
        cut.writeHeader(stored, POSITION, record, 0, checksum);
        return record.put(BatchHeader.BYTES, stored, cut.framesPosition(), cut.framesLength());
    }
}
