package io.galgo.model;

import io.galgo.model.Call.Message;
import io.galgo.model.State.StreamState;
import io.galgo.model.State.TopicState;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.Options;
import io.galgo.protocol.Partitioning;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.ProtocolVersion;
import io.galgo.protocol.TypedValue;
import io.galgo.protocol.request.Acknowledgement;
import io.galgo.protocol.request.AttachConsumerSession;
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
import io.galgo.protocol.request.GetStream;
import io.galgo.protocol.request.GetTopic;
import io.galgo.protocol.request.GetTopics;
import io.galgo.protocol.request.GetUser;
import io.galgo.protocol.request.JoinConsumerGroup;
import io.galgo.protocol.request.LeaveConsumerGroup;
import io.galgo.protocol.request.OptionScope;
import io.galgo.protocol.request.PasswordLogin;
import io.galgo.protocol.request.PollMessages;
import io.galgo.protocol.request.PollMessagesOnPrimary;
import io.galgo.protocol.request.PurgeStream;
import io.galgo.protocol.request.PurgeTopic;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.SendMessages;
import io.galgo.protocol.request.StoreConsumerOffset;
import io.galgo.protocol.request.SyncConsumerGroup;
import io.galgo.protocol.request.TokenLogin;
import io.galgo.protocol.request.UpdatePermissions;
import io.galgo.protocol.request.UpdateStream;
import io.galgo.protocol.request.UpdateTopic;
import io.galgo.protocol.request.UpdateUser;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Draws requests: mostly about what there is, with names and ids from so few that they come again.
final class Draw {
    /// The consumers that store offsets, by name or number.
    static final List<Identifier> CONSUMERS = List.of(
            Identifier.of(1), Identifier.of(7), Identifier.of("ann"), Identifier.of("ben"), Identifier.of("cid"));

    static final List<String> PASSWORDS = List.of("pass-a", "pass-b");

    private static final int PARTITIONS_MAX = 6;

    private final SplittableRandom random;
    private final State state;
    private final Collection<Caller> callers;
    private final List<TopicChoice> choices;
    private final boolean isTimeMovable;
    private final AtomicLong messages;

    Draw(
            SplittableRandom random,
            State state,
            Collection<Caller> callers,
            List<TopicChoice> choices,
            boolean isTimeMovable,
            AtomicLong messages) {
        this.random = random;
        this.state = state;
        this.callers = callers;
        this.choices = choices;
        this.isTimeMovable = isTimeMovable;
        this.messages = messages;
    }

    <T> T one(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    boolean oneIn(int chances) {
        return random.nextInt(chances) == 0;
    }

    // Targets

    private record Place(Identifier stream, Identifier topic) {}

    private String streamName() {
        return "s" + random.nextInt(3);
    }

    private String topicName() {
        return "t" + random.nextInt(3);
    }

    private String groupName() {
        return "g" + random.nextInt(2);
    }

    private String userName() {
        return oneIn(12) ? "ab" : "usr" + random.nextInt(3);
    }

    private String tokenName() {
        return "tok" + random.nextInt(2);
    }

    private Identifier stream() {
        if (!state.streams.isEmpty() && !oneIn(8)) {
            StreamState stream = one(List.copyOf(state.streams.values()));
            return random.nextBoolean() ? Identifier.of(stream.id) : Identifier.of(stream.name);
        }
        return random.nextBoolean() ? Identifier.of(random.nextInt(4)) : Identifier.of(streamName());
    }

    private Place place() {
        List<TopicState> topics = state.topics();
        if (!topics.isEmpty() && !oneIn(10)) {
            return place(one(topics));
        }
        return new Place(
                stream(), random.nextBoolean() ? Identifier.of(random.nextInt(4)) : Identifier.of(topicName()));
    }

    /// A topic that has groups, if there is one.
    private Place groupPlace() {
        List<TopicState> topics =
                state.topics().stream().filter(topic -> !topic.groups.isEmpty()).toList();
        return topics.isEmpty() || oneIn(10) ? place() : place(one(topics));
    }

    private Place place(TopicState topic) {
        StreamState stream = state.streams.get(topic.streamId);
        if (stream == null) {
            throw new IllegalStateException("a topic without a stream");
        }
        return new Place(
                random.nextBoolean() ? Identifier.of(stream.id) : Identifier.of(stream.name),
                random.nextBoolean() ? Identifier.of(topic.id) : Identifier.of(topic.name));
    }

    private int partition(Place place) {
        TopicState topic = state.topic(place.stream, place.topic);
        int count = topic == null ? 2 : topic.partitions.size();
        return count == 0 || oneIn(15) ? random.nextInt(PARTITIONS_MAX + 1) : random.nextInt(count);
    }

    private Identifier group(Place place) {
        TopicState topic = state.topic(place.stream, place.topic);
        if (topic != null && !topic.groups.isEmpty() && !oneIn(8)) {
            GroupState group = one(List.copyOf(topic.groups.values()));
            return random.nextBoolean() ? Identifier.of(group.id) : Identifier.of(group.name);
        }
        return random.nextBoolean() ? Identifier.of(random.nextInt(3)) : Identifier.of(groupName());
    }

    private Identifier user() {
        return random.nextBoolean() ? Identifier.of(random.nextInt(4)) : Identifier.of("usr" + random.nextInt(3));
    }

    private ConsumerRef consumer(Place place) {
        if (oneIn(40)) {
            return new ConsumerRef(3, one(CONSUMERS));
        }
        TopicState topic = state.topic(place.stream, place.topic);
        boolean hasGroups = topic != null && !topic.groups.isEmpty();
        return oneIn(hasGroups ? 2 : 6) ? ConsumerRef.group(group(place)) : ConsumerRef.consumer(one(CONSUMERS));
    }

    private OptionalPartition optional(Place place) {
        return oneIn(20) ? OptionalPartition.NONE : OptionalPartition.of(partition(place));
    }

    private Options noOptions() {
        return oneIn(25) ? new Options(List.of(new Options.Entry("some", TypedValue.bool(true)))) : Options.NONE;
    }

    private long partitionsCount() {
        return switch (random.nextInt(14)) {
            case 0 -> 0;
            case 1 -> 1001;
            default -> 1 + random.nextInt(3);
        };
    }

    private Permissions permissions() {
        List<Permissions.OnStream> streams = new ArrayList<>();
        for (int stream = 0; stream < 2; stream++) {
            if (random.nextBoolean()) {
                List<Permissions.OnTopic> topics =
                        oneIn(2) ? List.of() : List.of(new Permissions.OnTopic(random.nextInt(2), bits(4)));
                streams.add(new Permissions.OnStream(stream, oneIn(2) ? 0 : bits(6), topics));
            }
        }
        return new Permissions(oneIn(2) ? 0 : oneIn(4) ? (1 << 10) - 1 : bits(10), streams);
    }

    /// Few flags at a time, so that each counts.
    private int bits(int count) {
        return 1 << random.nextInt(count) | (oneIn(3) ? 1 << random.nextInt(count) : 0);
    }

    // Requests

    /// A command that changes metadata.
    Request metadata(Caller caller) {
        if (state.topics().size() < 2 && random.nextBoolean()) {
            return state.streams.isEmpty()
                    ? new CreateStream(streamName(), Options.NONE)
                    : new CreateTopic(stream(), 1 + random.nextInt(4), topicName(), some().options());
        }
        return switch (random.nextInt(40)) {
            case 0, 1, 2 -> new CreateStream(streamName(), noOptions());
            case 3 -> new UpdateStream(stream(), streamName(), noOptions());
            case 4 -> oneIn(3) ? new DeleteStream(stream()) : new PurgeStream(stream());
            case 5, 6, 7, 8 ->
                new CreateTopic(
                        stream(),
                        oneIn(3) ? 1 : partitionsCount(),
                        topicName(),
                        (oneIn(3) ? one(choices) : some()).options());
            case 9 -> {
                Place at = place();
                yield new UpdateTopic(
                        at.stream, at.topic, topicName(), one(choices).options());
            }
            case 10, 11 -> {
                Place at = place();
                yield oneIn(3) ? new DeleteTopic(at.stream, at.topic) : new PurgeTopic(at.stream, at.topic);
            }
            case 12, 13 -> createPartitions();
            case 14, 15 -> {
                Place at = place();
                yield new DeletePartitions(at.stream, at.topic, partitionsCount());
            }
            case 16, 17, 18 -> {
                Place at = place();
                yield new DeleteSegments(
                        at.stream, at.topic, partition(at), oneIn(5) ? -1 & 0xFFFF_FFFFL : random.nextInt(3));
            }
            case 19, 20 -> {
                Place at = place();
                yield new CreateConsumerGroup(at.stream, at.topic, groupName());
            }
            case 21 -> {
                Place at = groupPlace();
                yield new DeleteConsumerGroup(at.stream, at.topic, group(at));
            }
            case 22, 23, 24, 25, 26 -> {
                Place at = groupPlace();
                yield new JoinConsumerGroup(at.stream, at.topic, group(at));
            }
            case 27, 28 -> {
                Place at = groupPlace();
                yield new LeaveConsumerGroup(at.stream, at.topic, group(at));
            }
            case 29, 30 ->
                new CreateUser(
                        userName(),
                        one(PASSWORDS),
                        oneIn(4) ? random.nextInt(4) : 1,
                        oneIn(5) ? null : permissions(),
                        noOptions());
            case 31 -> {
                Identifier user = notRoot(user());
                yield new UpdateUser(
                        user, random.nextBoolean() ? null : userName(), oneIn(3) ? random.nextInt(4) : 1, noOptions());
            }
            case 32 -> new DeleteUser(oneIn(6) ? Identifier.of(0) : user());
            case 33, 34 -> new UpdatePermissions(oneIn(8) ? Identifier.of(0) : user(), oneIn(6) ? null : permissions());
            case 35 -> {
                Identifier user = oneIn(3) && caller.isBound() ? Identifier.of(caller.userId) : user();
                // Root keeps its password, since the model's own reader needs it.
                State.UserState target = state.user(user);
                boolean isRoot = target != null && target.id == 0;
                yield new ChangePassword(user, isRoot ? "not-it" : one(PASSWORDS), one(PASSWORDS));
            }
            case 36, 37 -> new CreatePersonalAccessToken(tokenName(), expiry());
            default -> new DeletePersonalAccessToken(tokenName());
        };
    }

    /// A choice that is no mistake.
    private TopicChoice some() {
        List<TopicChoice> sound =
                choices.stream().filter(choice -> choice.created() == 0).toList();
        return one(sound);
    }

    private Identifier notRoot(Identifier user) {
        State.UserState found = state.user(user);
        return found != null && found.id == 0 ? Identifier.of(1) : user;
    }

    private long expiry() {
        return switch (random.nextInt(6)) {
            case 0 -> -1;
            case 1 -> -2;
            case 2 -> isTimeMovable ? 5_000_000 : 0;
            case 3 -> 3_600_000_000L;
            default -> 0;
        };
    }

    private Request createPartitions() {
        Place at = place();
        TopicState topic = state.topic(at.stream, at.topic);
        boolean isFull = topic != null && topic.partitions.size() >= PARTITIONS_MAX;
        return isFull
                ? new DeletePartitions(at.stream, at.topic, 2)
                : new CreatePartitions(at.stream, at.topic, partitionsCount());
    }

    /// A command of a burst that nobody will answer: those together either make things or remove things, so that
    /// what is found afterwards tells which of them happened.
    Request metadataForCrash(Caller caller, boolean isMaking) {
        Place at = place();
        if (isMaking) {
            return switch (random.nextInt(8)) {
                case 0 -> new CreateStream(streamName(), Options.NONE);
                case 1, 2 ->
                    new CreateTopic(
                            stream(),
                            1 + random.nextInt(2),
                            topicName(),
                            choices.getFirst().options());
                case 3 -> createPartitionsOnly();
                case 4 -> new CreateConsumerGroup(at.stream, at.topic, groupName());
                case 5 -> new JoinConsumerGroup(at.stream, at.topic, group(at));
                case 6 -> new CreateUser(userName(), one(PASSWORDS), 1, permissions(), Options.NONE);
                default -> new UpdatePermissions(user(), permissions());
            };
        }
        return switch (random.nextInt(8)) {
            case 0 -> new DeleteStream(stream());
            case 1 -> new DeleteTopic(at.stream, at.topic);
            case 2 -> new PurgeTopic(at.stream, at.topic);
            case 3 -> new PurgeStream(stream());
            case 4 -> new DeletePartitions(at.stream, at.topic, 1);
            case 5 -> new DeleteConsumerGroup(at.stream, at.topic, group(at));
            case 6 -> new LeaveConsumerGroup(at.stream, at.topic, group(at));
            default -> new PurgeTopic(at.stream, at.topic);
        };
    }

    private Request createPartitionsOnly() {
        Place at = place();
        return new CreatePartitions(at.stream, at.topic, 1);
    }

    List<Message> batch(boolean isLarge) {
        int count = oneIn(3) ? 1 + random.nextInt(6) : 1;
        List<Message> batch = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long id = messages.incrementAndGet();
            int length = isLarge && i == 0 ? 60_000 + random.nextInt(150_000) : random.nextInt(40);
            String headers = oneIn(6) ? "\u0002\u0001\u0000\u0000\u0000k\u0002\u0001\u0000\u0000\u0000v" : "";
            batch.add(new Message(id, id + "-" + "x".repeat(length), headers));
        }
        return batch;
    }

    /// A send and its messages.
    record Sending(SendMessages request, List<Message> batch) {}

    Sending send(boolean isNamedOnly) {
        Place at = place();
        TopicState topic = state.topic(at.stream, at.topic);
        boolean isSmall = topic != null && topic.option("segment_size").number() == TopicChoice.SEGMENT_BYTES;
        List<Message> batch = batch(isSmall ? oneIn(2) : oneIn(40));
        Partitioning partitioning = switch (isNamedOnly ? 5 : random.nextInt(6)) {
            case 0 -> Partitioning.balanced();
            case 1 -> Partitioning.key(new byte[] {(byte) random.nextInt(9)});
            default -> Partitioning.partition(partition(at));
        };
        ByteBuffer bytes = Batches.encoded(batch);
        int count = oneIn(50) ? batch.size() + 1 : batch.size();
        return new Sending(
                new SendMessages(at.stream, at.topic, partitioning, count, true, bytes, 0, bytes.remaining()), batch);
    }

    StoreConsumerOffset store() {
        Place at = random.nextBoolean() ? groupPlace() : place();
        OptionalPartition partition = optional(at);
        TopicState topic = state.topic(at.stream, at.topic);
        PartitionState known = topic == null ? null : topic.partition(partition.idOrFirst());
        long last = known == null ? 5 : known.last;
        long offset = oneIn(8) ? last + 1 + random.nextInt(2) : random.nextLong(Math.max(1, last + 1));
        return new StoreConsumerOffset(
                consumer(at),
                at.stream,
                at.topic,
                partition,
                Math.max(0, offset),
                oneIn(5) ? Acknowledgement.NONE : Acknowledgement.QUORUM);
    }

    DeleteConsumerOffset deleteOffset() {
        Place at = place();
        return new DeleteConsumerOffset(consumer(at), at.stream, at.topic, optional(at), Acknowledgement.QUORUM);
    }

    PollMessages poll(boolean isRouting) {
        Place at = random.nextBoolean() ? groupPlace() : place();
        OptionalPartition partition = optional(at);
        TopicState topic = state.topic(at.stream, at.topic);
        PartitionState known = topic == null ? null : topic.partition(partition.idOrFirst());
        return new PollMessages(
                consumer(at),
                at.stream,
                at.topic,
                partition,
                strategy(known),
                oneIn(12) ? 0 : oneIn(6) ? 0xFFFF_FFFFL : 1 + random.nextInt(12),
                isRouting || random.nextBoolean());
    }

    private PollingStrategy strategy(@Nullable PartitionState partition) {
        long last = partition == null ? 3 : Math.max(0, partition.last);
        return switch (random.nextInt(12)) {
            case 0, 1, 2 -> PollingStrategy.offset(random.nextLong(last + 3));
            case 3 -> PollingStrategy.offset(-1 - random.nextInt(2));
            case 4, 5 -> PollingStrategy.timestamp(timestamp(partition));
            case 6 -> PollingStrategy.FIRST;
            case 7 -> PollingStrategy.LAST;
            case 8 -> oneIn(4) ? new PollingStrategy(9, 0) : PollingStrategy.NEXT;
            default -> PollingStrategy.NEXT;
        };
    }

    private long timestamp(@Nullable PartitionState partition) {
        if (partition == null || partition.batches.isEmpty() || oneIn(6)) {
            return random.nextBoolean() ? 0 : Long.MAX_VALUE;
        }
        return one(partition.batches).timestamp + random.nextInt(3) - 1;
    }

    GetConsumerOffset getOffset() {
        Place at = place();
        return new GetConsumerOffset(consumer(at), at.stream, at.topic, optional(at));
    }

    /// A read.
    Request read() {
        Place at = place();
        return switch (random.nextInt(34)) {
            case 0 -> new BodilessRequest(CommandCode.PING);
            case 1 -> new BodilessRequest(CommandCode.GET_STATS);
            case 2 -> new BodilessRequest(CommandCode.GET_CLUSTER_METADATA);
            case 3 -> new BodilessRequest(CommandCode.GET_ME);
            case 4 -> new BodilessRequest(CommandCode.GET_CLIENTS);
            case 5 -> new BodilessRequest(CommandCode.GET_USERS);
            case 6 -> new BodilessRequest(CommandCode.GET_STREAMS);
            case 7 -> new BodilessRequest(CommandCode.GET_PERSONAL_ACCESS_TOKENS);
            case 8 -> new DescribeOptions(one(List.of(OptionScope.values())));
            case 9 -> new FlushUnsavedBuffer(at.stream, at.topic, 0, true);
            case 10 -> new GetClient(clientNumber());
            case 11 -> new GetUser(oneIn(6) ? Identifier.of(0) : user());
            case 12 -> new GetStream(stream());
            case 13 -> new GetTopics(stream());
            case 14 -> new GetTopic(at.stream, at.topic);
            case 15 -> new GetConsumerGroups(at.stream, at.topic);
            case 16 -> new GetConsumerGroup(at.stream, at.topic, group(at));
            case 17 -> new SyncConsumerGroup(at.stream, at.topic, group(at));
            case 18 -> attach();
            case 19 -> new GetPollRouting(poll(true));
            case 20 -> new GetConsumerOffsetRouting(getOffset());
            case 21, 22, 23 -> new PollMessagesOnPrimary(poll(false));
            case 24, 25 -> getOffset();
            default -> poll(false);
        };
    }

    private int clientNumber() {
        return oneIn(5) ? 0 : Math.max(0, one(List.copyOf(callers)).clientNumber);
    }

    private Request attach() {
        Caller parent = one(List.copyOf(callers));
        return oneIn(6)
                ? new AttachConsumerSession(new ClientId(9, 9), 1, 0)
                : new AttachConsumerSession(
                        parent.id, oneIn(30) ? Model.FAR_AWAY : Math.max(1, parent.session - (oneIn(8) ? 1 : 0)), 0);
    }

    /// Bytes that are no body of this command.
    byte[] spoiltBody() {
        return switch (random.nextInt(3)) {
            case 0 -> new byte[] {9};
            case 1 -> new byte[0];
            default -> new byte[] {9, 0, 0};
        };
    }

    static final List<CommandCode> SPOILABLE = List.of(
            CommandCode.CREATE_STREAM,
            CommandCode.UPDATE_STREAM,
            CommandCode.DELETE_STREAM,
            CommandCode.PURGE_STREAM,
            CommandCode.CREATE_TOPIC,
            CommandCode.UPDATE_TOPIC,
            CommandCode.DELETE_TOPIC,
            CommandCode.PURGE_TOPIC,
            CommandCode.CREATE_PARTITIONS,
            CommandCode.DELETE_PARTITIONS,
            CommandCode.DELETE_SEGMENTS,
            CommandCode.CREATE_CONSUMER_GROUP,
            CommandCode.DELETE_CONSUMER_GROUP,
            CommandCode.JOIN_CONSUMER_GROUP,
            CommandCode.LEAVE_CONSUMER_GROUP,
            CommandCode.CREATE_USER,
            CommandCode.UPDATE_USER,
            CommandCode.DELETE_USER,
            CommandCode.UPDATE_PERMISSIONS,
            CommandCode.CHANGE_PASSWORD,
            CommandCode.CREATE_PERSONAL_ACCESS_TOKEN,
            CommandCode.DELETE_PERSONAL_ACCESS_TOKEN,
            CommandCode.SEND_MESSAGES,
            CommandCode.STORE_CONSUMER_OFFSET,
            CommandCode.DELETE_CONSUMER_OFFSET,
            CommandCode.POLL_MESSAGES,
            CommandCode.POLL_MESSAGES_ON_PRIMARY,
            CommandCode.GET_POLL_ROUTING,
            CommandCode.GET_CONSUMER_OFFSET,
            CommandCode.GET_CONSUMER_OFFSET_ROUTING,
            CommandCode.GET_STREAM,
            CommandCode.GET_TOPIC,
            CommandCode.GET_TOPICS,
            CommandCode.GET_USER,
            CommandCode.GET_CLIENT,
            CommandCode.GET_CONSUMER_GROUP,
            CommandCode.GET_CONSUMER_GROUPS,
            CommandCode.SYNC_CONSUMER_GROUP,
            CommandCode.DESCRIBE_OPTIONS,
            CommandCode.ATTACH_CONSUMER_SESSION);

    Request login() {
        return switch (random.nextInt(10)) {
            case 0, 1, 2, 3 -> rootLogin();
            case 4 -> password("usr" + random.nextInt(3), oneIn(2) ? "wrong-one" : "");
            case 5, 6, 7, 8 -> {
                List<State.UserState> users = List.copyOf(state.users.values());
                State.UserState user = one(users);
                yield password(user.name, user.password);
            }
            default -> {
                List<String> secrets = new ArrayList<>();
                for (State.UserState user : state.users.values()) {
                    for (State.TokenState token : user.tokens.values()) {
                        if (token.secret != null) {
                            secrets.add(token.secret);
                        }
                    }
                }
                String secret = secrets.isEmpty() || oneIn(8) ? "A".repeat(68) : one(secrets);
                yield new TokenLogin(ProtocolVersion.CURRENT, "model", "1", secret, "");
            }
        };
    }

    static PasswordLogin rootLogin() {
        return password(Subject.ROOT_NAME, Subject.ROOT_PASSWORD);
    }

    static PasswordLogin password(String username, String password) {
        return new PasswordLogin(ProtocolVersion.CURRENT, "model", "1", username, password, "");
    }
}
