package io.galgo.protocol.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FillerRecordTest {
    private final BatchChecksum checksum = new BatchChecksum();

    @Test
    void itsLayoutIsThatOfABatchWithoutMessages() {
        ByteBuffer filler = filler(4096);
        assertThat(filler.getLong(32)).as("batch_length").isEqualTo(4096);
        assertThat(filler.getInt(48)).as("message_count").isZero();
        for (int i = 0; i < BatchHeader.BYTES; i++) {
            if (i < 32 || i >= 48) {
                assertThat(filler.get(i)).as("byte %d", i).isZero();
            }
        }
        assertThat(FillerRecord.isFiller(filler, 0, checksum)).isTrue();
        assertThat(BatchCheck.isIntact(filler, 0, 4096, checksum))
                .as("taken for a batch")
                .isFalse();
    }

    @Test
    void itIsAtLeastAsLongAsAHeader() {
        assertThat(FillerRecord.isFiller(filler(FillerRecord.BYTES_MIN), 0, checksum))
                .isTrue();
        assertThatThrownBy(() -> filler(FillerRecord.BYTES_MIN - 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void preallocatedZerosAreNoFiller() {
        assertThat(FillerRecord.isFiller(zeros(256), 0, checksum)).isFalse();
    }

    @Test
    void noChangedHeaderIsAFiller() {
        ByteBuffer filler = filler(4096);
        for (int i = 0; i < BatchHeader.BYTES; i++) {
            ByteBuffer changed = Batches.copy(filler);
            changed.put(i, (byte) (changed.get(i) ^ 4));
            assertThat(FillerRecord.isFiller(changed, 0, checksum))
                    .as("byte %d changed", i)
                    .isFalse();
        }
    }

    @Test
    void aBatchIsNoFiller() {
        assertThat(FillerRecord.isFiller(Batches.random(new Random(1), 2, 10), 0, checksum))
                .isFalse();
    }

    @Test
    void aCursorSkipsIt() {
        Random random = new Random(2);
        ByteBuffer first = Batches.random(random, 2, 100);
        ByteBuffer second = Batches.random(random, 3, 100);
        ByteBuffer log = zeros(first.limit() + 4096 + second.limit() + 4096);
        int position = first.limit();
        log.put(0, first, 0, first.limit());
        FillerRecord.write(log, position, 4096, checksum);
        position += 4096;
        log.put(position, second, 0, second.limit());
        int secondPosition = position;
        FillerRecord.write(log, position + second.limit(), 4096, checksum);
        MessageCursor cursor = new MessageCursor();
        cursor.reset(log, 0, log.limit());
        for (int i = 0; i < 5; i++) {
            assertThat(cursor.next()).as("message %d", i).isTrue();
            assertThat(cursor.batchPosition()).as("batch of message %d", i).isEqualTo(i < 2 ? 0 : secondPosition);
            assertThat(cursor.index()).as("index of message %d", i).isEqualTo(i < 2 ? i : i - 2);
        }
        assertThat(cursor.next()).isFalse();
        assertThat(cursor.isIntact()).isTrue();
    }

    private ByteBuffer filler(int length) {
        ByteBuffer filler = zeros(Math.max(length, BatchHeader.BYTES));
        FillerRecord.write(filler, 0, length, checksum);
        return filler;
    }

    private static ByteBuffer zeros(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }
}
