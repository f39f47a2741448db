package io.galgo.simulator.client;

import io.galgo.model.CommittedMetadata;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.Permissions;
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
import io.galgo.protocol.request.GetConsumerGroups;
import io.galgo.protocol.request.GetStream;
import io.galgo.protocol.request.GetTopic;
import io.galgo.protocol.request.GetUser;
import io.galgo.protocol.request.JoinConsumerGroup;
import io.galgo.protocol.request.PurgeStream;
import io.galgo.protocol.request.PurgeTopic;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.UpdatePermissions;
import io.galgo.protocol.request.UpdateStream;
import io.galgo.protocol.request.UpdateTopic;
import io.galgo.protocol.request.UpdateUser;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Makes, changes and deletes streams, topics, groups, users and tokens. Spares the topics of the others but for a
/// purge or another partition now and then.
final class Administrator extends Actor {
    private static final int NAMES = 4;

    Administrator(Stage stage, PublishedClient client, SplittableRandom random) {
        super(stage, client, random);
    }

    @Override
    void act() {
        client.ask(random.nextInt(4) == 0 ? read() : change(), _ -> pause());
    }

    private String name(String prefix) {
        return prefix + random.nextInt(NAMES);
    }

    /// A stream that is none of those with messages, whose id is 0.
    private Identifier toy() {
        return random.nextInt(3) == 0 ? Identifier.of(1 + random.nextInt(NAMES)) : Identifier.of(name("toy"));
    }

    private Identifier some(String prefix) {
        return random.nextInt(3) == 0 ? Identifier.of(random.nextInt(3)) : Identifier.of(name(prefix));
    }

    private Identifier user() {
        return random.nextInt(4) == 0 ? Identifier.of(2 + random.nextInt(NAMES)) : Identifier.of(name("user"));
    }

    private Options options() {
        List<Options> known = CommittedMetadata.knownOptions();
        return known.get(random.nextInt(known.size()));
    }

    private @Nullable Permissions permissions() {
        return random.nextInt(3) == 0
                ? null
                : new Permissions(
                        random.nextInt(1_024), List.of(new Permissions.OnStream(0, random.nextInt(64), List.of())));
    }

    private Request read() {
        return switch (random.nextInt(7)) {
            case 0 -> new BodilessRequest(CommandCode.GET_STREAMS);
            case 1 -> new GetStream(toy());
            case 2 -> new GetTopic(toy(), some("topic"));
            case 3 -> new GetConsumerGroups(toy(), some("topic"));
            case 4 -> new GetUser(user());
            case 5 -> new BodilessRequest(CommandCode.GET_CLIENTS);
            default -> new BodilessRequest(CommandCode.GET_PERSONAL_ACCESS_TOKENS);
        };
    }

    private Request change() {
        Identifier stream = toy();
        Identifier topic = some("topic");
        return switch (random.nextInt(44)) {
            case 0, 1, 2, 3 -> new CreateStream(name("toy"), Options.NONE);
            case 4 -> new UpdateStream(stream, name("toy"), Options.NONE);
            case 5 -> new DeleteStream(stream);
            case 6 -> new PurgeStream(stream);
            case 7, 8, 9, 10 -> new CreateTopic(stream, 1 + random.nextInt(3), name("topic"), options());
            case 11 -> new UpdateTopic(stream, topic, name("topic"), options());
            case 12 -> new DeleteTopic(stream, topic);
            case 13 -> new PurgeTopic(stream, topic);
            case 14 -> new CreatePartitions(stream, topic, 1 + random.nextInt(2));
            case 15 -> new DeletePartitions(stream, topic, 1 + random.nextInt(2));
            case 16, 17 -> new CreateConsumerGroup(stream, topic, name("group"));
            case 18 -> new DeleteConsumerGroup(stream, topic, some("group"));
            case 19, 20 -> new JoinConsumerGroup(stream, topic, some("group"));
            case 21, 22, 23 ->
                new CreateUser(
                        name("user"),
                        "password" + random.nextInt(2),
                        1 + random.nextInt(2),
                        permissions(),
                        Options.NONE);
            case 24 -> new UpdateUser(user(), name("user"), random.nextInt(3), Options.NONE);
            case 25 -> new DeleteUser(user());
            case 26, 27 -> new UpdatePermissions(user(), permissions());
            case 28, 29 -> new ChangePassword(user(), "password" + random.nextInt(2), "password" + random.nextInt(2));
            case 30, 31 -> new CreatePersonalAccessToken(name("token"), random.nextInt(4) == 0 ? 3_000_000 : 0);
            case 32 -> new DeletePersonalAccessToken(name("token"));
            case 33 -> new DeleteSegments(Identifier.of(0), Identifier.of(2), random.nextInt(Stage.PARTITIONS), 1);
            case 34 -> random.nextInt(4) == 0 ? new PurgeTopic(Identifier.of(0), Stage.topic(random)) : read();
            case 35 -> random.nextInt(4) == 0 ? new CreatePartitions(Identifier.of(0), Stage.topic(random), 1) : read();
            case 36 -> random.nextInt(4) == 0 ? new DeletePartitions(Identifier.of(0), Stage.topic(random), 1) : read();
            default -> read();
        };
    }
}
