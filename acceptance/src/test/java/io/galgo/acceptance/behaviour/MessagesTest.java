package io.galgo.acceptance.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.Servers;
import io.galgo.acceptance.harness.SharedServer;
import io.galgo.acceptance.harness.Target;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Code;
import io.galgo.torture.wire.Confirmation;
import io.galgo.torture.wire.Message;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.Polled;
import io.galgo.torture.wire.PolledMessage;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.ReplyFrame;
import io.galgo.torture.wire.RequestFrame;
import io.galgo.torture.wire.Strategy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Sends, polls and consumer offsets.
@ExtendWith(ServerLogs.class)
class MessagesTest {
    private static final Body CONSUMER = Body.of().consumer(1);

    private ServerProcess server;
    private RawClient client;
    private String stream;

    @BeforeEach
    void connect() throws Exception {
        server = server();
        client = server.client();
        stream = SharedServer.newName("messages");
        client.createStream(stream);
        client.createTopic(stream, "events", 3);
    }

    /// The server to test. Another class runs the same tests on one whose logs are always on the move.
    ServerProcess server() throws IOException, InterruptedException {
        return SharedServer.running();
    }

    @AfterEach
    void disconnect() {
        client.close();
    }

    @Test
    void offsetsAreDenseFromZero() throws IOException {
        Confirmation first = client.send(stream, "events", Partitioning.to(2), "a", "b", "c");
        Confirmation second = client.send(stream, "events", Partitioning.to(2), "d");
        assertThat(first.baseOffset()).isZero();
        assertThat(first.partition()).isEqualTo(2);
        assertThat(second.baseOffset()).isEqualTo(3);
        Polled polled = client.poll(stream, "events", 2, Strategy.first(), 100);
        assertThat(polled.currentOffset()).isEqualTo(3);
        assertThat(polled.offsets()).containsExactly(0L, 1L, 2L, 3L);
        assertThat(polled.texts()).containsExactly("a", "b", "c", "d");
    }

    @Test
    void aBalancedSendGoesRoundAndAKeyStays() throws IOException {
        Set<Long> partitions = new HashSet<>();
        for (int i = 0; i < 3; i++) {
            partitions.add(
                    client.send(stream, "events", Partitioning.balanced(), "x").partition());
        }
        assertThat(partitions).containsExactlyInAnyOrder(0L, 1L, 2L);
        // XXH32 of "abc" is 0x32D153FF, which is 0 modulo 3; of "iggy-message-key" 0xF54B51C9, 0 modulo 3 as well.
        assertThat(client.send(stream, "events", Partitioning.key("abc"), "x").partition())
                .isEqualTo(0x32D153FFL % 3);
        assertThat(client.send(stream, "events", Partitioning.key("a"), "x").partition())
                .isEqualTo(0x550D7456L % 3);
        assertThat(client.send(stream, "events", Partitioning.key("hello world"), "x")
                        .partition())
                .isEqualTo(0xCEBB6622L % 3);
    }

    @Test
    void idsHeadersAndPayloadsComeBackAsTheyWere() throws IOException {
        Random random = new Random(5);
        List<Message> sent = new ArrayList<>();
        for (int length : new int[] {0, 1, 7, 255, 4095, 4096, 70_000}) {
            byte[] id = new byte[16];
            byte[] payload = new byte[length];
            byte[] headers = new byte[length % 300];
            random.nextBytes(id);
            random.nextBytes(payload);
            random.nextBytes(headers);
            sent.add(new Message(id, payload, headers));
        }
        client.send(stream, "events", Partitioning.to(0), sent);
        List<PolledMessage> messages =
                client.poll(stream, "events", 0, Strategy.first(), 100).messages();
        assertThat(messages).hasSameSizeAs(sent);
        for (int i = 0; i < sent.size(); i++) {
            assertThat(messages.get(i).id()).isEqualTo(sent.get(i).id());
            assertThat(messages.get(i).payload()).isEqualTo(sent.get(i).payload());
            assertThat(messages.get(i).headers()).isEqualTo(sent.get(i).headers());
        }
    }

    @Test
    void headersOfEveryKindComeBackAsTheyWere() throws IOException {
        // Raw bytes, a string and a Bool, then signed, unsigned and floating numbers.
        int[] lengths = {255, 3, 1, 1, 2, 4, 8, 16, 1, 2, 4, 8, 16, 4, 8};
        Random random = new Random(15);
        Body headers = Body.of();
        for (int kind = 1; kind <= lengths.length; kind++) {
            byte[] value = new byte[lengths[kind - 1]];
            random.nextBytes(value);
            headers.option("header " + kind, kind, kind == 3 ? new byte[] {1} : value);
        }

        assertHeadersComeBack(headers.toBytes());
    }

    @Test
    void aHundredThousandBytesOfHeadersComeBackAsTheyWere() throws IOException {
        Body headers = Body.of();
        for (int i = 0; i < 400; i++) {
            headers.option("h%07d".formatted(i), "v".repeat(232));
        }
        assertThat(headers.length()).isEqualTo(100_000);

        assertHeadersComeBack(headers.toBytes());
    }

    private void assertHeadersComeBack(byte[] headers) throws IOException {
        Message sent = new Message(new byte[16], new byte[] {7}, headers);
        client.send(stream, "events", Partitioning.to(0), List.of(sent, Message.of("plain")));

        List<PolledMessage> messages =
                client.poll(stream, "events", 0, Strategy.first(), 10).messages();
        assertThat(messages).hasSize(2);
        assertThat(messages.get(0).headers()).isEqualTo(headers);
        assertThat(messages.get(0).payload()).containsExactly(7);
        assertThat(messages.get(1).headers()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {32_000, 33_000, 1_000_000, 10_000_000, 40_000_000})
    void largeMessagesComeBackAsTheyWere(int length) throws IOException {
        byte[] payload = new byte[length];
        new Random(length).nextBytes(payload);
        client.send(stream, "events", Partitioning.to(0), "before");
        client.send(stream, "events", Partitioning.to(0), List.of(Message.of(payload)));
        client.send(stream, "events", Partitioning.to(0), "after");
        Polled polled = client.poll(stream, "events", 0, Strategy.first(), 10);
        assertThat(polled.messages()).hasSize(3);
        assertThat(polled.messages().get(1).payload()).isEqualTo(payload);
        client.succeed(Operation.DELETE_STREAM, Body.of().id(stream));
    }

    @Test
    void aPollReplyStaysBelowTheLargestFrame() throws IOException {
        Assumptions.assumeFalse(Target.current().isReference(), "the reference server sends larger replies");
        byte[] payload = new byte[15_000_000];
        for (int i = 0; i < 6; i++) {
            client.send(stream, "events", Partitioning.to(0), List.of(Message.of(payload)));
        }
        Polled polled = client.poll(stream, "events", 0, Strategy.first(), 100);
        assertThat(polled.messages().size()).as("messages in one reply").isBetween(1, 4);
        assertThat(client.poll(stream, "events", 0, Strategy.offset(5), 100).messages())
                .hasSize(1);
        client.succeed(Operation.DELETE_STREAM, Body.of().id(stream));
    }

    @Test
    void everyStrategyFindsItsStartWhereverBatchesEnd() throws IOException {
        client.createTopic(
                stream, "small", 1, Body.of().option("segment_size", 1 << 20).toBytes());
        Random random = new Random(11);
        List<String> all = new ArrayList<>();
        while (all.size() < 3000) {
            List<Message> batch = new ArrayList<>();
            for (int i = random.nextInt(40); i >= 0; i--) {
                String text = all.size() + " " + "x".repeat(random.nextInt(1500));
                all.add(text);
                batch.add(Message.of(text));
            }
            client.send(stream, "small", Partitioning.to(0), batch);
        }
        assertThat(client.topic(stream, "small")
                        .orElseThrow()
                        .partitions()
                        .getFirst()
                        .segmentsCount())
                .as("segments")
                .isGreaterThan(1);
        for (int i = 0; i < 300; i++) {
            int start = random.nextInt(all.size());
            int count = 1 + random.nextInt(120);
            Polled polled = client.poll(stream, "small", 0, Strategy.offset(start), count);
            assertThat(polled.texts())
                    .as("%s from offset %s", count, start)
                    .isEqualTo(all.subList(start, Math.min(all.size(), start + count)));
            assertThat(polled.currentOffset()).isEqualTo(all.size() - 1);
        }
        assertThat(client.poll(stream, "small", 0, Strategy.first(), 10).texts())
                .isEqualTo(all.subList(0, 10));
        assertThat(client.poll(stream, "small", 0, Strategy.last(), 100).texts())
                .isEqualTo(all.subList(all.size() - 100, all.size()));
        assertThat(client.poll(stream, "small", 0, Strategy.last(), 100_000).messages())
                .hasSize(all.size());
        List<PolledMessage> messages =
                client.poll(stream, "small", 0, Strategy.first(), 100_000).messages();
        for (int i = 0; i < 50; i++) {
            long time = messages.get(random.nextInt(messages.size())).timestamp() - random.nextInt(2);
            long first = messages.stream()
                    .filter(message -> message.timestamp() >= time)
                    .findFirst()
                    .orElseThrow()
                    .offset();
            assertThat(client.poll(stream, "small", 0, Strategy.timestamp(time), 5)
                            .offsets())
                    .as("from time %s", time)
                    .startsWith(first);
        }
    }

    @Test
    void aStartBeyondTheEndAndACountOfNothingGiveEmptyPolls() throws IOException {
        Polled empty = client.poll(stream, "events", 0, Strategy.first(), 10);
        assertThat(empty.messages()).isEmpty();
        assertThat(empty.currentOffset()).isZero();
        client.send(stream, "events", Partitioning.to(0), "a", "b");
        for (Strategy strategy : List.of(
                Strategy.offset(2), Strategy.offset(-1), Strategy.timestamp(Long.MAX_VALUE), Strategy.timestamp(-1))) {
            Polled polled = client.poll(stream, "events", 0, strategy, 10);
            assertThat(polled.messages()).as("%s", strategy).isEmpty();
            assertThat(polled.currentOffset()).isEqualTo(1);
        }
        assertThat(client.poll(stream, "events", 0, Strategy.first(), 0).messages())
                .isEmpty();
        assertThat(client.poll(stream, "events", 0, Strategy.timestamp(0), 10).texts())
                .containsExactly("a", "b");
        assertThat(client.poll(stream, "events", 0, Strategy.first(), 0xFFFF_FFFFL)
                        .messages())
                .hasSize(2);
    }

    @Test
    void nextGoesOnBehindTheStoredOffset() throws IOException {
        client.send(stream, "events", Partitioning.to(0), "0", "1", "2", "3", "4", "5");
        assertThat(next(2, true)).containsExactly("0", "1");
        assertThat(client.storedOffset(CONSUMER, stream, "events", 0)).hasValue(1);
        assertThat(next(2, false)).containsExactly("2", "3");
        assertThat(next(2, true)).containsExactly("2", "3");
        assertThat(client.poll(CONSUMER, stream, "events", 0, Strategy.offset(0), 1, true)
                        .texts())
                .containsExactly("0");
        assertThat(client.storedOffset(CONSUMER, stream, "events", 0))
                .as("an automatic offset never moves back")
                .hasValue(3);
        assertThat(client.storeOffset(CONSUMER, stream, "events", 0, 0).outcome())
                .isEqualTo("OK");
        assertThat(next(10, true)).as("after a store moved it back").containsExactly("1", "2", "3", "4", "5");
        assertThat(next(10, true)).isEmpty();
        assertThat(client.storedOffset(CONSUMER, stream, "events", 0)).hasValue(5);
    }

    @Test
    void aNamedConsumerIsTheNumberOfItsHash() throws IOException {
        client.send(stream, "events", Partitioning.to(0), "0", "1");
        assertThat(client.storeOffset(Body.of().consumer("abc"), stream, "events", 0, 1)
                        .outcome())
                .isEqualTo("OK");
        assertThat(client.storedOffset(Body.of().consumer(0x32D153FFL), stream, "events", 0))
                .hasValue(1);
    }

    @Test
    void aPollWithoutPartitionReadsTheFirst() throws IOException {
        client.send(stream, "events", Partitioning.to(0), "here");
        client.send(stream, "events", Partitioning.to(1), "not here");
        ReplyFrame reply = client.ask(
                Code.POLL,
                Body.of()
                        .consumer(1)
                        .id(stream)
                        .id("events")
                        .anyPartition()
                        .strategy(3, 0)
                        .u32(10)
                        .u8(0));
        assertThat(reply.outcome()).isEqualTo("OK");
        assertThat(new String(reply.body(), java.nio.charset.StandardCharsets.UTF_8))
                .contains("here")
                .doesNotContain("not here");
    }

    @Test
    void aRepeatedSendIsWrittenOnce() throws IOException {
        Assumptions.assumeFalse(Target.current().isReference(), "the reference server writes it again");
        RequestFrame send = client.write(
                Operation.SEND, RawClient.sendBody(stream, "events", Partitioning.to(0), List.of(Message.of("once"))));
        Confirmation first = RawClient.confirmationOf(client.exchange(send));
        ReplyFrame second = client.exchange(send);
        assertThat(second.outcome()).isEqualTo("OK");
        assertThat(RawClient.confirmationOf(second)).isEqualTo(first);
        assertThat(client.poll(stream, "events", 0, Strategy.first(), 10).texts())
                .containsExactly("once");
    }

    @Test
    void anotherBatchUnderAUsedNumberIsWritten() throws IOException {
        Assumptions.assumeFalse(Target.current().isReference(), "the reference server takes it for a repetition");
        RequestFrame send = client.write(
                Operation.SEND, RawClient.sendBody(stream, "events", Partitioning.to(0), List.of(Message.of("one"))));
        client.exchange(send);
        byte[] other = RawClient.sendBody(stream, "events", Partitioning.to(0), List.of(Message.of("two")));
        RequestFrame same =
                new RequestFrame(send.client(), 0, send.request(), send.operation(), send.session(), 0, other);
        assertThat(RawClient.confirmationOf(client.exchange(same)).baseOffset()).isEqualTo(1);
        assertThat(client.poll(stream, "events", 0, Strategy.first(), 10).texts())
                .containsExactly("one", "two");
    }

    @Test
    void pipelinedRequestsOfAllKindsAreAnsweredInOrder() throws IOException {
        Assumptions.assumeFalse(Target.current().isReference(), "replies of the reference server overtake each other");
        Body frames = Body.of();
        List<Long> numbers = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            RequestFrame frame = switch (i % 5) {
                case 0, 1 ->
                    client.write(
                            Operation.SEND,
                            RawClient.sendBody(
                                    stream, "events", Partitioning.to(i % 3), List.of(Message.of("message " + i))));
                case 2 ->
                    client.read(
                            Code.POLL, RawClient.pollBody(CONSUMER, stream, "events", i % 3, Strategy.last(), 5, true));
                case 3 -> client.read(Code.STREAM, Body.of().id(stream).toBytes());
                default ->
                    client.write(
                                    Operation.CREATE_TOPIC,
                                    Body.of()
                                            .id(stream)
                                            .u32(1)
                                            .name("piped-" + i)
                                            .toBytes())
                            .stamped();
            };
            numbers.add(frame.request());
            frames.raw(frame.toBytes());
        }
        client.transmit(frames.toBytes());
        for (long number : numbers) {
            ReplyFrame reply = client.receive();
            assertThat(reply.request()).as("number of the next reply").isEqualTo(number);
            assertThat(reply.outcome()).isEqualTo("OK");
        }
        assertThat(client.topic(stream, "events").orElseThrow().messagesCount()).isEqualTo(48);
    }

    @ParameterizedTest
    @CsvSource({"1, 5", "3, 3"})
    void producersAndConsumersAtOnceSeeEveryMessageOnce(int producers, int consumers) throws Exception {
        int each = 400;
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
        for (int producer = 0; producer < producers; producer++) {
            int number = producer;
            threads.add(actor(failures, own -> {
                for (int i = 0; i < each; i++) {
                    own.send(stream, "events", Partitioning.to(0), number + ":" + i);
                }
            }));
        }
        for (int consumer = 0; consumer < consumers; consumer++) {
            threads.add(actor(failures, own -> {
                long next = 0;
                int[] seen = new int[producers];
                while (next < (long) producers * each) {
                    for (PolledMessage message : own.poll(stream, "events", 0, Strategy.offset(next), 70)
                            .messages()) {
                        String[] parts = message.text().split(":", -1);
                        int producer = Integer.parseInt(parts[0]);
                        assertThat(message.offset()).isEqualTo(next);
                        assertThat(Integer.parseInt(parts[1]))
                                .as("messages of one producer come in its order")
                                .isEqualTo(seen[producer]);
                        seen[producer]++;
                        next++;
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join(60_000);
            assertThat(thread.isAlive()).as("%s still runs", thread.getName()).isFalse();
        }
        assertThat(failures).isEmpty();
    }

    @Test
    void theNumberOfConsumerOffsetsIsLimited(@org.junit.jupiter.api.io.TempDir java.nio.file.Path folder)
            throws Exception {
        var settings = Servers.on(folder.resolve("data"));
        String prefix = Target.current().isReference() ? "IGGY_" : "GALGO_";
        Assumptions.assumeFalse(Target.current().isReference(), "the reference server has no such limit");
        try (ServerProcess own =
                        ServerProcess.start(settings.withVariable(prefix + "PARTITION_CONSUMER_OFFSETS_MAX", "4"));
                RawClient root = own.client()) {
            root.createStream("limited");
            root.createTopic("limited", "events", 1);
            root.send("limited", "events", Partitioning.to(0), "0", "1");
            for (int consumer = 1; consumer <= 4; consumer++) {
                assertThat(store(root, consumer, 0)).isEqualTo("OK");
            }
            assertThat(store(root, 5, 0)).isEqualTo("DENY 3024");
            assertThat(root.ask(
                                    Code.POLL,
                                    RawClient.pollBody(
                                            Body.of().consumer(5), "limited", "events", 0, Strategy.next(), 1, true))
                            .outcome())
                    .isEqualTo("DENY 3024");
            assertThat(store(root, 4, 1)).isEqualTo("OK");
            assertThat(root.deleteOffset(Body.of().consumer(2), "limited", "events", 0)
                            .outcome())
                    .isEqualTo("OK");
            assertThat(store(root, 5, 0)).isEqualTo("OK");
        }
    }

    private static String store(RawClient client, long consumer, long offset) throws IOException {
        return client.storeOffset(Body.of().consumer(consumer), "limited", "events", 0, offset)
                .outcome();
    }

    private List<String> next(int count, boolean commit) throws IOException {
        return client.poll(CONSUMER, stream, "events", 0, Strategy.next(), count, commit)
                .texts();
    }

    private interface Work {
        void run(RawClient client) throws IOException;
    }

    private Thread actor(List<Throwable> failures, Work work) {
        return Thread.ofPlatform().start(() -> {
            try (RawClient own = server.client()) {
                work.run(own);
            } catch (IOException | RuntimeException | AssertionError e) {
                failures.add(e);
            }
        });
    }
}
