package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.GlobalPermission;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.Options;
import io.galgo.protocol.Partitioning;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.reply.ClientDetails;
import io.galgo.protocol.reply.ClientMembership;
import io.galgo.protocol.reply.ClientRecord;
import io.galgo.protocol.reply.ClientRecords;
import io.galgo.protocol.reply.GroupAssignment;
import io.galgo.protocol.reply.GroupMember;
import io.galgo.protocol.reply.GroupRecord;
import io.galgo.protocol.reply.GroupRecords;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.CreateConsumerGroup;
import io.galgo.protocol.request.CreatePartitions;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeleteConsumerGroup;
import io.galgo.protocol.request.DeletePartitions;
import io.galgo.protocol.request.GetClient;
import io.galgo.protocol.request.GetConsumerGroup;
import io.galgo.protocol.request.GetConsumerGroups;
import io.galgo.protocol.request.JoinConsumerGroup;
import io.galgo.protocol.request.LeaveConsumerGroup;
import io.galgo.protocol.request.PollMessages;
import io.galgo.protocol.request.Request;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {1, 2, 3})
class ConsumerGroupTest {
    private static final Identifier S = TestClient.S;
    private static final Identifier T = TestClient.T;
    private static final Identifier NONE = Identifier.of("none");
    private static final ConsumerRef G = TestClient.group("g");

    private final TestNode node;
    private final TestClient client;
    private int membersMade;

    ConsumerGroupTest(int shardsCount) {
        node = new TestNode(shardsCount);
        client = node.root(0);
    }

    private void createGroup(int partitions) {
        client.createTopic(partitions);
        assertThat(client.createGroup("g").outcome()).isEqualTo("ok");
    }

    /// Another client, on the next shard, that has joined.
    private TestClient member() {
        membersMade++;
        return node.root(membersMade % node.shardsCount()).joinOk("g");
    }

    private List<TestClient> members(int count) {
        List<TestClient> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            members.add(member());
        }
        return members;
    }

    private static List<Integer> sizes(List<TestClient> members) {
        return members.stream().map(member -> member.pollable("g").size()).toList();
    }

    /// Checks that each partition may be polled by exactly one of the members, by what each member is told.
    private static void assertEachPartitionOnce(List<TestClient> members, int partitions) {
        List<Integer> owned = members.stream()
                .flatMap(member -> member.pollable("g").stream())
                .sorted()
                .toList();
        assertThat(owned)
                .as("partitions of all members")
                .isEqualTo(IntStream.range(0, partitions).boxed().toList());
    }

    private static String outcome(TestClient who, Request request) {
        return who.ask(request).outcome();
    }

    // Creation, reads

    @Test
    void theFirstGroupOfATopicHasIdZeroAndNoMembers() {
        client.createTopic(3);
        Answer created = client.createGroup("g");
        assertThat(created.outcome()).isEqualTo("ok");
        assertThat(GroupRecord.decode(created.payload())).isEqualTo(new GroupRecord(0, 3, 0, "g"));
        assertThat(client.groupDetails("g").group()).isEqualTo(new GroupRecord(0, 3, 0, "g"));
        assertThat(client.groupDetails("g").members()).isEmpty();
    }

    @Test
    void groupsAreListed() {
        createGroup(2);
        client.createGroup("h");
        member();
        Answer listed = client.ask(new GetConsumerGroups(S, T));
        assertThat(Objects.requireNonNull(GroupRecords.decode(listed.body())).groups())
                .containsExactly(new GroupRecord(0, 2, 1, "g"), new GroupRecord(1, 2, 0, "h"));
    }

    @Test
    void whatIsMissingHasItsCode() {
        createGroup(2);
        assertThat(outcome(client, new GetConsumerGroup(NONE, NONE, NONE))).isEqualTo("deny 1009");
        assertThat(outcome(client, new GetConsumerGroup(S, NONE, NONE))).isEqualTo("deny 2010");
        Answer missing = client.ask(new GetConsumerGroup(S, T, NONE));
        assertThat(missing.outcome()).isEqualTo("ok");
        assertThat(missing.body().remaining()).as("body of a missing group").isZero();
        assertThat(outcome(client, new GetConsumerGroups(NONE, NONE))).isEqualTo("deny 1009");
        assertThat(outcome(client, new GetConsumerGroups(S, NONE))).isEqualTo("deny 2010");
        List<List<Request>> ladders = List.of(
                List.of(
                        new CreateConsumerGroup(NONE, NONE, "g"),
                        new CreateConsumerGroup(S, NONE, "g"),
                        new CreateConsumerGroup(S, T, "g")),
                List.of(
                        new DeleteConsumerGroup(NONE, NONE, NONE),
                        new DeleteConsumerGroup(S, NONE, NONE),
                        new DeleteConsumerGroup(S, T, NONE)),
                List.of(
                        new JoinConsumerGroup(NONE, NONE, NONE),
                        new JoinConsumerGroup(S, NONE, NONE),
                        new JoinConsumerGroup(S, T, NONE)),
                List.of(
                        new LeaveConsumerGroup(NONE, NONE, NONE),
                        new LeaveConsumerGroup(S, NONE, NONE),
                        new LeaveConsumerGroup(S, T, NONE)));
        for (List<Request> ladder : ladders) {
            assertThat(outcome(client, ladder.get(0))).as("%s", ladder.get(0)).isEqualTo("reject 1009");
            assertThat(outcome(client, ladder.get(1))).as("%s", ladder.get(1)).isEqualTo("reject 2010");
            assertThat(outcome(client, ladder.get(2)))
                    .as("%s", ladder.get(2))
                    .isEqualTo(ladder.get(2) instanceof CreateConsumerGroup ? "reject 5004" : "reject 5000");
        }
        assertThat(outcome(client, TestClient.leave("g"))).as("no member").isEqualTo("reject 5006");
    }

    @Test
    void undecodableBodiesAreDeniedExceptOfASync() {
        createGroup(1);
        for (CommandCode command : List.of(CommandCode.GET_CONSUMER_GROUP, CommandCode.GET_CONSUMER_GROUPS)) {
            assertThat(raw(command).outcome()).as("%s", command).isEqualTo("deny 3");
        }
        Answer sync = raw(CommandCode.SYNC_CONSUMER_GROUP);
        assertThat(sync.outcome()).isEqualTo("ok");
        assertThat(sync.body().remaining()).isZero();
        assertThat(client.ask(client.frame(Operation.JOIN_CONSUMER_GROUP, 0, ++client.number, ByteBuffer.allocate(2)))
                        .outcome())
                .isEqualTo("deny 3");
    }

    private static Permissions global(GlobalPermission permission) {
        return new Permissions(permission.mask(), List.of());
    }

    private Answer raw(CommandCode command) {
        return client.ask(client.frame(Operation.NON_REPLICATED, command.code(), 1, ByteBuffer.allocate(2)));
    }

    @Test
    void aSecondCreationLeavesMembersAndOffsetsAlone() {
        createGroup(1);
        TestClient member = member();
        client.sendOk(0, "a", "b", "c");
        assertThat(member.groupPollOk("g", 0, 2, true)).hasSize(2);
        assertThat(client.createGroup("g").outcome()).isEqualTo("reject 5004");
        assertThat(client.groupDetails("g").group().membersCount()).isEqualTo(1);
        assertThat(client.stored(G, 0)).isEqualTo(1);
    }

    @Test
    void whoMayNotReadTheTopicMayDoNothingWithItsGroups() {
        createGroup(2);
        assertThat(outcome(
                        client,
                        new CreateUser("poller", "secret", 1, global(GlobalPermission.POLL_MESSAGES), Options.NONE)))
                .isEqualTo("ok");
        TestClient poller = login("poller");
        for (Request request : List.<Request>of(
                new CreateConsumerGroup(S, T, "h"),
                new DeleteConsumerGroup(S, T, Identifier.of("g")),
                TestClient.join("g"),
                TestClient.leave("g"),
                new DeleteConsumerGroup(S, T, NONE))) {
            assertThat(outcome(poller, request)).as("%s", request).isEqualTo("reject 41");
        }
        assertThat(outcome(poller, new GetConsumerGroup(S, T, Identifier.of("g"))))
                .isEqualTo("deny 41");
        assertThat(outcome(poller, new GetConsumerGroups(S, T))).isEqualTo("deny 41");
        assertThat(outcome(poller, new GetConsumerGroup(S, T, NONE)))
                .as("a missing group")
                .isEqualTo("ok");
        assertThat(TestClient.isNotOwned(poller.ask(TestClient.groupPoll("g", 0, 1, false))))
                .as("polls for a group without being a member")
                .isTrue();
        assertThat(outcome(poller, TestClient.get(G, 0))).as("reads the offset").isEqualTo("ok");
        assertThat(outcome(poller, TestClient.store(G, 0, 0))).isEqualTo("deny 5009");
    }

    private TestClient login(String name) {
        TestClient other = node.connect(0);
        Answer answer = other.tryLogin(name, "secret");
        assertThat(answer.outcome()).isEqualTo("ok");
        other.session = TestClient.loginReply(answer).session();
        return other;
    }

    // Membership, assignment

    @Test
    void partitionsThatNobodyPolledMoveAtOnce() {
        createGroup(3);
        List<TestClient> members = members(1);
        assertThat(sizes(members)).containsExactly(3);
        members.add(member());
        assertThat(sizes(members)).containsExactly(2, 1);
        members.add(member());
        assertThat(sizes(members)).containsExactly(1, 1, 1);
        assertEachPartitionOnce(members, 3);
        assertThat(members.getFirst().assignment("g"))
                .as("three joins, three generations")
                .extracting(GroupAssignment::generation)
                .isEqualTo(3L);
        assertThat(client.groupDetails("g").members())
                .containsExactly(
                        new GroupMember(0, List.of(0)), new GroupMember(1, List.of(2)), new GroupMember(2, List.of(1)));
    }

    @Test
    void joiningAgainChangesNothing() {
        createGroup(3);
        TestClient member = member();
        member.joinOk("g");
        assertThat(member.assignment("g")).isEqualTo(new GroupAssignment(1, List.of(0, 1, 2)));
    }

    @Test
    void leavingDealsThePartitionsAnew() {
        createGroup(4);
        List<TestClient> members = members(3);
        assertThat(outcome(members.get(1), TestClient.leave("g"))).isEqualTo("ok");
        assertThat(members.get(0).pollable("g")).containsExactly(0, 2);
        assertThat(members.get(1).assignment("g")).isNull();
        assertThat(members.get(2).pollable("g")).containsExactly(1, 3);
        assertThat(client.groupDetails("g").group().membersCount()).isEqualTo(2);
    }

    @Test
    void logoutAndDisconnectionLeaveAllGroups() {
        createGroup(4);
        client.createGroup("h");
        List<TestClient> members = members(3);
        members.get(0).joinOk("h");
        assertThat(members.get(0).logout().outcome()).isEqualTo("ok");
        assertThat(client.groupDetails("g").group().membersCount()).isEqualTo(2);
        assertThat(client.groupDetails("h").group().membersCount()).isZero();
        members.get(1).link.cut();
        node.run();
        assertThat(client.groupDetails("g").members()).containsExactly(new GroupMember(2, List.of(0, 1, 2, 3)));
        assertThat(members.get(2).pollable("g")).containsExactly(0, 1, 2, 3);
    }

    @Test
    void aFreeMemberIdIsUsedAgainAndItsPartitionsAreNot() {
        createGroup(3);
        List<TestClient> members = members(3);
        assertThat(outcome(members.getFirst(), TestClient.leave("g"))).isEqualTo("ok");
        members.set(0, member());
        assertEachPartitionOnce(members, 3);
        assertThat(client.groupDetails("g").members())
                .extracting(GroupMember::id)
                .containsExactly(0, 1, 2);
        assertThat(members.getFirst().pollable("g"))
                .as("the new member 0 has the partition that was too much for another")
                .containsExactly(2);
    }

    @Test
    void membersAreDealtEvenShares() {
        int[][] cases = {{16, 16}, {12, 4}, {10, 4}, {16, 8}, {24, 8}, {6, 4}, {2, 3}};
        for (int[] each : cases) {
            TestNode fresh = new TestNode(node.shardsCount());
            TestClient root = fresh.root(0);
            root.createTopic(each[0]);
            root.createGroup("g");
            List<TestClient> members = new ArrayList<>();
            for (int i = 0; i < each[1]; i++) {
                members.add(fresh.root(i % fresh.shardsCount()).joinOk("g"));
            }
            assertEachPartitionOnce(members, each[0]);
            int fair = each[0] / each[1];
            assertThat(sizes(members))
                    .as("%s partitions, %s members", each[0], each[1])
                    .allMatch(size -> size == fair || size == fair + 1);
        }
    }

    @Test
    void oneMemberAfterTheOtherTakesItsShare() {
        createGroup(6);
        List<TestClient> members = new ArrayList<>();
        for (int count : new int[] {1, 2, 3, 4, 6}) {
            while (members.size() < count) {
                members.add(member());
            }
            assertEachPartitionOnce(members, 6);
        }
        assertThat(sizes(members)).containsOnly(1);
    }

    @Test
    void twoLeaveAndTwoCome() {
        createGroup(16);
        List<TestClient> members = members(4);
        assertThat(outcome(members.removeFirst(), TestClient.leave("g"))).isEqualTo("ok");
        members.removeFirst().link.cut();
        node.run();
        members.addAll(members(2));
        assertThat(sizes(members)).containsOnly(4);
        assertEachPartitionOnce(members, 16);
    }

    @Test
    void joinsAtTheSameTimeAreDealtOneAfterTheOther() {
        for (long seed = 1; seed <= 30; seed++) {
            TestNode fresh = new TestNode(node.shardsCount());
            TestClient root = fresh.root(0);
            root.createTopic(7);
            root.createGroup("g");
            List<TestClient> members = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                members.add(fresh.root(i % fresh.shardsCount()));
            }
            members.forEach(member -> member.post(TestClient.join("g")));
            SplittableRandom random = new SplittableRandom(seed);
            while (fresh.step(random)) {
                // Works on.
            }
            for (TestClient member : members) {
                assertThat(member.next().outcome()).as("seed %s", seed).isEqualTo("ok");
            }
            assertEachPartitionOnce(members, 7);
            assertThat(sizes(members)).as("seed %s", seed).containsOnly(1, 2);
        }
    }

    @Test
    void partitionsThatComeAndGoAreDealtAnew() {
        createGroup(2);
        List<TestClient> members = members(2);
        for (int round = 0; round < 5; round++) {
            assertThat(outcome(client, new CreatePartitions(S, T, 3))).isEqualTo("ok");
            assertThat(sizes(members)).containsExactly(3, 2);
            assertEachPartitionOnce(members, 5);
            assertThat(outcome(client, new DeletePartitions(S, T, 3))).isEqualTo("ok");
            assertThat(sizes(members)).containsExactly(1, 1);
            assertEachPartitionOnce(members, 2);
        }
        assertThat(members.getFirst().assignment("g"))
                .extracting(GroupAssignment::generation)
                .isEqualTo(12L);
    }

    @Test
    void membersOfATopicWithoutPartitionsGetThoseThatAreMade() {
        createGroup(0);
        List<TestClient> members = members(2);
        assertThat(sizes(members)).containsExactly(0, 0);
        assertThat(outcome(client, new CreatePartitions(S, T, 3))).isEqualTo("ok");
        assertThat(sizes(members)).containsExactly(2, 1);
    }

    @Test
    void clientListingsNameTheGroups() {
        createGroup(1);
        client.createGroup("h");
        TestClient member = member();
        member.joinOk("h");
        List<ClientMembership> both = List.of(new ClientMembership(0, 0, 0), new ClientMembership(0, 0, 1));

        ClientDetails me = details(member.ask(new BodilessRequest(CommandCode.GET_ME)));
        assertThat(me.memberships()).isEqualTo(both);
        assertThat(me.client().consumerGroupsCount()).isEqualTo(2);
        assertThat(details(client.ask(new GetClient(me.client().clientId()))))
                .as("as another client sees it")
                .isEqualTo(me);
        Answer all = client.ask(new BodilessRequest(CommandCode.GET_CLIENTS));
        assertThat(Objects.requireNonNull(ClientRecords.decode(all.body())).clients())
                .extracting(ClientRecord::consumerGroupsCount)
                .containsExactlyInAnyOrder(0, 2);
    }

    private static ClientDetails details(Answer answer) {
        return Objects.requireNonNull(ClientDetails.decode(answer.body()));
    }

    // Polls and offsets

    @Test
    void eachMemberReceivesItsPartitionsAndTogetherTheyReceiveAll() {
        createGroup(3);
        for (int i = 0; i < 30; i++) {
            client.sendOk(i % 3, "m" + i);
        }
        TreeSet<String> received = new TreeSet<>();
        int count = 0;
        for (TestClient member : members(3)) {
            for (int partition : member.pollable("g")) {
                for (Batches.Message message : member.groupPollOk("g", partition, 100, true)) {
                    received.add(message.payload());
                    count++;
                }
            }
        }
        assertThat(count).as("messages received").isEqualTo(30);
        assertThat(received).hasSize(30);
    }

    @Test
    void onlyTheOwnerOfAPartitionMayPollIt() {
        createGroup(2);
        client.sendOk(0, "a");
        client.sendOk(1, "b");
        List<TestClient> members = members(2);
        for (TestClient member : members) {
            for (int partition = 0; partition < 2; partition++) {
                assertThat(member.mayPoll("g", partition))
                        .as("partition %s of %s", partition, member.pollable("g"))
                        .isEqualTo(member.pollable("g").contains(partition));
            }
        }
        assertThat(client.mayPoll("g", 0)).as("a stranger").isFalse();
        assertThat(members.getFirst().mayPoll("g", 7)).as("no such partition").isFalse();
    }

    @Test
    void whatAGroupsPollCannotResolveIsTheSentinel() {
        createGroup(1);
        TestClient member = member();
        for (PollMessages poll : List.of(
                poll(G, NONE, T, OptionalPartition.of(0)),
                poll(G, S, NONE, OptionalPartition.of(0)),
                poll(TestClient.group("none"), S, T, OptionalPartition.of(0)))) {
            Answer answer = member.ask(poll);
            assertThat(answer.outcome()).as("%s", poll).isEqualTo("ok");
            assertThat(TestClient.isNotOwned(answer)).as("%s", poll).isTrue();
            assertThat(answer.body().remaining()).isEqualTo(16);
        }
        assertThat(outcome(member, poll(G, S, T, OptionalPartition.NONE))).isEqualTo("deny 6");
    }

    private static PollMessages poll(
            ConsumerRef consumer, Identifier stream, Identifier topic, OptionalPartition partition) {
        return new PollMessages(consumer, stream, topic, partition, PollingStrategy.NEXT, 1, false);
    }

    @Test
    void aDeletedGroupsMembersGetTheSentinelAndNothingOfItIsLeft() {
        createGroup(1);
        client.sendOk(0, "a", "b", "c");
        TestClient member = member();
        assertThat(member.groupPollOk("g", 0, 2, true)).hasSize(2);
        assertThat(client.deleteGroup("g").outcome()).isEqualTo("ok");
        assertThat(member.mayPoll("g", 0)).isFalse();
        assertThat(member.assignment("g")).isNull();
        assertThat(client.stored(G, 0)).as("offset of a deleted group").isEqualTo(-1);
        assertThat(client.createGroup("g").outcome()).isEqualTo("ok");
        assertThat(client.groupDetails("g").group()).isEqualTo(new GroupRecord(1, 1, 0, "g"));
        assertThat(client.stored(G, 0)).as("offset of a group made anew").isEqualTo(-1);
        member.joinOk("g");
        assertThat(member.groupPollOk("g", 0, 10, true)).hasSize(3);
        node.killAndRestart();
        assertThat(node.root(0).stored(G, 0)).isEqualTo(2);
    }

    @Test
    void aMemberWithoutPartitionsSeesThatItsGroupIsGone() {
        createGroup(1);
        List<TestClient> members = members(2);
        assertThat(members.get(1).pollable("g")).isEmpty();
        assertThat(client.deleteGroup("g").outcome()).isEqualTo("ok");
        assertThat(members.get(1).assignment("g")).isNull();
        assertThat(members.get(1).mayPoll("g", 0)).isFalse();
        assertThat(outcome(members.get(1), TestClient.leave("g"))).isEqualTo("reject 5000");
    }

    @Test
    void membersShareOneOffset() {
        createGroup(1);
        for (int i = 0; i < 10; i++) {
            client.sendOk(0, "m" + i);
        }
        TestClient first = member();
        assertThat(first.groupPollOk("g", 0, 5, true)).hasSize(5);
        assertThat(client.stored(G, 0)).isEqualTo(4);
        assertThat(client.stored(ConsumerRef.group(Identifier.of(0)), 0))
                .as("by the group's id")
                .isEqualTo(4);
        assertThat(client.stored(ConsumerRef.consumer(Identifier.of(0)), 0))
                .as("of the plain consumer 0")
                .isEqualTo(-1);
        first.link.cut();
        node.run();
        TestClient second = member();
        assertThat(TestClient.offsets(second.groupPollOk("g", 0, 100, true))).containsExactly(5L, 6L, 7L, 8L, 9L);
        client.sendOk(0, "new");
        assertThat(TestClient.payloads(second.groupPollOk("g", 0, 100, true))).containsExactly("new");
    }

    @Test
    void aSoleMemberThatPollsInTurnReceivesBalancedMessagesAsTheyWereSent() {
        createGroup(3);
        List<String> sent = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            sent.add("m" + i);
            assertThat(outcome(client, TestClient.send(Partitioning.balanced(), Batches.of("m" + i))))
                    .isEqualTo("ok");
        }
        TestClient member = member();
        assertThat(member.pollable("g")).containsExactly(0, 1, 2);

        List<String> received = new ArrayList<>();
        for (int round = 0; round < 4; round++) {
            for (int partition : member.pollable("g")) {
                received.addAll(TestClient.payloads(member.groupPollOk("g", partition, 1, true)));
            }
        }

        assertThat(received).isEqualTo(sent);
    }

    @Test
    void aSoleMemberReceivesTheMessagesOfEachKeyFromOnePartitionInTheirOrder() {
        createGroup(3);
        SplittableRandom random = new SplittableRandom(3);
        Map<String, List<String>> sent = new TreeMap<>();
        for (int i = 0; i < 200; i++) {
            String key = "key " + random.nextInt(10);
            sent.computeIfAbsent(key, _ -> new ArrayList<>()).add("m" + i);
            Partitioning byKey = Partitioning.key(key.getBytes(StandardCharsets.UTF_8));
            assertThat(outcome(client, TestClient.send(byKey, Batches.of(key + ":m" + i))))
                    .isEqualTo("ok");
        }

        TestClient member = member();
        Map<String, List<String>> received = new TreeMap<>();
        Map<String, Integer> places = new TreeMap<>();
        for (int partition : member.pollable("g")) {
            List<Batches.Message> some = member.groupPollOk("g", partition, 7, true);
            while (!some.isEmpty()) {
                for (Batches.Message message : some) {
                    String[] parts = message.payload().split(":", -1);
                    received.computeIfAbsent(parts[0], _ -> new ArrayList<>()).add(parts[1]);
                    assertThat(places.computeIfAbsent(parts[0], _ -> partition))
                            .as("the partition of %s", parts[0])
                            .isEqualTo(partition);
                }
                some = member.groupPollOk("g", partition, 7, true);
            }
        }

        assertThat(received).isEqualTo(sent);
        assertThat(places.values()).as("partitions that were used").contains(0, 1, 2);
    }

    /// How the connection of a member ends, and who comes back.
    enum Return {
        CUT_AND_ANOTHER_CLIENT(true, false),
        CUT_AND_THE_SAME_CLIENT(true, true),
        TAKEN_OVER_BY_THE_SAME_CLIENT(false, true);

        final boolean isCut;
        final boolean isSameClient;

        Return(boolean isCut, boolean isSameClient) {
            this.isCut = isCut;
            this.isSameClient = isSameClient;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aMemberThatComesBackIsOneMemberAndReceivesOnlyWhatIsNew(Return how) {
        createGroup(1);
        client.sendOk(0, "a", "b", "c");
        TestClient member = member();
        assertThat(member.groupPollOk("g", 0, 10, true)).hasSize(3);

        if (how.isCut) {
            member.link.cut();
            node.run();
            client.sendOk(0, "while nobody was there");
        }
        TestClient back = node.connect(0);
        if (how.isSameClient) {
            back.id = member.id;
        }
        back.login().joinOk("g");
        client.sendOk(0, "new");

        assertThat(client.groupDetails("g").members()).containsExactly(new GroupMember(0, List.of(0)));
        if (!how.isCut) {
            assertThat(outcome(member, TestClient.groupPoll("g", 0, 10, true)))
                    .as("the connection that was taken over")
                    .isNotEqualTo("ok");
        }
        assertThat(TestClient.payloads(back.groupPollOk("g", 0, 10, true)))
                .isEqualTo(how.isCut ? List.of("while nobody was there", "new") : List.of("new"));
        assertThat(back.groupPollOk("g", 0, 10, true)).isEmpty();
    }

    @Test
    void onlyTheOwnerMayStoreAndDeleteTheGroupsOffset() {
        createGroup(2);
        client.sendOk(0, "a", "b");
        List<TestClient> members = members(2);
        TestClient owner = members.stream()
                .filter(member -> member.pollable("g").contains(0))
                .findAny()
                .orElseThrow();
        TestClient other = members.get(owner == members.get(0) ? 1 : 0);
        assertThat(outcome(other, TestClient.store(G, 0, 1))).isEqualTo("deny 5009");
        assertThat(outcome(other, TestClient.delete(G, 0))).isEqualTo("deny 5009");
        assertThat(outcome(client, TestClient.store(G, 0, 1))).isEqualTo("deny 5009");
        assertThat(outcome(owner, TestClient.store(G, 7, 1))).isEqualTo("deny 5009");
        assertThat(outcome(owner, TestClient.store(G, 0, 2))).isEqualTo("deny 4100");
        assertThat(outcome(owner, TestClient.store(G, 0, 1))).isEqualTo("ok");
        assertThat(other.stored(G, 0)).isEqualTo(1);
        assertThat(outcome(owner, TestClient.delete(G, 0))).isEqualTo("ok");
        assertThat(outcome(owner, TestClient.delete(G, 0))).isEqualTo("deny 3021");
    }

    @Test
    void theHeadersClientPollsIfItIsOfTheSameUser() {
        createGroup(1);
        TestClient member = member();
        ClientId own = client.id;
        client.id = member.id;
        assertThat(client.mayPoll("g", 0)).as("another client of root").isTrue();
        assertThat(client.pollable("g")).containsExactly(0);
        client.id = own;
        assertThat(outcome(
                        client,
                        new CreateUser("other", "secret", 1, global(GlobalPermission.READ_TOPICS), Options.NONE)))
                .isEqualTo("ok");
        TestClient other = login("other");
        other.id = member.id;
        assertThat(other.mayPoll("g", 0)).as("a client of another user").isFalse();
        assertThat(other.assignment("g")).isNull();
    }

    // Faults

    @Test
    void groupsAndOffsetsSurviveAKilledProcessAndMembersComeBack() {
        createGroup(2);
        client.sendOk(0, "a", "b", "c");
        TestClient member = member();
        assertThat(member.groupPollOk("g", 0, 2, false)).hasSize(2);
        assertThat(outcome(member, TestClient.store(G, 0, 1))).isEqualTo("ok");
        ClientId id = member.id;
        node.killAndRestart();
        TestClient back = node.connect(0);
        back.id = id;
        back.login();
        assertThat(back.pollable("g")).as("the same client id, logged in again").containsExactly(0, 1);
        assertThat(TestClient.offsets(back.groupPollOk("g", 0, 10, false))).containsExactly(2L);
    }

    @Test
    void offsetsOfAGroupThatWasDeletedBeforeACrashAreForgotten() {
        createGroup(1);
        client.sendOk(0, "a", "b");
        TestClient member = member();
        assertThat(outcome(member, TestClient.store(G, 0, 1))).isEqualTo("ok");
        node.disk.failNext(MemoryDisk.Operation.WRITE, DiskFault.Kind.IO, "offsets");
        assertThat(client.deleteGroup("g").outcome()).isEqualTo("ok");
        node.settings(settings -> Settings.with(settings, "consumerOffsetsMax", 1));
        node.killAndRestart();
        TestClient later = node.root(0);
        assertThat(later.createGroup("h").outcome()).isEqualTo("ok");
        later.joinOk("h");
        assertThat(outcome(later, TestClient.store(TestClient.group("h"), 0, 1)))
                .as("the only place for a group's offset is free")
                .isEqualTo("ok");
    }

    @Test
    void aStoreThatEndsAfterItsGroupIsGoneLeavesNothing() {
        node.settings(settings -> Settings.with(settings, "consumerOffsetsMax", 1));
        node.killAndRestart();
        TestClient root = node.root(0);
        root.createTopic(1);
        root.createGroup("g");
        root.sendOk(0, "a", "b");
        root.joinOk("g");
        TestClient other = node.root(0);
        assertThat(outcome(root, TestClient.store(G, 0, 0))).isEqualTo("ok");
        root.post(TestClient.store(G, 0, 1));
        node.runKeeping(1);
        other.post(new DeleteConsumerGroup(S, T, Identifier.of("g")));
        node.runKeeping(1);
        assertThat(other.next().outcome()).isEqualTo("ok");
        node.run();
        assertThat(root.next().outcome()).isEqualTo("deny 5009");
        root.createGroup("h");
        root.joinOk("h");
        assertThat(outcome(root, TestClient.store(TestClient.group("h"), 0, 1)))
                .as("the only place for a group's offset is free")
                .isEqualTo("ok");
    }

    @Test
    void aJoinWithoutRoomForItsQuestionsIsRefusedAndLeavesNothingBehind() {
        if (node.shardsCount() == 1) {
            return;
        }
        createGroup(2);
        TestClient waiting = node.root(0);
        Runnable giveBack = node.fillMailbox(1);
        assertThat(outcome(waiting, TestClient.join("g"))).isEqualTo("reject 58");
        giveBack.run();
        assertThat(waiting.joinOk("g").pollable("g")).containsExactly(0, 1);
        client.sendOk(0, "a");
        assertThat(waiting.groupPollOk("g", 0, 1, false))
                .as("no poll waits for the refused join")
                .hasSize(1);
    }

    @Test
    void framesAreAnsweredWhateverTheirClientIdSays() {
        createGroup(1);
        ByteBuffer frame = client.frame(TestClient.groupPoll("g", 0, 1, false));
        frame.putLong(128, 77);
        assertThat(TestClient.isNotOwned(client.ask(frame))).isTrue();
        node.assertNoMemoryIsHeld();
    }
}
