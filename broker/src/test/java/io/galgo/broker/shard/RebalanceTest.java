package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.reply.GroupAssignment;
import io.galgo.protocol.reply.GroupMember;
import io.galgo.protocol.request.AwaitMessages;
import io.galgo.protocol.request.CreatePartitions;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeletePartitions;
import io.galgo.protocol.request.PurgeTopic;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.UpdatePermissions;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/// Partitions that wait to change hands: two partitions, both in flight at the first member when a second one
/// joins.
@ParameterizedClass
@ValueSource(ints = {1, 2, 3})
class RebalanceTest {
    private static final ConsumerRef G = TestClient.group("g");
    private static final long TIMEOUT_NANOS = 3_000_000_000L;

    private final TestNode node;
    private final TestClient client;
    private final TestClient first;
    private final TestClient second;

    RebalanceTest(int shardsCount) {
        node = new TestNode(shardsCount, Settings.with(TestNode.SETTINGS, "rebalancingTimeoutNanos", TIMEOUT_NANOS), 1);
        client = node.root(0);
        client.createTopic(2);
        client.createGroup("g");
        for (int i = 0; i < 10; i++) {
            client.sendOk(0, "p" + i);
            client.sendOk(1, "q" + i);
        }
        first = node.root(0).joinOk("g");
        second = node.root(shardsCount - 1);
    }

    /// Takes five messages of each partition and stores nothing; then the second member joins.
    private void takeAndJoin() {
        assertThat(first.groupPollOk("g", 0, 5, false)).hasSize(5);
        assertThat(first.groupPollOk("g", 1, 5, false)).hasSize(5);
        second.joinOk("g");
    }

    private static String outcome(TestClient who, Request request) {
        return who.ask(request).outcome();
    }

    /// While a join is decided, polls of the group wait.
    private boolean isPollHeldByJoin(boolean mayJoin) {
        TestNode node = new TestNode(1);
        TestClient member = node.root(0);
        member.createTopic(1);
        member.sendOk(0, "message");
        member.createGroup("g");
        member.joinOk("g");
        Permissions permissions = mayJoin ? Scene.everything() : null;
        assertThat(member.ask(new CreateUser("alice", "password", 1, permissions, Options.NONE))
                        .outcome())
                .isEqualTo("ok");
        TestClient alice = node.connect(0).login("alice", "password");
        alice.post(TestClient.join("g"));
        member.post(TestClient.groupPoll("g", 0, 1, false));
        boolean isTransmitting = true;
        while (isTransmitting) {
            isTransmitting = node.transmit();
        }
        boolean isHeld = member.hasNothing();
        node.run();
        assertThat(alice.next().outcome()).isEqualTo(mayJoin ? "ok" : "reject 41");
        return isHeld;
    }

    @Test
    void membersThatComeAndGoWhileAnotherMoveIsPendingLeaveNothingBehind() {
        TestNode node = new TestNode(1);
        TestClient owner = node.root(0);
        owner.createTopic(2);
        owner.sendOk(0, "message");
        owner.sendOk(1, "message");
        for (String group : List.of("first", "second")) {
            owner.createGroup(group);
            owner.joinOk(group);
            owner.groupPollOk(group, 0, 1, false);
            owner.groupPollOk(group, 1, 1, false);
        }
        TestClient other = node.root(0);
        other.joinOk("first");
        Revocations revocations = node.shard(0).revocations();
        assertThat(revocations.pendingCount()).as("a move that goes on").isEqualTo(1);
        int most = 0;
        for (int i = 0; i < 300; i++) {
            other.joinOk("second");
            assertThat(revocations.pendingCount()).isEqualTo(2);
            assertThat(other.ask(TestClient.leave("second")).outcome()).isEqualTo("ok");
            most = Math.max(most, revocations.knownCount());
        }
        assertThat(revocations.pendingCount()).isEqualTo(1);
        assertThat(most).as("moves known at a time").isBetween(2, Revocations.OVER_MAX + 6);
    }

    @Test
    void aJoinHoldsThePollsOfTheGroupOnlyForOneWhoMayJoin() {
        assertThat(isPollHeldByJoin(true)).as("by one who may").isTrue();
        assertThat(isPollHeldByJoin(false)).as("by one who may not").isFalse();
    }

    @Test
    void aPartitionInFlightStaysWithItsOwnerWhoMayStoreAndNotPoll() {
        takeAndJoin();
        assertThat(client.groupDetails("g").members())
                .containsExactly(new GroupMember(0, List.of(0, 1)), new GroupMember(1, List.of()));
        assertThat(first.assignment("g")).isEqualTo(new GroupAssignment(2, List.of(0)));
        assertThat(second.assignment("g")).isEqualTo(new GroupAssignment(2, List.of()));
        assertThat(first.mayPoll("g", 0)).as("what it keeps").isTrue();
        assertThat(first.mayPoll("g", 1)).as("what it has to give up").isFalse();
        assertThat(second.mayPoll("g", 1)).as("what it waits for").isFalse();
        assertThat(outcome(second, TestClient.store(G, 1, 4))).isEqualTo("deny 5009");
    }

    @Test
    void theMoveIsCompleteWhenWhatWasServedIsStoredAndNotBefore() {
        takeAndJoin();
        assertThat(outcome(first, TestClient.store(G, 1, 3))).isEqualTo("ok");
        assertThat(second.pollable("g")).as("one message is not stored yet").isEmpty();
        assertThat(outcome(first, TestClient.store(G, 1, 4))).isEqualTo("ok");
        assertThat(second.assignment("g")).isEqualTo(new GroupAssignment(3, List.of(1)));
        assertThat(first.pollable("g")).containsExactly(0);
        assertThat(TestClient.offsets(second.groupPollOk("g", 1, 10, true))).containsExactly(5L, 6L, 7L, 8L, 9L);
        assertThat(outcome(first, TestClient.store(G, 1, 2)))
                .as("the old owner")
                .isEqualTo("deny 5009");
    }

    @Test
    void anAutomaticOffsetOfTheLastPollLetsItMoveAtOnce() {
        assertThat(first.groupPollOk("g", 1, 5, false)).hasSize(5);
        assertThat(TestClient.offsets(first.groupPollOk("g", 1, 7, true)))
                .as("nothing was stored, so it begins again")
                .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L);
        second.joinOk("g");
        assertThat(second.assignment("g")).isEqualTo(new GroupAssignment(2, List.of(1)));
    }

    @Test
    void storedOffsetsBeforeTheJoinLetItMoveAtOnce() {
        assertThat(first.groupPollOk("g", 1, 5, false)).hasSize(5);
        assertThat(outcome(first, TestClient.store(G, 1, 4))).isEqualTo("ok");
        second.joinOk("g");
        assertThat(second.assignment("g")).isEqualTo(new GroupAssignment(2, List.of(1)));
    }

    @Test
    void anEmptyPollIsNotInFlight() {
        assertThat(first.groupPollOk("g", 1, 100, true)).hasSize(10);
        assertThat(first.groupPollOk("g", 1, 100, false)).isEmpty();
        second.joinOk("g");
        assertThat(second.pollable("g")).containsExactly(1);
    }

    @Test
    void theMoveIsForcedAfterTheTimeout() {
        takeAndJoin();
        node.clock.advance(TIMEOUT_NANOS - 1);
        node.run();
        assertThat(second.pollable("g")).as("just before").isEmpty();
        node.clock.advance(1);
        node.run();
        assertThat(second.pollable("g")).as("after the timeout").containsExactly(1);
        assertThat(TestClient.offsets(second.groupPollOk("g", 1, 2, true)))
                .as("what was not stored is delivered again")
                .containsExactly(0L, 1L);
        assertThat(outcome(first, TestClient.store(G, 1, 4))).isEqualTo("deny 5009");
        assertThat(client.stored(G, 1)).isEqualTo(1);
    }

    @Test
    void eachMoveHasItsOwnTime() {
        assertThat(outcome(client, new CreatePartitions(TestClient.S, TestClient.T, 1)))
                .isEqualTo("ok");
        client.sendOk(2, "r");
        for (int partition = 0; partition < 3; partition++) {
            assertThat(first.groupPollOk("g", partition, 1, false)).hasSize(1);
        }
        second.joinOk("g");
        node.clock.advance(TIMEOUT_NANOS / 2);
        node.run();
        TestClient third = node.root(0).joinOk("g");
        assertThat(second.pollable("g")).isEmpty();
        node.clock.advance(TIMEOUT_NANOS / 2);
        node.run();
        assertThat(second.pollable("g")).as("the first that waited").containsExactly(2);
        assertThat(third.pollable("g")).isEmpty();
        node.clock.advance(TIMEOUT_NANOS / 2);
        node.run();
        assertThat(third.pollable("g")).containsExactly(1);
        assertThat(first.pollable("g")).containsExactly(0);
    }

    @Test
    void whenTheOneThatWaitsLeavesTheOwnerKeepsAll() {
        takeAndJoin();
        assertThat(outcome(second, TestClient.leave("g"))).isEqualTo("ok");
        assertThat(first.pollable("g")).containsExactly(0, 1);
        assertThat(first.groupPollOk("g", 1, 100, true)).hasSize(10);
        node.clock.advance(2 * TIMEOUT_NANOS);
        node.run();
        assertThat(first.pollable("g"))
                .as("after the time of the forgotten move")
                .containsExactly(0, 1);
    }

    @Test
    void whenTheOwnerLeavesTheOtherHasAll() {
        takeAndJoin();
        first.link.cut();
        node.run();
        assertThat(second.pollable("g")).containsExactly(0, 1);
        assertThat(second.groupPollOk("g", 0, 100, true)).hasSize(10);
        assertThat(second.groupPollOk("g", 1, 100, true)).hasSize(10);
    }

    @Test
    void whenAnotherMemberLeavesAllIsDealtAnew() {
        TestClient third = node.root(0).joinOk("g");
        TestClient idle = node.root(0).joinOk("g");
        assertThat(first.groupPollOk("g", 0, 5, false)).hasSize(5);
        second.joinOk("g");
        assertThat(outcome(idle, TestClient.leave("g"))).isEqualTo("ok");
        assertThat(List.of(first.pollable("g"), third.pollable("g"), second.pollable("g")))
                .containsExactly(List.of(0), List.of(1), List.of());
    }

    @Test
    void whatAMemberThatIsGoneWasServedIsNotWaitedFor() {
        assertThat(first.groupPollOk("g", 1, 5, false)).hasSize(5);
        TestClient heir = node.root(0).joinOk("g");
        first.link.cut();
        node.run();
        assertThat(heir.pollable("g")).containsExactly(0, 1);
        second.joinOk("g");
        assertThat(second.pollable("g")).as("moves at once").containsExactly(1);
        assertThat(second.groupPollOk("g", 1, 100, true)).hasSize(10);
    }

    @Test
    void newAndDeletedPartitionsEndWhatIsPending() {
        takeAndJoin();
        assertThat(outcome(client, new CreatePartitions(TestClient.S, TestClient.T, 2)))
                .isEqualTo("ok");
        assertThat(first.pollable("g")).containsExactly(0, 2);
        assertThat(second.pollable("g")).containsExactly(1, 3);
        assertThat(outcome(client, new DeletePartitions(TestClient.S, TestClient.T, 3)))
                .isEqualTo("ok");
        assertThat(first.pollable("g")).containsExactly(0);
        assertThat(second.pollable("g")).isEmpty();
        assertThat(first.groupPollOk("g", 0, 100, true)).hasSize(10);
    }

    @Test
    void aPurgeLeavesNothingInFlight() {
        takeAndJoin();
        assertThat(outcome(client, new PurgeTopic(TestClient.S, TestClient.T))).isEqualTo("ok");
        node.run();
        assertThat(second.pollable("g")).containsExactly(1);
    }

    @Test
    void afterARestartNothingWasServed() {
        takeAndJoin();
        node.killAndRestart();
        node.run();
        TestClient back = node.connect(0);
        back.id = second.id;
        back.login();
        assertThat(back.pollable("g")).containsExactly(1);
    }

    @Test
    void aCompletionThatFindsNoRoomIsProposedAgain() {
        takeAndJoin();
        if (node.shardsCount() == 1) {
            return;
        }
        Runnable giveBack = node.fillMailbox(1);
        node.clock.advance(TIMEOUT_NANOS);
        node.run();
        assertThat(first.mayPoll("g", 1)).isFalse();
        giveBack.run();
        node.clock.advance(1_000_000_000L);
        node.run();
        assertThat(second.pollable("g")).containsExactly(1);
    }

    @Test
    void aReadThatEndsAfterTheMoveIsNotDelivered() {
        assertThat(first.groupPollOk("g", 1, 5, false)).hasSize(5);
        assertThat(outcome(first, TestClient.store(G, 1, 4))).isEqualTo("ok");
        for (int shard = 0; shard < node.shardsCount(); shard++) {
            node.shard(shard).makeRoom(1 << 20);
        }
        first.post(TestClient.groupPoll("g", 1, 5, false));
        node.runKeeping(1);
        assertThat(first.hasNothing()).as("the read waits for the disk").isTrue();
        second.post(TestClient.join("g"));
        node.runKeeping(1);
        assertThat(second.next().outcome()).isEqualTo("ok");
        node.run();
        Answer late = first.next();
        assertThat(TestClient.isNotOwned(late))
                .as("the late poll of the old owner")
                .isTrue();
        assertThat(TestClient.offsets(second.groupPollOk("g", 1, 100, true))).containsExactly(5L, 6L, 7L, 8L, 9L);
        node.assertNoMemoryIsHeld();
    }

    @Test
    void aPollThatWouldMakeAPartitionInFlightWaitsForTheJoin() {
        second.post(TestClient.join("g"));
        node.runKeeping(1);
        first.post(TestClient.groupPoll("g", 1, 5, false));
        node.runKeeping(1);
        assertThat(first.hasNothing()).as("the poll waits").isTrue();
        node.run();
        assertThat(second.next().outcome()).isEqualTo("ok");
        assertThat(TestClient.isNotOwned(first.next())).isTrue();
        assertThat(TestClient.offsets(second.groupPollOk("g", 1, 2, false))).containsExactly(0L, 1L);
    }

    private int heldPolls() {
        int count = 0;
        for (int shard = 0; shard < node.shardsCount(); shard++) {
            count += node.shard(shard).heldPollsCount();
        }
        return count;
    }

    /// Lets a poll wait for a join that the journal has not written yet.
    private void holdForJoin(Request poll) {
        second.post(TestClient.join("g"));
        node.runKeeping(1);
        first.post(poll);
        node.runKeeping(1);
        assertThat(heldPolls()).as("polls that wait for the join").isEqualTo(1);
    }

    @Test
    void aPollWhoseConnectionIsGoneIsNotKeptForAJoin() {
        holdForJoin(TestClient.groupPoll("g", 1, 5, false));
        first.link.cut();
        node.runKeeping(1);
        assertThat(second.hasNothing()).as("the join goes on").isTrue();
        assertThat(heldPolls()).as("polls that nobody waits for").isZero();
        node.run();
        assertThat(second.next().outcome()).isEqualTo("ok");
        assertThat(TestClient.offsets(second.groupPollOk("g", 1, 2, false))).containsExactly(0L, 1L);
        node.assertNoMemoryIsHeld();
    }

    @Test
    void aPollThatIsHeldForAJoinTakesNothingForAClientThatEndedItsInput() {
        holdForJoin(new AwaitMessages(TestClient.groupPoll("g", 1, 5, false), 1_000_000));
        first.link.endInput();
        node.runKeeping(1);
        assertThat(heldPolls()).as("polls that nobody waits for").isZero();
        assertThat(TestClient.messages(first.next())).isEmpty();
    }

    @Test
    void aPollThatIsHeldForAJoinIsNotServedToAUserThatMayNotPollAnyMore() {
        assertThat(outcome(client, new CreateUser("alice", "password", 1, Scene.everything(), Options.NONE)))
                .isEqualTo("ok");
        TestClient alice = node.connect(0).login("alice", "password").joinOk("g");
        assertThat(alice.pollable("g")).containsExactly(1);
        client.post(new UpdatePermissions(Identifier.of("alice"), null));
        node.runKeeping(1);
        second.post(TestClient.join("g"));
        node.runKeeping(1);
        alice.post(new AwaitMessages(TestClient.groupPoll("g", 1, 5, false), 1_000_000));
        node.runKeeping(1);
        assertThat(alice.hasNothing()).isTrue();
        assertThat(heldPolls()).as("polls that wait for the join").isEqualTo(1);
        node.run();
        assertThat(client.next().outcome()).as("the right is gone").isEqualTo("ok");
        assertThat(second.next().outcome()).isEqualTo("ok");
        assertThat(alice.next().outcome()).isEqualTo("deny 41");
    }

    @Test
    void aHeldPollOfAClientThatOnlyEndedItsInputIsAnswered() {
        holdForJoin(TestClient.groupPoll("g", 0, 5, false));
        first.link.endInput();
        node.runKeeping(1);
        assertThat(heldPolls())
                .as("polls that somebody may still read the answer of")
                .isEqualTo(1);
        node.run();
        assertThat(TestClient.messages(first.next())).hasSize(5);
    }

    @Test
    void aPollThatWaitsForAJoinIsServedWhenTheJoinFails() {
        node.disk.failNext(MemoryDisk.Operation.SYNC, DiskFault.Kind.IO, "journal");
        second.post(TestClient.join("g"));
        node.runKeeping(1);
        first.post(TestClient.groupPoll("g", 1, 5, false));
        node.runKeeping(1);
        assertThat(first.hasNothing()).as("the poll waits").isTrue();
        node.run();
        assertThat(second.next().outcome()).isEqualTo("reject 57");
        assertThat(TestClient.messages(first.next())).hasSize(5);
    }

    @Test
    void aLateStoreOfTheOldOwnerDoesNotPutTheOffsetBack() {
        second.joinOk("g");
        TestClient third = node.root(0).joinOk("g");
        assertThat(second.pollable("g")).containsExactly(1);
        assertThat(outcome(second, TestClient.store(G, 1, 0))).isEqualTo("ok");
        assertThat(second.groupPollOk("g", 1, 2, false)).hasSize(2);
        second.post(TestClient.store(G, 1, 2));
        node.runKeeping(1);
        assertThat(node.disk.pendingCount()).as("the store waits for the disk").isEqualTo(1);
        first.post(TestClient.leave("g"));
        node.runKeeping(1);
        assertThat(first.next().outcome()).as("all is dealt anew").isEqualTo("ok");
        third.post(TestClient.groupPoll("g", 1, 5, true));
        node.runKeeping(1);
        assertThat(TestClient.offsets(TestClient.messages(third.next()))).containsExactly(1L, 2L, 3L, 4L, 5L);
        node.run();
        assertThat(second.next().outcome()).isEqualTo("deny 5009");
        assertThat(client.stored(G, 1)).isEqualTo(5);
        node.killAndRestart();
        assertThat(node.root(0).stored(G, 1)).as("after a restart").isEqualTo(5);
    }

    // Partitions that come and go

    @Test
    void partitionsThatComeAndGoWhileMembersPollAreDealtEvenlyAndNothingIsLostOrDoubled() {
        for (long seed = 1; seed <= 40; seed++) {
            try {
                new Growth(new SplittableRandom(seed), node.shardsCount(), seed).run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e, e);
            }
        }
    }

    /// Three members that poll with automatic offsets while partitions are added behind four that stay, and deleted
    /// again.
    private static final class Growth {
        private static final int STAYING = 4;

        private final SplittableRandom random;
        private final TestNode node;
        private final TestClient root;
        private final TestClient admin;
        private final List<TestClient> members = new ArrayList<>();

        /// What each member has asked, the partition of a poll or -1 for a sync, as long as it was not answered.
        private final Map<TestClient, Integer> asked = new HashMap<>();

        private final Map<TestClient, List<Integer>> pollable = new HashMap<>();
        private final Set<String> received = new HashSet<>();
        private final Set<String> sent = new HashSet<>();
        private int partitions = STAYING;
        private boolean isChanging;
        private boolean isSending;
        private int messagesMade;
        private int changes;

        Growth(SplittableRandom random, int shardsCount, long seed) {
            this.random = random;
            // Some polls wait for the disk while the partition moves.
            long tailBytesMax = random.nextBoolean() ? 0 : 4 << 20;
            node = new TestNode(shardsCount, Settings.with(TestNode.SETTINGS, "tailBytesMax", tailBytesMax), seed);
            root = node.root(0);
            admin = node.root(0);
            root.createTopic(STAYING);
            root.createGroup("g");
            for (int i = 0; i < 3; i++) {
                members.add(node.root(i % shardsCount).joinOk("g"));
            }
        }

        void run() {
            for (int step = 0; step < 900; step++) {
                switch (random.nextInt(8)) {
                    case 0 -> change();
                    case 1 -> post(random.nextInt(STAYING));
                    case 2, 3 -> ask(members.get(random.nextInt(members.size())));
                    default -> node.step(random);
                }
                listen();
            }
            node.run();
            listen();
            assertThat(asked).as("requests without an answer").isEmpty();
            assertThat(changes).as("changes of the partitions").isGreaterThan(10);
            checkShares();
            for (int partition = 0; partition < partitions; partition++) {
                post(partition);
                node.run();
                listen();
            }
            for (TestClient member : members) {
                for (int partition : member.pollable("g")) {
                    note(member.groupPollOk("g", partition, 1_000, true));
                }
            }
            assertThat(received).containsExactlyInAnyOrderElementsOf(sent);
            node.assertNoMemoryIsHeld();
        }

        private void change() {
            if (!isChanging) {
                boolean grows = partitions == STAYING || (partitions < STAYING + 4 && random.nextBoolean());
                isChanging = true;
                changes++;
                partitions += grows ? 1 : -1;
                admin.post(
                        grows
                                ? new CreatePartitions(TestClient.S, TestClient.T, 1)
                                : new DeletePartitions(TestClient.S, TestClient.T, 1));
            }
        }

        private void post(int partition) {
            if (!isSending) {
                isSending = true;
                String payload = "message " + messagesMade++;
                sent.add(payload);
                root.post(TestClient.send(partition, payload));
            }
        }

        private void ask(TestClient member) {
            if (!asked.containsKey(member)) {
                List<Integer> mine = pollable.getOrDefault(member, List.of());
                if (mine.isEmpty() || random.nextInt(6) == 0) {
                    asked.put(member, -1);
                    member.post(TestClient.sync("g"));
                } else {
                    int partition = mine.get(random.nextInt(mine.size()));
                    asked.put(member, partition);
                    member.post(TestClient.groupPoll("g", partition, 1 + random.nextInt(4), true));
                }
            }
        }

        private void listen() {
            if (isChanging && !admin.hasNothing()) {
                assertThat(admin.next().outcome())
                        .as("a change of the partitions")
                        .isEqualTo("ok");
                isChanging = false;
            }
            if (isSending && !root.hasNothing()) {
                assertThat(root.next().outcome()).as("a send").isEqualTo("ok");
                isSending = false;
            }
            for (TestClient member : members) {
                Integer partition = asked.get(member);
                if (partition == null || member.hasNothing()) {
                    continue;
                }
                asked.remove(member);
                Answer answer = member.next();
                assertThat(answer.outcome()).isEqualTo("ok");
                if (partition < 0) {
                    GroupAssignment assignment = GroupAssignment.decode(answer.body());
                    pollable.put(member, Objects.requireNonNull(assignment).partitionIds());
                } else if (TestClient.isNotOwned(answer)) {
                    pollable.remove(member);
                } else {
                    note(TestClient.messages(answer));
                }
            }
        }

        private void note(List<Batches.Message> messages) {
            for (Batches.Message message : messages) {
                assertThat(received.add(message.payload()))
                        .as("%s is received for the first time", message.payload())
                        .isTrue();
            }
        }

        private void checkShares() {
            List<Integer> all = new ArrayList<>();
            for (TestClient member : members) {
                List<Integer> mine = member.pollable("g");
                assertThat(mine.size())
                        .as("a fair share of %s partitions", partitions)
                        .isBetween(partitions / 3, (partitions + 2) / 3);
                all.addAll(mine);
            }
            Collections.sort(all);
            assertThat(all)
                    .as("partitions of all members")
                    .isEqualTo(IntStream.range(0, partitions).boxed().toList());
        }
    }
}
