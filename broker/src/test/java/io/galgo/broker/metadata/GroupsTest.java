package io.galgo.broker.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.GlobalPermission;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.Options;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.reply.ClientMembership;
import io.galgo.protocol.reply.GroupAssignment;
import io.galgo.protocol.reply.GroupMember;
import io.galgo.protocol.reply.GroupRecord;
import io.galgo.protocol.request.CreateConsumerGroup;
import io.galgo.protocol.request.CreatePartitions;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeleteConsumerGroup;
import io.galgo.protocol.request.DeletePartitions;
import io.galgo.protocol.request.DeleteStream;
import io.galgo.protocol.request.DeleteTopic;
import io.galgo.protocol.request.DeleteUser;
import io.galgo.protocol.request.JoinConsumerGroup;
import io.galgo.protocol.request.LeaveConsumerGroup;
import io.galgo.protocol.request.PurgeTopic;
import io.galgo.protocol.request.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GroupsTest {
    private static final Identifier ZERO = Identifier.of(0);
    private static final Identifier MISSING = Identifier.of(77);
    private static final Change CHANGED = new Change.GroupChanged(0, 0, 0);

    private final Metadata metadata = new Metadata();
    private final Metadata.Login root = metadata.loginRoot();

    @BeforeEach
    void makeATopicOfThreePartitions() {
        root.succeed(new CreateStream("s", Options.NONE));
        root.succeed(new CreateTopic(ZERO, 3, "t", Options.NONE));
    }

    private static CreateConsumerGroup create(String name) {
        return new CreateConsumerGroup(ZERO, ZERO, name);
    }

    private static JoinConsumerGroup join() {
        return new JoinConsumerGroup(ZERO, ZERO, ZERO);
    }

    private static LeaveConsumerGroup leave() {
        return new LeaveConsumerGroup(ZERO, ZERO, ZERO);
    }

    private ConsumerGroup groupNow(int groupId) {
        return Objects.requireNonNull(topicNow().group(groupId));
    }

    private Topic topicNow() {
        return Objects.requireNonNull(metadata.catalog.topic(0, 0));
    }

    private List<Change> joinInFlight(Metadata.Login login, int... inFlight) {
        Outcome outcome = metadata.apply(login.encode(
                Operation.JOIN_CONSUMER_GROUP, CompletedBody.joinGroup(join(), inFlight), ++login.request, 0));
        assertThat(((Outcome.Decided) outcome).reply().error()).isNull();
        return ((Outcome.Decided) outcome).changes();
    }

    private List<Change> logout(Metadata.Login login) {
        Outcome outcome = metadata.apply(
                MetadataOperation.logout(login.client, login.session, ++login.request, 0, login.userId, metadata.now));
        return ((Outcome.Decided) outcome).changes();
    }

    private List<Integer> pollable(Metadata.Login login) {
        GroupAssignment assignment = MetadataReads.assignment(groupNow(0), login.client);
        return Objects.requireNonNull(assignment).partitionIds();
    }

    @Test
    void theFirstGroupOfATopicHasIdZeroAndNoMembers() {
        GroupRecord created = Objects.requireNonNull(GroupRecord.decode(root.payload(create("g"))));

        assertThat(created).isEqualTo(new GroupRecord(0, 3, 0, "g"));
        assertThat(MetadataReads.groups(topicNow()).groups()).containsExactly(created);
        assertThat(metadata.catalog.groupsCount()).isEqualTo(1);
        assertThat(topicNow().group(Identifier.of("g"))).isSameAs(groupNow(0));
    }

    @Test
    void idsOfGroupsAreNeverGivenTwice() {
        root.succeed(create("a"));
        root.succeed(create("b"));
        assertThat(root.succeed(new DeleteConsumerGroup(ZERO, ZERO, Identifier.of("b"))))
                .containsExactly(new Change.GroupRemoved(0, 0, 1));
        metadata.restart();

        root.succeed(create("b"));

        assertThat(Objects.requireNonNull(topicNow().group(Identifier.of("b"))).id())
                .isEqualTo(2);
        assertThat(topicNow().group(1)).isNull();
        assertThat(metadata.catalog.groupsCount()).isEqualTo(2);
    }

    @Test
    void whichProblemIsReported() {
        root.succeed(create("g"));
        root.succeed(new CreateUser("nobody", "p", 1, null, Options.NONE));
        Metadata.Login nobody = metadata.login(5, 1);
        List<List<Request>> ladders = List.of(
                List.of(
                        new CreateConsumerGroup(MISSING, MISSING, "g"),
                        new CreateConsumerGroup(ZERO, MISSING, "g"),
                        create("g")),
                List.of(
                        new DeleteConsumerGroup(MISSING, MISSING, MISSING),
                        new DeleteConsumerGroup(ZERO, MISSING, MISSING),
                        new DeleteConsumerGroup(ZERO, ZERO, MISSING)),
                List.of(
                        new JoinConsumerGroup(MISSING, MISSING, MISSING),
                        new JoinConsumerGroup(ZERO, MISSING, MISSING),
                        new JoinConsumerGroup(ZERO, ZERO, MISSING)),
                List.of(
                        new LeaveConsumerGroup(MISSING, MISSING, MISSING),
                        new LeaveConsumerGroup(ZERO, MISSING, MISSING),
                        new LeaveConsumerGroup(ZERO, ZERO, MISSING)));
        for (List<Request> ladder : ladders) {
            assertThat(nobody.error(ladder.get(0))).as("%s", ladder.get(0)).isEqualTo(ErrorCode.STREAM_ID_NOT_FOUND);
            assertThat(nobody.error(ladder.get(1))).as("%s", ladder.get(1)).isEqualTo(ErrorCode.TOPIC_ID_NOT_FOUND);
            assertThat(nobody.error(ladder.get(2))).as("%s", ladder.get(2)).isEqualTo(ErrorCode.UNAUTHORIZED);
        }
        assertThat(root.error(create("g"))).isEqualTo(ErrorCode.CONSUMER_GROUP_NAME_ALREADY_EXISTS);
        for (List<Request> ladder : ladders.subList(1, 4)) {
            assertThat(root.error(ladder.get(2)))
                    .as("%s", ladder.get(2))
                    .isEqualTo(ErrorCode.CONSUMER_GROUP_ID_NOT_FOUND);
        }
        assertThat(root.error(leave())).isEqualTo(ErrorCode.CONSUMER_GROUP_MEMBER_NOT_FOUND);
    }

    @Test
    void theRightToPollAloneGivesNoGroup() {
        root.succeed(create("g"));
        Permissions poll = new Permissions(GlobalPermission.POLL_MESSAGES.mask(), List.of());
        Permissions read = new Permissions(GlobalPermission.READ_TOPICS.mask(), List.of());
        root.succeed(new CreateUser("poller", "p", 1, poll, Options.NONE));
        root.succeed(new CreateUser("reader", "p", 1, read, Options.NONE));

        assertThat(metadata.login(5, 1).error(join())).isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(metadata.login(6, 2).error(join())).isNull();
    }

    @Test
    void membersShareThePartitions() {
        root.succeed(create("g"));
        List<Metadata.Login> members = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Metadata.Login member = metadata.login(10 + i, User.ROOT_ID);
            assertThat(member.succeed(join())).containsExactly(CHANGED);
            members.add(member);
        }

        assertThat(pollable(members.get(0))).containsExactly(0);
        assertThat(pollable(members.get(1))).containsExactly(2);
        assertThat(pollable(members.get(2))).containsExactly(1);
        assertThat(groupNow(0).generation()).isEqualTo(3);
        assertThat(MetadataReads.group(topicNow(), groupNow(0)).members())
                .containsExactly(
                        new GroupMember(0, List.of(0)), new GroupMember(1, List.of(2)), new GroupMember(2, List.of(1)));
        assertThat(MetadataReads.memberships(metadata.catalog, members.get(1).client))
                .containsExactly(new ClientMembership(0, 0, 0));
    }

    @Test
    void joiningAgainChangesNothing() {
        root.succeed(create("g"));
        root.succeed(join());

        assertThat(root.succeed(join())).isEmpty();
        assertThat(groupNow(0).generation()).isEqualTo(1);
        assertThat(groupNow(0).membersCount()).isEqualTo(1);
    }

    @Test
    void aMemberOwnsWhatItMayNotPollAnyMore() {
        root.succeed(create("g"));
        Metadata.Login other = metadata.login(2, User.ROOT_ID);
        root.succeed(join());

        joinInFlight(other, 2);
        metadata.restart();

        assertThat(groupNow(0).isAssigned(root.client, 2)).isTrue();
        assertThat(groupNow(0).isPollable(root.client, 2)).isFalse();
        assertThat(groupNow(0).isPollable(root.client, 1)).isTrue();
        assertThat(groupNow(0).isAssigned(other.client, 2)).isFalse();
        assertThat(groupNow(0).isAssigned(other.client, 77)).isFalse();
        assertThat(pollable(root)).containsExactly(0, 1);
        assertThat(pollable(other)).isEmpty();
        assertThat(MetadataReads.group(topicNow(), groupNow(0)).members())
                .containsExactly(new GroupMember(0, List.of(0, 1, 2)), new GroupMember(1, List.of()));
        List<String> pending = new ArrayList<>();
        groupNow(0)
                .forEachPending((partition, sinceOp, sinceMicros) ->
                        pending.add(partition + " since " + sinceOp + " " + sinceMicros));
        assertThat(pending).containsExactly("2 since " + metadata.op + " " + (metadata.now - 1_000));
    }

    @Test
    void aPendingMoveEndsOnceAndOnlyItself() {
        root.succeed(create("g"));
        Metadata.Login other = metadata.login(2, User.ROOT_ID);
        root.succeed(join());
        joinInFlight(other, 2);
        long sinceOp = metadata.op;

        assertThat(complete(2, sinceOp - 1)).as("a move of another time").isEmpty();
        assertThat(complete(1, sinceOp)).as("a partition that stays").isEmpty();
        assertThat(complete(99, sinceOp)).as("no partition").isEmpty();
        assertThat(groupNow(0).generation()).isEqualTo(2);

        assertThat(complete(2, sinceOp)).containsExactly(CHANGED);
        assertThat(groupNow(0).generation()).isEqualTo(3);
        assertThat(pollable(root)).containsExactly(0, 1);
        assertThat(pollable(other)).containsExactly(2);
        assertThat(complete(2, sinceOp)).isEmpty();
        assertThat(groupNow(0).generation()).isEqualTo(3);
    }

    private List<Change> complete(int partition, long sinceOp) {
        Outcome outcome =
                metadata.apply(MetadataOperation.completeRevocation(0, 0, 0, partition, sinceOp, metadata.now));
        return ((Outcome.Decided) outcome).changes();
    }

    @Test
    void theEndOfAMoveInAGroupThatIsGoneDoesNothing() {
        Outcome outcome = metadata.apply(MetadataOperation.completeRevocation(0, 0, 5, 0, 1, metadata.now));

        assertThat(((Outcome.Decided) outcome).reply().error()).isEqualTo(ErrorCode.CONSUMER_GROUP_ID_NOT_FOUND);
        assertThat(((Outcome.Decided) outcome).changes()).isEmpty();
    }

    @Test
    void aMemberThatLeavesFreesItsPlaceAndItsPartitions() {
        root.succeed(create("g"));
        Metadata.Login other = metadata.login(2, User.ROOT_ID);
        root.succeed(join());
        other.succeed(join());

        assertThat(root.succeed(leave())).containsExactly(CHANGED);
        assertThat(MetadataReads.assignment(groupNow(0), root.client)).isNull();
        assertThat(pollable(other)).containsExactly(0, 1, 2);
        assertThat(metadata.catalog.groups(root.client)).isEmpty();

        root.succeed(join());
        assertThat(MetadataReads.group(topicNow(), groupNow(0)).members())
                .extracting(GroupMember::id)
                .containsExactly(0, 1);
    }

    @Test
    void theEndOfASessionLeavesAllItsGroups() {
        root.succeed(create("g"));
        root.succeed(create("h"));
        Metadata.Login member = metadata.login(2, User.ROOT_ID);
        member.succeed(join());
        member.succeed(new JoinConsumerGroup(ZERO, ZERO, Identifier.of("h")));
        metadata.restart();

        assertThat(logout(member))
                .containsExactly(
                        new Change.SessionEnded(member.client, member.session, Change.SessionEnded.Cause.LOGOUT),
                        new Change.GroupChanged(0, 0, 0),
                        new Change.GroupChanged(0, 0, 1));
        assertThat(groupNow(0).membersCount()).isZero();
        assertThat(groupNow(1).membersCount()).isZero();
    }

    @Test
    void aSecondLoginOfTheClientKeepsItsGroups() {
        root.succeed(create("g"));
        Metadata.Login member = metadata.login(2, User.ROOT_ID);
        member.succeed(join());

        Metadata.Login again = metadata.login(2, User.ROOT_ID);

        assertThat(pollable(again)).containsExactly(0, 1, 2);
    }

    @Test
    void aDiscardedClientLeavesItsGroups() {
        root.succeed(create("g"));
        Metadata.Login member = metadata.login(100, User.ROOT_ID);
        member.succeed(join());
        root.succeed(create("keeps root busy"));

        for (int i = 0; i < Metadata.CLIENTS_MAX; i++) {
            metadata.login(200 + i, User.ROOT_ID);
        }

        assertThat(metadata.catalog.clients().session(member.client)).isZero();
        assertThat(groupNow(0).membersCount()).isZero();
    }

    @Test
    void aDeletedUserLeavesItsGroups() {
        root.succeed(create("g"));
        Permissions read = new Permissions(GlobalPermission.READ_TOPICS.mask(), List.of());
        root.succeed(new CreateUser("alice", "p", 1, read, Options.NONE));
        Metadata.Login alice = metadata.login(2, 1);
        alice.succeed(join());

        assertThat(root.succeed(new DeleteUser(Identifier.of("alice"))))
                .containsExactly(
                        new Change.SessionEnded(alice.client, alice.session, Change.SessionEnded.Cause.USER_REMOVED),
                        CHANGED);
        assertThat(groupNow(0).membersCount()).isZero();
    }

    @Test
    void otherPartitionsAreDealtAnewAndPurgesLeaveGroupsAlone() {
        root.succeed(create("g"));
        Metadata.Login other = metadata.login(2, User.ROOT_ID);
        root.succeed(join());
        joinInFlight(other, 2);

        root.succeed(new CreatePartitions(ZERO, ZERO, 1));
        assertThat(pollable(root)).containsExactly(0, 2);
        assertThat(pollable(other)).containsExactly(1, 3);
        assertThat(groupNow(0).generation()).isEqualTo(3);

        root.succeed(new DeletePartitions(ZERO, ZERO, 4));
        assertThat(pollable(root)).isEmpty();
        assertThat(groupNow(0).generation()).isEqualTo(4);

        root.succeed(new PurgeTopic(ZERO, ZERO));
        assertThat(groupNow(0).membersCount()).isEqualTo(2);
        assertThat(groupNow(0).generation()).isEqualTo(4);
    }

    @Test
    void membershipsGoWithTheGroupTheTopicAndTheStream() {
        for (Request removal : List.of(
                new DeleteConsumerGroup(ZERO, ZERO, ZERO), new DeleteTopic(ZERO, ZERO), new DeleteStream(ZERO))) {
            Metadata fresh = new Metadata();
            Metadata.Login login = fresh.loginRoot();
            login.succeed(new CreateStream("s", Options.NONE));
            login.succeed(new CreateTopic(ZERO, 3, "t", Options.NONE));
            login.succeed(create("g"));
            login.succeed(join());
            assertThat(fresh.catalog.groups(login.client)).hasSize(1);

            login.succeed(removal);

            assertThat(fresh.catalog.groups(login.client)).as("%s", removal).isEmpty();
            assertThat(fresh.catalog.groupsCount()).as("%s", removal).isZero();
            assertThat(fresh.apply(
                            MetadataOperation.logout(login.client, login.session, 99, 0, User.ROOT_ID, fresh.now)))
                    .as("%s", removal)
                    .isInstanceOfSatisfying(
                            Outcome.Decided.class,
                            decided -> assertThat(decided.changes()).hasSize(1));
        }
    }
}
