package io.galgo.protocol.reply;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// What a polled body begins with (spec protocol 8.8.2); batch records follow, see
/// [io.galgo.protocol.batch.MessageCursor].
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 4 | partition_id |
/// | 4 | 8 | current_offset: of the last committed message, 0 when there is none |
/// | 12 | 4 | messages_count |
///
/// `position` is where the body begins; access is absolute, the buffer's byte order must be little-endian.
public final class PollHeader {
    /// An empty poll is this long, and no successful one is shorter.
    public static final int BYTES = 16;
    /// The partition id that tells a group member to ask for its assignment again.
    public static final int PARTITION_NOT_OWNED = 0xFFFF_FFFF;

    private PollHeader() {}

    public static int partitionId(ByteBuffer body, int position) {
        assert body.order() == ByteOrder.LITTLE_ENDIAN;
        return body.getInt(position);
    }

    public static long currentOffset(ByteBuffer body, int position) {
        assert body.order() == ByteOrder.LITTLE_ENDIAN;
        return body.getLong(position + 4);
    }

    /// Unsigned.
    public static int messagesCount(ByteBuffer body, int position) {
        assert body.order() == ByteOrder.LITTLE_ENDIAN;
        return body.getInt(position + 12);
    }

    public static void write(ByteBuffer body, int position, int partitionId, long currentOffset, int messagesCount) {
        assert body.order() == ByteOrder.LITTLE_ENDIAN;
        body.putInt(position, partitionId);
        body.putLong(position + 4, currentOffset);
        body.putInt(position + 12, messagesCount);
    }
}
