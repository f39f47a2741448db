package io.galgo.torture.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/// The batch record: a 256-byte header and the message frames behind it.
public final class Batch {
    public static final int HEADER_BYTES = 256;
    public static final int FRAME_HEADER_BYTES = 48;
    private static final int RESERVED_AT = 52;

    private Batch() {}

    /// A batch as a producer sends it, all checksums right.
    public static byte[] encode(List<Message> messages, long originTimestamp) {
        int length = HEADER_BYTES;
        for (Message message : messages) {
            length += FRAME_HEADER_BYTES + message.payload().length + message.headers().length;
        }
        ByteBuffer batch = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        batch.putLong(24, originTimestamp);
        batch.putLong(32, length);
        batch.putInt(48, messages.size());
        batch.position(HEADER_BYTES);
        for (int i = 0; i < messages.size(); i++) {
            Message message = messages.get(i);
            int start = batch.position();
            batch.putLong(0);
            batch.put(message.id());
            batch.putInt(i);
            batch.putInt(0);
            batch.putInt(message.headers().length);
            batch.putInt(message.payload().length);
            batch.putLong(0);
            batch.put(message.payload());
            batch.put(message.headers());
            batch.putLong(start, frameChecksum(batch, start, batch.position() - start));
        }
        stamp(batch.array());
        return batch.array();
    }

    /// Puts the batch checksum that belongs to the header and the frame checksums as they stand.
    public static void stamp(byte[] batch) {
        ByteBuffer bytes = ByteBuffer.wrap(batch).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(40, batchChecksum(bytes, 0, bytes.getInt(48)));
    }

    /// Reads the batch records of a poll reply. Everything that can be checked is: lengths, counts, reserved bytes,
    /// each frame checksum and each batch checksum.
    public static List<PolledMessage> decode(byte[] reply, int start, long partition) {
        ByteBuffer bytes = ByteBuffer.wrap(reply).order(ByteOrder.LITTLE_ENDIAN);
        List<PolledMessage> messages = new ArrayList<>();
        int position = start;
        while (position < reply.length) {
            check(reply.length - position >= HEADER_BYTES, "a batch header is cut off at", position);
            long length = bytes.getLong(position + 32);
            check(
                    HEADER_BYTES <= length && length <= reply.length - position,
                    "batch_length does not fit the reply: it is",
                    length);
            check(bytes.getLong(position) == partition, "the batch names partition", bytes.getLong(position));
            for (int i = RESERVED_AT; i < HEADER_BYTES; i++) {
                check(reply[position + i] == 0, "not zero is the reserved byte of the batch header at", i);
            }
            decodeOne(bytes, position, (int) length, messages);
            position += (int) length;
        }
        return messages;
    }

    private static void decodeOne(ByteBuffer bytes, int start, int length, List<PolledMessage> messages) {
        long baseOffset = bytes.getLong(start + 8);
        long timestamp = bytes.getLong(start + 16);
        long origin = bytes.getLong(start + 24);
        int count = bytes.getInt(start + 48);
        check(count >= 1, "message_count of the batch is", count);
        check(
                bytes.getLong(start + 40) == batchChecksum(bytes, start, count),
                "a batch checksum is wrong at offset",
                baseOffset);
        int position = start + HEADER_BYTES;
        for (int i = 0; i < count; i++) {
            check(start + length - position >= FRAME_HEADER_BYTES, "cut off is frame", i);
            long headersLength = bytes.getInt(position + 32) & 0xFFFF_FFFFL;
            long payloadLength = bytes.getInt(position + 36) & 0xFFFF_FFFFL;
            long frameLength = FRAME_HEADER_BYTES + payloadLength + headersLength;
            check(frameLength <= start + length - position, "longer than its batch is frame", i);
            check(
                    bytes.getLong(position) == frameChecksum(bytes, position, (int) frameLength),
                    "a message checksum is wrong at offset",
                    baseOffset + bytes.getInt(position + 24));
            byte[] id = new byte[16];
            bytes.get(position + 8, id);
            byte[] payload = new byte[(int) payloadLength];
            bytes.get(position + FRAME_HEADER_BYTES, payload);
            byte[] headers = new byte[(int) headersLength];
            bytes.get(position + FRAME_HEADER_BYTES + payload.length, headers);
            messages.add(new PolledMessage(
                    baseOffset + bytes.getInt(position + 24),
                    timestamp,
                    origin + (bytes.getInt(position + 28) & 0xFFFF_FFFFL),
                    id,
                    payload,
                    headers));
            position += (int) frameLength;
        }
        check(
                position == start + length,
                "between the last frame and the end of the batch stand bytes:",
                start + length - position);
    }

    static long frameChecksum(ByteBuffer bytes, int start, int length) {
        return io.galgo.protocol.Checksum.xxh3(bytes, start + 8, length - 8);
    }

    private static long batchChecksum(ByteBuffer bytes, int start, int count) {
        ByteBuffer input = ByteBuffer.allocate(44 + 8 * count).order(ByteOrder.LITTLE_ENDIAN);
        for (int field = 0; field < 40; field += 8) {
            input.putLong(bytes.getLong(start + field));
        }
        input.putInt(bytes.getInt(start + 48));
        int position = start + HEADER_BYTES;
        for (int i = 0; i < count; i++) {
            check(position + FRAME_HEADER_BYTES <= bytes.limit(), "cut off is frame", i);
            input.putLong(bytes.getLong(position));
            position += FRAME_HEADER_BYTES + bytes.getInt(position + 32) + bytes.getInt(position + 36);
        }
        return io.galgo.protocol.Checksum.xxh3(input, 0, input.capacity());
    }

    private static void check(boolean holds, String text, long value) {
        if (!holds) {
            throw new AssertionError("damaged poll reply: " + text + " " + value);
        }
    }
}
