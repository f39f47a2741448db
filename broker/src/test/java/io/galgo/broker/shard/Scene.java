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
import io.galgo.protocol.request.Acknowledgement;
import io.galgo.protocol.request.AttachConsumerSession;
import io.galgo.protocol.request.AwaitMessages;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.ChangePassword;
import io.galgo.protocol.request.CreateConsumerGroup;
import io.galgo.protocol.request.CreatePartitions;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeleteConsumerGroup;
import io.galgo.protocol.request.DeleteConsumerOffset;
import io.galgo.protocol.request.DeletePartitions;
import io.galgo.protocol.request.DeletePersonalAccessToken;
import io.galgo.protocol.request.DeleteSegments;
import io.galgo.protocol.request.DeleteStream;
import io.galgo.protocol.request.DeleteTopic;
import io.galgo.protocol.request.DeleteUser;
import io.galgo.protocol.request.DescribeOptions;
import io.galgo.protocol.request.FlushUnsavedBuffer;
import io.galgo.protocol.request.GetClient;
import io.galgo.protocol.request.GetConsumerGroup;
import io.galgo.protocol.request.GetConsumerGroups;
import io.galgo.protocol.request.GetConsumerOffset;
import io.galgo.protocol.request.GetConsumerOffsetRouting;
import io.galgo.protocol.request.GetPollRouting;
import io.galgo.protocol.request.GetSnapshot;
import io.galgo.protocol.request.GetStream;
import io.galgo.protocol.request.GetTopic;
import io.galgo.protocol.request.GetTopics;
import io.galgo.protocol.request.GetUser;
import io.galgo.protocol.request.JoinConsumerGroup;
import io.galgo.protocol.request.LeaveConsumerGroup;
import io.galgo.protocol.request.OptionScope;
import io.galgo.protocol.request.PollMessages;
import io.galgo.protocol.request.PollMessagesOnPrimary;
import io.galgo.protocol.request.PurgeStream;
import io.galgo.protocol.request.PurgeTopic;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.SnapshotCompression;
import io.galgo.protocol.request.SnapshotType;
import io.galgo.protocol.request.StoreConsumerOffset;
import io.galgo.protocol.request.SyncConsumerGroup;
import io.galgo.protocol.request.UpdatePermissions;
import io.galgo.protocol.request.UpdateStream;
import io.galgo.protocol.request.UpdateTopic;
import io.galgo.protocol.request.UpdateUser;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A node with one of everything that a command can address, and a user on trial, alice, who is logged in.
///
/// What commands address has the id 0: a stream, in it a topic with two partitions, with messages, a stored
/// consumer offset and a consumer group. Beside them are another topic in the same stream and another stream with a
/// topic.
final class Scene {
    static final Identifier ALICE = Identifier.of("alice");
    static final int OTHER = 1;

    static final String ALICES_PASSWORD = "alices password";
    private static final Identifier BOB = Identifier.of("bob");
    private static final Identifier THERE = Identifier.of(0);
    private static final Identifier MISSING = Identifier.of(77);
    private static final ClientId NOBODY = new ClientId(7, 7);
    private static final String TOKEN = "there";

    /// Which of the things that a command addresses is missing.
    enum Missing {
        NOTHING,
        STREAM,
        TOPIC,
        GROUP,
        USER,
        TOKEN,
        CLIENT
    }

    final TestNode node;
    final TestClient root;
    final TestClient alice;

    /// Another connection of alice's.
    final TestClient alsoAlice;

    Scene() {
        this(1, null);
    }

    /// @param permissions alice's
    Scene(int shardsCount, @Nullable Permissions permissions) {
        node = new TestNode(shardsCount);
        root = node.root(0);
        succeed(new CreateStream("stream", Options.NONE));
        succeed(new CreateStream("other stream", Options.NONE));
        succeed(new CreateTopic(THERE, 2, "topic", Options.NONE));
        succeed(new CreateTopic(THERE, 1, "other topic", Options.NONE));
        succeed(new CreateTopic(Identifier.of(OTHER), 1, "topic", Options.NONE));
        succeed(there(CommandCode.SEND_MESSAGES));
        succeed(there(CommandCode.STORE_CONSUMER_OFFSET));
        succeed(new CreateConsumerGroup(THERE, THERE, "group"));
        succeed(new CreateUser("alice", ALICES_PASSWORD, 1, permissions, Options.NONE));
        succeed(new CreateUser("bob", "bobs password", 1, null, Options.NONE));
        alice = loginAlice();
        alsoAlice = loginAlice();
        assertThat(alice.ask(new CreatePersonalAccessToken(TOKEN, 0)).outcome()).isEqualTo("ok");
    }

    static Permissions everything() {
        return new Permissions(GlobalPermission.ALL, List.of());
    }

    /// The commands that a client can send when it is logged in, and for which an answer to be expected can be
    /// told: all but those about the login itself.
    static Set<CommandCode> commands() {
        Set<CommandCode> commands = EnumSet.allOf(CommandCode.class);
        commands.removeAll(EnumSet.of(
                CommandCode.LOGIN,
                CommandCode.TOKEN_LOGIN,
                CommandCode.LOGOUT,
                CommandCode.LEGACY_LOGIN,
                CommandCode.LEGACY_TOKEN_LOGIN));
        return commands;
    }

    TestClient loginAlice() {
        TestClient client = node.connect(node.shardsCount() - 1);
        client.login("alice", ALICES_PASSWORD);
        return client;
    }

    void succeed(Request request) {
        assertThat(root.ask(request).outcome()).as("%s", request.command()).isEqualTo("ok");
    }

    void grant(@Nullable Permissions permissions) {
        succeed(new UpdatePermissions(ALICE, permissions));
    }

    /// A command about what is there.
    Request there(CommandCode command) {
        return request(command, Missing.NOTHING);
    }

    /// A command about something of which one part is missing.
    Request request(CommandCode command, Missing missing) {
        Identifier stream = missing == Missing.STREAM ? MISSING : THERE;
        Identifier topic = missing == Missing.TOPIC ? MISSING : THERE;
        Identifier group = missing == Missing.GROUP ? MISSING : THERE;
        Identifier user = missing == Missing.USER ? MISSING : BOB;
        OptionalPartition first = OptionalPartition.of(0);
        ConsumerRef consumer = TestClient.CONSUMER;
        Request request = switch (command) {
            case PING,
                    GET_STATS,
                    GET_CLUSTER_METADATA,
                    GET_ME,
                    GET_CLIENTS,
                    GET_USERS,
                    GET_PERSONAL_ACCESS_TOKENS,
                    GET_STREAMS -> new BodilessRequest(command);
            case GET_SNAPSHOT -> new GetSnapshot(SnapshotCompression.DEFLATED, List.of(SnapshotType.TEST));
            case DESCRIBE_OPTIONS -> new DescribeOptions(OptionScope.TOPIC);
            case ATTACH_CONSUMER_SESSION ->
                new AttachConsumerSession(missing == Missing.CLIENT ? NOBODY : alsoAlice.id, alsoAlice.session, 0);
            case GET_CLIENT -> new GetClient(missing == Missing.CLIENT ? 1_000_000 : root.connection.number());
            case GET_USER -> new GetUser(user);
            case CREATE_USER -> new CreateUser("carol", "carols password", 1, null, Options.NONE);
            case DELETE_USER -> new DeleteUser(user);
            case UPDATE_USER -> new UpdateUser(user, "robert", 2, Options.NONE);
            case UPDATE_PERMISSIONS -> new UpdatePermissions(user, everything());
            case CHANGE_PASSWORD -> new ChangePassword(user, "bobs password", "new password");
            case CREATE_PERSONAL_ACCESS_TOKEN -> new CreatePersonalAccessToken("new", 0);
            case DELETE_PERSONAL_ACCESS_TOKEN ->
                new DeletePersonalAccessToken(missing == Missing.TOKEN ? "missing" : TOKEN);
            case POLL_MESSAGES -> poll(stream, topic);
            case SEND_MESSAGES -> send(stream, topic);
            case FLUSH_UNSAVED_BUFFER -> new FlushUnsavedBuffer(stream, topic, 0, true);
            case GET_POLL_ROUTING -> new GetPollRouting(poll(stream, topic));
            case AWAIT_MESSAGES -> new AwaitMessages(poll(stream, topic), 0);
            case POLL_MESSAGES_ON_PRIMARY -> new PollMessagesOnPrimary(poll(stream, topic));
            case GET_CONSUMER_OFFSET -> new GetConsumerOffset(consumer, stream, topic, first);
            case STORE_CONSUMER_OFFSET ->
                new StoreConsumerOffset(consumer, stream, topic, first, 1, Acknowledgement.QUORUM);
            case DELETE_CONSUMER_OFFSET ->
                new DeleteConsumerOffset(consumer, stream, topic, first, Acknowledgement.QUORUM);
            case GET_CONSUMER_OFFSET_ROUTING ->
                new GetConsumerOffsetRouting(new GetConsumerOffset(consumer, stream, topic, first));
            case GET_STREAM -> new GetStream(stream);
            case CREATE_STREAM -> new CreateStream("new", Options.NONE);
            case DELETE_STREAM -> new DeleteStream(stream);
            case UPDATE_STREAM -> new UpdateStream(stream, "renamed", Options.NONE);
            case PURGE_STREAM -> new PurgeStream(stream);
            case GET_TOPIC -> new GetTopic(stream, topic);
            case GET_TOPICS -> new GetTopics(stream);
            case CREATE_TOPIC -> new CreateTopic(stream, 1, "new", Options.NONE);
            case DELETE_TOPIC -> new DeleteTopic(stream, topic);
            case UPDATE_TOPIC -> new UpdateTopic(stream, topic, "renamed", Options.NONE);
            case PURGE_TOPIC -> new PurgeTopic(stream, topic);
            case CREATE_PARTITIONS -> new CreatePartitions(stream, topic, 1);
            case DELETE_PARTITIONS -> new DeletePartitions(stream, topic, 1);
            case DELETE_SEGMENTS -> new DeleteSegments(stream, topic, 0, 1);
            case GET_CONSUMER_GROUP -> new GetConsumerGroup(stream, topic, group);
            case GET_CONSUMER_GROUPS -> new GetConsumerGroups(stream, topic);
            case CREATE_CONSUMER_GROUP -> new CreateConsumerGroup(stream, topic, "new");
            case DELETE_CONSUMER_GROUP -> new DeleteConsumerGroup(stream, topic, group);
            case JOIN_CONSUMER_GROUP -> new JoinConsumerGroup(stream, topic, group);
            case LEAVE_CONSUMER_GROUP -> new LeaveConsumerGroup(stream, topic, group);
            case SYNC_CONSUMER_GROUP -> new SyncConsumerGroup(stream, topic, group);
            case LOGIN, TOKEN_LOGIN, LOGOUT, LEGACY_LOGIN, LEGACY_TOKEN_LOGIN ->
                throw new IllegalArgumentException(command + " is about the login itself");
        };
        assertThat(request.command()).as("the command of the request").isEqualTo(command);
        return request;
    }

    private static PollMessages poll(Identifier stream, Identifier topic) {
        return new PollMessages(
                TestClient.CONSUMER, stream, topic, OptionalPartition.of(0), PollingStrategy.FIRST, 10, true);
    }

    private static Request send(Identifier stream, Identifier topic) {
        return TestClient.send(stream, topic, Partitioning.partition(0), Batches.of("a", "b"));
    }

    /// How a command ends that its user may not give.
    static String refusal(CommandCode command) {
        return command.operation().isMetadata() ? "reject 41" : "deny 41";
    }

    /// What was answered, where it matters whether a read found something: `ok empty` when its body has no bytes.
    static String outcome(Answer answer) {
        boolean isEmpty = answer.outcome().equals("ok")
                && answer.operation() == Operation.NON_REPLICATED.value()
                && !answer.body().hasRemaining();
        return isEmpty ? "ok empty" : answer.outcome();
    }
}
