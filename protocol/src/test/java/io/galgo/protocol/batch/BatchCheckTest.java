package io.galgo.protocol.batch;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.galgo.protocol.ErrorCode;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BatchCheckTest {
    private static final long SEED = 74L;
    private static final int FIRST_FRAME = BatchHeader.BYTES;
    private static final int MESSAGE_COUNT = 48;
    private static final int FRAME_RESERVED = 40;
    private static final int FRAME_PAYLOAD_LENGTH = 36;

    private final BatchChecksum checksum = new BatchChecksum();
    private final Random random = new Random(SEED);

    @Test
    void aCorrectBatchPassesWhereverItLies() {
        for (int i = 0; i < 200; i++) {
            int count = 1 + random.nextInt(40);
            ByteBuffer batch = Batches.random(random, count, 600);
            int position = random.nextInt(50);
            ByteBuffer frame =
                    ByteBuffer.allocateDirect(position + batch.limit() + 50).order(ByteOrder.LITTLE_ENDIAN);
            frame.put(position, batch, 0, batch.limit());
            assertThat(BatchCheck.refusal(frame, position, batch.limit(), count, checksum))
                    .as("seed %d, batch %d", SEED, i)
                    .isNull();
            assertThat(BatchCheck.isIntact(frame, position, batch.limit(), checksum))
                    .isTrue();
        }
    }

    @Test
    void anEmptyBatchIsRefused() {
        ByteBuffer batch = Batches.random(random, 1, 10);
        BatchHeader.write(batch, 0, 0, 0, 0, 0, BatchHeader.BYTES, 0);
        Batches.stampChecksum(batch, 0);
        assertThat(refusal(batch, BatchHeader.BYTES, 0)).isEqualTo(ErrorCode.INVALID_MESSAGES_COUNT);
        assertThat(BatchCheck.isIntact(batch, 0, BatchHeader.BYTES, checksum)).isFalse();
    }

    @Test
    void aCountThatTheMetadataContradictIsRefused() {
        ByteBuffer batch = Batches.random(random, 3, 10);
        assertThat(refusal(batch, batch.limit(), 2)).isEqualTo(ErrorCode.INVALID_MESSAGES_COUNT);
    }

    @Test
    void aLengthOtherThanThatOfTheBodyIsRefused() {
        ByteBuffer batch = Batches.random(random, 3, 10);
        assertThat(refusal(batch, batch.limit() - 1, 3)).isEqualTo(ErrorCode.INVALID_COMMAND);
        BatchHeader.write(batch, 0, 0, 0, 0, 0, 1L << 32 | batch.limit(), 3);
        assertThat(refusal(batch, batch.limit(), 3)).isEqualTo(ErrorCode.INVALID_COMMAND);
    }

    @Test
    void aBodyTooShortForAHeaderIsRefused() {
        ByteBuffer batch = Batches.random(random, 3, 10);
        for (int length = 0; length < BatchHeader.BYTES; length++) {
            ByteBuffer cut = batch.slice(0, length).order(ByteOrder.LITTLE_ENDIAN);
            assertThat(refusal(cut, length, 3)).as("%d bytes", length).isEqualTo(ErrorCode.INVALID_COMMAND);
        }
    }

    @Test
    void eachReservedByteOfTheHeaderMustBeZero() {
        ByteBuffer batch = Batches.random(random, 3, 10);
        for (int i = 52; i < BatchHeader.BYTES; i++) {
            ByteBuffer changed = Batches.copy(batch);
            changed.put(i, (byte) 0x80);
            assertThat(refusal(changed, changed.limit(), 3))
                    .as("byte %d", i)
                    .isEqualTo(ErrorCode.INVALID_RESERVED_FIELD);
        }
    }

    @Test
    void eachReservedByteOfAFrameMustBeZero() {
        ByteBuffer batch = Batches.random(random, 3, 10);
        for (int i = 0; i < 8; i++) {
            ByteBuffer changed = Batches.copy(batch);
            changed.put(FIRST_FRAME + FRAME_RESERVED + i, (byte) 1);
            MessageFrame.stampChecksum(changed, FIRST_FRAME);
            Batches.stampChecksum(changed, 0);
            assertThat(refusal(changed, changed.limit(), 3))
                    .as("byte %d", i)
                    .isEqualTo(ErrorCode.INVALID_RESERVED_FIELD);
        }
    }

    @Test
    void aFrameThatRunsPastTheBatchIsRefused() {
        ByteBuffer batch = Batches.random(random, 2, 10);
        for (int length : new int[] {batch.limit(), Integer.MAX_VALUE, -1}) {
            ByteBuffer changed = Batches.copy(batch);
            changed.putInt(FIRST_FRAME + FRAME_PAYLOAD_LENGTH, length);
            assertThat(refusal(changed, changed.limit(), 2))
                    .as("payload %d", length)
                    .isEqualTo(ErrorCode.INVALID_COMMAND);
        }
    }

    @Test
    void framesThatAreMoreOrFewerThanTheCountAreRefused() {
        ByteBuffer batch = Batches.random(random, 3, 10);
        for (int count : new int[] {1, 2, 4, Integer.MAX_VALUE, -1}) {
            ByteBuffer changed = Batches.copy(batch);
            changed.putInt(MESSAGE_COUNT, count);
            assertThat(refusal(changed, changed.limit(), count))
                    .as("count %d", count)
                    .isEqualTo(ErrorCode.INVALID_COMMAND);
        }
    }

    @Test
    void aFrameWithAnotherChecksumIsRefused() {
        ByteBuffer batch = Batches.random(random, 3, 10);
        batch.put(FIRST_FRAME, (byte) (batch.get(FIRST_FRAME) + 1));
        Batches.stampChecksum(batch, 0);
        assertThat(refusal(batch, batch.limit(), 3)).isEqualTo(ErrorCode.INVALID_MESSAGE_CHECKSUM);
    }

    @Test
    void aBatchWithAnotherChecksumIsRefused() {
        ByteBuffer batch = Batches.random(random, 3, 10);
        BatchHeader.checksum(batch, 0, BatchHeader.checksum(batch, 0) + 1);
        assertThat(refusal(batch, batch.limit(), 3)).isEqualTo(ErrorCode.INVALID_BATCH_CHECKSUM);
    }

    @Test
    void partitionAndOffsetNeedNotBeZeroWhenTheChecksumCoversThem() {
        ByteBuffer batch = Batches.random(random, 3, 10);
        BatchStamp.apply(batch, 0, 9, 8, 7, checksum);
        assertThat(refusal(batch, batch.limit(), 3)).isNull();
    }

    @Test
    void noChangedBytePasses() {
        ByteBuffer batch = Batches.random(random, 4, 30);
        for (int i = 0; i < batch.limit(); i++) {
            for (int bit = 0; bit < 8; bit++) {
                ByteBuffer changed = Batches.copy(batch);
                changed.put(i, (byte) (changed.get(i) ^ 1 << bit));
                assertThat(refusal(changed, changed.limit(), 4))
                        .as("seed %d, bit %d of byte %d", SEED, bit, i)
                        .isNotNull();
            }
        }
    }

    @Test
    void noBytesHurtTheCheckOrTheCursor() {
        MessageCursor cursor = new MessageCursor();
        for (int i = 0; i < 20_000; i++) {
            ByteBuffer bytes = ByteBuffer.allocate(256 + random.nextInt(300)).order(ByteOrder.LITTLE_ENDIAN);
            for (int j = 0; j < 12; j++) {
                bytes.put(random.nextInt(random.nextBoolean() ? 52 : bytes.limit()), (byte) random.nextInt());
            }
            int count = random.nextInt(4);
            bytes.putInt(MESSAGE_COUNT, count);
            if (random.nextInt(4) != 0) {
                bytes.putLong(32, random.nextBoolean() ? bytes.limit() : 256 + random.nextInt(100));
            }
            int length = random.nextInt(bytes.limit() + 1);
            assertThat(refusal(bytes, length, count))
                    .as("seed %d, input %d", SEED, i)
                    .isNotNull();
            cursor.reset(bytes, 0, length);
            for (int messages = 0; cursor.next(); messages++) {
                assertThat(messages)
                        .as("seed %d, input %d: messages without end", SEED, i)
                        .isLessThan(20);
            }
        }
    }

    @Test
    void checkingAndStampingAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ByteBuffer batch = Batches.random(random, 500, 50);
        long allocated = Long.MAX_VALUE;
        for (int run = 0; run < 20; run++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 20; i++) {
                if (refusal(batch, batch.limit(), 500) != null) {
                    throw new AssertionError("a good batch was refused");
                }
                BatchStamp.apply(batch, 0, 1, i, i, checksum);
            }
            allocated = Math.min(allocated, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(allocated)
                .as("bytes allocated for 20 batches of 500 messages")
                .isZero();
    }

    private @Nullable ErrorCode refusal(ByteBuffer batch, int length, int messagesCount) {
        return BatchCheck.refusal(batch, 0, length, messagesCount, checksum);
    }
}
