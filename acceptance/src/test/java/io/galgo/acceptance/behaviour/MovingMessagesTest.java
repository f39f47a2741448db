package io.galgo.acceptance.behaviour;

import io.galgo.acceptance.harness.Target;
import io.galgo.torture.server.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.io.TempDir;

/// [MessagesTest] on a server whose segments are sealed with each batch.
class MovingMessagesTest extends MessagesTest {
    @TempDir
    static Path folder;

    @Override
    ServerProcess server() throws IOException, InterruptedException {
        Assumptions.assumeFalse(Target.current().isReference(), "the reference server has no such segments");
        return MovingServer.running(folder);
    }

    @AfterAll
    static void stop() {
        MovingServer.stop();
    }
}
