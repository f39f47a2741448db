package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// As [PollMessages], from the partition's primary and under an attached identity (spec protocol 8.8.5).
public record PollMessagesOnPrimary(PollMessages poll) implements Request {
    public static @Nullable PollMessagesOnPrimary decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(new PollMessagesOnPrimary(PollMessages.read(in)));
    }

    @Override
    public CommandCode command() {
        return CommandCode.POLL_MESSAGES_ON_PRIMARY;
    }

    @Override
    public int encodedBytes() {
        return poll.encodedBytes();
    }

    @Override
    public void put(ByteBuffer target) {
        poll.put(target);
    }
}
