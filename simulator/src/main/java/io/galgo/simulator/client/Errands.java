package io.galgo.simulator.client;

import io.galgo.model.CommittedMetadata;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.Options;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.ChangePassword;
import io.galgo.protocol.request.CreateConsumerGroup;
import io.galgo.protocol.request.CreatePartitions;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeleteConsumerGroup;
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
import io.galgo.protocol.request.PurgeStream;
import io.galgo.protocol.request.PurgeTopic;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.SnapshotCompression;
import io.galgo.protocol.request.SnapshotType;
import io.galgo.protocol.request.UpdatePermissions;
import io.galgo.protocol.request.UpdateStream;
import io.galgo.protocol.request.UpdateTopic;
import io.galgo.protocol.request.UpdateUser;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Draws requests about the metadata: names and ids come from so few that they meet.
///
/// Spares the topics that everybody works with but for a purge or another partition now and then.
final class Errands {
    /// How many names there are of each kind.
    static final int NAMES = 4;

    private static final List<OptionScope> SCOPES = List.of(OptionScope.values());
    private static final long EXPIRY_MICROS = 3_000_000;

    private final Stage stage;
    private final SplittableRandom random;

    Errands(Stage stage, SplittableRandom random) {
        this.stage = stage;
        this.random = random;
    }

    static String stream(SplittableRandom random) {
        return "toy" + random.nextInt(NAMES);
    }

    static String topic(SplittableRandom random) {
        return "topic" + random.nextInt(NAMES);
    }

    static String username(SplittableRandom random) {
        return "user" + random.nextInt(NAMES);
    }

    static String password(SplittableRandom random) {
        return "password" + random.nextInt(2);
    }

    private String name(String prefix) {
        return prefix + random.nextInt(NAMES);
    }

    /// A stream that is none of those that everybody works with, whose id is 0.
    private Identifier toy() {
        return random.nextInt(3) == 0 ? Identifier.of(1 + random.nextInt(NAMES)) : Identifier.of(stream(random));
    }

    private Identifier some(String prefix) {
        return random.nextInt(3) == 0 ? Identifier.of(random.nextInt(3)) : Identifier.of(name(prefix));
    }

    private Identifier user() {
        return random.nextInt(4) == 0 ? Identifier.of(2 + random.nextInt(NAMES)) : Identifier.of(username(random));
    }

    private Options options() {
        List<Options> known = CommittedMetadata.knownOptions();
        return known.get(random.nextInt(known.size()));
    }

    /// From nothing at all to everything, most of them about the stream that everybody works with.
    private @Nullable Permissions permissions() {
        return switch (random.nextInt(6)) {
            case 0 -> null;
            case 1, 2 ->
                new Permissions(
                        0,
                        List.of(new Permissions.OnStream(
                                0,
                                random.nextBoolean() ? 0 : random.nextInt(64),
                                List.of(new Permissions.OnTopic(
                                        random.nextInt(Stage.TOPICS.length), random.nextInt(16))))));
            case 3 -> new Permissions(0, List.of(new Permissions.OnStream(0, random.nextInt(64), List.of())));
            default ->
                new Permissions(
                        random.nextInt(1_024), List.of(new Permissions.OnStream(0, random.nextInt(64), List.of())));
        };
    }

    /// What changes nothing but, once in a while, the identity under which the connection may poll.
    Request read() {
        return switch (random.nextInt(24)) {
            case 0 -> new BodilessRequest(CommandCode.GET_STREAMS);
            case 1 -> new GetStream(toy());
            case 2 -> new GetTopic(toy(), some("topic"));
            case 3 -> new GetConsumerGroups(toy(), some("topic"));
            case 4 -> new GetUser(user());
            case 5 -> new BodilessRequest(CommandCode.GET_CLIENTS);
            case 6 -> new BodilessRequest(CommandCode.GET_STATS);
            case 7 -> new BodilessRequest(CommandCode.GET_CLUSTER_METADATA);
            case 8 -> new DescribeOptions(SCOPES.get(random.nextInt(SCOPES.size())));
            case 9 -> new BodilessRequest(CommandCode.GET_ME);
            case 10 -> new GetClient(random.nextInt(20));
            case 11 -> new GetTopics(random.nextBoolean() ? Identifier.of(0) : toy());
            case 12 -> new GetConsumerGroup(toy(), some("topic"), some("group"));
            case 13 -> new GetConsumerGroup(Identifier.of(0), Identifier.of(random.nextInt(2)), group());
            case 14 -> new GetPollRouting(poll());
            case 15 ->
                new GetConsumerOffsetRouting(
                        new GetConsumerOffset(consumer(), Identifier.of(0), Stage.topic(random), partition()));
            case 16 -> new FlushUnsavedBuffer(Identifier.of(0), Stage.topic(random), 0, random.nextBoolean());
            case 17 -> new GetSnapshot(SnapshotCompression.DEFLATED, List.of(SnapshotType.TEST));
            case 18 -> stage.attach(random);
            case 19 -> new GetTopic(Identifier.of(0), Stage.topic(random));
            case 20 -> new GetStream(Identifier.of(0));
            case 21 -> new BodilessRequest(CommandCode.GET_USERS);
            default -> new BodilessRequest(CommandCode.GET_PERSONAL_ACCESS_TOKENS);
        };
    }

    private Identifier group() {
        return Identifier.of(Stage.GROUPS[random.nextInt(Stage.GROUPS.length)]);
    }

    private ConsumerRef consumer() {
        return random.nextBoolean() ? ConsumerRef.consumer(Identifier.of(1)) : ConsumerRef.group(group());
    }

    private OptionalPartition partition() {
        return random.nextInt(4) == 0 ? OptionalPartition.NONE : OptionalPartition.of(Stage.partition(random));
    }

    private PollMessages poll() {
        return new PollMessages(
                consumer(), Identifier.of(0), Stage.topic(random), partition(), PollingStrategy.NEXT, 1, true);
    }

    Request change() {
        Identifier stream = toy();
        Identifier topic = some("topic");
        return switch (random.nextInt(52)) {
            case 0, 1, 2, 3 -> new CreateStream(stream(random), Options.NONE);
            case 4 -> new UpdateStream(stream, stream(random), Options.NONE);
            case 5 -> new DeleteStream(stream);
            case 6 -> new PurgeStream(random.nextInt(8) == 0 ? Identifier.of(0) : stream);
            case 7, 8, 9, 10 -> new CreateTopic(stream, 1 + random.nextInt(3), topic(random), options());
            case 11 -> new UpdateTopic(stream, topic, topic(random), options());
            case 12, 42, 43 -> new DeleteTopic(stream, topic);
            case 13 -> new PurgeTopic(stream, topic);
            case 14 -> new CreatePartitions(stream, topic, 1 + random.nextInt(2));
            case 15 -> new DeletePartitions(stream, topic, 1 + random.nextInt(2));
            case 16, 17 -> new CreateConsumerGroup(stream, topic, name("group"));
            case 18 -> new DeleteConsumerGroup(stream, topic, some("group"));
            case 19, 20 -> new JoinConsumerGroup(stream, topic, some("group"));
            case 21, 22, 23 ->
                new CreateUser(username(random), password(random), 1 + random.nextInt(2), permissions(), Options.NONE);
            case 24 -> new UpdateUser(user(), username(random), random.nextInt(3), Options.NONE);
            case 25 -> new DeleteUser(user());
            case 26, 27 -> new UpdatePermissions(user(), permissions());
            case 28, 29 -> new ChangePassword(user(), password(random), password(random));
            case 30, 31 -> token();
            case 32 -> new DeletePersonalAccessToken(name("token"));
            case 33, 39, 40, 41 ->
                new DeleteSegments(Identifier.of(0), Identifier.of(2), random.nextInt(Stage.PARTITIONS), 1);
            case 34 -> random.nextInt(4) == 0 ? new PurgeTopic(Identifier.of(0), Stage.topic(random)) : read();
            case 35 -> random.nextBoolean() ? new CreatePartitions(Identifier.of(0), Stage.topic(random), 1) : read();
            case 36 -> random.nextBoolean() ? new DeletePartitions(Identifier.of(0), Stage.topic(random), 1) : read();
            case 37 -> new LeaveConsumerGroup(stream, topic, some("group"));
            case 38 ->
                random.nextInt(4) == 0
                        ? new DeleteConsumerGroup(Identifier.of(0), Identifier.of(random.nextInt(2)), group())
                        : new CreateConsumerGroup(
                                Identifier.of(0),
                                Identifier.of(random.nextInt(2)),
                                Stage.GROUPS[random.nextInt(Stage.GROUPS.length)]);
            default -> read();
        };
    }

    /// A token that expires soon, now and then.
    CreatePersonalAccessToken token() {
        return new CreatePersonalAccessToken(name("token"), random.nextInt(4) == 0 ? EXPIRY_MICROS : 0);
    }
}
