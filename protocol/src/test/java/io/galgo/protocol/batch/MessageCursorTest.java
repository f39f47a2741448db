package io.galgo.protocol.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MessageCursorTest {
    private final MessageCursor cursor = new MessageCursor();

    @Test
    void itShowsOffsetAndTimesAsAConsumerComputesThem() {
        ByteBuffer batch = Batches.random(new Random(7), 3, 20);
        BatchStamp.apply(batch, 0, 4, 100, 5_000, new BatchChecksum());
        cursor.reset(batch, 0, batch.limit());
        for (int i = 0; i < 3; i++) {
            assertThat(cursor.next()).isTrue();
            int frame = cursor.framePosition();
            assertThat(cursor.offset()).isEqualTo(100 + i);
            assertThat(cursor.timestamp()).isEqualTo(5_000);
            assertThat(cursor.originTimestamp())
                    .isEqualTo(BatchHeader.originTimestamp(batch, 0)
                            + Integer.toUnsignedLong(MessageFrame.timestampDelta(batch, frame)));
            assertThat(cursor.frameLength()).isEqualTo((int) MessageFrame.length(batch, frame));
        }
        assertThat(cursor.next()).isFalse();
        assertThat(cursor.isIntact()).isTrue();
    }

    @Test
    void nothingAtAllIsIntact() {
        cursor.reset(ByteBuffer.allocate(0).order(ByteOrder.LITTLE_ENDIAN), 0, 0);
        assertThat(cursor.next()).isFalse();
        assertThat(cursor.isIntact()).isTrue();
    }

    @Test
    void aTruncatedRecordIsNotIntact() {
        ByteBuffer batch = Batches.random(new Random(8), 3, 20);
        for (int length = 1; length < batch.limit(); length++) {
            ByteBuffer cut = batch.slice(0, length).order(ByteOrder.LITTLE_ENDIAN);
            cursor.reset(cut, 0, length);
            assertThat(cursor.next()).as("first %d bytes", length).isFalse();
            assertThat(cursor.isIntact()).as("first %d bytes", length).isFalse();
        }
    }

    @Test
    void aRecordWithRoomBehindItsLastFrameIsNotIntact() {
        ByteBuffer batch = Batches.random(new Random(9), 2, 20);
        batch.putInt(48, 1);
        cursor.reset(batch, 0, batch.limit());
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.next()).isFalse();
        assertThat(cursor.isIntact()).isFalse();
        assertThat(cursor.next()).as("once broken, always broken").isFalse();
    }

    @Test
    void aRecordWithAnImpossibleCountYieldsNothing() {
        ByteBuffer batch = Batches.random(new Random(10), 2, 20);
        batch.putInt(48, -1);
        cursor.reset(batch, 0, batch.limit());
        assertThat(cursor.next()).isFalse();
        assertThat(cursor.isIntact()).isFalse();
    }
}
