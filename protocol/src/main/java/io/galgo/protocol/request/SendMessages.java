package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Partitioning;
import io.galgo.protocol.batch.BatchCheck;
import io.galgo.protocol.batch.BatchChecksum;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Appends a batch of messages to a partition (spec protocol 8.8.1).
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 4 | metadata_length: from here to the end of messages_count |
/// | 4 | | stream identifier, topic identifier, partitioning |
/// | | 4 | messages_count |
/// | | | batch record, to the end of the body |
///
/// A view: the batch stays where it is.
///
/// @param messagesCount unsigned, as the metadata say; the batch says it again
/// @param isMetadataExact whether metadata_length agrees with the fields; if not, [#refusal] says so
/// @param buffer holds the batch, little-endian; it is not copied, so it must not change while this is in use
/// @param batchPosition where the batch record begins in the buffer
/// @param batchLength bytes from there to the end of the body
public record SendMessages(
        Identifier stream,
        Identifier topic,
        Partitioning partitioning,
        int messagesCount,
        boolean isMetadataExact,
        ByteBuffer buffer,
        int batchPosition,
        int batchLength)
        implements Request {
    private static final int METADATA_LENGTH_BYTES = 4;
    private static final int MESSAGES_COUNT_BYTES = 4;

    /// @return null when the metadata are undecodable; the batch is not looked at
    public static @Nullable SendMessages decode(ByteBuffer body) {
        return decode(new BodyReader(body));
    }

    /// As [#decode(ByteBuffer)], with a reader that is used again and again.
    public static @Nullable SendMessages decode(BodyReader in) {
        int metadataLength = in.length();
        int batchPosition = in.position() + metadataLength;
        int batchLength = in.remaining() - metadataLength;
        Identifier stream = Identifier.read(in);
        Identifier topic = Identifier.read(in);
        Partitioning partitioning = Partitioning.read(in);
        int messagesCount = in.u32();
        in.require(in.position() <= batchPosition);
        if (in.isFailed()) {
            return null;
        }
        boolean isMetadataExact = in.position() == batchPosition;
        return new SendMessages(
                stream, topic, partitioning, messagesCount, isMetadataExact, in.buffer(), batchPosition, batchLength);
    }

    /// Checks the batch, every byte of it (7.4).
    ///
    /// @return null when it is good, else the code of the denial
    public @Nullable ErrorCode refusal(BatchChecksum checksum) {
        return isMetadataExact
                ? BatchCheck.refusal(buffer, batchPosition, batchLength, messagesCount, checksum)
                : ErrorCode.INVALID_COMMAND;
    }

    @Override
    public CommandCode command() {
        return CommandCode.SEND_MESSAGES;
    }

    /// Bytes of the body before the batch.
    public int metadataBytes() {
        return METADATA_LENGTH_BYTES
                + stream.encodedBytes()
                + topic.encodedBytes()
                + partitioning.encodedBytes()
                + MESSAGES_COUNT_BYTES;
    }

    @Override
    public int encodedBytes() {
        return metadataBytes() + batchLength;
    }

    /// Appends what comes before the batch, for those who send the batch from where it is.
    public void putMetadata(ByteBuffer target) {
        target.putInt(metadataBytes() - METADATA_LENGTH_BYTES);
        stream.put(target);
        topic.put(target);
        partitioning.put(target);
        target.putInt(messagesCount);
    }

    @Override
    public void put(ByteBuffer target) {
        putMetadata(target);
        target.put(target.position(), buffer, batchPosition, batchLength);
        target.position(target.position() + batchLength);
    }

    /// Whether both say the same, wherever their batches are.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SendMessages send
                && stream.equals(send.stream)
                && topic.equals(send.topic)
                && partitioning.equals(send.partitioning)
                && messagesCount == send.messagesCount
                && isMetadataExact == send.isMetadataExact
                && batch().equals(send.batch());
    }

    @Override
    public int hashCode() {
        return 31 * (31 * stream.hashCode() + topic.hashCode()) + messagesCount;
    }

    @Override
    public String toString() {
        return "SendMessages[stream=" + stream + ", topic=" + topic + ", partitioning=" + partitioning
                + ", messagesCount=" + Integer.toUnsignedString(messagesCount) + ", batchLength=" + batchLength + "]";
    }

    private ByteBuffer batch() {
        return buffer.slice(batchPosition, batchLength);
    }
}
