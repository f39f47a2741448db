package io.galgo.protocol.batch;

import java.nio.ByteBuffer;

/// What the server writes into a batch that it accepts (spec protocol 7.5).
public final class BatchStamp {
    private BatchStamp() {}

    /// Writes partition, base offset and base timestamp and computes the batch checksum anew, in place. Frames are
    /// not touched.
    ///
    /// The batch must have passed [BatchCheck].
    public static void apply(
            ByteBuffer bytes,
            int position,
            int partitionId,
            long baseOffset,
            long baseTimestampMicros,
            BatchChecksum checksum) {
        BatchHeader.partitionId(bytes, position, Integer.toUnsignedLong(partitionId));
        BatchHeader.baseOffset(bytes, position, baseOffset);
        BatchHeader.baseTimestamp(bytes, position, baseTimestampMicros);
        BatchHeader.checksum(bytes, position, checksum.of(bytes, position));
    }
}
