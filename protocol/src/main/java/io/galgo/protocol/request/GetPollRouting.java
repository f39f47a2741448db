package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Asks which node is to serve an auto-commit poll (spec protocol 8.8.4).
///
/// @param poll with auto-commit; without, the body is undecodable
public record GetPollRouting(PollMessages poll) implements Request {
    public GetPollRouting {
        if (!poll.autoCommit()) {
            throw new IllegalArgumentException("a poll without auto-commit needs no routing");
        }
    }

    public static @Nullable GetPollRouting decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        PollMessages poll = PollMessages.read(in);
        return in.isFailed() || !poll.autoCommit() ? null : new GetPollRouting(poll);
    }

    @Override
    public CommandCode command() {
        return CommandCode.GET_POLL_ROUTING;
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
