package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A send succeeded (spec protocol 8.8.1). The reply is not result-framed.
///
/// @param confirmations one from this server; others may send none
public record SendConfirmations(List<SendConfirmation> confirmations) implements Body {
    /// Length of the body that this server sends.
    public static final int ONE_BYTES = 4 + SendConfirmation.BYTES;

    public SendConfirmations {
        confirmations = List.copyOf(confirmations);
    }

    /// Decodes all three forms of success: an empty body has no confirmations, like a count of 0.
    public static @Nullable SendConfirmations decode(ByteBuffer body) {
        if (!body.hasRemaining()) {
            return new SendConfirmations(List.of());
        }
        BodyReader in = new BodyReader(body);
        return in.orNull(
                new SendConfirmations(Records.readCounted(in, SendConfirmation.BYTES, SendConfirmation::read)));
    }

    /// Writes the [#ONE_BYTES] bytes of a body with one confirmation. Access is absolute, the order little-endian.
    public static void writeOne(
            ByteBuffer body, int position, int streamId, int topicId, int partitionId, long baseOffset) {
        assert body.order() == ByteOrder.LITTLE_ENDIAN;
        body.putInt(position, 1);
        body.putInt(position + 4, streamId);
        body.putInt(position + 8, topicId);
        body.putInt(position + 12, partitionId);
        body.putLong(position + 16, baseOffset);
    }

    @Override
    public int encodedBytes() {
        return 4 + Records.encodedBytes(confirmations);
    }

    @Override
    public void put(ByteBuffer target) {
        Records.putCounted(target, confirmations);
    }
}
