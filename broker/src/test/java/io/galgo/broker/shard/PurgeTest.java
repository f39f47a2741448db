package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.reply.SendConfirmations;
import io.galgo.protocol.reply.StreamDetails;
import io.galgo.protocol.reply.TopicDetails;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.DeleteTopic;
import io.galgo.protocol.request.GetStream;
import io.galgo.protocol.request.PurgeStream;
import io.galgo.protocol.request.PurgeTopic;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {1, 2, 3})
class PurgeTest {
    /// Seeds tried; `-Dgalgo.seeds=1000` for a long search.
    private static final int SEEDS = Integer.getInteger("galgo.seeds", 30);

    private static final Identifier S = Identifier.of("s");
    private static final Identifier T = Identifier.of("t");
    private static final PurgeTopic PURGE = new PurgeTopic(S, T);

    private final TestNode node;
    private final TestClient client;
    private final TestClient observer;

    PurgeTest(int shardsCount) {
        node = new TestNode(shardsCount);
        client = node.root(shardsCount - 1);
        observer = node.root(0);
        client.createTopic(3);
    }

    private void fill() {
        for (int partition = 0; partition < 3; partition++) {
            client.sendOk(partition, "a", "b", "c");
            assertThat(client.ask(TestClient.store(TestClient.CONSUMER, partition, 1))
                            .outcome())
                    .isEqualTo("ok");
        }
    }

    @Test
    void aPurgedTopicIsEmptyEverywhereAtOnce() {
        fill();
        assertThat(client.ask(PURGE).outcome()).isEqualTo("ok");
        TopicDetails topic = observer.topic();
        assertThat(topic.topic().messagesCount()).isZero();
        assertThat(topic.topic().sizeBytes()).isZero();
        assertThat(topic.partitions())
                .hasSize(3)
                .allMatch(partition -> partition.currentOffset() == 0 && partition.segmentsCount() == 1);
        for (int partition = 0; partition < 3; partition++) {
            assertThat(observer.stored(TestClient.CONSUMER, partition)).isEqualTo(-1);
            assertThat(observer.pollOk(partition, PollingStrategy.FIRST, 10)).isEmpty();
            assertThat(observer.sendOk(partition, "new")).isZero();
        }
    }

    @Test
    void purgedMessagesNeverComeBack() {
        fill();
        assertThat(client.ask(PURGE).outcome()).isEqualTo("ok");
        client.sendOk(0, "new");
        node.killAndRestart();
        TestClient later = node.root(0);
        assertThat(TestClient.payloads(later.pollOk(0, PollingStrategy.FIRST, 10)))
                .containsExactly("new");
        assertThat(later.pollOk(1, PollingStrategy.FIRST, 10)).isEmpty();
        assertThat(later.stored(TestClient.CONSUMER, 1)).isEqualTo(-1);
        assertThat(later.sendOk(0, "more")).isEqualTo(1);
    }

    @Test
    void otherTopicsAreNotTouched() {
        fill();
        assertThat(client.createTopic("s", "other", 1).outcome()).isEqualTo("ok");
        assertThat(client.ask(TestClient.send(
                                "s", "other", io.galgo.protocol.Partitioning.balanced(), Batches.of("kept")))
                        .outcome())
                .isEqualTo("ok");
        assertThat(client.ask(PURGE).outcome()).isEqualTo("ok");
        StreamDetails stream = Objects.requireNonNull(
                StreamDetails.decode(observer.ask(new GetStream(S)).body()));
        assertThat(stream.stream().messagesCount()).isEqualTo(1);
        assertThat(stream.stream().sizeBytes()).isEqualTo(256 + 48 + 4);
        assertThat(client.ask(new PurgeStream(S)).outcome()).isEqualTo("ok");
        stream = Objects.requireNonNull(
                StreamDetails.decode(observer.ask(new GetStream(S)).body()));
        assertThat(stream.stream().messagesCount()).isZero();
        assertThat(stream.stream().sizeBytes()).isZero();
        assertThat(stream.topics()).hasSize(2);
    }

    @Test
    void purgingWhatIsEmptyOrMissing() {
        assertThat(client.ask(PURGE).outcome()).isEqualTo("ok");
        assertThat(client.ask(new PurgeTopic(S, Identifier.of("none"))).outcome())
                .isEqualTo("reject 2010");
        assertThat(client.ask(new PurgeStream(Identifier.of("none"))).outcome()).isEqualTo("reject 1009");
    }

    @Test
    void aSendThatWasConfirmedBeforeThePurgeStaysARepetitionAfterIt() {
        ByteBuffer frame = observer.frame(TestClient.send(0, "before"));
        assertThat(observer.ask(frame).outcome()).isEqualTo("ok");
        assertThat(client.ask(PURGE).outcome()).isEqualTo("ok");
        assertThat(observer.ask(frame).outcome()).isEqualTo("ok");
        assertThat(observer.pollOk(0, PollingStrategy.FIRST, 10)).isEmpty();
    }

    @Test
    void aPollThatAPurgeOvertakesDeliversAndStoresNothing() {
        client.sendOk(0, "old");
        node.killAndRestart();
        TestClient consumer = node.root(0);
        TestClient admin = node.root(0);
        consumer.post(TestClient.poll(0, PollingStrategy.FIRST, 10, true));
        while (node.runParcels()) {}
        admin.post(PURGE);
        workBehindTheOldest(admin);
        node.run();
        assertThat(TestClient.messages(consumer.next())).isEmpty();
        assertThat(consumer.stored(TestClient.CONSUMER, 0)).isEqualTo(-1);
        node.assertNoMemoryIsHeld();
    }

    @Test
    void aPollThatADeletionOvertakesFindsNoPartition() {
        client.sendOk(0, "old");
        node.killAndRestart();
        TestClient consumer = node.root(0);
        TestClient admin = node.root(0);
        consumer.post(TestClient.poll(0, PollingStrategy.FIRST, 10, true));
        while (node.runParcels()) {}
        admin.post(new DeleteTopic(S, T));
        workBehindTheOldest(admin);
        node.run();
        assertThat(consumer.next().outcome()).isEqualTo("deny 3007");
        node.assertNoMemoryIsHeld();
    }

    @Test
    void anOffsetThatWasOnItsWayWhenThePurgeCameIsNotThereAfterIt() {
        client.sendOk(0, "old");
        TestClient consumer = node.root(0);
        TestClient admin = node.root(0);
        consumer.post(TestClient.store(TestClient.CONSUMER, 0, 0));
        while (node.runParcels()) {}
        admin.post(PURGE);
        workBehindTheOldest(admin);
        node.run();
        assertThat(consumer.next().outcome()).isEqualTo("ok");
        assertThat(consumer.stored(TestClient.CONSUMER, 0)).isEqualTo(-1);
        node.killAndRestart();
        assertThat(node.root(0).stored(TestClient.CONSUMER, 0)).isEqualTo(-1);
    }

    /// Lets the node work, but for the oldest disk operation, until a client has its answer and all have heard.
    private void workBehindTheOldest(TestClient waiting) {
        assertThat(node.disk.pendingCount()).isPositive();
        while (waiting.hasNothing() || node.runParcels()) {
            if (!node.runParcels() && !node.transmit() && waiting.hasNothing()) {
                assertThat(node.disk.pendingCount())
                        .as("operations behind the oldest")
                        .isGreaterThan(1);
                node.disk.run(1);
            }
        }
        assertThat(waiting.next().outcome()).isEqualTo("ok");
    }

    @Test
    void purgesAndDeletionsInTheMiddleOfWritesAnswerEveryWriteAndLoseNothingBehindThem() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            TestNode racing = new TestNode(node.shardsCount(), TestNode.SETTINGS, seed);
            TestClient admin = racing.root(0);
            admin.createTopic(2);
            TestClient writer = racing.root(racing.shardsCount() - 1);
            writer.sendOk(0, "warm");
            boolean isDelete = random.nextBoolean();
            int posted = 0;
            for (int i = 0; i < 7; i++) {
                if (random.nextInt(3) > 0) {
                    writer.post(TestClient.send(random.nextInt(2), "m" + i, "n" + i));
                } else {
                    writer.post(TestClient.store(TestClient.CONSUMER, 0, 0));
                }
                posted++;
                for (int steps = random.nextInt(4); steps > 0; steps--) {
                    racing.step(random);
                }
                if (i == 3) {
                    admin.post(isDelete ? new DeleteTopic(S, T) : PURGE);
                }
            }
            while (racing.step(random)) {}
            assertThat(admin.next().outcome()).isEqualTo("ok");
            int answers = 0;
            long placedAfter = 0;
            while (!writer.hasNothing()) {
                Answer answer = writer.next();
                answers++;
                assertThat(answer.outcome())
                        .as("seed %s", seed)
                        .isIn("ok", "deny 20", "deny 3007", "deny 2010", "deny 4100");
                if (answer.operation() == 160 && answer.outcome().equals("ok")) {
                    SendConfirmations confirmed = TestClient.confirmations(answer);
                    placedAfter += confirmed.confirmations().size();
                }
            }
            assertThat(answers).as("answers, seed %s", seed).isEqualTo(posted);
            assertThat(placedAfter).isLessThanOrEqualTo(posted);
            if (!isDelete) {
                TestClient reader = racing.root(0);
                for (int partition = 0; partition < 2; partition++) {
                    List<Batches.Message> left = reader.pollOk(partition, PollingStrategy.FIRST, 100);
                    for (int i = 0; i < left.size(); i++) {
                        assertThat(left.get(i).offset()).as("seed %s", seed).isEqualTo(i);
                    }
                }
            }
            racing.assertNoMemoryIsHeld();
        }
    }

    /// A new topic gets the ids, and so the paths, of the old one while that is still being written.
    @Test
    void aTopicMadeAnewWhileTheOldOneIsBusyKeepsItsOwnMessagesOnly() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            TestNode racing = new TestNode(node.shardsCount(), TestNode.SETTINGS, seed);
            TestClient admin = racing.root(0);
            admin.createTopic(2);
            TestClient old = racing.root(racing.shardsCount() - 1);
            TestClient fresh = racing.root(0);
            old.sendOk(0, "old");
            for (int i = 0; i < 6; i++) {
                old.post(TestClient.send(random.nextInt(2), "old " + i));
                old.post(TestClient.store(TestClient.CONSUMER, 0, 0));
                racing.step(random);
            }
            admin.post(new DeleteTopic(S, T));
            work(racing, random, admin);
            admin.post(new CreateTopic(S, 2, "t", Options.NONE));
            work(racing, random, admin);
            List<String> confirmed = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                fresh.post(TestClient.send(i % 2, "new " + i));
                work(racing, random, fresh);
                confirmed.add("new " + i);
            }
            fresh.post(TestClient.store(TestClient.CONSUMER, 0, 2));
            work(racing, random, fresh);
            for (int steps = random.nextInt(10); steps > 0; steps--) {
                racing.step(random);
            }
            if (random.nextBoolean()) {
                racing.killAndRestart();
            } else {
                racing.stopAndRestart();
            }
            TestClient reader = racing.root(0);
            List<String> found = new ArrayList<>();
            for (int partition = 0; partition < 2; partition++) {
                found.addAll(TestClient.payloads(reader.pollOk(partition, PollingStrategy.FIRST, 100)));
            }
            assertThat(found).as("seed %s", seed).containsExactlyInAnyOrderElementsOf(confirmed);
            assertThat(reader.stored(TestClient.CONSUMER, 0))
                    .as("seed %s", seed)
                    .isEqualTo(2);
        }
    }

    /// Lets the node do things in any order until a client has its answer, which must be a success.
    private static void work(TestNode racing, SplittableRandom random, TestClient client) {
        while (client.hasNothing()) {
            assertThat(racing.step(random)).as("something to do").isTrue();
        }
        assertThat(client.next().outcome()).isEqualTo("ok");
    }
}
