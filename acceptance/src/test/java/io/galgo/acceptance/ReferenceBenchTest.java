package io.galgo.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.Figures;
import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.Servers;
import io.galgo.acceptance.harness.Tools;
import io.galgo.torture.server.Commands;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.wire.Polled;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.Strategy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The load tool of the reference project, which is not ours, completes its pinned kinds with the right counts.
///
/// Needs the folder of the reference binaries in `GALGO_REFERENCE`.
@ExtendWith(ServerLogs.class)
class ReferenceBenchTest {
    private static final int BATCHES = 30;
    private static final int MESSAGES = 1000 * BATCHES;

    @Test
    void pinnedProducersAndConsumersMoveWhatTheySay(@TempDir Path folder) throws Exception {
        Path tool = Tools.referenceFolder().resolve("iggy-bench");
        try (ServerProcess server = ServerProcess.start(Servers.on(folder.resolve("data")));
                RawClient client = server.client()) {
            assertThat(bench(tool, server, "pinned-producer", "-p", "2"))
                    .contains("Producers Results:")
                    .contains(2 * MESSAGES + " messages");
            assertStreamHolds(client, "bench-stream-1", MESSAGES);
            assertStreamHolds(client, "bench-stream-2", MESSAGES);

            assertThat(bench(tool, server, "pinned-consumer", "-c", "2"))
                    .contains("Consumers Results:")
                    .contains(2 * MESSAGES + " messages");
            assertStreamHolds(client, "bench-stream-1", MESSAGES);

            assertThat(bench(tool, server, "pinned-producer-and-consumer", "-p", "2", "-c", "2"))
                    .contains("Producers Results:")
                    .contains("Consumers Results:");
            assertStreamHolds(client, "bench-stream-1", 2 * MESSAGES);
            assertStreamHolds(client, "bench-stream-2", 2 * MESSAGES);
        }
    }

    private static String bench(Path tool, ServerProcess server, String... kind)
            throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(tool.toString(), "-m", "1000", "-P", "1000", "-b", Integer.toString(BATCHES)));
        command.addAll(List.of(kind));
        command.addAll(List.of(
                "tcp", "--server-address", "127.0.0.1:" + server.address().getPort()));
        Commands.Outcome outcome = Commands.run(command, Map.of("RUST_LOG", "info"), Duration.ofMinutes(2));
        if (outcome.output().contains("libhwloc.so")) {
            throw Tools.missing("the reference binaries need the package libhwloc15");
        }
        assertThat(outcome.exitCode())
                .as("exit code of %s:\n%s", command, outcome.output())
                .isZero();
        outcome.output()
                .lines()
                .filter(line -> line.contains("Results:"))
                .forEach(line ->
                        Figures.tell("iggy-bench " + kind[0] + ": " + line.replaceFirst(", average throughput.*", "")));
        return outcome.output();
    }

    private static void assertStreamHolds(RawClient client, String stream, int count) throws IOException {
        assertThat(client.topic(stream, "topic-1").orElseThrow().messagesCount())
                .as("messages of %s", stream)
                .isEqualTo(count);
        long next = 0;
        while (next < count) {
            Polled polled = client.poll(stream, "topic-1", 0, Strategy.offset(next), 5000);
            assertThat(polled.currentOffset())
                    .as("current offset of %s", stream)
                    .isEqualTo(count - 1);
            assertThat(polled.messages())
                    .as("messages of %s from %s", stream, next)
                    .isNotEmpty();
            for (var message : polled.messages()) {
                assertThat(message.offset()).isEqualTo(next);
                assertThat(message.payload()).hasSize(1000);
                next++;
            }
        }
    }
}
