package io.galgo.simulator.check;

import io.galgo.model.Difference;
import io.galgo.model.PollBody;
import io.galgo.protocol.batch.MessageCursor;
import io.galgo.protocol.batch.MessageFrame;
import io.galgo.protocol.reply.PollHeader;
import io.galgo.simulator.world.Violation;
import java.nio.ByteBuffer;
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
        if (body.remaining() < PollHeader.BYTES) {
            throw new Violation(PROMISE, "a poll is answered with " + body.remaining() + " bytes");
        }
        List<Polled> polled = new ArrayList<>();
        try {
            PollBody.walk(body, (records, cursor) -> polled.add(at(records, cursor)));
        } catch (Difference difference) {
            throw new Violation(PROMISE, String.valueOf(difference.getMessage()), difference);
        } catch (IndexOutOfBoundsException e) {
            throw new Violation(PROMISE, "the lengths in a poll's answer lead beyond its end", e);
        }
        return polled;
    }

    private static Polled at(ByteBuffer records, MessageCursor cursor) {
        int frame = cursor.framePosition();
        return new Polled(
                cursor.offset(),
                cursor.timestamp(),
                MessageFrame.idHigh(records, frame),
                (int) (MessageFrame.idLow(records, frame) - 1),
                records.slice(MessageFrame.payloadPosition(frame), MessageFrame.payloadLength(records, frame)));
    }
}
