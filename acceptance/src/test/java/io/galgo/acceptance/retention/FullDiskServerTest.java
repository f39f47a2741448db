package io.galgo.acceptance.retention;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.Servers;
import io.galgo.acceptance.harness.Target;
import io.galgo.torture.server.Commands;
import io.galgo.torture.server.DiskBackend;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Message;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.ReplyFrame;
import io.galgo.torture.wire.Strategy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A server on a file system that gets full. Needs the right to mount one, and is skipped without it.
@ExtendWith(ServerLogs.class)
class FullDiskServerTest {
    private static final String STREAM = "full";
    private static final String TOPIC = "events";
    private static final List<Message> BATCH = List.of(Message.of(new byte[200_000]));

    @TempDir
    Path folder;

    enum Relief {
        DELETE_SEGMENTS,
        PURGE_TOPIC,
        DELETE_TOPIC
    }

    @ParameterizedTest
    @EnumSource
    void peopleLogInAndMakeRoomAndMessagesComeAgain(Relief relief) throws Exception {
        Assumptions.assumeFalse(Target.current().isReference(), "what the reference server does then is not known");
        Path mount = Files.createDirectories(folder.resolve("small"));
        Commands.Outcome mounted = Commands.run(
                List.of("mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", mount.toString()),
                Map.of(),
                Duration.ofSeconds(10));
        Assumptions.assumeTrue(mounted.exitCode() == 0, "a file system cannot be mounted here: " + mounted.output());
        try {
            fillAndRelieve(mount.resolve("data"), relief);
        } finally {
            Commands.run(List.of("umount", "-l", mount.toString()), Map.of(), Duration.ofSeconds(10));
        }
    }

    private static void fillAndRelieve(Path data, Relief relief) throws Exception {
        try (ServerProcess server = ServerProcess.start(
                        Servers.on(data).withDisk(DiskBackend.RING).withSegmentBytesMax(1 << 20));
                RawClient client = server.client()) {
            client.createStream(STREAM);
            client.createTopic(STREAM, TOPIC, 1);
            int confirmed = 0;
            ReplyFrame reply = send(client);
            while (reply.isOk() && confirmed < 1_000) {
                confirmed++;
                reply = send(client);
            }
            assertThat(reply.outcome()).as("the first send without room").isEqualTo("DENY 4010");
            assertThat(send(client).outcome()).as("the next").isEqualTo("DENY 58");
            try (RawClient operator = server.client()) {
                assertThat(operator.poll(STREAM, TOPIC, 0, Strategy.first(), 3).offsets())
                        .containsExactly(0L, 1L, 2L);
                assertThat(operator.poll(Body.of().consumer(5), STREAM, TOPIC, 0, Strategy.first(), 3, true)
                                .offsets())
                        .as("a poll that stores its offset")
                        .hasSize(3);
                assertThat(operator.topic(STREAM, TOPIC).orElseThrow().messagesCount())
                        .isEqualTo(confirmed);
                relieve(operator, relief);
            }
            long end = System.nanoTime() + 20_000_000_000L;
            for (reply = send(client); !reply.isOk() && System.nanoTime() < end; reply = send(client)) {
                LockSupport.parkNanos(50_000_000);
            }
            assertThat(reply.outcome()).as("a send after there was room").isEqualTo("OK");
        }
    }

    private static ReplyFrame send(RawClient client) throws IOException {
        return client.change(Operation.SEND, RawClient.sendBody(STREAM, TOPIC, Partitioning.to(0), BATCH));
    }

    private static void relieve(RawClient operator, Relief relief) throws IOException {
        Body topic = Body.of().id(STREAM).id(TOPIC);
        switch (relief) {
            case DELETE_SEGMENTS -> {
                // Consumer 5 has read three messages only and holds the rest up.
                assertThat(operator.deleteOffset(Body.of().consumer(5), STREAM, TOPIC, 0)
                                .outcome())
                        .isIn("OK", "DENY 4010");
                ReplyFrame reply =
                        operator.change(Operation.DELETE_SEGMENTS, topic.u32(0).u32(1_000));
                assertThat(reply.outcome()).isEqualTo("OK");
                assertThat(reply.operation()).isEqualTo(68);
            }
            case PURGE_TOPIC -> operator.succeed(Operation.PURGE_TOPIC, topic);
            case DELETE_TOPIC -> {
                operator.succeed(Operation.DELETE_TOPIC, topic);
                operator.createTopic(STREAM, TOPIC, 1);
            }
        }
    }
}
