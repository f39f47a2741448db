package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.Options;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.TypedValue;
import io.galgo.protocol.reply.StoredOffset;
import io.galgo.protocol.request.Acknowledgement;
import io.galgo.protocol.request.DeleteConsumerOffset;
import io.galgo.protocol.request.GetConsumerOffset;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.StoreConsumerOffset;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {1, 2, 3})
class ConsumerOffsetTest {
    private static final ConsumerRef ME = TestClient.CONSUMER;

    private final TestNode node;
    private final TestClient client;

    ConsumerOffsetTest(int shardsCount) {
        node = new TestNode(shardsCount, Settings.with(TestNode.SETTINGS, "consumerOffsetsMax", 4), 1);
        client = node.root(0);
        client.createTopic(3);
    }

    private void fill() {
        for (int i = 0; i < 20; i++) {
            client.sendOk(0, "m" + i);
        }
    }

    @Test
    void anAutomaticOffsetThatCouldNotBeWrittenIsThereAfterACleanStopAllTheSame() {
        fill();
        node.disk.failNext(MemoryDisk.Operation.WRITE, DiskFault.Kind.IO, "/offsets");
        client.pollOk(TestClient.poll(0, PollingStrategy.NEXT, 7, true));
        assertThat(node.disk.faultsAsked()).as("the write failed").isZero();
        assertThat(client.stored(ME, 0)).as("what readers see").isEqualTo(6);
        node.stopAndRestart();
        assertThat(node.root(0).stored(ME, 0)).as("after the stop").isEqualTo(6);
    }

    private String outcome(Request request) {
        return client.ask(request).outcome();
    }

    @Test
    void anOffsetIsStoredReadAndDeleted() {
        fill();
        assertThat(client.stored(ME, 0)).isEqualTo(-1);
        Answer stored = client.ask(TestClient.store(ME, 0, 10));
        assertThat(stored.outcome()).isEqualTo("ok");
        assertThat(stored.body().remaining()).as("a result section of success").isEqualTo(4);
        Answer read = client.ask(TestClient.get(ME, 0));
        assertThat(StoredOffset.decode(read.body())).isEqualTo(new StoredOffset(0, 19, 10));
        assertThat(outcome(TestClient.delete(ME, 0))).isEqualTo("ok");
        assertThat(client.stored(ME, 0)).isEqualTo(-1);
        assertThat(outcome(TestClient.delete(ME, 0))).isEqualTo("deny 3021");
    }

    @Test
    void anExplicitStoreMayGoBack() {
        fill();
        assertThat(outcome(TestClient.store(ME, 0, 10))).isEqualTo("ok");
        assertThat(outcome(TestClient.store(ME, 0, 3))).isEqualTo("ok");
        assertThat(client.stored(ME, 0)).isEqualTo(3);
    }

    @Test
    void offsetsBeyondTheLastMessageAreInvalid() {
        assertThat(outcome(TestClient.store(ME, 0, 0)))
                .as("in an empty partition")
                .isEqualTo("deny 4100");
        fill();
        assertThat(outcome(TestClient.store(ME, 0, 20))).isEqualTo("deny 4100");
        assertThat(outcome(TestClient.store(ME, 0, -1))).as("2^64-1").isEqualTo("deny 4100");
        assertThat(outcome(TestClient.store(ME, 0, 19))).isEqualTo("ok");
        assertThat(outcome(TestClient.delete(ME, 1)))
                .as("in an empty partition")
                .isEqualTo("deny 3021");
    }

    @Test
    void eachMissingTargetHasItsCode() {
        Identifier s = Identifier.of("s");
        Identifier t = Identifier.of("t");
        Identifier none = Identifier.of("none");
        OptionalPartition first = OptionalPartition.of(0);
        assertThat(outcome(store(ME, none, t, first))).isEqualTo("deny 1009");
        assertThat(outcome(store(ME, s, none, first))).isEqualTo("deny 2010");
        assertThat(outcome(store(ME, s, t, OptionalPartition.of(9)))).isEqualTo("deny 3007");
        assertThat(outcome(store(ME, none, t, OptionalPartition.NONE))).isEqualTo("deny 6");
        assertThat(outcome(delete(ME, none, t, first))).isEqualTo("deny 1009");
        assertThat(outcome(delete(ME, s, none, first))).isEqualTo("deny 2010");
        assertThat(outcome(delete(ME, s, t, OptionalPartition.of(9)))).isEqualTo("deny 3007");
        assertThat(outcome(delete(ME, none, t, OptionalPartition.NONE))).isEqualTo("deny 6");
        assertThat(outcome(new GetConsumerOffset(ME, none, t, first))).isEqualTo("deny 1009");
        assertThat(outcome(new GetConsumerOffset(ME, s, none, first))).isEqualTo("deny 2010");
        assertThat(outcome(new GetConsumerOffset(ME, s, t, OptionalPartition.of(9))))
                .isEqualTo("deny 3007");
    }

    @Test
    void eachMissingPartOfAGroupHasItsCode() {
        Identifier s = Identifier.of("s");
        Identifier t = Identifier.of("t");
        OptionalPartition first = OptionalPartition.of(0);
        ConsumerRef byName = ConsumerRef.group(Identifier.of("g"));
        ConsumerRef byNumber = ConsumerRef.group(Identifier.of(0));
        Identifier none = Identifier.of("none");
        assertThat(outcome(store(byName, s, t, first))).isEqualTo("deny 5003");
        assertThat(outcome(store(byNumber, s, t, first))).isEqualTo("deny 5000");
        assertThat(outcome(store(byNumber, s, none, first))).isEqualTo("deny 20");
        assertThat(outcome(store(byNumber, none, t, first))).isEqualTo("deny 20");
        assertThat(outcome(store(byNumber, s, t, OptionalPartition.NONE))).isEqualTo("deny 6");
        assertThat(outcome(delete(byName, s, t, first))).isEqualTo("deny 5003");
        assertThat(outcome(delete(byNumber, s, t, first))).isEqualTo("deny 5000");
        assertThat(outcome(delete(byNumber, s, none, first))).isEqualTo("deny 20");
        assertThat(outcome(delete(byNumber, none, t, first))).isEqualTo("deny 20");
        assertThat(outcome(delete(byNumber, s, t, OptionalPartition.NONE))).isEqualTo("deny 6");
        Answer read = client.ask(new GetConsumerOffset(byName, s, t, first));
        assertThat(read.outcome()).isEqualTo("ok");
        assertThat(read.body().remaining()).isZero();
    }

    private static StoreConsumerOffset store(
            ConsumerRef consumer, Identifier stream, Identifier topic, OptionalPartition partition) {
        return new StoreConsumerOffset(consumer, stream, topic, partition, 0, Acknowledgement.QUORUM);
    }

    private static DeleteConsumerOffset delete(
            ConsumerRef consumer, Identifier stream, Identifier topic, OptionalPartition partition) {
        return new DeleteConsumerOffset(consumer, stream, topic, partition, Acknowledgement.QUORUM);
    }

    @Test
    void malformedBodiesAndStrangeKindsAreDenied() {
        ByteBuffer ack = client.frame(TestClient.store(ME, 0, 0));
        ack.put(ack.capacity() - 1, (byte) 2);
        assertThat(client.ask(ack).outcome()).isEqualTo("deny 3");
        ByteBuffer shortBody = client.frame(TestClient.delete(ME, 0));
        shortBody.put(FrameHeader.BYTES + 1, (byte) 5);
        assertThat(client.ask(shortBody).outcome()).isEqualTo("deny 3");
        ConsumerRef strange = new ConsumerRef(3, Identifier.of(1));
        assertThat(outcome(TestClient.store(strange, 0, 0))).isEqualTo("deny 3");
        assertThat(outcome(TestClient.get(strange, 0))).isEqualTo("deny 3");
    }

    @Test
    void anAcknowledgementOfNoneIsTreatedAsQuorum() {
        fill();
        StoreConsumerOffset none = new StoreConsumerOffset(
                ME, Identifier.of("s"), Identifier.of("t"), OptionalPartition.of(0), 7, Acknowledgement.NONE);
        assertThat(outcome(none)).isEqualTo("ok");
        assertThat(client.stored(ME, 0)).isEqualTo(7);
    }

    @Test
    void keysBeyondTheLimitAreRefusedAndTheOthersStayWritable() {
        fill();
        for (int i = 0; i < 4; i++) {
            assertThat(outcome(TestClient.store(consumer(i), 0, 5))).isEqualTo("ok");
        }
        assertThat(outcome(TestClient.store(consumer(4), 0, 5))).isEqualTo("deny 3024");
        assertThat(outcome(poll(consumer(4), true))).as("an automatic offset").isEqualTo("deny 3024");
        assertThat(outcome(poll(consumer(4), false))).isEqualTo("ok");
        assertThat(outcome(TestClient.store(consumer(0), 0, 6))).isEqualTo("ok");
        assertThat(outcome(poll(consumer(1), true))).isEqualTo("ok");
        assertThat(outcome(TestClient.delete(consumer(2), 0))).isEqualTo("ok");
        assertThat(outcome(poll(consumer(4), true))).isEqualTo("ok");
        assertThat(outcome(TestClient.store(consumer(2), 0, 5))).isEqualTo("deny 3024");
        assertThat(outcome(TestClient.store(consumer(2), 1, 0)))
                .as("other partitions count for themselves")
                .isEqualTo("deny 4100");
        node.assertNoMemoryIsHeld();
    }

    @Test
    void offsetsOfGroupsCountForThemselves() {
        fill();
        for (int i = 0; i < 4; i++) {
            assertThat(outcome(TestClient.store(consumer(i), 0, 5))).isEqualTo("ok");
        }

        for (int i = 0; i < 5; i++) {
            client.createGroup("g" + i);
            client.joinOk("g" + i);
            assertThat(outcome(TestClient.store(TestClient.group("g" + i), 0, 5)))
                    .as("group %s beside four consumers", i)
                    .isEqualTo(i < 4 ? "ok" : "deny 3024");
        }
        assertThat(outcome(TestClient.store(consumer(3), 0, 6))).isEqualTo("ok");
    }

    private static ConsumerRef consumer(int number) {
        return ConsumerRef.consumer(Identifier.of(100 + number));
    }

    private static Request poll(ConsumerRef consumer, boolean autoCommit) {
        return new io.galgo.protocol.request.PollMessages(
                consumer,
                Identifier.of("s"),
                Identifier.of("t"),
                OptionalPartition.of(0),
                PollingStrategy.NEXT,
                3,
                autoCommit);
    }

    @Test
    void aRepeatedWriteIsAnsweredAndNotExecutedAgain() {
        fill();
        ByteBuffer store = client.frame(TestClient.store(ME, 0, 5));
        assertThat(client.ask(store).outcome()).isEqualTo("ok");
        assertThat(outcome(TestClient.store(ME, 0, 9))).isEqualTo("ok");
        assertThat(client.ask(store).outcome()).isEqualTo("ok");
        assertThat(client.stored(ME, 0)).as("after the repetition").isEqualTo(9);
        ByteBuffer delete = client.frame(TestClient.delete(ME, 0));
        assertThat(client.ask(delete).outcome()).isEqualTo("ok");
        assertThat(client.ask(delete).outcome()).as("a repeated deletion").isEqualTo("ok");
    }

    @Test
    void aPipelinedStoreSeesTheSendsBeforeIt() {
        client.post(TestClient.send(0, "a", "b", "c"));
        client.post(TestClient.store(ME, 0, 2));
        client.post(TestClient.delete(ME, 0));
        client.post(TestClient.store(ME, 0, 1));
        node.run();
        for (int i = 0; i < 4; i++) {
            assertThat(client.next().outcome()).as("reply %s", i).isEqualTo("ok");
        }
        assertThat(client.stored(ME, 0)).isEqualTo(1);
    }

    @Test
    void storedOffsetsSurviveAKilledProcess() {
        fill();
        assertThat(outcome(TestClient.store(ME, 0, 10))).isEqualTo("ok");
        assertThat(outcome(TestClient.store(consumer(1), 0, 11))).isEqualTo("ok");
        assertThat(outcome(TestClient.delete(consumer(1), 0))).isEqualTo("ok");
        node.killAndRestart();
        TestClient later = node.root(0);
        assertThat(later.stored(ME, 0)).isEqualTo(10);
        assertThat(later.stored(consumer(1), 0)).isEqualTo(-1);
    }

    @Test
    void persistedOffsetsSurviveThePower() {
        List<Options.Entry> options = List.of(
                new Options.Entry("durability", TypedValue.string("persisted")),
                new Options.Entry("consumer_offset_durability", TypedValue.string("persisted")));
        assertThat(client.createTopic("s", "p", 1, options.toArray(Options.Entry[]::new))
                        .outcome())
                .isEqualTo("ok");
        Identifier p = Identifier.of("p");
        assertThat(outcome(TestClient.send(
                        "s", "p", io.galgo.protocol.Partitioning.partition(0), Batches.of("a", "b", "c"))))
                .isEqualTo("ok");
        assertThat(outcome(new StoreConsumerOffset(
                        ME, Identifier.of("s"), p, OptionalPartition.of(0), 1, Acknowledgement.QUORUM)))
                .isEqualTo("ok");
        node.losePowerAndRestart(MemoryDisk.PowerLoss.CLEAN);
        Answer read = node.root(0).ask(new GetConsumerOffset(ME, Identifier.of("s"), p, OptionalPartition.of(0)));
        assertThat(StoredOffset.decode(read.body())).isEqualTo(new StoredOffset(0, 2, 1));
    }

    @Test
    void anOffsetBeyondWhatAPowerLossLeftIsPutBack() {
        List<Options.Entry> options =
                List.of(new Options.Entry("consumer_offset_durability", TypedValue.string("persisted")));
        assertThat(client.createTopic("s", "p", 1, options.toArray(Options.Entry[]::new))
                        .outcome())
                .isEqualTo("ok");
        Identifier p = Identifier.of("p");
        for (int i = 0; i < 10; i++) {
            assertThat(outcome(TestClient.send("s", "p", io.galgo.protocol.Partitioning.partition(0), Batches.of("m"))))
                    .isEqualTo("ok");
        }
        assertThat(outcome(new StoreConsumerOffset(
                        ME, Identifier.of("s"), p, OptionalPartition.of(0), 9, Acknowledgement.QUORUM)))
                .isEqualTo("ok");
        node.losePowerAndRestart(MemoryDisk.PowerLoss.CLEAN);
        TestClient later = node.root(0);
        assertThat(later.ask(TestClient.send("s", "p", io.galgo.protocol.Partitioning.partition(0), Batches.of("new")))
                        .outcome())
                .isEqualTo("ok");
        Answer polled = later.ask(new io.galgo.protocol.request.PollMessages(
                ME, Identifier.of("s"), p, OptionalPartition.of(0), PollingStrategy.NEXT, 10, false));
        assertThat(TestClient.payloads(TestClient.messages(polled)))
                .as("the new message is delivered to a consumer whose offset was ahead")
                .contains("new");
    }

    @Test
    void aFailedWriteIsDeniedAndChangesNothing() {
        fill();
        assertThat(outcome(TestClient.store(ME, 0, 5))).isEqualTo("ok");
        node.disk.failNext(MemoryDisk.Operation.WRITE, DiskFault.Kind.IO, "offsets");
        assertThat(outcome(TestClient.store(ME, 0, 8))).isEqualTo("deny 4010");
        assertThat(client.stored(ME, 0)).isEqualTo(5);
        assertThat(node.log.errors).anyMatch(line -> line.contains("changes of consumer offsets are refused"));
        assertThat(client.sendOk(0, "sends go on")).isEqualTo(20);
    }
}
