package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// As [PollMessages], and when there is nothing to deliver the answer waits for it. A command of Galgo's own.
///
/// | size | field |
/// |---|---|
/// | | the body of [PollMessages] |
/// | 8 | how long to wait at most, in microseconds |
///
/// @param waitMicrosMax unsigned; 0 makes it an ordinary poll, and a server waits no longer than it is
///     configured to
public record AwaitMessages(PollMessages poll, long waitMicrosMax) implements Request {
    public static @Nullable AwaitMessages decode(ByteBuffer body) {
        return decode(new BodyReader(body));
    }

    /// As [#decode(ByteBuffer)], with a reader that is used again and again.
    public static @Nullable AwaitMessages decode(BodyReader in) {
        return in.orNull(new AwaitMessages(PollMessages.read(in), in.u64()));
    }

    @Override
    public CommandCode command() {
        return CommandCode.AWAIT_MESSAGES;
    }

    @Override
    public int encodedBytes() {
        return poll.encodedBytes() + 8;
    }

    @Override
    public void put(ByteBuffer target) {
        poll.put(target);
        target.putLong(waitMicrosMax);
    }
}
