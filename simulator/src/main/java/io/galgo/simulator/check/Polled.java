package io.galgo.simulator.check;

import io.galgo.protocol.batch.BatchChecksum;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.batch.MessageCursor;
import io.galgo.protocol.batch.MessageFrame;
import io.galgo.protocol.reply.PollHeader;
import io.galgo.simulator.world.Violation;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/// A message as a poll returned it.
///
/// @param sending the number of the [Sending] that it says it belongs to
/// @param index its place there, from 0
public record Polled(long offset, long timestamp, long sending, int index, ByteBuffer payload) {
    static final String PROMISE = "what is served is what was sent";

    /// The messages of the body of a poll's answer. Checksums, lengths and counts have to be right.
    public static List<Polled> of(ByteBuffer body) {
        try {
            return decoded(body);
        } catch (IndexOutOfBoundsException e) {
            throw new Violation(PROMISE, "the lengths in a poll's answer lead beyond its end", e);
        }
    }

    private static List<Polled> decoded(ByteBuffer body) {
        if (body.remaining() < PollHeader.BYTES) {
            throw new Violation(PROMISE, "a poll is answered with " + body.remaining() + " bytes");
        }
        int count = PollHeader.messagesCount(body, 0);
        ByteBuffer records = body.slice(PollHeader.BYTES, body.remaining() - PollHeader.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        List<Polled> polled = new ArrayList<>();
        MessageCursor cursor = new MessageCursor();
        cursor.reset(records, 0, records.remaining());
        int checkedBatch = -1;
        while (cursor.next()) {
            int batch = cursor.batchPosition();
            if (batch != checkedBatch) {
                checkedBatch = batch;
                if (BatchHeader.checksum(records, batch) != new BatchChecksum().of(records, batch)) {
                    throw new Violation(PROMISE, "the checksum of the batch of offset " + cursor.offset());
                }
            }
            int frame = cursor.framePosition();
            if (MessageFrame.checksum(records, frame)
                    != MessageFrame.computedChecksum(records, frame, cursor.frameLength())) {
                throw new Violation(PROMISE, "the checksum of the message at offset " + cursor.offset());
            }
            ByteBuffer payload =
                    records.slice(MessageFrame.payloadPosition(frame), MessageFrame.payloadLength(records, frame));
            polled.add(new Polled(
                    cursor.offset(),
                    cursor.timestamp(),
                    MessageFrame.idHigh(records, frame),
                    (int) (MessageFrame.idLow(records, frame) - 1),
                    payload));
        }
        if (!cursor.isIntact() || polled.size() != count) {
            throw new Violation(
                    PROMISE, "a poll that counts " + count + " messages has " + polled.size() + " that can be read");
        }
        return polled;
    }
}
