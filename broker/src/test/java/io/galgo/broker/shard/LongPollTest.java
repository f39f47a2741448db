package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.GlobalPermission;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.Options;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.request.AwaitMessages;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeletePartitions;
import io.galgo.protocol.request.DeleteStream;
import io.galgo.protocol.request.PollMessages;
import io.galgo.protocol.request.PurgeTopic;
import io.galgo.protocol.request.UpdatePermissions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/// Polls that wait at the server until there is something. Three may wait at a shard in these tests.
@ParameterizedClass
@ValueSource(ints = {1, 2, 3})
class LongPollTest {
    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final long SECOND_MICROS = 1_000_000L;
    private static final int PARTITIONS = 3;

    private final TestNode node;
    private final TestClient producer;
    private final TestClient consumer;

    LongPollTest(int shardsCount) {
        node = new TestNode(shardsCount);
        producer = node.root(0);
        producer.createTopic(PARTITIONS);
        consumer = node.root(0);
    }

    private static AwaitMessages await(PollMessages poll, long seconds) {
        return new AwaitMessages(poll, seconds * SECOND_MICROS);
    }

    private static AwaitMessages await(int partition, PollingStrategy strategy, boolean autoCommit) {
        return await(TestClient.poll(partition, strategy, 10, autoCommit), 10);
    }

    private void post(TestClient client, AwaitMessages request) {
        client.post(request);
        node.run();
    }

    private int waiting() {
        int count = 0;
        for (int shard = 0; shard < node.shardsCount(); shard++) {
            count += node.shard(shard).waitingPollsCount();
        }
        return count;
    }

    private void assertWaits(TestClient client) {
        assertThat(client.hasNothing()).as("the poll waits").isTrue();
    }

    /// No poll of partition 0 waits, and the next message there is for whoever asks next.
    private void assertNothingIsTaken() {
        assertThat(waiting()).isZero();
        producer.sendOk(0, "a");
        assertThat(producer.stored(TestClient.CONSUMER, 0))
                .as("nothing is stored")
                .isEqualTo(-1);
    }

    private static List<String> delivered(TestClient client) {
        Answer answer = client.next();
        assertThat(answer.outcome()).as("a poll that waited").isEqualTo("ok");
        return TestClient.payloads(TestClient.messages(answer));
    }

    @Test
    void messagesThatAreThereAreDeliveredAtOnce() {
        producer.sendOk(0, "a", "b");
        Answer answer = consumer.ask(await(0, PollingStrategy.NEXT, true));
        assertThat(TestClient.payloads(TestClient.messages(answer))).containsExactly("a", "b");
        assertThat(consumer.stored(TestClient.CONSUMER, 0)).isEqualTo(1);
        assertThat(waiting()).isZero();
    }

    @Test
    void aPollWaitsUntilAMessageIsThere() {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            consumer.pollOk(TestClient.poll(partition, PollingStrategy.NEXT, 100, true));
            post(consumer, await(partition, PollingStrategy.NEXT, true));
            assertWaits(consumer);
            assertThat(waiting()).isEqualTo(1);
            producer.sendOk((partition + 1) % PARTITIONS, "elsewhere");
            assertWaits(consumer);
            producer.sendOk(partition, "here");
            assertThat(delivered(consumer)).containsExactly("here");
            assertThat(waiting()).isZero();
        }
    }

    @Test
    void nothingIsTakenForAClientThatEndedItsInput() {
        post(consumer, await(0, PollingStrategy.NEXT, true));
        assertWaits(consumer);
        consumer.link.endInput();
        node.run();
        assertNothingIsTaken();
    }

    @Test
    void nothingIsTakenForASessionThatGoesOnElsewhere() {
        post(consumer, await(0, PollingStrategy.NEXT, true));
        assertWaits(consumer);
        TestClient again = node.connect(node.shardsCount() - 1);
        again.id = consumer.id;
        again.login();
        assertNothingIsTaken();
    }

    @Test
    void everyStrategyWaits() {
        for (PollingStrategy strategy : List.of(
                PollingStrategy.FIRST,
                PollingStrategy.LAST,
                PollingStrategy.NEXT,
                PollingStrategy.offset(0),
                PollingStrategy.timestamp(0))) {
            post(consumer, await(0, strategy, false));
            assertWaits(consumer);
            producer.sendOk(0, "a");
            assertThat(delivered(consumer)).as("%s", strategy).containsExactly("a");
            assertThat(producer.ask(new PurgeTopic(TestClient.S, TestClient.T)).outcome())
                    .isEqualTo("ok");
        }
    }

    @Test
    void anOffsetThatIsFarAwayIsWaitedFor() {
        producer.sendOk(0, "a");
        post(consumer, await(0, PollingStrategy.offset(3), false));
        producer.sendOk(0, "b", "c");
        assertWaits(consumer);
        producer.sendOk(0, "d", "e");
        assertThat(delivered(consumer)).containsExactly("d", "e");
    }

    @Test
    void anEmptyAnswerComesWhenTheTimeIsOver() {
        post(consumer, await(0, PollingStrategy.NEXT, false));
        node.clock.advance(10 * SECOND_NANOS - 1);
        node.run();
        assertWaits(consumer);
        node.clock.advance(1);
        node.run();
        assertThat(delivered(consumer)).isEmpty();
        assertThat(waiting()).isZero();
        producer.sendOk(0, "later");
        assertThat(consumer.hasNothing()).as("nothing more comes").isTrue();
    }

    @Test
    void noPollWaitsLongerThanTheServerIsConfiguredTo() {
        post(consumer, new AwaitMessages(TestClient.poll(0, PollingStrategy.NEXT, 1, false), -1));
        node.clock.advance(30 * SECOND_NANOS - 1);
        node.run();
        assertWaits(consumer);
        node.clock.advance(1);
        node.run();
        assertThat(delivered(consumer)).isEmpty();
    }

    @Test
    void whatNeedNotWaitDoesNot() {
        assertThat(consumer.ask(new AwaitMessages(TestClient.poll(0, PollingStrategy.NEXT, 1, false), 0))
                        .outcome())
                .as("a wait of 0")
                .isEqualTo("ok");
        assertThat(consumer.ask(await(TestClient.poll(0, PollingStrategy.NEXT, 0, false), 10))
                        .outcome())
                .as("a count of 0")
                .isEqualTo("ok");
        assertThat(consumer.ask(await(TestClient.poll(9, PollingStrategy.NEXT, 1, false), 10))
                        .outcome())
                .isEqualTo("deny 3007");
        assertThat(consumer.ask(consumer.frame(
                                Operation.NON_REPLICATED,
                                CommandCode.AWAIT_MESSAGES.code(),
                                1,
                                TestClient.poll(0, PollingStrategy.NEXT, 1, false)
                                        .toBuffer()))
                        .outcome())
                .as("a body without the time")
                .isEqualTo("deny 3");
        assertThat(node.connect(0).ask(await(0, PollingStrategy.NEXT, false)).outcome())
                .as("not logged in")
                .isEqualTo("deny 40");
        assertThat(waiting()).isZero();
    }

    @Test
    void whatIsBehindAWaitingPollWaitsForItsTurn() {
        post(consumer, await(0, PollingStrategy.NEXT, false));
        consumer.post(new BodilessRequest(CommandCode.PING));
        consumer.post(TestClient.send(1, "mine"));
        node.run();
        assertWaits(consumer);
        producer.sendOk(0, "a");
        assertThat(delivered(consumer)).containsExactly("a");
        assertThat(consumer.next().outcome()).as("the ping").isEqualTo("ok");
        assertThat(consumer.next().outcome()).as("the send").isEqualTo("ok");
    }

    @Test
    void anOffsetThatGoesBackIsWorthARead() {
        producer.sendOk(0, "a", "b");
        assertThat(consumer.pollOk(TestClient.poll(0, PollingStrategy.NEXT, 10, true)))
                .hasSize(2);
        post(consumer, await(0, PollingStrategy.NEXT, false));
        assertWaits(consumer);
        assertThat(producer.ask(TestClient.store(TestClient.CONSUMER, 0, 0)).outcome())
                .isEqualTo("ok");
        assertThat(delivered(consumer)).containsExactly("b");
    }

    @Test
    void ofTwoPollsOfOneConsumerEachMessageIsForOne() {
        TestClient twin = node.root(0);
        post(consumer, await(0, PollingStrategy.NEXT, true));
        post(twin, await(0, PollingStrategy.NEXT, true));
        producer.sendOk(0, "a");
        assertThat(delivered(consumer)).containsExactly("a");
        assertWaits(twin);
        producer.sendOk(0, "b");
        assertThat(delivered(twin)).containsExactly("b");
        assertThat(waiting()).isZero();
    }

    @Test
    void aTimeThatIsToComeIsWaitedFor() {
        long later = node.clock.wallMicros() + 5 * SECOND_MICROS;
        post(consumer, await(0, PollingStrategy.timestamp(later), false));
        producer.sendOk(0, "early");
        assertWaits(consumer);
        node.clock.advance(6 * SECOND_NANOS);
        producer.sendOk(0, "late");
        assertThat(delivered(consumer)).containsExactly("late");
    }

    @Test
    void aPollThatWaitedBeforeAPurgeIsServedTheFirstMessageBehindIt() {
        producer.sendOk(0, "a", "b");
        consumer.pollOk(TestClient.poll(0, PollingStrategy.NEXT, 100, true));
        post(consumer, await(0, PollingStrategy.NEXT, true));
        assertThat(producer.ask(new PurgeTopic(TestClient.S, TestClient.T)).outcome())
                .isEqualTo("ok");
        assertWaits(consumer);
        producer.sendOk(0, "new");
        assertThat(delivered(consumer)).containsExactly("new");
    }

    @Test
    void aReadThatAPurgeOvertakesFindsWhatWasWrittenSince() {
        producer.sendOk(0, "a");
        for (int shard = 0; shard < node.shardsCount(); shard++) {
            node.shard(shard).makeRoom(1 << 20);
        }
        consumer.post(await(0, PollingStrategy.NEXT, false));
        node.runKeeping(1);
        producer.post(new PurgeTopic(TestClient.S, TestClient.T));
        node.runKeeping(1);
        producer.post(TestClient.send(0, "new"));
        node.runKeeping(1);
        assertThat(producer.next().outcome()).as("the purge").isEqualTo("ok");
        assertThat(producer.next().outcome()).as("the send").isEqualTo("ok");
        assertWaits(consumer);
        node.run();
        assertThat(delivered(consumer)).containsExactly("new");
    }

    @Test
    void onlySoManyPollsWait() {
        List<TestClient> consumers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            TestClient each = node.root(i % node.shardsCount());
            consumers.add(each);
            post(each, await(0, PollingStrategy.NEXT, false));
            assertWaits(each);
        }
        assertThat(consumer.ask(await(0, PollingStrategy.NEXT, false)).outcome())
                .as("one too many")
                .isEqualTo("deny 58");
        producer.sendOk(0, "a");
        for (TestClient each : consumers) {
            assertThat(delivered(each)).containsExactly("a");
        }
        assertThat(waiting()).isZero();
        post(consumer, await(0, PollingStrategy.offset(1), false));
        assertWaits(consumer);
    }

    @Test
    void aPollWhoseClientIsGoneWaitsNoMore() {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            TestClient gone = node.root(0);
            post(gone, await(partition, PollingStrategy.NEXT, true));
            assertThat(waiting()).isEqualTo(1);
            gone.link.cut();
            node.run();
            assertThat(waiting()).as("polls of nobody").isZero();
            producer.sendOk(partition, "a");
            assertThat(producer.stored(TestClient.CONSUMER, partition))
                    .as("an offset of what nobody received")
                    .isEqualTo(-1);
        }
        node.assertNoMemoryIsHeld();
    }

    @Test
    void aClientThatIsGoneIsToldOfWhenThereIsRoom() {
        if (node.shardsCount() == 1) {
            return;
        }
        List<TestClient> gone = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            TestClient each = node.root(0);
            gone.add(each);
            post(each, await(partition, PollingStrategy.NEXT, true));
        }
        List<Runnable> giveBack = new ArrayList<>();
        for (int shard = 0; shard < node.shardsCount(); shard++) {
            giveBack.add(node.fillMailbox(shard));
        }
        gone.forEach(each -> each.link.cut());
        node.run();
        giveBack.forEach(Runnable::run);
        node.clock.advance(SECOND_NANOS);
        node.run();
        assertThat(waiting()).isZero();
    }

    @Test
    void waitingPollsTakeNoRoomFromOthersAndAreAnsweredWhenThereIsSome() {
        if (node.shardsCount() == 1) {
            return;
        }
        List<TestClient> waiters = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            TestClient each = node.root(0);
            waiters.add(each);
            post(each, await(partition, PollingStrategy.NEXT, false));
        }
        Runnable giveBack = node.fillMailbox(0);
        node.clock.advance(10 * SECOND_NANOS);
        node.run();
        giveBack.run();
        node.clock.advance(SECOND_NANOS);
        node.run();
        for (TestClient each : waiters) {
            assertThat(delivered(each)).isEmpty();
        }
        Runnable all = node.fillMailbox(0);
        all.run();
        assertThat(producer.createStream("goes on").outcome()).isEqualTo("ok");
    }

    @Test
    void aDeletedPartitionIsWaitedForNoMore() {
        post(consumer, await(2, PollingStrategy.NEXT, false));
        TestClient other = node.root(node.shardsCount() - 1);
        post(other, await(0, PollingStrategy.NEXT, false));
        assertThat(producer.ask(new DeletePartitions(TestClient.S, TestClient.T, 1))
                        .outcome())
                .isEqualTo("ok");
        node.run();
        assertThat(consumer.next().outcome()).isEqualTo("deny 3007");
        assertWaits(other);
        assertThat(producer.ask(new DeleteStream(TestClient.S)).outcome()).isEqualTo("ok");
        node.run();
        assertThat(other.next().outcome()).isEqualTo("deny 3007");
        assertThat(waiting()).isZero();
    }

    @Test
    void aStopAnswersWhatWaits() {
        post(consumer, await(0, PollingStrategy.NEXT, false));
        TestClient other = node.root(node.shardsCount() - 1);
        post(other, await(1, PollingStrategy.NEXT, false));
        node.stop();
        assertThat(delivered(consumer)).isEmpty();
        assertThat(delivered(other)).isEmpty();
    }

    @Test
    void whoLostTheRightToPollReceivesNothing() {
        assertThat(producer.ask(new CreateUser(
                                "reader",
                                "secret",
                                1,
                                new Permissions(GlobalPermission.POLL_MESSAGES.mask(), List.of()),
                                Options.NONE))
                        .outcome())
                .isEqualTo("ok");
        TestClient reader = node.connect(0);
        reader.session =
                TestClient.loginReply(reader.tryLogin("reader", "secret")).session();
        post(reader, await(0, PollingStrategy.NEXT, true));
        assertWaits(reader);
        assertThat(producer.ask(new UpdatePermissions(Identifier.of("reader"), null))
                        .outcome())
                .isEqualTo("ok");
        assertThat(reader.next().outcome()).as("before anything else happens").isEqualTo("deny 41");
        producer.sendOk(0, "secret");
        assertThat(producer.stored(TestClient.CONSUMER, 0)).isEqualTo(-1);
    }

    // Reads that end too late

    /// Lets a poll with an automatic offset wait for the disk, woken by a message that has left the memory.
    private void readFor(TestClient reader) {
        producer.sendOk(0, "a");
        for (int shard = 0; shard < node.shardsCount(); shard++) {
            node.shard(shard).makeRoom(1 << 20);
        }
        reader.post(await(0, PollingStrategy.NEXT, true));
        node.runKeeping(1);
        assertThat(reader.hasNothing()).as("the read waits for the disk").isTrue();
        assertThat(node.disk.pendingCount()).isEqualTo(1);
    }

    private void assertNothingWasTaken() {
        assertThat(producer.stored(TestClient.CONSUMER, 0))
                .as("the offset of what nobody received")
                .isEqualTo(-1);
        node.assertNoMemoryIsHeld();
    }

    @Test
    void aReadThatEndsAfterItsConnectionTakesNothing() {
        readFor(consumer);
        consumer.link.cut();
        node.runKeeping(1);
        node.run();
        assertNothingWasTaken();
    }

    @Test
    void anOrdinaryReadThatEndsAfterItsConnectionTakesNothingEither() {
        producer.sendOk(0, "a");
        for (int shard = 0; shard < node.shardsCount(); shard++) {
            node.shard(shard).makeRoom(1 << 20);
        }
        consumer.post(TestClient.poll(0, PollingStrategy.NEXT, 10, true));
        node.runKeeping(1);
        assertThat(consumer.hasNothing()).as("the read waits for the disk").isTrue();
        consumer.link.cut();
        node.runKeeping(1);
        node.run();
        assertNothingWasTaken();
    }

    @Test
    void aReadThatEndsAfterTheInputOfItsClientTakesNothing() {
        readFor(consumer);
        consumer.link.endInput();
        node.runKeeping(1);
        node.run();
        assertThat(delivered(consumer)).isEmpty();
        assertNothingWasTaken();
    }

    @Test
    void aReadThatEndsAfterItsSessionWentOnElsewhereTakesNothing() {
        readFor(consumer);
        TestClient again = node.connect(node.shardsCount() - 1);
        again.id = consumer.id;
        again.post(TestClient.password(TestNode.ROOT_NAME, TestNode.ROOT_PASSWORD));
        node.runKeeping(1);
        assertThat(again.next().outcome()).as("the login elsewhere").isEqualTo("ok");
        node.run();
        assertNothingWasTaken();
    }

    @Test
    void aReadThatEndsAfterTheRightToPollIsNotDelivered() {
        assertThat(producer.ask(new CreateUser(
                                "reader",
                                "secret",
                                1,
                                new Permissions(GlobalPermission.POLL_MESSAGES.mask(), List.of()),
                                Options.NONE))
                        .outcome())
                .isEqualTo("ok");
        TestClient reader = node.connect(0);
        reader.session =
                TestClient.loginReply(reader.tryLogin("reader", "secret")).session();
        readFor(reader);
        producer.post(new UpdatePermissions(Identifier.of("reader"), null));
        node.runKeeping(1);
        assertThat(producer.next().outcome()).isEqualTo("ok");
        node.run();
        assertThat(reader.next().outcome()).isEqualTo("deny 41");
        assertNothingWasTaken();
    }

    // Groups

    private static AwaitMessages awaitGroup(int partition) {
        return await(TestClient.groupPoll("g", partition, 10, true), 10);
    }

    @Test
    void aMemberWaitsForItsPartition() {
        producer.createGroup("g");
        consumer.joinOk("g");
        post(consumer, awaitGroup(1));
        assertWaits(consumer);
        producer.sendOk(1, "a");
        assertThat(delivered(consumer)).containsExactly("a");
        assertThat(producer.stored(TestClient.group("g"), 1)).isZero();
    }

    @Test
    void aMemberThatLosesItsPartitionIsToldAtOnce() {
        producer.createGroup("g");
        consumer.joinOk("g");
        post(consumer, awaitGroup(2));
        assertWaits(consumer);
        TestClient other = node.root(node.shardsCount() - 1).joinOk("g");
        assertThat(other.pollable("g")).containsExactly(2);
        assertThat(TestClient.isNotOwned(consumer.next())).isTrue();
        assertThat(waiting()).isZero();
        post(consumer, awaitGroup(0));
        assertWaits(consumer);
        assertThat(producer.deleteGroup("g").outcome()).isEqualTo("ok");
        node.run();
        assertThat(TestClient.isNotOwned(consumer.next()))
                .as("its group is gone")
                .isTrue();
    }

    @Test
    void aMemberThatKeepsItsPartitionGoesOnWaiting() {
        producer.createGroup("g");
        consumer.joinOk("g");
        post(consumer, awaitGroup(0));
        node.root(node.shardsCount() - 1).joinOk("g");
        assertWaits(consumer);
        producer.sendOk(0, "a");
        assertThat(delivered(consumer)).containsExactly("a");
    }

    @Test
    void aMemberThatWaitsIsNotIdle() {
        node.settings(settings -> Settings.with(settings, "heartbeatIntervalNanos", 2 * SECOND_NANOS));
        node.stopAndRestart();
        TestClient root = node.root(0);
        root.createGroup("g");
        TestClient member = node.root(0).joinOk("g");
        post(member, awaitGroup(0));
        for (int i = 0; i < 9; i++) {
            node.clock.advance(SECOND_NANOS);
            node.run();
        }
        assertWaits(member);
        assertThat(root.groupDetails("g").group().membersCount()).isEqualTo(1);
    }

    @Test
    void nothingIsLostOrLeftWhateverTheOrder() {
        for (long seed = 1; seed <= 60; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            TestNode fresh = new TestNode(node.shardsCount(), TestNode.SETTINGS, seed);
            TestClient sender = fresh.root(0);
            sender.createTopic(1);
            TestClient reader = fresh.root(fresh.shardsCount() - 1);
            ConsumerRef name = ConsumerRef.consumer(Identifier.of("reader"));
            List<String> received = new ArrayList<>();
            int sent = 0;
            boolean isAsked = false;
            for (int steps = 0; received.size() < 20; steps++) {
                assertThat(steps)
                        .as("steps with seed %s, received %s", seed, received)
                        .isLessThan(100_000);
                if (!isAsked) {
                    reader.post(await(
                            new PollMessages(
                                    name,
                                    TestClient.S,
                                    TestClient.T,
                                    OptionalPartition.of(0),
                                    PollingStrategy.NEXT,
                                    3,
                                    true),
                            10));
                    isAsked = true;
                }
                if (sent < 20 && random.nextInt(8) == 0) {
                    sender.post(TestClient.send(0, "m" + sent));
                    sent++;
                }
                fresh.step(random);
                if (!reader.hasNothing()) {
                    received.addAll(delivered(reader));
                    isAsked = false;
                }
            }
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                expected.add("m" + i);
            }
            assertThat(received).as("seed %s", seed).isEqualTo(expected);
            fresh.assertNoMemoryIsHeld();
        }
    }

    // Turns at the disk

    /// Starts anew with one slot for reads and no messages in memory.
    private void restartWithOneSlot() {
        restartWithSlots(1);
    }

    private void restartWithSlots(int count) {
        producer.sendOk(0, "a");
        producer.sendOk(1, "b");
        producer.sendOk(2, "c");
        node.settings(settings -> Settings.with(settings, "pollsMax", count));
        node.killAndRestart();
    }

    /// The partitions of the shard that owns partition 0.
    private int neighbour() {
        int shards = node.shardsCount();
        return shards == 3 ? 0 : shards == 2 ? 2 : 1;
    }

    @Test
    void aPollThatFindsNoSlotToReadWithWaitsForOne() {
        restartWithOneSlot();
        List<TestClient> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            readers.add(node.root(i % node.shardsCount()));
        }
        TestClient hasty = node.root(0);
        readers.get(0).post(TestClient.poll(0, PollingStrategy.FIRST, 1, false));
        node.runKeeping(1);
        assertWaits(readers.get(0));
        readers.get(1).post(await(0, PollingStrategy.FIRST, false));
        readers.get(2).post(await(neighbour(), PollingStrategy.FIRST, false));
        node.runKeeping(1);
        hasty.post(TestClient.poll(0, PollingStrategy.FIRST, 1, false));
        node.runKeeping(1);
        assertThat(hasty.next().outcome()).as("one that does not wait").isEqualTo("deny 58");
        assertWaits(readers.get(1));
        assertWaits(readers.get(2));
        assertThat(waiting()).isEqualTo(2);
        node.run();
        assertThat(delivered(readers.get(0))).containsExactly("a");
        assertThat(delivered(readers.get(1))).containsExactly("a");
        assertThat(delivered(readers.get(2))).hasSize(1);
        assertThat(waiting()).isZero();
        node.assertNoMemoryIsHeld();
    }

    @Test
    void ordinaryPollsHaveTheirTurnsWhileOthersWaitForASlot() {
        restartWithSlots(2);
        TestClient slow = node.root(0);
        TestClient hasty = node.root(0);
        List<TestClient> waiters = List.of(node.root(0), node.root(0), node.root(0));
        slow.post(TestClient.poll(0, PollingStrategy.FIRST, 1, false));
        node.runKeeping(2);
        hasty.post(TestClient.poll(0, PollingStrategy.FIRST, 1, false));
        node.runKeeping(2);
        for (TestClient each : waiters) {
            each.post(await(0, PollingStrategy.FIRST, false));
            node.runKeeping(2);
        }
        assertThat(waiting()).as("polls that wait for a slot").isEqualTo(3);
        int turns = 0;
        for (TestClient waiter : waiters) {
            readUntilAnswered(hasty);
            assertThat(delivered(hasty)).as("the ordinary poll").containsExactly("a");
            readUntilAnswered(waiter);
            assertThat(delivered(waiter)).as("the next that waited").containsExactly("a");
            turns++;
            assertThat(waiting()).as("polls that wait for a slot").isEqualTo(3 - turns);
            hasty.post(TestClient.poll(0, PollingStrategy.FIRST, 1, false));
            node.runKeeping(2);
            assertThat(hasty.hasNothing()).as("an ordinary poll is being read").isTrue();
        }
        node.run();
        assertThat(delivered(hasty)).containsExactly("a");
        assertThat(delivered(slow)).containsExactly("a");
        node.assertNoMemoryIsHeld();
    }

    @Test
    void aTurnThatNoOrdinaryPollTakesHoldsNobodyUp() {
        restartWithSlots(2);
        List<TestClient> readers = List.of(node.root(0), node.root(0));
        List<TestClient> waiters = List.of(node.root(0), node.root(0), node.root(0));
        for (TestClient each : readers) {
            each.post(TestClient.poll(0, PollingStrategy.FIRST, 1, false));
            node.runKeeping(2);
        }
        for (TestClient each : waiters) {
            each.post(await(0, PollingStrategy.FIRST, false));
            node.runKeeping(2);
        }
        assertThat(waiting()).as("polls that wait for a slot").isEqualTo(3);
        node.run();
        for (TestClient each : waiters) {
            assertThat(delivered(each)).containsExactly("a");
        }
        assertThat(waiting()).isZero();
    }

    /// Ends the newer one of two reads, again and again, until a client has its answer.
    private void readUntilAnswered(TestClient client) {
        for (int reads = 0; client.hasNothing(); reads++) {
            assertThat(reads).as("reads until there is an answer").isLessThan(10);
            assertThat(node.disk.pendingCount()).as("reads that wait").isEqualTo(2);
            node.disk.run(1);
            node.runKeeping(2);
        }
    }

    /// Lets a poll wait for the only slot, which another one has.
    private void waitForSlot(TestClient reader, TestClient waiter) {
        reader.post(TestClient.poll(0, PollingStrategy.FIRST, 1, false));
        node.runKeeping(1);
        waiter.post(await(0, PollingStrategy.NEXT, true));
        node.runKeeping(1);
        assertWaits(waiter);
    }

    @Test
    void aPollThatGetsNoSlotInItsTimeIsAnsweredWithNothing() {
        restartWithOneSlot();
        TestClient reader = node.root(0);
        TestClient waiter = node.root(0);
        waitForSlot(reader, waiter);
        node.clock.advance(10 * SECOND_NANOS);
        node.runKeeping(1);
        Answer answer = waiter.next();
        assertThat(TestClient.messages(answer)).isEmpty();
        assertThat(waiting()).isZero();
        node.run();
        assertThat(delivered(reader)).containsExactly("a");
        assertThat(waiter.pollOk(TestClient.poll(0, PollingStrategy.NEXT, 1, true)))
                .as("what was not read in time")
                .hasSize(1);
    }

    @Test
    void aPollOfAGoneClientWaitsForNoSlot() {
        restartWithOneSlot();
        TestClient reader = node.root(0);
        TestClient waiter = node.root(0);
        waitForSlot(reader, waiter);
        waiter.link.cut();
        node.runKeeping(1);
        assertThat(waiting()).isZero();
        node.run();
        assertThat(delivered(reader)).containsExactly("a");
        assertThat(reader.stored(TestClient.CONSUMER, 0)).isEqualTo(-1);
        node.assertNoMemoryIsHeld();
    }

    @Test
    void aPollThatWaitsForASlotOfADeletedPartitionIsTold() {
        restartWithOneSlot();
        TestClient reader = node.root(0);
        TestClient waiter = node.root(0);
        TestClient other = node.root(node.shardsCount() - 1);
        waitForSlot(reader, waiter);
        other.post(new DeleteStream(TestClient.S));
        node.runKeeping(1);
        assertThat(waiter.next().outcome()).isEqualTo("deny 3007");
        node.run();
        assertThat(reader.next().outcome()).isEqualTo("deny 3007");
        node.assertNoMemoryIsHeld();
    }

    @Test
    void whatIsInMemoryNeedsNoSlot() {
        restartWithOneSlot();
        TestClient reader = node.root(0);
        TestClient waiter = node.root(0);
        TestClient sender = node.root(0);
        waiter.post(await(neighbour(), PollingStrategy.offset(1), false));
        node.run();
        reader.post(TestClient.poll(0, PollingStrategy.FIRST, 1, false));
        node.runKeeping(1);
        sender.post(TestClient.send(neighbour(), "new"));
        node.runKeeping(1);
        assertThat(sender.next().outcome()).isEqualTo("ok");
        assertThat(delivered(waiter)).containsExactly("new");
        assertThat(sender.hasNothing()).isTrue();
        node.run();
        assertThat(delivered(reader)).containsExactly("a");
    }

    @Test
    void undecodableTimesAreDenied() {
        assertThat(consumer.ask(consumer.frame(
                                Operation.NON_REPLICATED, CommandCode.AWAIT_MESSAGES.code(), 1, ByteBuffer.allocate(5)))
                        .outcome())
                .isEqualTo("deny 3");
    }
}
