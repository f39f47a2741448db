package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.Options;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.reply.ClusterMetadata;
import io.galgo.protocol.reply.Routing;
import io.galgo.protocol.request.AttachConsumerSession;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.GetConsumerOffset;
import io.galgo.protocol.request.GetConsumerOffsetRouting;
import io.galgo.protocol.request.GetPollRouting;
import io.galgo.protocol.request.PollMessages;
import io.galgo.protocol.request.PollMessagesOnPrimary;
import io.galgo.protocol.request.Request;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/// Attached consumer sessions and routing: a coordinator connection that is a member, and a data connection.
@ParameterizedClass
@ValueSource(ints = {1, 2, 3})
class RoutesTest {
    private static final Identifier NONE = Identifier.of("none");
    private static final ConsumerRef G = TestClient.group("g");
    private static final long SECOND = 1_000_000_000L;

    private final TestNode node;
    private final TestClient coordinator;
    private final TestClient data;

    RoutesTest(int shardsCount) {
        node = new TestNode(shardsCount);
        coordinator = node.root(0);
        coordinator.createTopic(2);
        coordinator.createGroup("g");
        coordinator.sendOk(0, "a", "b", "c");
        coordinator.joinOk("g");
        data = node.root(shardsCount - 1);
    }

    private static String outcome(TestClient who, Request request) {
        return who.ask(request).outcome();
    }

    private AttachConsumerSession attachment() {
        return new AttachConsumerSession(coordinator.id, coordinator.session, coordinator.shard.appliedOp());
    }

    private static PollMessages poll(ConsumerRef consumer, Identifier stream, Identifier topic, int partition) {
        return new PollMessages(
                consumer, stream, topic, OptionalPartition.of(partition), PollingStrategy.NEXT, 2, true);
    }

    private static GetPollRouting pollRoute(ConsumerRef consumer, Identifier stream, Identifier topic, int partition) {
        return new GetPollRouting(poll(consumer, stream, topic, partition));
    }

    private static GetConsumerOffsetRouting offsetRoute(
            ConsumerRef consumer, Identifier stream, Identifier topic, int partition) {
        return new GetConsumerOffsetRouting(
                new GetConsumerOffset(consumer, stream, topic, OptionalPartition.of(partition)));
    }

    @Test
    void whatMustNameAPartitionWhenItComesMustNameItWhenTheWayIsAskedFor() {
        OptionalPartition omitted = new OptionalPartition(false, 0);
        for (ConsumerRef consumer : List.of(G, TestClient.CONSUMER)) {
            PollMessages poll =
                    new PollMessages(consumer, TestClient.S, TestClient.T, omitted, PollingStrategy.NEXT, 1, true);
            assertThat(outcome(coordinator, new GetPollRouting(poll)))
                    .as("a poll of %s", consumer)
                    .isEqualTo(consumer.isGroup() ? "deny 6" : "ok");
            assertThat(outcome(
                            coordinator,
                            new GetConsumerOffsetRouting(
                                    new GetConsumerOffset(consumer, TestClient.S, TestClient.T, omitted))))
                    .as("an offset of %s", consumer)
                    .isEqualTo("deny 6");
        }
    }

    @Test
    void aDataConnectionPollsAndStoresUnderTheAttachedName() {
        assertThat(data.mayPoll("g", 0)).isFalse();
        Answer attached = data.ask(attachment());
        assertThat(attached.outcome()).isEqualTo("ok");
        assertThat(attached.body().remaining()).isZero();
        Answer polled = data.ask(new PollMessagesOnPrimary(poll(G, TestClient.S, TestClient.T, 0)));
        assertThat(TestClient.offsets(TestClient.messages(polled))).containsExactly(0L, 1L);
        assertThat(data.stored(G, 0)).isEqualTo(1);
        assertThat(outcome(data, TestClient.store(G, 0, 2))).isEqualTo("ok");
        assertThat(outcome(data, TestClient.delete(G, 0))).isEqualTo("ok");
        assertThat(data.mayPoll("g", 0)).as("an ordinary poll is its own").isFalse();
        assertThat(data.assignment("g")).as("it is no member itself").isNull();
        assertThat(coordinator.groupDetails("g").group().membersCount()).isEqualTo(1);
    }

    @Test
    void withoutAnAttachmentItActsUnderItsOwnName() {
        assertThat(TestClient.isNotOwned(data.ask(new PollMessagesOnPrimary(poll(G, TestClient.S, TestClient.T, 0)))))
                .isTrue();
        Answer own = coordinator.ask(new PollMessagesOnPrimary(poll(G, TestClient.S, TestClient.T, 0)));
        assertThat(TestClient.messages(own)).hasSize(2);
        Answer plain = data.ask(new PollMessagesOnPrimary(poll(TestClient.CONSUMER, TestClient.S, TestClient.T, 0)));
        assertThat(TestClient.messages(plain)).hasSize(2);
        assertThat(outcome(data, new PollMessagesOnPrimary(poll(TestClient.CONSUMER, TestClient.S, TestClient.T, 9))))
                .isEqualTo("deny 3007");
    }

    @Test
    void onlyALiveSessionOfTheSameUserIsAttached() {
        assertThat(outcome(data, new AttachConsumerSession(coordinator.id, coordinator.session + 1, 0)))
                .as("another session")
                .isIn("deny 30", "deny 58");
        assertThat(outcome(data, new AttachConsumerSession(coordinator.id, 0, 0)))
                .isEqualTo("deny 30");
        assertThat(outcome(data, new AttachConsumerSession(new ClientId(5, 5), coordinator.session, 0)))
                .isEqualTo("deny 30");
        Permissions all = new Permissions(-1 >>> 22, List.of());
        assertThat(outcome(coordinator, new CreateUser("other", "secret", 1, all, Options.NONE)))
                .isEqualTo("ok");
        TestClient other = node.connect(0);
        other.session = TestClient.loginReply(other.tryLogin("other", "secret")).session();
        assertThat(outcome(other, attachment())).as("another user").isEqualTo("deny 30");
        assertThat(coordinator.logout().outcome()).isEqualTo("ok");
        assertThat(outcome(data, attachment())).as("a session that is over").isEqualTo("deny 30");
        assertThat(data.ask(data.frame(
                                Operation.NON_REPLICATED,
                                CommandCode.ATTACH_CONSUMER_SESSION.code(),
                                1,
                                ByteBuffer.allocate(31)))
                        .outcome())
                .isEqualTo("deny 3");
    }

    @Test
    void anAttachmentIsWorthNothingOnceItsSessionIsOver() {
        assertThat(outcome(data, attachment())).isEqualTo("ok");
        coordinator.link.cut();
        node.run();
        assertThat(TestClient.isNotOwned(data.ask(new PollMessagesOnPrimary(poll(G, TestClient.S, TestClient.T, 0)))))
                .isTrue();
        assertThat(outcome(data, TestClient.store(G, 0, 1))).isEqualTo("deny 5009");
    }

    @Test
    void anAttachmentEndsWithItsConnectionsLogin() {
        assertThat(outcome(data, attachment())).isEqualTo("ok");
        assertThat(data.logout().outcome()).isEqualTo("ok");
        data.login();
        assertThat(outcome(data, TestClient.store(G, 0, 1))).isEqualTo("deny 5009");
    }

    @Test
    void anAttachmentWaitsForMetadataThatItsClientHasHeardOf() {
        long next = coordinator.shard.appliedOp() + 1;
        data.post(new AttachConsumerSession(coordinator.id, coordinator.session, next));
        node.run();
        assertThat(data.hasNothing()).as("it waits").isTrue();
        assertThat(coordinator.createStream("later").outcome()).isEqualTo("ok");
        node.run();
        assertThat(data.next().outcome()).isEqualTo("ok");
        data.post(new AttachConsumerSession(coordinator.id, coordinator.session, -1));
        node.run();
        node.clock.advance(3 * SECOND - 1);
        node.run();
        assertThat(data.hasNothing()).as("it waits").isTrue();
        node.clock.advance(1);
        node.run();
        assertThat(data.next().outcome()).as("after 3 s").isEqualTo("deny 58");
        assertThat(outcome(data, TestClient.store(G, 0, 1)))
                .as("the attachment before is still there")
                .isEqualTo("ok");
    }

    @Test
    void aWaitingAttachmentIsAnsweredWhenTheNodeStops() {
        data.post(new AttachConsumerSession(coordinator.id, coordinator.session, -1));
        node.run();
        node.stop();
        assertThat(data.next().outcome()).isEqualTo("deny 58");
    }

    @Test
    void aRouteNamesThisNodeAndWhatToAttach() {
        ClusterMetadata cluster = Objects.requireNonNull(ClusterMetadata.decode(coordinator
                .ask(new BodilessRequest(CommandCode.GET_CLUSTER_METADATA))
                .body()));
        Routing expected = new Routing(
                coordinator.id,
                coordinator.session,
                coordinator.shard.appliedOp(),
                cluster.nodes().getFirst());
        for (ConsumerRef consumer : List.of(TestClient.CONSUMER, G)) {
            Answer poll = coordinator.ask(pollRoute(consumer, TestClient.S, TestClient.T, 0));
            assertThat(poll.outcome()).isEqualTo("ok");
            assertThat(Routing.decode(poll.body())).isEqualTo(expected);
            Answer offset = coordinator.ask(offsetRoute(consumer, TestClient.S, TestClient.T, 0));
            assertThat(Routing.decode(offset.body())).isEqualTo(expected);
        }
        AttachConsumerSession attach =
                new AttachConsumerSession(expected.client(), expected.session(), expected.metadataWatermark());
        assertThat(outcome(data, attach)).isEqualTo("ok");
    }

    @Test
    void whatCannotBeRoutedHasItsCode() {
        ConsumerRef none = TestClient.group("none");
        ConsumerRef noneById = ConsumerRef.group(Identifier.of(9));
        Identifier s = TestClient.S;
        Identifier t = TestClient.T;
        assertThat(outcome(coordinator, pollRoute(TestClient.CONSUMER, NONE, t, 0)))
                .isEqualTo("deny 1009");
        assertThat(outcome(coordinator, pollRoute(TestClient.CONSUMER, s, NONE, 0)))
                .isEqualTo("deny 2010");
        assertThat(outcome(coordinator, pollRoute(TestClient.CONSUMER, s, t, 2)))
                .isEqualTo("deny 3007");
        assertThat(outcome(coordinator, pollRoute(none, s, t, 0))).isEqualTo("deny 5009");
        assertThat(outcome(coordinator, pollRoute(G, s, t, 2))).isEqualTo("deny 5009");
        assertThat(outcome(data, pollRoute(G, s, t, 0))).as("no member").isEqualTo("deny 5009");
        assertThat(outcome(coordinator, offsetRoute(TestClient.CONSUMER, NONE, t, 0)))
                .isEqualTo("deny 1009");
        assertThat(outcome(coordinator, offsetRoute(TestClient.CONSUMER, s, NONE, 0)))
                .isEqualTo("deny 2010");
        assertThat(outcome(coordinator, offsetRoute(TestClient.CONSUMER, s, t, 2)))
                .isEqualTo("deny 3007");
        assertThat(outcome(coordinator, offsetRoute(G, s, NONE, 0))).isEqualTo("deny 20");
        assertThat(outcome(coordinator, offsetRoute(none, s, t, 0))).isEqualTo("deny 5003");
        assertThat(outcome(coordinator, offsetRoute(noneById, s, t, 0))).isEqualTo("deny 5000");
        assertThat(outcome(data, offsetRoute(G, s, t, 0))).isEqualTo("deny 5009");
        PollMessages plain =
                new PollMessages(TestClient.CONSUMER, s, t, OptionalPartition.of(0), PollingStrategy.NEXT, 2, false);
        assertThat(coordinator
                        .ask(coordinator.frame(Operation.NON_REPLICATED, CommandCode.GET_POLL_ROUTING.code(), 1, plain))
                        .outcome())
                .as("without auto-commit")
                .isEqualTo("deny 3");
        for (CommandCode command : List.of(
                CommandCode.GET_POLL_ROUTING,
                CommandCode.GET_CONSUMER_OFFSET_ROUTING,
                CommandCode.POLL_MESSAGES_ON_PRIMARY)) {
            assertThat(coordinator
                            .ask(coordinator.frame(Operation.NON_REPLICATED, command.code(), 1, ByteBuffer.allocate(3)))
                            .outcome())
                    .as("%s", command)
                    .isEqualTo("deny 3");
        }
    }

    @Test
    void aPartitionThatWaitsToMoveMayBeStoredAndNotPolled() {
        assertThat(coordinator.groupPollOk("g", 0, 1, false)).hasSize(1);
        coordinator.sendOk(1, "d");
        assertThat(coordinator.groupPollOk("g", 1, 1, false)).hasSize(1);
        node.root(0).joinOk("g");
        assertThat(outcome(coordinator, pollRoute(G, TestClient.S, TestClient.T, 1)))
                .isEqualTo("deny 5009");
        assertThat(outcome(coordinator, offsetRoute(G, TestClient.S, TestClient.T, 1)))
                .isEqualTo("ok");
        assertThat(outcome(coordinator, pollRoute(G, TestClient.S, TestClient.T, 0)))
                .isEqualTo("ok");
    }

    @Test
    void whoMayNotPollIsNotRouted() {
        assertThat(outcome(coordinator, new CreateUser("nobody", "secret", 1, null, Options.NONE)))
                .isEqualTo("ok");
        TestClient nobody = node.connect(0);
        nobody.session =
                TestClient.loginReply(nobody.tryLogin("nobody", "secret")).session();
        assertThat(outcome(nobody, pollRoute(TestClient.CONSUMER, TestClient.S, TestClient.T, 0)))
                .isEqualTo("deny 41");
        assertThat(outcome(nobody, offsetRoute(TestClient.CONSUMER, TestClient.S, TestClient.T, 0)))
                .isEqualTo("deny 41");
        assertThat(outcome(nobody, new PollMessagesOnPrimary(poll(TestClient.CONSUMER, TestClient.S, TestClient.T, 0))))
                .isEqualTo("deny 41");
        assertThat(outcome(node.connect(0), pollRoute(TestClient.CONSUMER, TestClient.S, TestClient.T, 0)))
                .as("not logged in")
                .isEqualTo("deny 40");
    }
}
