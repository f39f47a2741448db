package io.galgo.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.Dialogue;
import io.galgo.acceptance.harness.Figures;
import io.galgo.acceptance.harness.PythonEnvironment;
import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.ServerProcess;
import io.galgo.acceptance.harness.ServerSettings;
import io.galgo.acceptance.harness.Target;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The Python client as it is published, unmodified, runs scenarios of `test/resources/python`.
@ExtendWith(ServerLogs.class)
class PublishedPythonClientTest {
    @TempDir
    static Path folder;

    private static PythonEnvironment python;
    private static ServerProcess server;

    @BeforeAll
    static void startServer() throws Exception {
        python = PythonEnvironment.prepare();
        server = ServerProcess.start(ServerSettings.on(folder.resolve("data")));
    }

    @AfterAll
    static void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void itLogsInAndManagesStreamsAndTopics() throws Exception {
        run("first_steps.py");
    }

    @Test
    void itSendsAndPollsInEveryWay() throws Exception {
        run("messages.py");
    }

    @Test
    void itStoresReadsAndDeletesConsumerOffsets() throws Exception {
        run("offsets.py");
    }

    @Test
    void twoOfThemWorkAtOnce() throws Exception {
        run("two_clients.py");
    }

    @Test
    void itStreamsPublicDataAndReadsItBackByteForByte() throws Exception {
        String output = run("real_input.py");
        assertThat(output).contains("airports: 3376 records").contains("temperatures: 8759 records");
        output.lines().filter(line -> line.contains(" records, ")).forEach(Figures::tell);
    }

    @Test
    void itReconnectsAfterARestartAndFindsEverything(@TempDir Path own) throws Exception {
        ServerProcess first = ServerProcess.start(ServerSettings.on(own.resolve("data")));
        try (first;
                Dialogue client = python.start(first.address(), "restart.py")) {
            client.await("stop it");
            first.stop();
            try (ServerProcess _ = first.startAgain()) {
                client.say("go on");
                client.mustSucceed();
            }
        }
    }

    private static String run(String scenario) throws Exception {
        return Target.current().isReference()
                ? python.run(server.address(), scenario, "reference")
                : python.run(server.address(), scenario);
    }
}
