package io.galgo.protocol.batch;

import com.dynatrace.hash4j.hashing.HashStream64;
import com.dynatrace.hash4j.hashing.Hashing;
import java.nio.ByteBuffer;

/// Computes batch checksums: XXH3-64 over 44 bytes of the batch header and the checksum of every frame in order
/// (spec protocol 7.2).
///
/// Scratch memory of fixed size that its owner reuses; one thread at a time.
public final class BatchChecksum {
    private final HashStream64 stream = Hashing.xxh3_64().hashStream();

    public BatchChecksum() {}

    /// The checksum that the batch record at `position` ought to carry.
    ///
    /// The record must be in the buffer to its end, and its frames must tile it: it was checked before.
    public long of(ByteBuffer bytes, int position) {
        int count = BatchHeader.messageCount(bytes, position);
        start(bytes, position, BatchHeader.length(bytes, position), count);
        int frame = position + BatchHeader.BYTES;
        for (int i = 0; i < count; i++) {
            add(MessageFrame.checksum(bytes, frame));
            frame += (int) MessageFrame.length(bytes, frame);
        }
        return value();
    }

    /// Begins with the fields of the header at `position`, but with this length and count.
    public void start(ByteBuffer bytes, int position, long length, int messageCount) {
        stream.reset();
        stream.putLong(BatchHeader.partitionId(bytes, position));
        stream.putLong(BatchHeader.baseOffset(bytes, position));
        stream.putLong(BatchHeader.baseTimestamp(bytes, position));
        stream.putLong(BatchHeader.originTimestamp(bytes, position));
        stream.putLong(length);
        stream.putInt(messageCount);
    }

    /// Goes on with the checksum of the next frame, or what else a record is made of.
    public void add(long frameChecksum) {
        stream.putLong(frameChecksum);
    }

    /// The checksum of what was given since [#start].
    public long value() {
        return stream.getAsLong();
    }
}
