package io.galgo.model;

import io.galgo.model.Call.Message;
import io.galgo.model.PartitionState.Polled;
import io.galgo.protocol.batch.BatchChecksum;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.batch.MessageCursor;
import io.galgo.protocol.batch.MessageFrame;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Batches as clients make and read them.
final class Batches {
    private Batches() {}

    static ByteBuffer encoded(List<Message> messages) {
        int length =
                BatchHeader.BYTES + messages.stream().mapToInt(Message::bytes).sum();
        ByteBuffer batch = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        BatchHeader.write(batch, 0, 0, 0, 0, 1_600_000_000_000_000L, length, messages.size());
        int at = BatchHeader.BYTES;
        for (int i = 0; i < messages.size(); i++) {
            Message message = messages.get(i);
            byte[] payload = message.payload().getBytes(StandardCharsets.ISO_8859_1);
            byte[] headers = message.headers().getBytes(StandardCharsets.ISO_8859_1);
            MessageFrame.write(batch, at, 0, message.id(), i, 0, headers.length, payload.length);
            batch.put(MessageFrame.payloadPosition(at), payload);
            batch.put(MessageFrame.payloadPosition(at) + payload.length, headers);
            MessageFrame.stampChecksum(batch, at);
            at += message.bytes();
        }
        BatchHeader.checksum(batch, 0, new BatchChecksum().of(batch, 0));
        return batch;
    }

    /// The messages of a poll reply, whose checksums and lengths have to be right.
    static List<Polled> polled(ByteBuffer body, int partitionId) {
        List<Polled> polled = new ArrayList<>();
        PollBody.walk(body, new PollBody.Visitor() {
            @Override
            public void onBatch(ByteBuffer records, int position) {
                Difference.unlessEqual(
                        BatchHeader.partitionId(records, position), (long) partitionId, "the partition in a batch");
                Difference.unless(
                        BatchHeader.isReservedZero(records, position), "reserved bytes of a batch are not zero");
            }

            @Override
            public void onMessage(ByteBuffer records, MessageCursor cursor) {
                polled.add(new Polled(cursor.offset(), cursor.timestamp(), message(records, cursor.framePosition())));
            }
        });
        return polled;
    }

    private static Message message(ByteBuffer records, int frame) {
        byte[] payload = new byte[MessageFrame.payloadLength(records, frame)];
        records.get(MessageFrame.payloadPosition(frame), payload);
        byte[] headers = new byte[MessageFrame.userHeadersLength(records, frame)];
        records.get(MessageFrame.userHeadersPosition(records, frame), headers);
        return new Message(
                MessageFrame.idLow(records, frame),
                new String(payload, StandardCharsets.ISO_8859_1),
                new String(headers, StandardCharsets.ISO_8859_1));
    }
}
