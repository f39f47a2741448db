package io.galgo.server;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.uring.IoUring;
import org.junit.jupiter.api.BeforeEach;

final class RingServerTest extends ServerContract {
    @Override
    @BeforeEach
    void start() throws Exception {
        assumeTrue(IoUring.isAvailable(), () -> "io_uring does not work here: " + IoUring.unavailabilityCause());
        super.start();
    }

    @Override
    String disk() {
        return "ring";
    }
}
