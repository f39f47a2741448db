package io.galgo.acceptance.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.Servers;
import io.galgo.acceptance.harness.Target;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.server.ServerSettings;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Message;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.Polled;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.ReplyFrame;
import io.galgo.torture.wire.RequestFrame;
import io.galgo.torture.wire.Strategy;
import io.galgo.torture.wire.TopicDescription;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What is there after a restart: clean or not, with the files as they were or damaged meanwhile.
@ExtendWith(ServerLogs.class)
class RestartTest {
    private static final String STREAM = "kept";
    private static final Body CONSUMER = Body.of().consumer(7);

    enum End {
        SIGTERM,
        SIGKILL
    }

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource
    void everythingIsThereAgain(End end) throws Exception {
        Assumptions.assumeFalse(Target.current().isReference() && end == End.SIGKILL, "the reference server loses it");
        ServerProcess server = ServerProcess.start(settings());
        try {
            TopicDescription before;
            try (RawClient client = server.client()) {
                client.createStream(STREAM);
                client.createTopic(
                        STREAM,
                        "events",
                        2,
                        Body.of().option("segment_size", 1 << 20).toBytes());
                for (int i = 0; i < 100; i++) {
                    client.send(STREAM, "events", Partitioning.to(i % 2), text(i));
                }
                assertThat(client.storeOffset(CONSUMER, STREAM, "events", 0, 33).outcome())
                        .isEqualTo("OK");
                before = client.topic(STREAM, "events").orElseThrow();
            }
            server = restart(server, end);
            try (RawClient client = server.client()) {
                assertThat(client.topic(STREAM, "events").orElseThrow())
                        .usingRecursiveComparison()
                        .isEqualTo(before);
                assertThat(client.storedOffset(CONSUMER, STREAM, "events", 0)).hasValue(33);
                for (int partition = 0; partition < 2; partition++) {
                    Polled polled = client.poll(STREAM, "events", partition, Strategy.first(), 100);
                    List<String> expected = new ArrayList<>();
                    for (int i = partition; i < 100; i += 2) {
                        expected.add(text(i));
                    }
                    assertThat(polled.texts()).isEqualTo(expected);
                }
                assertThat(client.send(STREAM, "events", Partitioning.to(0), "next")
                                .baseOffset())
                        .as("offsets go on without a jump")
                        .isEqualTo(50);
                assertThat(client.poll(CONSUMER, STREAM, "events", 0, Strategy.next(), 100, false)
                                .offsets())
                        .as("Next behind the stored offset")
                        .startsWith(34L)
                        .endsWith(50L);
            }
        } finally {
            server.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void oneMessageIsFollowedByTheSecond(End end) throws Exception {
        Assumptions.assumeFalse(Target.current().isReference() && end == End.SIGKILL, "the reference server loses it");
        ServerProcess server = ServerProcess.start(settings());
        try {
            try (RawClient client = server.client()) {
                client.createStream(STREAM);
                client.createTopic(STREAM, "events", 1);
                assertThat(client.send(STREAM, "events", Partitioning.to(0), "first")
                                .baseOffset())
                        .isZero();
            }
            server = restart(server, end);
            try (RawClient client = server.client()) {
                assertThat(client.send(STREAM, "events", Partitioning.to(0), "second")
                                .baseOffset())
                        .isEqualTo(1);
                assertThat(client.poll(STREAM, "events", 0, Strategy.first(), 10)
                                .texts())
                        .containsExactly("first", "second");
            }
        } finally {
            server.close();
        }
    }

    @Test
    void aRepeatedMetadataCommandGetsItsOldReplyAfterAKill() throws Exception {
        ServerProcess server = ServerProcess.start(settings());
        try {
            RequestFrame creation;
            ReplyFrame first;
            byte[] id;
            try (RawClient client = server.client()) {
                id = client.clientId();
                creation = client.write(
                                Operation.CREATE_STREAM, Body.of().name(STREAM).toBytes())
                        .stamped();
                first = client.exchange(creation);
                assertThat(first.outcome()).isEqualTo("OK");
                server.kill();
            }
            server = server.startAgain();
            try (RawClient client = RawClient.connect(server.address())) {
                client.useClientId(id);
                assertThat(client.login("iggy", "iggy").outcome()).isEqualTo("OK");
                ReplyFrame second = client.exchange(creation);
                assertThat(second.header()).as("header of the repeated reply").isEqualTo(first.header());
                assertThat(second.body()).as("body of the repeated reply").isEqualTo(first.body());
                assertThat(client.streams()).hasSize(1);
                RequestFrame next = new RequestFrame(
                        id,
                        0,
                        2,
                        Operation.CREATE_STREAM,
                        client.session(),
                        0,
                        Body.of().name("next").toBytes());
                assertThat(client.exchange(next).outcome()).isEqualTo("OK");
            }
        } finally {
            server.close();
        }
    }

    @Test
    void idsAreReusedLowestFirstAfterARestart() throws Exception {
        ServerProcess server = ServerProcess.start(settings());
        try {
            try (RawClient client = server.client()) {
                for (String name : List.of("a", "b", "c")) {
                    client.createStream(name);
                    client.createTopic(name, "t", 1);
                    client.send(name, "t", Partitioning.to(0), "of " + name);
                }
                client.succeed(Operation.DELETE_STREAM, Body.of().id("b"));
            }
            server = restart(server, End.SIGTERM);
            try (RawClient client = server.client()) {
                assertThat(client.createStream("d").id()).isEqualTo(1);
                assertThat(client.createTopic("d", "t", 1).id()).isZero();
                assertThat(client.poll("d", "t", 0, Strategy.first(), 10).messages())
                        .as("messages of a new topic under an old number")
                        .isEmpty();
                assertThat(client.poll("c", "t", 0, Strategy.first(), 10).texts())
                        .containsExactly("of c");
            }
        } finally {
            server.close();
        }
    }

    @Test
    void garbageBehindTheLastBatchIsCutOff() throws Exception {
        Assumptions.assumeFalse(Target.current().isReference(), "the reference server keeps messages in memory");
        ServerProcess server = ServerProcess.start(settings());
        try {
            TopicDescription before = fill(server, 30);
            server.kill();
            for (int round = 0; round < 2; round++) {
                Files.write(logFile(), new byte[] {1, 2, 3, 4, 5, 6, 7}, StandardOpenOption.APPEND);
                server = server.startAgain();
                try (RawClient client = server.client()) {
                    assertThat(client.topic(STREAM, "events").orElseThrow())
                            .usingRecursiveComparison()
                            .isEqualTo(before);
                    assertThat(client.poll(STREAM, "events", 0, Strategy.first(), 100)
                                    .texts())
                            .hasSize(30);
                }
                server.kill();
            }
        } finally {
            server.close();
        }
    }

    @Test
    void aLogThatEndsInTheMiddleOfABatchIsCutToWholeBatches() throws Exception {
        Assumptions.assumeFalse(Target.current().isReference(), "the reference server keeps messages in memory");
        ServerProcess server = ServerProcess.start(settings());
        try {
            fill(server, 30);
            server.kill();
            truncateContent(logFile(), 10);
            server = server.startAgain();
            try (RawClient client = server.client()) {
                Polled polled = client.poll(STREAM, "events", 0, Strategy.first(), 100);
                assertThat(polled.messages())
                        .as("whole batches before the torn one")
                        .hasSize(29);
                assertThat(polled.texts().getLast()).isEqualTo(text(28));
                assertThat(client.send(STREAM, "events", Partitioning.to(0), "next")
                                .baseOffset())
                        .isGreaterThanOrEqualTo(29);
            }
        } finally {
            server.close();
        }
    }

    @Test
    void anIndexThatIsGoneTornOrWrongIsMadeAgain() throws Exception {
        Assumptions.assumeFalse(Target.current().isReference(), "the reference server keeps messages in memory");
        ServerProcess server = ServerProcess.start(settings());
        try {
            fill(server, 200);
            server.kill();
            Path index = Path.of(logFile().toString().replace(".log", ".index"));
            for (int damage = 0; damage < 3; damage++) {
                switch (damage) {
                    case 0 -> Files.deleteIfExists(index);
                    case 1 -> Files.write(index, new byte[] {1, 2, 3}, StandardOpenOption.CREATE);
                    default ->
                        Files.write(
                                index,
                                "not an index at all, for longer".repeat(200).getBytes(StandardCharsets.UTF_8));
                }
                server = server.startAgain();
                try (RawClient client = server.client()) {
                    for (int offset = 0; offset < 200; offset += 37) {
                        assertThat(client.poll(STREAM, "events", 0, Strategy.offset(offset), 1)
                                        .texts())
                                .as("damage %s, offset %s", damage, offset)
                                .containsExactly(text(offset));
                    }
                }
                server.kill();
            }
        } finally {
            server.close();
        }
    }

    @Test
    void damageInTheMiddleIsToldAndTheRestIsServed() throws Exception {
        Assumptions.assumeFalse(Target.current().isReference(), "the reference server keeps messages in memory");
        ServerProcess server = ServerProcess.start(settings());
        try {
            fill(server, 30);
            server.kill();
            flipByteOf(text(10));
            server = server.startAgain();
            try (RawClient client = server.client()) {
                assertThat(client.ask(
                                        io.galgo.torture.wire.Code.POLL,
                                        RawClient.pollBody(
                                                CONSUMER, STREAM, "events", 0, Strategy.offset(10), 1, false))
                                .outcome())
                        .isEqualTo("DENY 4039");
                assertThat(client.poll(STREAM, "events", 0, Strategy.first(), 10)
                                .texts())
                        .as("before the damage")
                        .hasSize(10);
                assertThat(client.poll(STREAM, "events", 0, Strategy.offset(11), 100)
                                .texts())
                        .as("behind the damage")
                        .hasSize(19);
                assertThat(client.send(STREAM, "events", Partitioning.to(0), "next")
                                .baseOffset())
                        .isGreaterThanOrEqualTo(30);
                assertThat(client.poll(STREAM, "events", 0, Strategy.last(), 1).texts())
                        .containsExactly("next");
            }
        } finally {
            server.close();
        }
    }

    private TopicDescription fill(ServerProcess server, int count) throws IOException {
        try (RawClient client = server.client()) {
            client.createStream(STREAM);
            client.createTopic(STREAM, "events", 1);
            for (int i = 0; i < count; i++) {
                client.send(STREAM, "events", Partitioning.to(0), List.of(Message.of(text(i))));
            }
            return client.topic(STREAM, "events").orElseThrow();
        }
    }

    private Path logFile() {
        return folder.resolve("data/streams/0/topics/0/partitions/0/00000000000000000000.log");
    }

    /// Takes the last bytes of what was written, and the zeros behind.
    private static void truncateContent(Path file, int bytes) throws IOException {
        byte[] content = Files.readAllBytes(file);
        int end = content.length;
        while (end > 0 && content[end - 1] == 0) {
            end--;
        }
        try (RandomAccessFile random = new RandomAccessFile(file.toFile(), "rw")) {
            random.setLength(end - bytes);
        }
    }

    private void flipByteOf(String payload) throws IOException {
        byte[] content = Files.readAllBytes(logFile());
        int at = new String(content, StandardCharsets.ISO_8859_1).indexOf(payload);
        assertThat(at).as("position of \"%s\" in the log file", payload).isPositive();
        content[at] ^= 1;
        Files.write(logFile(), content);
    }

    private static ServerProcess restart(ServerProcess server, End end) throws IOException, InterruptedException {
        switch (end) {
            case SIGTERM -> assertThat(server.stop()).as("exit code").isZero();
            case SIGKILL -> server.kill();
        }
        return server.startAgain();
    }

    private static String text(int number) {
        return "the text of message " + number + ".";
    }

    private ServerSettings settings() {
        return Servers.on(folder.resolve("data"));
    }
}
