package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.Options;
import io.galgo.protocol.Partitioning;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.TypedValue;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.batch.MessageFrame;
import io.galgo.protocol.reply.SendConfirmation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {1, 2, 3})
class SendTest {
    private final TestNode node;
    private final TestClient client;

    SendTest(int shardsCount) {
        node = new TestNode(shardsCount);
        client = node.root(0);
        client.createTopic(3);
    }

    private static SendConfirmation confirmation(Answer answer) {
        assertThat(answer.outcome()).isEqualTo("ok");
        List<SendConfirmation> confirmations = TestClient.confirmations(answer).confirmations();
        assertThat(confirmations).hasSize(1);
        return confirmations.getFirst();
    }

    @Test
    void offsetsBeginAtZeroAndGoOnFromBatchToBatch() {
        for (int partition = 0; partition < 3; partition++) {
            assertThat(client.sendOk(partition, "a", "b")).isZero();
            assertThat(client.sendOk(partition, "c")).isEqualTo(2);
            assertThat(client.sendOk(partition, "d")).isEqualTo(3);
        }
    }

    @Test
    void theConfirmationNamesThePlace() {
        assertThat(confirmation(client.ask(TestClient.send(2, "a")))).isEqualTo(new SendConfirmation(0, 0, 2, 0));
    }

    @Test
    void balancedSendsTakeThePartitionsInTurn() {
        List<Integer> partitions = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            Answer answer = client.ask(TestClient.send(Partitioning.balanced(), Batches.of("a", "b")));
            partitions.add(confirmation(answer).partitionId());
        }
        assertThat(partitions).containsExactly(0, 1, 2, 0, 1, 2, 0);
    }

    @Test
    void aKeyAlwaysLeadsToItsPartition() {
        Partitioning key = Partitioning.key("abc".getBytes(StandardCharsets.UTF_8));
        for (int i = 0; i < 3; i++) {
            SendConfirmation place = confirmation(client.ask(TestClient.send(key, Batches.of("a"))));
            // XXH32 of "abc" is 0x32D153FF, which leaves 0 when divided by 3.
            assertThat(place.partitionId()).isZero();
            assertThat(place.baseOffset()).isEqualTo(i);
        }
    }

    @Test
    void aMissingTargetIsNotFoundWhateverIsMissing() {
        ByteBuffer batch = Batches.of("a");
        assertThat(client.ask(TestClient.send("none", "t", Partitioning.partition(0), batch))
                        .outcome())
                .isEqualTo("deny 20");
        assertThat(client.ask(TestClient.send("s", "none", Partitioning.partition(0), batch))
                        .outcome())
                .isEqualTo("deny 20");
        for (int partition : new int[] {3, 1_000_000, -1}) {
            assertThat(client.ask(TestClient.send(Partitioning.partition(partition), batch))
                            .outcome())
                    .isEqualTo("deny 20");
        }
        assertThat(client.createTopic("s", "empty", 0).outcome()).isEqualTo("ok");
        assertThat(client.ask(TestClient.send("s", "empty", Partitioning.balanced(), batch))
                        .outcome())
                .isEqualTo("deny 20");
    }

    @Test
    void undecodableMetadataAreNotFoundToo() {
        ByteBuffer frame = client.frame(TestClient.send(0, "a"));
        frame.put(FrameHeader.BYTES + 4, (byte) 9);
        assertThat(client.ask(frame).outcome()).isEqualTo("deny 20");
    }

    @Test
    void eachWrongPartOfABatchHasItsCode() {
        // Metadata: 4 bytes length, names of one letter (3 bytes each), partition (6), count (4).
        int batch = FrameHeader.BYTES + 20;
        assertThat(broken(frame -> frame.putInt(batch - 4, 3)))
                .as("count beside the batch")
                .isEqualTo("deny 4009");
        assertThat(broken(frame -> frame.putInt(batch + 48, 0)))
                .as("count of 0")
                .isEqualTo("deny 4009");
        assertThat(broken(frame -> frame.putLong(batch + 32, 300)))
                .as("batch length")
                .isEqualTo("deny 3");
        assertThat(broken(frame -> frame.put(batch + 52, (byte) 1)))
                .as("reserved")
                .isEqualTo("deny 4101");
        assertThat(broken(frame -> frame.put(batch + 255, (byte) 1)))
                .as("reserved")
                .isEqualTo("deny 4101");
        assertThat(broken(frame -> frame.put(batch + 256 + 47, (byte) 1)))
                .as("reserved in a message")
                .isEqualTo("deny 4101");
        assertThat(broken(frame -> frame.put(batch + 256 + 48, (byte) 'z')))
                .as("payload")
                .isEqualTo("deny 4027");
        assertThat(broken(frame -> frame.putInt(batch + 256 + 36, 100_000)))
                .as("message length")
                .isEqualTo("deny 3");
        assertThat(broken(frame -> frame.put(batch + 40, (byte) (frame.get(batch + 40) + 1))))
                .as("batch checksum")
                .isEqualTo("deny 4039");
        assertThat(broken(frame -> frame.putInt(FrameHeader.BYTES, 17)))
                .as("metadata_length")
                .isEqualTo("deny 3");
        assertThat(client.sendOk(0, "good")).as("nothing was appended").isZero();
        node.assertNoMemoryIsHeld();
    }

    private interface Damage {
        void doTo(ByteBuffer frame);
    }

    private String broken(Damage damage) {
        ByteBuffer frame = client.frame(TestClient.send(0, "a", "b"));
        damage.doTo(frame);
        return client.ask(frame).outcome();
    }

    @Test
    void whatIsPolledIsWhatWasSentStampedAndWhole() {
        node.clock.wallMicros(1_700_000_000_111_111L);
        client.sendOk(1, "hello", "", "world");
        Answer answer = client.ask(TestClient.poll(1, PollingStrategy.FIRST, 10, false));
        List<Batches.Message> messages = TestClient.messages(answer);
        assertThat(TestClient.payloads(messages)).containsExactly("hello", "", "world");
        assertThat(TestClient.offsets(messages)).containsExactly(0L, 1L, 2L);
        assertThat(messages).allMatch(message -> message.timestamp() == 1_700_000_000_111_111L);
        ByteBuffer body = answer.body();
        int batch = 16;
        assertThat(BatchHeader.partitionId(body, batch)).isEqualTo(1);
        assertThat(BatchHeader.originTimestamp(body, batch)).isEqualTo(1_600_000_000_000_000L);
        assertThat(MessageFrame.idLow(body, batch + BatchHeader.BYTES)).isEqualTo(1);
        assertThat(MessageFrame.idHigh(body, batch + BatchHeader.BYTES)).isEqualTo(7);
        ByteBuffer again =
                body.duplicate().order(body.order()).position(batch).slice().order(body.order());
        long checksum = BatchHeader.checksum(again, 0);
        Batches.stamp(again);
        assertThat(BatchHeader.checksum(again, 0)).as("batch checksum").isEqualTo(checksum);
    }

    @Test
    void timestampsNeverDecreaseWhenTheClockGoesBack() {
        node.clock.wallMicros(2_000_000);
        client.sendOk(0, "a");
        node.clock.wallMicros(1_000_000);
        client.sendOk(0, "b");
        node.clock.wallMicros(3_000_000);
        client.sendOk(0, "c");
        assertThat(client.pollOk(0, PollingStrategy.FIRST, 10))
                .extracting(Batches.Message::timestamp)
                .containsExactly(2_000_000L, 2_000_000L, 3_000_000L);
    }

    @Test
    void theSameFrameTwiceIsAppendedOnceAndConfirmedAlike() {
        client.sendOk(0, "before");
        ByteBuffer frame = client.frame(TestClient.send(0, "once"));
        SendConfirmation first = confirmation(client.ask(frame));
        client.sendOk(0, "between");
        assertThat(confirmation(client.ask(frame))).isEqualTo(first);
        assertThat(TestClient.payloads(client.pollOk(0, PollingStrategy.FIRST, 10)))
                .containsExactly("before", "once", "between");
    }

    @Test
    void theSameNumberWithOtherContentIsAnotherSend() {
        ByteBuffer first = client.frame(TestClient.send(0, "first"));
        client.number--;
        ByteBuffer second = client.frame(TestClient.send(0, "second"));
        assertThat(confirmation(client.ask(first)).baseOffset()).isZero();
        assertThat(confirmation(client.ask(second)).baseOffset()).isEqualTo(1);
    }

    @Test
    void aRepetitionOfASendThatIsStillRunningIsToldToWait() {
        client.sendOk(0, "warm");
        ByteBuffer frame = client.frame(TestClient.send(0, "slow"));
        ByteBuffer other = client.frame(TestClient.send(0, "other content"));
        other.putLong(168, frame.getLong(168));
        client.deliver(frame);
        while (node.runParcels()) {}
        client.deliver(frame);
        client.deliver(other);
        node.run();
        assertThat(client.next().outcome()).isEqualTo("ok");
        assertThat(client.next().outcome()).as("the repetition").isEqualTo("deny 57");
        assertThat(client.next().outcome()).as("other content").isEqualTo("ok");
    }

    @Test
    void numbersMayHaveGapsAndComeOutOfOrder() {
        for (long number : new long[] {10, 200, 100, 73, 150, 50, 1_000_000}) {
            ByteBuffer frame = client.frame(TestClient.send(0, "number " + number));
            frame.putLong(168, number);
            assertThat(client.ask(frame).outcome()).as("number %s", number).isEqualTo("ok");
        }
        assertThat(client.pollOk(0, PollingStrategy.FIRST, 100)).hasSize(7);
    }

    @Test
    void sizesAndCountsAreThoseOfTheBatches() {
        for (int i = 0; i < 5; i++) {
            client.sendOk(i % 3, "p".repeat(57), "q".repeat(57));
        }
        assertThat(client.topic().topic().sizeBytes()).isEqualTo(5 * (256 + 2 * 105));
        assertThat(client.topic().topic().messagesCount()).isEqualTo(10);
        assertThat(client.topic().partitions().get(0).messagesCount()).isEqualTo(4);
        assertThat(client.topic().partitions().get(0).currentOffset()).isEqualTo(3);
    }

    @Test
    void persistedTopicsAreSyncedBeforeTheAnswer() {
        Options.Entry persisted = new Options.Entry("durability", TypedValue.string("persisted"));
        assertThat(client.createTopic("s", "safe", 1, persisted).outcome()).isEqualTo("ok");
        Answer answer = client.ask(TestClient.send("s", "safe", Partitioning.partition(0), Batches.of("kept")));
        assertThat(answer.outcome()).isEqualTo("ok");
        node.losePowerAndRestart(io.galgo.storage.disk.MemoryDisk.PowerLoss.CLEAN);
        TestClient later = node.root(0);
        Answer polled = later.ask(new io.galgo.protocol.request.PollMessages(
                TestClient.CONSUMER,
                io.galgo.protocol.Identifier.of("s"),
                io.galgo.protocol.Identifier.of("safe"),
                io.galgo.protocol.OptionalPartition.of(0),
                PollingStrategy.FIRST,
                10,
                false));
        assertThat(TestClient.payloads(TestClient.messages(polled))).containsExactly("kept");
    }

    @Test
    void aLargeBatchComesBackWhole() {
        String large = "abcdefghij".repeat(50_000);
        client.sendOk(1, "small");
        client.sendOk(1, large, large.substring(7));
        client.sendOk(1, "small again");
        assertThat(TestClient.payloads(client.pollOk(1, PollingStrategy.FIRST, 10)))
                .containsExactly("small", large, large.substring(7), "small again");
        node.assertNoMemoryIsHeld();
    }

    @Test
    void aConfirmedMessageIsReadableFromThenOnWhateverTheDiskIsDoing() {
        int polls = 0;
        for (long seed = 1; seed <= 20; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            BrokerSettings settings = Settings.with(TestNode.SETTINGS, "segmentBytesMax", 1_000L);
            settings = Settings.with(settings, "tailBytesMax", random.nextBoolean() ? 0L : 4L << 20);
            TestNode busy = new TestNode(node.shardsCount(), settings, seed);
            TestClient sender = busy.root(0);
            sender.createTopic(
                    1, new Options.Entry("messages_required_to_save", TypedValue.uint32(1 << random.nextInt(5))));
            TestClient reader = busy.root(busy.shardsCount() - 1);
            ArrayDeque<String> posted = new ArrayDeque<>();
            List<String> confirmed = new ArrayList<>();
            int asked = -1;
            boolean isBusy = true;
            for (int sent = 0; sent < 60 || isBusy; ) {
                if (sent < 60 && posted.size() < 6 && random.nextInt(3) == 0) {
                    posted.add("message " + sent++);
                    sender.post(TestClient.send(0, posted.getLast()));
                }
                isBusy = busy.step(random);
                while (!sender.hasNothing()) {
                    assertThat(confirmation(sender.next()).baseOffset()).isEqualTo(confirmed.size());
                    confirmed.add(posted.remove());
                }
                if (!reader.hasNothing()) {
                    assertThat(TestClient.payloads(TestClient.messages(reader.next())))
                            .as("offset %s, seed %s", asked, seed)
                            .containsExactly(confirmed.get(asked));
                    polls++;
                    asked = -1;
                }
                if (asked < 0 && !confirmed.isEmpty() && confirmed.size() < 60) {
                    asked = random.nextBoolean() ? confirmed.size() - 1 : random.nextInt(confirmed.size());
                    reader.post(TestClient.poll(0, PollingStrategy.offset(asked), 1, false));
                }
            }
            assertThat(confirmed).as("messages, seed %s", seed).hasSize(60);
            busy.assertNoMemoryIsHeld();
        }
        assertThat(polls).as("polls beside the writes").isGreaterThan(200);
    }

    @Test
    void queuesOfAPartitionAreBoundedAndRefuse() {
        client.sendOk(0, "warm");
        TestClient[] senders = new TestClient[5];
        for (int i = 0; i < senders.length; i++) {
            senders[i] = node.root(0);
        }
        // 4 are written at a time, 8 wait.
        for (int i = 0; i < 15; i++) {
            senders[i / 3].post(TestClient.send(0, "m" + i));
        }
        node.run();
        List<String> outcomes = new ArrayList<>();
        for (TestClient sender : senders) {
            while (!sender.hasNothing()) {
                outcomes.add(sender.next().outcome());
            }
        }
        assertThat(outcomes).hasSize(15).containsOnly("ok", "deny 58");
        assertThat(outcomes.stream().filter("ok"::equals)).hasSizeGreaterThanOrEqualTo(12);
        assertThat(client.sendOk(0, "after"))
                .isEqualTo(1 + outcomes.stream().filter("ok"::equals).count());
    }
}
