package io.galgo.protocol.batch;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/// Batches for tests, as a client would send them.
final class Batches {
    private Batches() {}

    /// A correct batch of `count` messages, with up to `bytesMax` bytes of payload and of headers each.
    static ByteBuffer random(Random random, int count, int bytesMax) {
        int[] payloads = new int[count];
        int[] headers = new int[count];
        int length = BatchHeader.BYTES;
        for (int i = 0; i < count; i++) {
            payloads[i] = random.nextInt(bytesMax + 1);
            headers[i] = random.nextBoolean() ? 0 : random.nextInt(bytesMax + 1);
            length += MessageFrame.HEADER_BYTES + payloads[i] + headers[i];
        }
        ByteBuffer batch = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
        BatchHeader.write(batch, 0, 0, 0, 0, random.nextLong(), length, count);
        int frame = BatchHeader.BYTES;
        for (int i = 0; i < count; i++) {
            MessageFrame.write(
                    batch, frame, random.nextLong(), random.nextLong(), i, random.nextInt(), headers[i], payloads[i]);
            byte[] content = new byte[payloads[i] + headers[i]];
            random.nextBytes(content);
            batch.put(MessageFrame.payloadPosition(frame), content);
            MessageFrame.stampChecksum(batch, frame);
            frame += MessageFrame.HEADER_BYTES + content.length;
        }
        stampChecksum(batch, 0);
        return batch;
    }

    static void stampChecksum(ByteBuffer batch, int position) {
        BatchHeader.checksum(batch, position, new BatchChecksum().of(batch, position));
    }

    static ByteBuffer copy(ByteBuffer batch) {
        ByteBuffer copy = ByteBuffer.allocate(batch.limit()).order(ByteOrder.LITTLE_ENDIAN);
        return copy.put(0, batch, 0, batch.limit());
    }
}
