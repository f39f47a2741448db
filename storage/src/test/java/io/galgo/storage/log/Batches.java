package io.galgo.storage.log;

import io.galgo.protocol.batch.BatchChecksum;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.batch.BatchStamp;
import io.galgo.protocol.batch.MessageCursor;
import io.galgo.protocol.batch.MessageFrame;
import io.galgo.storage.memory.BufferPool;
import io.galgo.storage.memory.PooledBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;

/// Makes stamped batch records for tests, and takes them apart again.
final class Batches {
    private static final BatchChecksum CHECKSUM = new BatchChecksum();

    private Batches() {}

    /// A message as a test sees it.
    record Message(long offset, long timestamp, String payload) {}

    static byte[] record(long baseOffset, long timestamp, String... payloads) {
        int length = length(payloads);
        ByteBuffer bytes = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
        write(bytes, 0, baseOffset, timestamp, payloads);
        byte[] copy = new byte[length];
        bytes.get(0, copy);
        return copy;
    }

    static int length(String... payloads) {
        int length = BatchHeader.BYTES;
        for (String payload : payloads) {
            length += MessageFrame.HEADER_BYTES + payload.length();
        }
        return length;
    }

    static void write(ByteBuffer bytes, int position, long baseOffset, long timestamp, String... payloads) {
        BatchHeader.write(bytes, position, 0, 0, 0, 99, length(payloads), payloads.length);
        int frame = position + BatchHeader.BYTES;
        for (int i = 0; i < payloads.length; i++) {
            String payload = payloads[i];
            MessageFrame.write(bytes, frame, 1, baseOffset + i, i, 0, 0, payload.length());
            for (int at = 0; at < payload.length(); at++) {
                bytes.put(frame + MessageFrame.HEADER_BYTES + at, (byte) payload.charAt(at));
            }
            MessageFrame.stampChecksum(bytes, frame);
            frame += MessageFrame.HEADER_BYTES + payload.length();
        }
        BatchStamp.apply(bytes, position, 7, baseOffset, timestamp, CHECKSUM);
    }

    /// Puts a batch behind `position` bytes of something else in a pooled buffer, as a frame does.
    static PooledBuffer pooled(BufferPool pool, int position, long baseOffset, long timestamp, String... payloads) {
        PooledBuffer buffer = Objects.requireNonNull(pool.acquire(position + length(payloads)));
        write(buffer.bytes(), position, baseOffset, timestamp, payloads);
        return buffer;
    }

    /// The messages of a read, checked as a client would; the slices are released.
    static List<Message> messages(LogRead read) {
        if (!(read instanceof LogRead.Messages found)) {
            throw new AssertionError("expected messages, not " + read);
        }
        int length = 0;
        for (BatchSlice slice : found.slices()) {
            length += slice.length();
        }
        ByteBuffer bytes = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
        int at = 0;
        for (BatchSlice slice : found.slices()) {
            bytes.put(at, slice.buffer().bytes(), slice.position(), slice.length());
            at += slice.length();
            slice.release();
        }
        List<Message> messages = messages(bytes, length);
        if (messages.size() != found.messagesCount()) {
            throw new AssertionError(found.messagesCount() + " messages told, but found " + messages);
        }
        if (!messages.isEmpty() && messages.getLast().offset() != found.lastOffset()) {
            throw new AssertionError("last offset " + found.lastOffset() + " told, but found " + messages);
        }
        return messages;
    }

    static List<Message> messages(ByteBuffer bytes, int length) {
        MessageCursor cursor = new MessageCursor();
        cursor.reset(bytes, 0, length);
        List<Message> messages = new ArrayList<>();
        TreeMap<Integer, Integer> batches = new TreeMap<>();
        while (cursor.next()) {
            int frame = cursor.framePosition();
            byte[] payload = new byte[MessageFrame.payloadLength(bytes, frame)];
            bytes.get(frame + MessageFrame.HEADER_BYTES, payload);
            if (MessageFrame.checksum(bytes, frame)
                    != MessageFrame.computedChecksum(bytes, frame, cursor.frameLength())) {
                throw new AssertionError("a message checksum is wrong at offset " + cursor.offset());
            }
            batches.put(cursor.batchPosition(), 1);
            messages.add(new Message(
                    cursor.offset(),
                    cursor.timestamp(),
                    new String(payload, java.nio.charset.StandardCharsets.ISO_8859_1)));
        }
        if (!cursor.isIntact()) {
            throw new AssertionError("the bytes are no batch records behind " + messages);
        }
        for (int batch : batches.keySet()) {
            if (BatchHeader.checksum(bytes, batch) != CHECKSUM.of(bytes, batch)) {
                throw new AssertionError("the batch checksum at " + batch + " is wrong");
            }
        }
        return messages;
    }
}
