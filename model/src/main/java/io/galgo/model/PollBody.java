package io.galgo.model;

import io.galgo.protocol.batch.BatchChecksum;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.batch.MessageCursor;
import io.galgo.protocol.batch.MessageFrame;
import io.galgo.protocol.reply.PollHeader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The body of a poll's answer, taken apart.
public final class PollBody {
    /// Hears what is in it, in order.
    public interface Visitor {
        /// A batch begins at `position`; its checksum is looked at next.
        default void onBatch(ByteBuffer records, int position) {}

        /// The cursor is at a message whose checksum is right, and so is its batch's.
        void onMessage(ByteBuffer records, MessageCursor cursor);
    }

    private PollBody() {}

    /// Goes through all messages. Checksums, lengths and the count have to be right.
    ///
    /// @param body at least [PollHeader#BYTES] long
    /// @throws Difference when they are not
    /// @throws IndexOutOfBoundsException when lengths lead beyond the end
    public static void walk(ByteBuffer body, Visitor visitor) {
        int count = PollHeader.messagesCount(body, 0);
        ByteBuffer records = body.slice(PollHeader.BYTES, body.remaining() - PollHeader.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        MessageCursor cursor = new MessageCursor();
        cursor.reset(records, 0, records.remaining());
        int checkedBatch = -1;
        int found = 0;
        while (cursor.next()) {
            int batch = cursor.batchPosition();
            if (batch != checkedBatch) {
                checkedBatch = batch;
                visitor.onBatch(records, batch);
                Difference.unlessEqual(
                        BatchHeader.checksum(records, batch),
                        new BatchChecksum().of(records, batch),
                        "the checksum of the batch of offset %d",
                        cursor.offset());
            }
            int frame = cursor.framePosition();
            Difference.unlessEqual(
                    MessageFrame.checksum(records, frame),
                    MessageFrame.computedChecksum(records, frame, cursor.frameLength()),
                    "the checksum of the message at offset %d",
                    cursor.offset());
            visitor.onMessage(records, cursor);
            found++;
        }
        Difference.unless(cursor.isIntact(), "the bytes of a poll are no batches");
        Difference.unlessEqual(found, count, "messages in a poll that counts %d", count);
    }
}
