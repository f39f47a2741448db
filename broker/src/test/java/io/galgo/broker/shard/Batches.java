package io.galgo.broker.shard;

import io.galgo.protocol.batch.BatchChecksum;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.batch.MessageCursor;
import io.galgo.protocol.batch.MessageFrame;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Batches as clients make them, and back.
final class Batches {
    /// One polled message.
    record Message(long offset, long timestamp, String payload) {}

    private Batches() {}

    static ByteBuffer of(String... payloads) {
        byte[][] bytes = new byte[payloads.length][];
        int length = BatchHeader.BYTES;
        for (int i = 0; i < payloads.length; i++) {
            bytes[i] = payloads[i].getBytes(StandardCharsets.UTF_8);
            length += MessageFrame.HEADER_BYTES + bytes[i].length;
        }
        ByteBuffer batch = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        BatchHeader.write(batch, 0, 0, 0, 0, 1_600_000_000_000_000L, length, payloads.length);
        int at = BatchHeader.BYTES;
        for (int i = 0; i < payloads.length; i++) {
            MessageFrame.write(batch, at, 7, i + 1, i, 0, 0, bytes[i].length);
            batch.put(MessageFrame.payloadPosition(at), bytes[i]);
            MessageFrame.stampChecksum(batch, at);
            at += MessageFrame.HEADER_BYTES + bytes[i].length;
        }
        stamp(batch);
        return batch;
    }

    /// Makes the batch checksum right again.
    static void stamp(ByteBuffer batch) {
        BatchHeader.checksum(batch, 0, new BatchChecksum().of(batch, 0));
    }

    static List<Message> messages(ByteBuffer records) {
        List<Message> messages = new ArrayList<>();
        MessageCursor cursor = new MessageCursor();
        cursor.reset(records, records.position(), records.remaining());
        while (cursor.next()) {
            byte[] payload = new byte[MessageFrame.payloadLength(records, cursor.framePosition())];
            records.get(MessageFrame.payloadPosition(cursor.framePosition()), payload);
            messages.add(new Message(cursor.offset(), cursor.timestamp(), new String(payload, StandardCharsets.UTF_8)));
        }
        if (!cursor.isIntact()) {
            throw new AssertionError("the polled bytes are no batches");
        }
        return messages;
    }
}
