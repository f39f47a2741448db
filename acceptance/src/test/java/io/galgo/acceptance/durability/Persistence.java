package io.galgo.acceptance.durability;

import io.galgo.acceptance.wire.RawClient;
import io.galgo.acceptance.wire.ReplyFrame;
import io.galgo.acceptance.wire.RequestFrame;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/// Repeats what the server could not do just now, as published clients do.
final class Persistence {
    private static final int ATTEMPTS_MAX = 2000;
    private static final long PAUSE_NANOS = 5_000_000;

    private Persistence() {}

    /// A write; the identical frame again while the answer is the transient code 58.
    static ReplyFrame change(RawClient client, int operation, byte[] body) throws IOException {
        RequestFrame frame = client.write(operation, body);
        for (int attempt = 1; ; attempt++) {
            ReplyFrame reply = client.exchange(frame);
            if (!reply.outcome().endsWith(" 58") || attempt == ATTEMPTS_MAX) {
                return reply;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
