package io.galgo.torture.campaign;

import io.galgo.torture.history.Payload;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/// Draws batches of messages, no two of which are alike. Any thread.
final class Sequence {
    private final AtomicLong next = new AtomicLong(1);

    /// The numbers of a batch: few small messages mostly, sometimes as many bytes as may be.
    long[] drawBatch(int bytesMax, Random random) {
        int batchBytes = random.nextInt(20) == 0
                ? bytesMax
                : Math.max(Payload.BYTES_MIN, (int) (bytesMax * Math.pow(random.nextDouble(), 4)));
        int count = 1 + random.nextInt(Math.min(20, 1 + batchBytes / 64));
        long[] ids = new long[count];
        for (int i = 0; i < count; i++) {
            ids[i] = id(Payload.BYTES_MIN + random.nextInt(1 + 2 * batchBytes / count));
        }
        return ids;
    }

    /// The number of one message.
    long id(int length) {
        return Payload.id(next.getAndIncrement(), Math.min(length, Payload.BYTES_MAX));
    }
}
