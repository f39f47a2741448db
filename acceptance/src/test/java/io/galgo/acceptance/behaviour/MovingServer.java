package io.galgo.acceptance.behaviour;

import io.galgo.acceptance.harness.Servers;
import io.galgo.torture.server.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// A server on which each batch fills a segment and the cleaner comes by all the time: whatever moves in the
/// background moves under every request.
final class MovingServer {
    private static @Nullable ServerProcess server;

    private MovingServer() {}

    static synchronized ServerProcess running(Path folder) throws IOException, InterruptedException {
        ServerProcess running = server;
        if (running == null || !running.isAlive()) {
            running = ServerProcess.start(Servers.on(folder.resolve("data"))
                    .withSegmentBytesMax(1)
                    .withVariable("GALGO_DATA_MAINTENANCE_MESSAGES_INTERVAL", "100 ms"));
            server = running;
        }
        return running;
    }

    static synchronized void stop() {
        if (server != null) {
            server.kill();
            server = null;
        }
    }
}
