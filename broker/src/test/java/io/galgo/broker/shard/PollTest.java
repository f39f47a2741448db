package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.Options;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.TypedValue;
import io.galgo.protocol.reply.PollHeader;
import io.galgo.protocol.request.PollMessages;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {1, 3})
class PollTest {
    private final TestNode node;
    private final TestClient client;

    PollTest(int shardsCount) {
        node = new TestNode(shardsCount);
        client = node.root(0);
        client.createTopic(3);
    }

    private static PollMessages poll(
            ConsumerRef consumer, String stream, String topic, OptionalPartition partition, PollingStrategy strategy) {
        return new PollMessages(consumer, Identifier.of(stream), Identifier.of(topic), partition, strategy, 10, false);
    }

    @Test
    void eachMissingTargetHasItsCode() {
        OptionalPartition first = OptionalPartition.of(0);
        ConsumerRef me = TestClient.CONSUMER;
        assertThat(client.ask(poll(me, "none", "t", first, PollingStrategy.FIRST))
                        .outcome())
                .isEqualTo("deny 1009");
        assertThat(client.ask(poll(me, "s", "none", first, PollingStrategy.FIRST))
                        .outcome())
                .isEqualTo("deny 2010");
        assertThat(client.ask(poll(me, "s", "t", OptionalPartition.of(3), PollingStrategy.FIRST))
                        .outcome())
                .isEqualTo("deny 3007");
        assertThat(client.ask(poll(me, "s", "t", OptionalPartition.of(-1), PollingStrategy.FIRST))
                        .outcome())
                .isEqualTo("deny 3007");
    }

    @Test
    void strangeKindsAreDenied() {
        OptionalPartition first = OptionalPartition.of(0);
        assertThat(client.ask(poll(TestClient.CONSUMER, "s", "t", first, new PollingStrategy(9, 0)))
                        .outcome())
                .isEqualTo("deny 3");
        assertThat(client.ask(poll(new ConsumerRef(3, Identifier.of(1)), "s", "t", first, PollingStrategy.FIRST))
                        .outcome())
                .isEqualTo("deny 3");
        assertThat(client.ask(poll(new ConsumerRef(3, Identifier.of(1)), "s", "none", first, PollingStrategy.FIRST))
                        .outcome())
                .as("the target comes before the kind of consumer")
                .isEqualTo("deny 2010");
        ByteBuffer undecodable = client.frame(TestClient.poll(0, PollingStrategy.FIRST, 1, false));
        undecodable.put(FrameHeader.BYTES + 1, (byte) 7);
        assertThat(client.ask(undecodable).outcome()).isEqualTo("deny 3");
    }

    @Test
    void aGroupPollAsksToSyncBecauseThereIsNoSuchGroup() {
        ConsumerRef group = ConsumerRef.group(Identifier.of("g"));
        assertThat(client.ask(poll(group, "s", "t", OptionalPartition.NONE, PollingStrategy.NEXT))
                        .outcome())
                .isEqualTo("deny 6");
        for (String stream : List.of("s", "none")) {
            Answer answer = client.ask(poll(group, stream, "t", OptionalPartition.of(0), PollingStrategy.NEXT));
            assertThat(answer.outcome()).isEqualTo("ok");
            assertThat(answer.body().remaining()).isEqualTo(PollHeader.BYTES);
            assertThat(PollHeader.partitionId(answer.body(), 0)).isEqualTo(PollHeader.PARTITION_NOT_OWNED);
        }
    }

    @Test
    void anEmptyPartitionGivesAnEmptyPoll() {
        for (PollingStrategy strategy : List.of(
                PollingStrategy.FIRST,
                PollingStrategy.LAST,
                PollingStrategy.NEXT,
                PollingStrategy.offset(0),
                PollingStrategy.offset(-1),
                PollingStrategy.timestamp(0))) {
            Answer answer = client.ask(TestClient.poll(2, strategy, 10, true));
            assertThat(answer.outcome()).isEqualTo("ok");
            assertThat(answer.body().remaining()).isEqualTo(PollHeader.BYTES);
            assertThat(PollHeader.partitionId(answer.body(), 0)).isEqualTo(2);
            assertThat(PollHeader.currentOffset(answer.body(), 0)).isZero();
        }
        assertThat(client.stored(TestClient.CONSUMER, 2)).isEqualTo(-1);
    }

    @Test
    void withoutAPartitionAConsumerReadsTheFirst() {
        client.sendOk(0, "zero");
        client.sendOk(1, "one");
        Answer answer = client.ask(poll(TestClient.CONSUMER, "s", "t", OptionalPartition.NONE, PollingStrategy.FIRST));
        assertThat(TestClient.payloads(TestClient.messages(answer))).containsExactly("zero");
    }

    /// Ten batches of one to four messages, at known times.
    private void fill() {
        long offset = 0;
        for (int batch = 0; batch < 10; batch++) {
            String[] payloads = new String[1 + batch % 4];
            for (int i = 0; i < payloads.length; i++) {
                payloads[i] = "m" + offset++;
            }
            node.clock.wallMicros(1_000L * (batch + 1));
            client.sendOk(0, payloads);
        }
    }

    @Test
    void everyRangeOfOffsetsIsServedExactly() {
        fill();
        int total = 23;
        for (int from = 0; from < total + 3; from++) {
            for (int count = 0; count < 12; count++) {
                List<Batches.Message> messages = client.pollOk(0, PollingStrategy.offset(from), count);
                long[] expected =
                        LongStream.range(from, Math.min(from + count, total)).toArray();
                assertThat(messages.stream().mapToLong(Batches.Message::offset).toArray())
                        .as("%s messages from %s", count, from)
                        .isEqualTo(expected);
                for (Batches.Message message : messages) {
                    assertThat(message.payload()).isEqualTo("m" + message.offset());
                }
            }
        }
    }

    @Test
    void everyReplyTellsTheCurrentOffset() {
        fill();
        for (PollingStrategy strategy : List.of(
                PollingStrategy.FIRST, PollingStrategy.LAST, PollingStrategy.offset(500), PollingStrategy.offset(5))) {
            for (long count : new long[] {0, 1, 0xFFFF_FFFFL}) {
                Answer answer = client.ask(TestClient.poll(0, strategy, count, false));
                assertThat(PollHeader.currentOffset(answer.body(), 0)).isEqualTo(22);
            }
        }
    }

    @Test
    void firstAndLastStandAtTheEnds() {
        fill();
        assertThat(TestClient.offsets(client.pollOk(0, PollingStrategy.FIRST, 3)))
                .containsExactly(0L, 1L, 2L);
        assertThat(TestClient.offsets(client.pollOk(0, PollingStrategy.LAST, 3)))
                .containsExactly(20L, 21L, 22L);
        assertThat(client.pollOk(0, PollingStrategy.LAST, 1_000)).hasSize(23);
        assertThat(client.pollOk(0, PollingStrategy.LAST, 0xFFFF_FFFFL)).hasSize(23);
        assertThat(client.pollOk(0, PollingStrategy.FIRST, 0xFFFF_FFFFL)).hasSize(23);
    }

    @Test
    void aTimestampStartsAtTheFirstBatchThatIsNotOlder() {
        fill();
        assertThat(TestClient.offsets(client.pollOk(0, PollingStrategy.timestamp(0), 1)))
                .containsExactly(0L);
        assertThat(TestClient.offsets(client.pollOk(0, PollingStrategy.timestamp(3_000), 1)))
                .containsExactly(3L);
        assertThat(TestClient.offsets(client.pollOk(0, PollingStrategy.timestamp(3_001), 1)))
                .containsExactly(6L);
        assertThat(client.pollOk(0, PollingStrategy.timestamp(10_001), 1)).isEmpty();
        assertThat(client.pollOk(0, PollingStrategy.timestamp(-1), 1))
                .as("2^64-1")
                .isEmpty();
    }

    @Test
    void nextFollowsTheStoredOffset() {
        fill();
        assertThat(TestClient.offsets(client.pollOk(0, PollingStrategy.NEXT, 2)))
                .containsExactly(0L, 1L);
        assertThat(client.ask(TestClient.store(TestClient.CONSUMER, 0, 10)).outcome())
                .isEqualTo("ok");
        assertThat(TestClient.offsets(client.pollOk(0, PollingStrategy.NEXT, 2)))
                .containsExactly(11L, 12L);
        assertThat(TestClient.offsets(client.pollOk(TestClient.poll(0, PollingStrategy.NEXT, 10, true))))
                .containsExactly(11L, 12L, 13L, 14L, 15L, 16L, 17L, 18L, 19L, 20L);
        assertThat(client.stored(TestClient.CONSUMER, 0)).isEqualTo(20);
        assertThat(client.pollOk(TestClient.poll(0, PollingStrategy.NEXT, 10, true)))
                .hasSize(2);
        assertThat(client.pollOk(TestClient.poll(0, PollingStrategy.NEXT, 10, true)))
                .isEmpty();
        assertThat(client.stored(TestClient.CONSUMER, 0)).isEqualTo(22);
    }

    @Test
    void autoCommitNeverGoesBack() {
        fill();
        assertThat(client.ask(TestClient.store(TestClient.CONSUMER, 0, 10)).outcome())
                .isEqualTo("ok");
        client.pollOk(TestClient.poll(0, PollingStrategy.offset(3), 2, true));
        assertThat(client.stored(TestClient.CONSUMER, 0)).isEqualTo(10);
        client.pollOk(TestClient.poll(0, PollingStrategy.offset(12), 2, true));
        assertThat(client.stored(TestClient.CONSUMER, 0)).isEqualTo(13);
    }

    @Test
    void anAutomaticOffsetIsSeenBeforeItIsOnDisk() {
        fill();
        client.post(TestClient.poll(0, PollingStrategy.NEXT, 5, true));
        while (node.runParcels() || node.transmit()) {}
        TestClient other = node.connect(0);
        if (!client.hasNothing()) {
            assertThat(TestClient.messages(client.next())).hasSize(5);
        } else {
            node.run();
            assertThat(TestClient.messages(client.next())).hasSize(5);
        }
        node.run();
        other.login();
        assertThat(other.stored(TestClient.CONSUMER, 0)).isEqualTo(4);
        node.run();
        node.killAndRestart();
        assertThat(node.root(0).stored(TestClient.CONSUMER, 0)).isEqualTo(4);
    }

    @Test
    void consumersByNumberAndByNameNeedNoRegistration() {
        fill();
        ConsumerRef number = ConsumerRef.consumer(Identifier.of(77));
        for (ConsumerRef consumer : List.of(number, TestClient.CONSUMER)) {
            PollMessages poll = new PollMessages(
                    consumer,
                    Identifier.of(0),
                    Identifier.of(0),
                    OptionalPartition.of(0),
                    PollingStrategy.NEXT,
                    4,
                    true);
            assertThat(TestClient.messages(client.ask(poll))).hasSize(4);
            assertThat(client.stored(consumer, 0)).isEqualTo(3);
        }
    }

    @Test
    void aReplyStaysBelowTheFrameLimitAndDeliversAtLeastOneMessage() {
        String payload = "x".repeat(300_000);
        for (int i = 0; i < 6; i++) {
            client.sendOk(0, payload);
        }
        Answer answer = client.ask(TestClient.poll(0, PollingStrategy.FIRST, 100, false));
        assertThat(answer.frame().remaining()).isLessThanOrEqualTo(1 << 20);
        assertThat(TestClient.messages(answer)).hasSize(3);
        node.assertNoMemoryIsHeld();
    }

    @Test
    void ordersAndRangesHoldAcrossSegmentsAndRestarts() {
        Options.Entry small = new Options.Entry("segment_size", TypedValue.uint64(1 << 20));
        assertThat(client.createTopic("s", "long", 1, small).outcome()).isEqualTo("ok");
        List<String> sent = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 60; i++) {
            String payload = i + ":" + "y".repeat(random.nextInt(120_000));
            sent.add(payload);
            Answer answer = client.ask(
                    TestClient.send("s", "long", io.galgo.protocol.Partitioning.partition(0), Batches.of(payload)));
            assertThat(answer.outcome()).isEqualTo("ok");
        }
        assertThat(readAll(client)).isEqualTo(sent);
        node.killAndRestart();
        assertThat(readAll(node.root(0))).isEqualTo(sent);
    }

    @Test
    void whatIsPolledDoesNotDependOnSizesSegmentsOrFlushes() {
        int combinations = 0;
        for (int payloadBytes : new int[] {1, 300, 15_000}) {
            for (int batchMessages : new int[] {1, 7, 50}) {
                for (long segmentBytes : new long[] {1, 20_000, 1 << 30}) {
                    for (int flushMessages : new int[] {1, 16, 1_024}) {
                        for (String durability : List.of("replicated", "persisted")) {
                            Variation variation =
                                    new Variation(payloadBytes, batchMessages, segmentBytes, flushMessages, durability);
                            variation.check(node.shardsCount());
                            combinations++;
                        }
                    }
                }
            }
        }
        assertThat(combinations).isEqualTo(162);
    }

    /// Messages of one length in batches of one count, on one kind of disk.
    private record Variation(
            int payloadBytes, int batchMessages, long segmentBytes, int flushMessages, String durability) {
        private static final int MESSAGES = 100;

        void check(int shardsCount) {
            BrokerSettings settings = Settings.with(TestNode.SETTINGS, "segmentBytesMax", segmentBytes);
            TestNode varied = new TestNode(shardsCount, settings, 1);
            TestClient client = varied.root(0);
            client.createTopic(
                    1,
                    new Options.Entry("messages_required_to_save", TypedValue.uint32(flushMessages)),
                    new Options.Entry("durability", TypedValue.string(durability)));
            for (int sent = 0; sent < MESSAGES; sent += batchMessages) {
                varied.clock.wallMicros(1_000_000L + sent);
                client.sendOk(0, payloads(sent, Math.min(MESSAGES, sent + batchMessages)));
            }
            checkPolls(client);
            varied.stopAndRestart();
            client = varied.root(0);
            assertThat(client.ask(TestClient.delete(TestClient.CONSUMER, 0)).outcome())
                    .isEqualTo("ok");
            checkPolls(client);
            varied.assertNoMemoryIsHeld();
        }

        private String[] payloads(int from, int to) {
            String[] payloads = new String[to - from];
            for (int i = 0; i < payloads.length; i++) {
                payloads[i] = payload(from + i);
            }
            return payloads;
        }

        private String payload(int number) {
            return payloadBytes == 1
                    ? Character.toString('0' + number % 10)
                    : number
                            + "x".repeat(payloadBytes - Integer.toString(number).length());
        }

        private void checkPolls(TestClient client) {
            for (int from : new int[] {0, 1, 6, 7, 49, 50, 51, 98, 99}) {
                int to = Math.min(MESSAGES, from + 11);
                checkMessages(client.pollOk(0, PollingStrategy.offset(from), 11), from, to);
            }
            checkMessages(client.pollOk(0, PollingStrategy.FIRST, 10), 0, 10);
            checkMessages(client.pollOk(0, PollingStrategy.LAST, 10), MESSAGES - 10, MESSAGES);
            int middle = 60 / batchMessages * batchMessages;
            checkMessages(client.pollOk(0, PollingStrategy.timestamp(1_000_000L + middle), 10), middle, middle + 10);
            for (int next = 0; next < MESSAGES; next += 20) {
                checkMessages(client.pollOk(TestClient.poll(0, PollingStrategy.NEXT, 20, true)), next, next + 20);
            }
            assertThat(client.pollOk(TestClient.poll(0, PollingStrategy.NEXT, 20, true)))
                    .as("behind the end, %s", this)
                    .isEmpty();
        }

        private void checkMessages(List<Batches.Message> messages, int from, int to) {
            assertThat(TestClient.offsets(messages))
                    .as("offsets, %s", this)
                    .isEqualTo(LongStream.range(from, to).boxed().toList());
            assertThat(TestClient.payloads(messages)).as("payloads, %s", this).containsExactly(payloads(from, to));
        }
    }

    private static List<String> readAll(TestClient client) {
        List<String> read = new ArrayList<>();
        while (true) {
            Answer answer = client.ask(new PollMessages(
                    TestClient.CONSUMER,
                    Identifier.of("s"),
                    Identifier.of("long"),
                    OptionalPartition.of(0),
                    PollingStrategy.offset(read.size()),
                    7,
                    false));
            List<Batches.Message> messages = TestClient.messages(answer);
            if (messages.isEmpty()) {
                return read;
            }
            for (Batches.Message message : messages) {
                assertThat(message.offset()).isEqualTo(read.size());
                read.add(message.payload());
            }
        }
    }

    @Test
    void quicClientsGetRepliesThatTheyCanRead() {
        TestNode large = new TestNode(1, Settings.with(TestNode.SETTINGS, "frameBytesMax", 32 << 20), 1);
        TestClient sender = large.root(0);
        sender.createTopic(1);
        for (int i = 0; i < 12; i++) {
            sender.sendOk(0, "x".repeat(1_000_000));
        }
        TestClient quic = large.connect(0, 2).login();
        Answer answer = quic.ask(TestClient.poll(0, PollingStrategy.FIRST, 100, false));
        assertThat(answer.frame().remaining()).isBetween(9_000_000, 10_000_000);
        assertThat(TestClient.messages(sender.ask(TestClient.poll(0, PollingStrategy.FIRST, 100, false))))
                .as("on TCP")
                .hasSize(12);
        large.assertNoMemoryIsHeld();
    }

    @Test
    void onlySoManyPollsWaitForTheDisk() {
        client.sendOk(0, "message");
        node.settings(settings -> Settings.with(settings, "pollsMax", 1));
        node.killAndRestart();
        TestClient first = node.root(0);
        TestClient second = node.root(0);
        first.post(TestClient.poll(0, PollingStrategy.FIRST, 1, false));
        second.post(TestClient.poll(0, PollingStrategy.FIRST, 1, false));
        node.run();
        assertThat(first.next().outcome()).isEqualTo("ok");
        assertThat(second.next().outcome()).isEqualTo("deny 58");
        assertThat(second.pollOk(0, PollingStrategy.FIRST, 1)).hasSize(1);
    }
}
