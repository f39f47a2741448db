package io.galgo.model;

import io.galgo.model.PartitionState.Polled;
import io.galgo.model.PartitionState.Remembered;
import io.galgo.model.PartitionState.Writer;
import io.galgo.model.State.Done;
import io.galgo.model.State.SessionState;
import io.galgo.model.State.StreamState;
import io.galgo.model.State.TokenState;
import io.galgo.model.State.TopicState;
import io.galgo.model.State.UserState;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.Options;
import io.galgo.protocol.Partitioning;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.RequestHeader;
import io.galgo.protocol.reply.ClientDetails;
import io.galgo.protocol.reply.ClientMembership;
import io.galgo.protocol.reply.ClientRecord;
import io.galgo.protocol.reply.ClusterMetadata;
import io.galgo.protocol.reply.GroupAssignment;
import io.galgo.protocol.reply.GroupDetails;
import io.galgo.protocol.reply.GroupRecord;
import io.galgo.protocol.reply.GroupRecords;
import io.galgo.protocol.reply.LoginReply;
import io.galgo.protocol.reply.OptionDescriptions;
import io.galgo.protocol.reply.PartitionRecord;
import io.galgo.protocol.reply.PollHeader;
import io.galgo.protocol.reply.Routing;
import io.galgo.protocol.reply.SendConfirmation;
import io.galgo.protocol.reply.SendConfirmations;
import io.galgo.protocol.reply.Stats;
import io.galgo.protocol.reply.StoredOffset;
import io.galgo.protocol.reply.StreamDetails;
import io.galgo.protocol.reply.StreamRecord;
import io.galgo.protocol.reply.StreamRecords;
import io.galgo.protocol.reply.TokenRecord;
import io.galgo.protocol.reply.TokenRecords;
import io.galgo.protocol.reply.TokenSecret;
import io.galgo.protocol.reply.TopicDetails;
import io.galgo.protocol.reply.TopicRecord;
import io.galgo.protocol.reply.TopicRecords;
import io.galgo.protocol.reply.UserDetails;
import io.galgo.protocol.reply.UserRecord;
import io.galgo.protocol.reply.UserRecords;
import io.galgo.protocol.reply.UserStatus;
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
import io.galgo.protocol.request.GetSnapshot;
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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The server in small: what a request may be answered, and what it does.
///
/// Written from spec semantics and protocol. Where those leave room there is more than one [Branch]; where
/// something may take a moment, the state is judged when somebody looks.
final class Model {
    static final long FAR_AWAY = 1_000_000;

    private static final int CODE_UNKNOWN = 0;
    private static final List<Integer> REFUSALS =
            List.of(20, 41, 43, 46, 1009, 1012, 2010, 2013, 2019, 5000, 5004, 5006);

    final State state;
    private final Subject subject;
    private final Collection<Caller> callers;

    Model(State state, Subject subject, Collection<Caller> callers) {
        this.state = state;
        this.subject = subject;
        this.callers = callers;
    }

    Model copy() {
        return new Model(state.copy(), subject, callers);
    }

    // The way of every request (semantics 2.2)

    List<Branch> run(Call call) {
        Caller caller = call.caller();
        return switch (call.command().commandClass()) {
            case NON_REPLICATED -> read(caller, call);
            case SESSION -> session(caller, call);
            case METADATA, PARTITION -> {
                if (RequestHeader.session(call.frame(), 0) == 0) {
                    yield Branch.deny(40);
                }
                List<Branch> lost = lost(caller);
                if (!lost.isEmpty()) {
                    yield lost;
                }
                if (!caller.isBound()) {
                    yield Branch.evict(1);
                }
                yield call.isMetadata() ? metadata(caller, call) : partitionWrite(caller, call);
            }
        };
    }

    /// What a connection hears whose session is gone or belongs to another connection by now, empty when it is not.
    private List<Branch> lost(Caller caller) {
        if (!caller.isBound()) {
            return List.of();
        }
        if (caller.isUsurped) {
            return List.of(
                    new Branch(Answer.evict(1), _ -> caller.unbind()),
                    new Branch(Answer.evict(7), _ -> caller.unbind()));
        }
        return state.sessions.containsKey(caller.id)
                ? List.of()
                : List.of(new Branch(Answer.evict(1), _ -> caller.unbind()));
    }

    // Sessions (semantics 12)

    private List<Branch> session(Caller caller, Call call) {
        Request request = call.request();
        if (request == null) {
            return Branch.evict(15);
        }
        return switch (request) {
            case PasswordLogin login -> {
                boolean isPossible = isBetween(login.username(), 3, 50) && isBetween(login.password(), 3, 100);
                UserState user = isPossible ? state.user(Identifier.of(login.username())) : null;
                boolean isRight = user != null && user.isActive && user.password.equals(login.password());
                if (!isRight || user == null) {
                    // An empty password makes a body that is a login with a token as well.
                    yield Branch.evict(login.password().isEmpty() ? 10 : 9);
                }
                yield admit(caller, user);
            }
            case TokenLogin login -> {
                for (UserState user : state.users.values()) {
                    for (TokenState token : user.tokens.values()) {
                        if (login.token().equals(token.secret)) {
                            if (isExpired(token)) {
                                yield Branch.evict(10);
                            }
                            yield user.isActive ? admit(caller, user) : Branch.evict(11);
                        }
                    }
                }
                yield Branch.evict(10);
            }
            default -> logout(caller);
        };
    }

    private boolean isExpired(TokenState token) {
        return !token.isEndless && token.expiresAt != State.UNKNOWN && token.expiresAt <= subject.nowMicros();
    }

    private static boolean isBetween(String text, int min, int max) {
        return min <= text.length() && text.length() <= max;
    }

    private List<Branch> admit(Caller caller, UserState user) {
        if (caller.isBound() && lost(caller).isEmpty()) {
            return Branch.ok(answer -> {
                LoginReply reply = loginReply(answer);
                Difference.unlessEqual(reply.userId(), user.id, "the user of a second login");
                Difference.unlessEqual(reply.session(), caller.session, "the session of a second login");
            });
        }
        SessionState before = state.sessions.get(caller.id);
        if (before != null && before.userId != user.id) {
            return Branch.evict(12);
        }
        return Branch.ok(answer -> {
            LoginReply reply = loginReply(answer);
            Difference.unlessEqual(reply.userId(), user.id, "the user of a login");
            for (SessionState other : state.sessions.values()) {
                Difference.unless(reply.session() > other.epoch, "session %d is not new", reply.session());
            }
            SessionState session = before == null ? new SessionState(user.id) : before;
            session.epoch = reply.session();
            session.remember(new Done(0, 0, false, Answer.OK, null, false));
            state.sessions.put(caller.id, session);
            for (TopicState topic : state.topics()) {
                for (GroupState group : topic.groups.values()) {
                    Integer slot = group.slot(caller.id);
                    if (slot != null) {
                        group.member(slot).isLimbo = false;
                    }
                }
            }
            callers.forEach(
                    other -> other.isUsurped |= other != caller && other.isBound() && other.id.equals(caller.id));
            caller.unbind();
            caller.session = reply.session();
            caller.userId = user.id;
            caller.user = user.name;
            caller.number = session.watermark;
        });
    }

    private static LoginReply loginReply(@Nullable Answer answer) {
        LoginReply reply = LoginReply.decode(
                Objects.requireNonNull(answer, "logins are answered").payload());
        return Objects.requireNonNull(reply, "a login reply that can be decoded");
    }

    private List<Branch> logout(Caller caller) {
        List<Branch> lost = lost(caller);
        if (!lost.isEmpty()) {
            // A logout of a connection that is not logged in is a success too.
            List<Branch> both = new ArrayList<>(lost);
            both.add(new Branch(Answer.OK, _ -> caller.unbind()));
            return both;
        }
        boolean isBound = caller.isBound();
        return Branch.ok(answer -> {
            if (answer != null) {
                Difference.unless(!answer.body().hasRemaining(), "a logout is answered with an empty body");
            }
            if (isBound) {
                state.endSession(caller.id);
                caller.unbind();
            }
        });
    }

    /// The connection broke.
    void onClosed(Caller caller) {
        if (caller.isBound() && lost(caller).isEmpty()) {
            state.endSession(caller.id);
        }
        caller.unbind();
    }

    // Metadata commands (semantics 2.5, 12.2; protocol 8)

    private List<Branch> metadata(Caller caller, Call call) {
        Request request = call.request();
        if (request == null) {
            return Branch.deny(3);
        }
        List<Branch> early = early(request);
        if (!early.isEmpty() && !early.getFirst().outcome().equals("perhaps")) {
            return early;
        }
        SessionState session = Objects.requireNonNull(state.sessions.get(caller.id));
        if (call.number() <= session.watermark) {
            Done done = session.done(call.number());
            if (done == null) {
                return Branch.reject(59);
            }
            if (done.checksum() != 0 && call.checksum() != 0 && done.checksum() != call.checksum()) {
                return Branch.deny(3);
            }
            if (done.isToken() && done.outcome().equals(Answer.OK)) {
                return Branch.reject(51);
            }
            List<Branch> again = new ArrayList<>();
            again.add(new Branch(done.outcome(), answer -> onReplay(done, answer)));
            if (done.isOpen()) {
                // Refused, perhaps, for something that was there or not there in an order that nobody saw.
                for (int code : REFUSALS) {
                    if (!done.outcome().equals(Answer.reject(code))) {
                        again.add(Branch.to(Answer.reject(code)));
                    }
                }
                for (Branch branch : recorded(session, call, state(caller, request))) {
                    if (again.stream().noneMatch(known -> known.outcome().equals(branch.outcome()))) {
                        again.add(branch);
                    }
                }
            }
            return again;
        }
        List<Branch> branches = new ArrayList<>(recorded(session, call, state(caller, request)));
        early.stream().filter(branch -> !branch.outcome().equals("perhaps")).forEach(branches::add);
        return branches;
    }

    private static void onReplay(Done done, @Nullable Answer answer) {
        ByteBuffer reply = done.reply();
        if (answer != null && reply != null) {
            // All but the echo of the checksum, which the client may have left out this time.
            ByteBuffer frame = answer.frame();
            boolean isSame = frame.remaining() == reply.remaining()
                    && frame.slice(0, 128).equals(reply.slice(0, 128))
                    && frame.slice(144, frame.remaining() - 144).equals(reply.slice(144, reply.remaining() - 144));
            Difference.unless(isSame, "a repeated command is answered with another reply than before");
        }
    }

    private static List<Branch> recorded(SessionState session, Call call, List<Branch> branches) {
        boolean isToken = call.request() instanceof CreatePersonalAccessToken;
        return branches.stream()
                .map(branch -> new Branch(branch.outcome(), answer -> {
                    branch.effect().apply(answer);
                    session.done.removeIf(done -> done.number() == call.number());
                    session.remember(new Done(
                            call.number(),
                            call.checksum(),
                            isToken,
                            branch.outcome(),
                            answer == null ? null : answer.frame(),
                            false));
                }))
                .toList();
    }

    /// The command was sent and not answered, and left nothing that can be seen: either it was refused or it never
    /// arrived.
    void onUnseen(Call call) {
        SessionState session = state.sessions.get(call.caller().id);
        if (session != null && call.number() > session.watermark && call.request() != null) {
            for (Branch branch : state(call.caller(), call.request())) {
                session.remember(new Done(call.number(), call.checksum(), false, branch.outcome(), null, true));
            }
        }
    }

    /// The command was sent and not answered, and what is found does not tell for sure whether it was carried out.
    void onOpen(Call call) {
        SessionState session = state.sessions.get(call.caller().id);
        if (session != null) {
            Done done = session.done(call.number());
            if (done != null) {
                session.done.remove(done);
                session.remember(new Done(done.number(), done.checksum(), done.isToken(), done.outcome(), null, true));
            }
        }
    }

    /// Checks that need no turn. A branch `perhaps` says that the command may go on as well.
    List<Branch> early(Request request) {
        return switch (request) {
            case CreateStream create -> noOptions(create.options());
            case UpdateStream update -> noOptions(update.options());
            case CreateUser create -> noOptions(create.options());
            case UpdateUser update -> noOptions(update.options());
            case CreateTopic create -> {
                TopicChoice choice = TopicChoice.of(create.options());
                if (choice.created() != 0 && choice.created() != 1019) {
                    yield Branch.deny(choice.created());
                }
                if (create.partitionsCount() > 1000) {
                    yield Branch.deny(2015);
                }
                yield choice.created() == 0 ? List.of() : Branch.deny(1019);
            }
            case UpdateTopic update -> {
                TopicChoice choice = TopicChoice.of(update.options());
                if (choice.updated() != 0 && choice.updated() != 1019) {
                    yield Branch.deny(choice.updated());
                }
                if (choice.updated() == 0) {
                    yield List.of();
                }
                // Whose segment size it is compared with is open when there is no such topic.
                yield state.topic(update.stream(), update.topic()) != null
                        ? Branch.deny(1019)
                        : List.of(Branch.to("perhaps"), Branch.to(Answer.deny(1019)));
            }
            case CreatePartitions create -> partitionsCount(create.partitionsCount());
            case DeletePartitions delete -> partitionsCount(delete.partitionsCount());
            default -> List.of();
        };
    }

    private static List<Branch> noOptions(Options options) {
        return options.isEmpty() ? List.of() : Branch.deny(4041);
    }

    private static List<Branch> partitionsCount(long count) {
        return 1 <= count && count <= 1000 ? List.of() : Branch.deny(2015);
    }

    private interface Step {
        List<Branch> run();
    }

    private List<Branch> allowed(Caller caller, Deed deed, int streamId, int topicId, Step step) {
        return state.may(caller.userId, deed, streamId, topicId) ? step.run() : Branch.reject(41);
    }

    private List<Branch> onStream(
            Caller caller, Identifier identifier, Deed deed, Function<StreamState, List<Branch>> step) {
        StreamState stream = state.stream(identifier);
        return stream == null
                ? Branch.reject(1009)
                : allowed(caller, deed, stream.id, Deed.NONE, () -> step.apply(stream));
    }

    private List<Branch> onTopic(
            Caller caller,
            Identifier streamId,
            Identifier topicId,
            Deed deed,
            BiFunction<StreamState, TopicState, List<Branch>> step) {
        StreamState stream = state.stream(streamId);
        if (stream == null) {
            return Branch.reject(1009);
        }
        TopicState topic = stream.topic(topicId);
        return topic == null
                ? Branch.reject(2010)
                : allowed(caller, deed, stream.id, topic.id, () -> step.apply(stream, topic));
    }

    private List<Branch> onGroup(
            Caller caller,
            Identifier streamId,
            Identifier topicId,
            Identifier groupId,
            BiFunction<TopicState, GroupState, List<Branch>> step) {
        return onTopic(caller, streamId, topicId, Deed.SEE_TOPIC, (_, topic) -> {
            GroupState group = topic.group(groupId);
            return group == null ? Branch.reject(5000) : step.apply(topic, group);
        });
    }

    private List<Branch> onUser(Caller caller, Identifier identifier, Function<UserState, List<Branch>> step) {
        return allowed(caller, Deed.MANAGE_ALL_USERS, Deed.NONE, Deed.NONE, () -> {
            UserState user = state.user(identifier);
            return user == null ? Branch.reject(20) : step.apply(user);
        });
    }

    /// A success without a payload.
    private static List<Branch> done(Runnable effect) {
        return Branch.ok(answer -> {
            if (answer != null) {
                Difference.unless(!answer.payload().hasRemaining(), "there should be no payload");
            }
            effect.run();
        });
    }

    /// What a command does in its turn, without regard for repeats.
    List<Branch> state(Caller caller, Request request) {
        return switch (request) {
            case CreateStream create ->
                allowed(caller, Deed.CREATE_STREAM, Deed.NONE, Deed.NONE, () -> createStream(create));
            case UpdateStream update ->
                onStream(caller, update.stream(), Deed.CHANGE_STREAM, stream -> {
                    StreamState other = state.stream(Identifier.of(update.name()));
                    return other != null && other != stream
                            ? Branch.reject(1012)
                            : done(() -> stream.name = update.name());
                });
            case DeleteStream delete ->
                onStream(
                        caller,
                        delete.stream(),
                        Deed.CHANGE_STREAM,
                        stream -> done(() -> state.streams.remove(stream.id)));
            case PurgeStream purge ->
                onStream(
                        caller,
                        purge.stream(),
                        Deed.CHANGE_STREAM,
                        stream -> done(() -> stream.topics.values().forEach(Model::purge)));
            case CreateTopic create ->
                onStream(caller, create.stream(), Deed.CREATE_TOPIC, stream -> createTopic(stream, create));
            case UpdateTopic update ->
                onTopic(caller, update.stream(), update.topic(), Deed.CHANGE_TOPIC, (stream, topic) -> {
                    TopicState other = stream.topic(Identifier.of(update.name()));
                    if (other != null && other != topic) {
                        return Branch.reject(2013);
                    }
                    return done(() -> {
                        topic.name = update.name();
                        TopicChoice.of(update.options()).update(topic.explicit);
                    });
                });
            case DeleteTopic delete ->
                onTopic(
                        caller,
                        delete.stream(),
                        delete.topic(),
                        Deed.CHANGE_TOPIC,
                        (stream, topic) -> done(() -> stream.topics.remove(topic.id)));
            case PurgeTopic purge ->
                onTopic(
                        caller,
                        purge.stream(),
                        purge.topic(),
                        Deed.CHANGE_TOPIC,
                        (_, topic) -> done(() -> purge(topic)));
            case CreatePartitions create ->
                onTopic(
                        caller,
                        create.stream(),
                        create.topic(),
                        Deed.CHANGE_TOPIC,
                        (_, topic) -> done(() -> {
                            topic.addPartitions(create.partitionsCount());
                            topic.groups.values().forEach(GroupState::onDeal);
                        }));
            case DeletePartitions delete ->
                onTopic(caller, delete.stream(), delete.topic(), Deed.CHANGE_TOPIC, (_, topic) -> {
                    if (delete.partitionsCount() > topic.partitions.size()) {
                        return Branch.reject(2019);
                    }
                    return done(() -> {
                        for (long i = 0; i < delete.partitionsCount(); i++) {
                            topic.partitions.removeLast();
                            int gone = topic.partitions.size();
                            topic.groups.values().forEach(group -> group.onPartitionRemoved(gone));
                        }
                        topic.groups.values().forEach(GroupState::onDeal);
                    });
                });
            case DeleteSegments delete ->
                onTopic(caller, delete.stream(), delete.topic(), Deed.CHANGE_TOPIC, (_, topic) -> {
                    PartitionState partition = topic.partition(delete.partitionId());
                    if (partition == null) {
                        return Branch.reject(3007);
                    }
                    return done(() -> partition.segmentsToGo = (int)
                            Math.min(partition.segments - 1, Math.max(partition.segmentsToGo, delete.segmentsCount())));
                });
            case CreateConsumerGroup create ->
                onTopic(
                        caller,
                        create.stream(),
                        create.topic(),
                        Deed.SEE_TOPIC,
                        (_, topic) -> createGroup(topic, create.name()));
            case DeleteConsumerGroup delete ->
                onGroup(
                        caller,
                        delete.stream(),
                        delete.topic(),
                        delete.group(),
                        (topic, group) -> done(() -> {
                            topic.groups.remove(group.id);
                            topic.partitions.forEach(partition -> partition.groups.remove((long) group.id));
                        }));
            case JoinConsumerGroup join ->
                onGroup(
                        caller,
                        join.stream(),
                        join.topic(),
                        join.group(),
                        (topic, group) -> done(() -> group.join(caller.id, topic.stored(group))));
            case LeaveConsumerGroup leave ->
                onGroup(
                        caller,
                        leave.stream(),
                        leave.topic(),
                        leave.group(),
                        (_, group) -> group.slot(caller.id) == null
                                ? Branch.reject(5006)
                                : done(() -> group.leave(caller.id)));
            case CreateUser create ->
                allowed(caller, Deed.MANAGE_ALL_USERS, Deed.NONE, Deed.NONE, () -> createUser(create));
            case UpdateUser update ->
                onUser(caller, update.user(), user -> {
                    String name = update.username();
                    if (name != null && !isBetween(name, 3, 50)) {
                        return Branch.reject(43);
                    }
                    UserState other = name == null ? null : state.user(Identifier.of(name));
                    if (other != null && other != user) {
                        return Branch.reject(46);
                    }
                    return done(() -> {
                        user.name = name == null ? user.name : name;
                        user.isActive = update.status() == 1 || (update.status() != 2 && user.isActive);
                    });
                });
            case DeleteUser delete ->
                onUser(
                        caller,
                        delete.user(),
                        user -> user.id == 0 ? Branch.reject(48) : done(() -> state.onUserDeleted(user.id)));
            case UpdatePermissions update ->
                onUser(
                        caller,
                        update.user(),
                        user -> user.id == 0 ? Branch.reject(49) : done(() -> user.permissions = update.permissions()));
            case ChangePassword change -> {
                UserState user = state.user(change.user());
                if (user == null) {
                    yield Branch.reject(20);
                }
                if (user.id != caller.userId
                        && !state.may(caller.userId, Deed.MANAGE_ALL_USERS, Deed.NONE, Deed.NONE)) {
                    yield Branch.reject(41);
                }
                yield user.password.equals(change.currentPassword())
                        ? done(() -> user.password = change.newPassword())
                        : Branch.reject(42);
            }
            case CreatePersonalAccessToken create -> createToken(caller, create);
            case DeletePersonalAccessToken delete -> {
                UserState user = Objects.requireNonNull(state.users.get(caller.userId));
                TokenState token = user.tokens.get(delete.name());
                List<Branch> branches = new ArrayList<>();
                if (token != null) {
                    branches.addAll(done(() -> user.tokens.remove(delete.name())));
                }
                if (token == null || isExpired(token)) {
                    branches.addAll(Branch.reject(20));
                }
                yield branches;
            }
            default -> throw new IllegalArgumentException(request + " is no metadata command");
        };
    }

    private static void purge(TopicState topic) {
        topic.partitions.forEach(PartitionState::purge);
        topic.groups.values().forEach(GroupState::onServedForgotten);
    }

    private List<Branch> createStream(CreateStream create) {
        if (state.stream(Identifier.of(create.name())) != null) {
            return Branch.reject(1012);
        }
        return Branch.ok(answer -> {
            StreamState stream = new StreamState(State.lowestFree(state.streams), create.name());
            state.streams.put(stream.id, stream);
            if (answer != null) {
                check(decoded(StreamRecord.decode(answer.payload())), stream);
            }
        });
    }

    private List<Branch> createTopic(StreamState stream, CreateTopic create) {
        if (stream.topic(Identifier.of(create.name())) != null) {
            return Branch.reject(2013);
        }
        return Branch.ok(answer -> {
            TopicState topic = new TopicState(stream.id, State.lowestFree(stream.topics), create.name());
            topic.explicit.putAll(TopicChoice.of(create.options()).explicit());
            topic.addPartitions(create.partitionsCount());
            stream.topics.put(topic.id, topic);
            if (answer != null) {
                TopicDetails details = decoded(TopicDetails.decode(answer.payload()));
                check(details.topic(), topic);
                checkPartitions(details.partitions(), topic, true);
            }
        });
    }

    private static List<Branch> createGroup(TopicState topic, String name) {
        if (topic.group(Identifier.of(name)) != null) {
            return Branch.reject(5004);
        }
        return Branch.ok(answer -> {
            GroupState group = new GroupState(topic.groupsEver++, name);
            topic.groups.put(group.id, group);
            if (answer != null) {
                check(decoded(GroupRecord.decode(answer.payload())), topic, group);
            }
        });
    }

    private List<Branch> createUser(CreateUser create) {
        if (!isBetween(create.username(), 3, 50)) {
            return Branch.reject(43);
        }
        if (state.user(Identifier.of(create.username())) != null) {
            return Branch.reject(46);
        }
        return Branch.ok(answer -> {
            UserState user = new UserState(State.lowestFree(state.users), create.username(), create.password());
            user.isActive = create.status() != 2;
            user.permissions = create.permissions();
            state.users.put(user.id, user);
            if (answer != null) {
                check(decoded(UserDetails.decode(answer.payload())), user);
            }
        });
    }

    private List<Branch> createToken(Caller caller, CreatePersonalAccessToken create) {
        UserState user = Objects.requireNonNull(state.users.get(caller.userId));
        TokenState before = user.tokens.get(create.name());
        List<Branch> branches = new ArrayList<>();
        if (before != null) {
            branches.addAll(Branch.reject(51));
            if (!isExpired(before)) {
                return branches;
            }
        }
        if (create.expiryMicros() == -2) {
            branches.addAll(Branch.reject(56));
            return branches;
        }
        branches.addAll(Branch.ok(answer -> {
            boolean isEndless = create.expiryMicros() == 0 || create.expiryMicros() == -1;
            String secret = null;
            if (answer != null) {
                secret = decoded(TokenSecret.decode(answer.payload())).text();
                Difference.unlessEqual(secret.length(), 68, "the length of a token");
            }
            user.tokens.put(create.name(), new TokenState(secret, isEndless));
        }));
        return branches;
    }

    // Partition writes (semantics 2.3)

    private List<Branch> partitionWrite(Caller caller, Call call) {
        Request request = call.request();
        if (request == null) {
            return Branch.deny(call.command() == CommandCode.SEND_MESSAGES ? 20 : 3);
        }
        return switch (request) {
            case SendMessages send -> send(caller, call, send);
            case StoreConsumerOffset store ->
                writeOffset(
                        caller,
                        call,
                        store.consumer(),
                        store.stream(),
                        store.topic(),
                        store.partition(),
                        store.offset(),
                        false);
            case DeleteConsumerOffset delete ->
                writeOffset(
                        caller, call, delete.consumer(), delete.stream(), delete.topic(), delete.partition(), 0, true);
            default -> throw new IllegalArgumentException(request + " writes to no partition");
        };
    }

    private List<Branch> send(Caller caller, Call call, SendMessages send) {
        TopicState topic = state.topic(send.stream(), send.topic());
        if (topic == null || topic.partitions.isEmpty()) {
            return Branch.deny(20);
        }
        if (send.partitioning() instanceof Partitioning.Partition named && topic.partition(named.id()) == null) {
            return Branch.deny(20);
        }
        if (!state.may(caller.userId, Deed.SEND, topic.streamId, topic.id)) {
            return Branch.deny(41);
        }
        if (send.messagesCount() != call.sent().size()) {
            return Branch.deny(4009);
        }
        Writer writer = new Writer(caller.id, caller.userId);
        return Branch.ok(answer -> {
            SendConfirmation place = answer == null ? null : confirmation(answer);
            int partitionId = place != null ? place.partitionId() : guess(topic, send.partitioning());
            PartitionState partition = topic.partition(partitionId);
            if (partition == null) {
                throw new Difference("a batch went to partition " + partitionId + " of " + topic.partitions.size());
            }
            checkPlace(topic, send.partitioning(), place);
            Remembered before = partition.remembered(writer, call.number(), "send", call.content());
            if (before != null) {
                if (place != null) {
                    Difference.unlessEqual(
                            place.baseOffset(), before.base(), "the confirmation of a repeated send, %s", call);
                }
                return;
            }
            partition.append(place == null ? PartitionState.NONE : place.baseOffset(), call.sent());
            partition.remember(
                    writer, call.number(), new Remembered("send", call.content(), partition.batches.getLast().base));
        });
    }

    static SendConfirmation confirmation(Answer answer) {
        SendConfirmations all = decoded(SendConfirmations.decode(answer.body()));
        Difference.unlessEqual(all.confirmations().size(), 1, "confirmations of a send");
        return all.confirmations().getFirst();
    }

    private static int guess(TopicState topic, Partitioning partitioning) {
        return switch (partitioning) {
            case Partitioning.Balanced _ -> throw new IllegalStateException("nobody knows where the batch went");
            case Partitioning.Partition named -> named.id();
            case Partitioning.Key key -> key.partitionIndex(topic.partitions.size());
        };
    }

    private static void checkPlace(TopicState topic, Partitioning partitioning, @Nullable SendConfirmation place) {
        if (place != null) {
            Difference.unlessEqual(place.streamId(), topic.streamId, "the stream in a confirmation");
            Difference.unlessEqual(place.topicId(), topic.id, "the topic in a confirmation");
            if (!(partitioning instanceof Partitioning.Balanced)) {
                Difference.unlessEqual(
                        place.partitionId(), guess(topic, partitioning), "the partition in a confirmation");
            }
        }
    }

    private List<Branch> writeOffset(
            Caller caller,
            Call call,
            ConsumerRef consumer,
            Identifier streamId,
            Identifier topicId,
            OptionalPartition given,
            long offset,
            boolean isDelete) {
        if (!consumer.isKnownKind()) {
            return Branch.deny(3);
        }
        if (!given.isGiven()) {
            return Branch.deny(6);
        }
        StreamState stream = state.stream(streamId);
        TopicState topic = stream == null ? null : stream.topic(topicId);
        long key = Integer.toUnsignedLong(consumer.offsetKey());
        if (consumer.isGroup()) {
            int wrong = fence(owner(caller), topic, consumer.id(), given.id());
            if (wrong != CODE_UNKNOWN) {
                return Branch.deny(wrong);
            }
            key = Objects.requireNonNull(Objects.requireNonNull(topic).group(consumer.id())).id;
        }
        int missing = missing(stream, topic, given.id());
        if (missing != CODE_UNKNOWN || topic == null) {
            return Branch.deny(missing);
        }
        if (!state.may(caller.userId, Deed.POLL, topic.streamId, topic.id)) {
            return Branch.deny(41);
        }
        PartitionState partition = topic.partitions.get(given.id());
        Writer writer = new Writer(caller.id, caller.userId);
        String command = isDelete ? "delete" : "store";
        if (partition.remembered(writer, call.number(), command, call.content()) != null) {
            return done(() -> {});
        }
        boolean isGroup = consumer.isGroup();
        long place = key;
        if (isDelete) {
            if (partition.storedOffset(isGroup, place) == PartitionState.NONE) {
                return Branch.deny(3021);
            }
            return written(isConfirmed -> {
                partition.delete(isGroup, place, isConfirmed);
                partition.remember(writer, call.number(), new Remembered(command, call.content(), 0));
            });
        }
        if (partition.last == PartitionState.NONE || Long.compareUnsigned(offset, partition.last) > 0) {
            return Branch.deny(4100);
        }
        if (partition.isFull(isGroup, place, subject.consumerOffsetsMax())) {
            return Branch.deny(3024);
        }
        return written(isConfirmed -> {
            partition.store(isGroup, place, offset, isConfirmed);
            partition.remember(writer, call.number(), new Remembered(command, call.content(), 0));
        });
    }

    /// A success without a payload, whose effect depends on whether the client knows of it.
    private static List<Branch> written(Consumer<Boolean> effect) {
        return Branch.ok(answer -> {
            if (answer != null) {
                Difference.unless(!answer.payload().hasRemaining(), "there should be no payload");
            }
            effect.accept(answer != null);
        });
    }

    /// Rows 3 to 5 of semantics 9.1: the code, or 0.
    private static int fence(ClientId owner, @Nullable TopicState topic, Identifier groupId, int partition) {
        if (topic == null) {
            return 20;
        }
        GroupState group = topic.group(groupId);
        if (group == null) {
            return groupId instanceof Identifier.Numeric ? 5000 : 5003;
        }
        return group.owns(owner, partition) ? CODE_UNKNOWN : 5009;
    }

    private static int missing(@Nullable StreamState stream, @Nullable TopicState topic, int partition) {
        if (stream == null) {
            return 1009;
        }
        if (topic == null) {
            return 2010;
        }
        return topic.partition(partition) == null ? 3007 : CODE_UNKNOWN;
    }

    // Reads (semantics 2.2 row 4, 8, 9.2, 14)

    private List<Branch> read(Caller caller, Call call) {
        CommandCode command = call.command();
        if (command == CommandCode.LEGACY_LOGIN || command == CommandCode.LEGACY_TOKEN_LOGIN) {
            return Branch.evict(15);
        }
        if (command == CommandCode.PING) {
            List<Branch> branches = new ArrayList<>(Branch.empty());
            branches.addAll(lost(caller));
            return branches;
        }
        List<Branch> lost = lost(caller);
        if (!lost.isEmpty()) {
            // Whoever lost the session to another connection is simply not logged in any more.
            return caller.isUsurped ? List.of(new Branch(Answer.deny(40), _ -> caller.unbind())) : lost;
        }
        if (!caller.isBound()) {
            return Branch.deny(40);
        }
        Request request = call.request();
        if (request == null) {
            boolean isQuiet = command == CommandCode.GET_CLIENT || command == CommandCode.SYNC_CONSUMER_GROUP;
            return command == CommandCode.FLUSH_UNSAVED_BUFFER
                    ? Branch.deny(5)
                    : isQuiet ? unspoilt(caller, command) : Branch.deny(3);
        }
        return read(caller, request);
    }

    private List<Branch> unspoilt(Caller caller, CommandCode command) {
        List<Branch> branches = new ArrayList<>(Branch.empty());
        if (command == CommandCode.GET_CLIENT && !state.may(caller.userId, Deed.SEE_SERVER, Deed.NONE, Deed.NONE)) {
            // Which of the two comes first is open.
            branches.addAll(Branch.deny(41));
        }
        return branches;
    }

    private List<Branch> mayRead(Caller caller, Deed deed, int streamId, int topicId, Step step) {
        return state.may(caller.userId, deed, streamId, topicId) ? step.run() : Branch.deny(41);
    }

    private List<Branch> mayReadServer(Caller caller, Deed deed, Step step) {
        return mayRead(caller, deed, Deed.NONE, Deed.NONE, step);
    }

    private List<Branch> read(Caller caller, Request request) {
        return switch (request) {
            case BodilessRequest bodiless -> bodiless(caller, bodiless.command());
            case FlushUnsavedBuffer _ -> Branch.deny(5);
            case DescribeOptions describe ->
                Branch.ok(answer -> {
                    List<String> keys = decoded(
                                    OptionDescriptions.decode(known(answer).body()))
                            .options()
                            .stream()
                            .map(option -> option.key())
                            .toList();
                    List<String> expected = describe.scope() == OptionScope.TOPIC
                            ? List.copyOf(TopicChoice.DEFAULTS.keySet())
                            : List.of();
                    Difference.unlessEqual(keys, expected, "the options of %s", describe.scope());
                });
            case GetSnapshot _ -> mayReadServer(caller, Deed.SEE_SERVER, () -> Branch.only(Answer.OK));
            case GetClient get -> mayReadServer(caller, Deed.SEE_SERVER, () -> client(get.clientId()));
            case GetUser get -> {
                UserState user = state.user(get.user());
                if (user == null) {
                    yield Branch.empty();
                }
                yield user.id != caller.userId && !state.may(caller.userId, Deed.SEE_USERS, Deed.NONE, Deed.NONE)
                        ? Branch.deny(41)
                        : Branch.ok(answer ->
                                check(decoded(UserDetails.decode(known(answer).body())), user));
            }
            case GetStream get -> {
                StreamState stream = state.stream(get.stream());
                yield stream == null
                        ? Branch.empty()
                        : mayRead(caller, Deed.SEE_STREAM, stream.id, Deed.NONE, () -> stream(stream));
            }
            case GetTopics get -> {
                StreamState stream = state.stream(get.stream());
                yield stream == null
                        ? topics(List.of())
                        : mayRead(caller, Deed.LIST_TOPICS, stream.id, Deed.NONE, () -> topics(stream.topics.values()));
            }
            case GetTopic get -> {
                TopicState topic = state.topic(get.stream(), get.topic());
                yield topic == null
                        ? Branch.empty()
                        : mayRead(caller, Deed.SEE_TOPIC, topic.streamId, topic.id, () -> topic(topic));
            }
            case GetConsumerGroups get ->
                readTopic(
                        caller,
                        get.stream(),
                        get.topic(),
                        topic -> Branch.ok(answer -> {
                            GroupRecords records =
                                    decoded(GroupRecords.decode(known(answer).body()));
                            TreeMap<Integer, GroupRecord> byId = new TreeMap<>();
                            records.groups().forEach(record -> byId.put(record.id(), record));
                            Difference.unlessEqual(byId.keySet(), topic.groups.keySet(), "the ids of all groups");
                            byId.values()
                                    .forEach(record -> check(
                                            record, topic, Objects.requireNonNull(topic.groups.get(record.id()))));
                        }));
            case GetConsumerGroup get -> {
                TopicState topic = state.topic(get.stream(), get.topic());
                GroupState group = topic == null ? null : topic.group(get.group());
                // A group that is not there is nobody's secret.
                yield topic != null && group == null
                        ? Branch.empty()
                        : readTopic(
                                caller,
                                get.stream(),
                                get.topic(),
                                there -> Branch.ok(answer -> check(
                                        decoded(GroupDetails.decode(
                                                        known(answer).body()))
                                                .group(),
                                        there,
                                        Objects.requireNonNull(group))));
            }
            case SyncConsumerGroup sync -> sync(caller, sync);
            case PollMessages poll -> poll(caller.id, caller, poll);
            case PollMessagesOnPrimary poll -> poll(owner(caller), caller, poll.poll());
            case GetConsumerOffset get -> offset(caller, get);
            case AttachConsumerSession attach -> attach(caller, attach);
            case GetPollRouting route -> pollRouting(caller, route.poll());
            case GetConsumerOffsetRouting route -> offsetRouting(caller, route.query());
            default -> throw new IllegalArgumentException(request + " is no read");
        };
    }

    private List<Branch> readTopic(
            Caller caller, Identifier streamId, Identifier topicId, Function<TopicState, List<Branch>> step) {
        StreamState stream = state.stream(streamId);
        if (stream == null) {
            return Branch.deny(1009);
        }
        TopicState topic = stream.topic(topicId);
        return topic == null
                ? Branch.deny(2010)
                : mayRead(caller, Deed.SEE_TOPIC, stream.id, topic.id, () -> step.apply(topic));
    }

    private List<Branch> bodiless(Caller caller, CommandCode command) {
        return switch (command) {
            case GET_STATS -> mayReadServer(caller, Deed.SEE_SERVER, this::stats);
            case GET_CLUSTER_METADATA ->
                Branch.ok(answer -> Difference.unlessEqual(
                        decoded(ClusterMetadata.decode(known(answer).body()))
                                .nodes()
                                .size(),
                        1,
                        "the number of nodes"));
            case GET_ME ->
                Branch.ok(answer -> {
                    ClientDetails me =
                            decoded(ClientDetails.decode(known(answer).body()));
                    if (caller.clientNumber == -1) {
                        caller.clientNumber = me.client().clientId();
                    }
                    check(me, caller);
                });
            case GET_CLIENTS ->
                // Their own memberships and users are looked at with the single clients; here it counts that nobody
                // is missing.
                mayReadServer(caller, Deed.SEE_SERVER, () -> Branch.only(Answer.OK));
            case GET_USERS ->
                mayReadServer(
                        caller,
                        Deed.SEE_USERS,
                        () -> Branch.ok(answer -> {
                            List<UserRecord> records = decoded(
                                            UserRecords.decode(known(answer).body()))
                                    .users();
                            checkIds(records.stream().map(UserRecord::id).toList(), state.users.keySet(), "users");
                            records.forEach(
                                    record -> check(record, Objects.requireNonNull(state.users.get(record.id()))));
                        }));
            case GET_STREAMS ->
                mayReadServer(
                        caller,
                        Deed.LIST_STREAMS,
                        () -> Branch.ok(answer -> {
                            List<StreamRecord> records = decoded(
                                            StreamRecords.decode(known(answer).body()))
                                    .streams();
                            checkIds(
                                    records.stream().map(StreamRecord::id).toList(), state.streams.keySet(), "streams");
                            records.forEach(
                                    record -> check(record, Objects.requireNonNull(state.streams.get(record.id()))));
                        }));
            case GET_PERSONAL_ACCESS_TOKENS -> tokens(Objects.requireNonNull(state.users.get(caller.userId)));
            default -> throw new IllegalArgumentException(command + " is no read");
        };
    }

    private List<Branch> tokens(UserState user) {
        return Branch.ok(answer -> {
            TreeMap<String, TokenRecord> told = new TreeMap<>();
            decoded(TokenRecords.decode(known(answer).body())).tokens().forEach(token -> told.put(token.name(), token));
            // The cleaner takes expired ones when it likes.
            user.tokens.entrySet().removeIf(token -> isExpired(token.getValue()) && !told.containsKey(token.getKey()));
            Difference.unlessEqual(told.keySet(), user.tokens.keySet(), "the tokens of %s", user.name);
            told.forEach((name, record) -> {
                TokenState token = Objects.requireNonNull(user.tokens.get(name));
                if (token.isEndless || token.expiresAt == State.UNKNOWN) {
                    token.expiresAt = record.expiryAtMicros();
                }
                Difference.unlessEqual(
                        record.expiryAtMicros() == 0, token.isEndless, "whether token %s lives for ever", name);
                Difference.unlessEqual(record.expiryAtMicros(), token.expiresAt, "the end of token %s", name);
            });
        });
    }

    private List<Branch> stats() {
        return Branch.ok(answer -> {
            Stats stats = decoded(Stats.decode(known(answer).body()));
            List<TopicState> topics = state.topics();
            Difference.unlessEqual(stats.streamsCount(), state.streams.size(), "streams_count");
            Difference.unlessEqual(stats.topicsCount(), topics.size(), "topics_count");
            int partitions =
                    topics.stream().mapToInt(topic -> topic.partitions.size()).sum();
            Difference.unlessEqual(stats.partitionsCount(), partitions, "partitions_count");
            int groups = topics.stream().mapToInt(topic -> topic.groups.size()).sum();
            Difference.unlessEqual(stats.consumerGroupsCount(), groups, "consumer_groups_count");
            boolean isStill =
                    topics.stream().flatMap(topic -> topic.partitions.stream()).noneMatch(PartitionState::isUncounted);
            if (isStill) {
                Difference.unlessEqual(
                        stats.messagesCount(),
                        topics.stream().mapToLong(TopicState::messagesCount).sum(),
                        "messages_count");
                Difference.unlessEqual(
                        stats.messagesSizeBytes(),
                        topics.stream().mapToLong(TopicState::bytes).sum(),
                        "messages_size_bytes");
            }
            Difference.unless(
                    stats.segmentsCount() >= partitions,
                    "segments_count is %d with %d partitions",
                    stats.segmentsCount(),
                    partitions);
            if (subject.isPrompt()) {
                long clients =
                        callers.stream().filter(caller -> caller.hasSpoken).count();
                Difference.unlessEqual((long) stats.clientsCount(), clients, "clients_count");
            }
        });
    }

    private List<Branch> client(int clientNumber) {
        for (Caller caller : callers) {
            if (caller.clientNumber == clientNumber) {
                return Branch.ok(answer ->
                        check(decoded(ClientDetails.decode(known(answer).body())), caller));
            }
        }
        return clientNumber == 0 ? Branch.empty() : Branch.only(Answer.OK);
    }

    private void check(ClientDetails details, Caller caller) {
        ClientRecord record = details.client();
        Difference.unlessEqual(record.clientId(), caller.clientNumber, "the number of connection %s", caller);
        Set<String> memberships = new TreeSet<>();
        for (ClientMembership each : details.memberships()) {
            memberships.add(each.streamId() + "/" + each.topicId() + "/" + each.groupId());
        }
        Difference.unlessEqual(
                record.consumerGroupsCount(), memberships.size(), "the number of memberships of %s", caller);
        if (!lost(caller).isEmpty()) {
            return;
        }
        Difference.unlessEqual(record.userId(), caller.userId, "the user of connection %s", caller);
        Set<String> expected = caller.isBound() ? state.memberships(caller.id) : Set.of();
        Difference.unlessEqual(memberships, expected, "the memberships of connection %s", caller);
    }

    private static void checkIds(List<Integer> told, Collection<Integer> expected, String what) {
        Difference.unlessEqual(told, List.copyOf(expected), "the ids of all %s", what);
    }

    private List<Branch> stream(StreamState stream) {
        return Branch.ok(answer -> {
            StreamDetails details = decoded(StreamDetails.decode(known(answer).body()));
            check(details.stream(), stream);
            checkTopics(details.topics(), stream.topics.values());
        });
    }

    private List<Branch> topics(Collection<TopicState> topics) {
        return Branch.ok(answer ->
                checkTopics(decoded(TopicRecords.decode(known(answer).body())).topics(), topics));
    }

    private void checkTopics(List<TopicRecord> records, Collection<TopicState> topics) {
        TreeMap<Integer, TopicState> byId = new TreeMap<>();
        topics.forEach(topic -> byId.put(topic.id, topic));
        checkIds(records.stream().map(TopicRecord::id).toList(), byId.keySet(), "topics");
        records.forEach(record -> check(record, Objects.requireNonNull(byId.get(record.id()))));
    }

    private List<Branch> topic(TopicState topic) {
        return Branch.ok(answer -> {
            TopicDetails details = decoded(TopicDetails.decode(known(answer).body()));
            check(details.topic(), topic);
            checkPartitions(details.partitions(), topic, false);
        });
    }

    // Comparing records

    private static long sameTime(long told, long known, String what) {
        Difference.unless(told > 0, "%s is %d", what, told);
        if (known != State.UNKNOWN) {
            Difference.unlessEqual(told, known, what);
        }
        return told;
    }

    private void check(StreamRecord record, StreamState stream) {
        Difference.unlessEqual(record.id(), stream.id, "the id of stream %s", stream.name);
        Difference.unlessEqual(record.name(), stream.name, "the name of stream %d", stream.id);
        stream.createdAt = sameTime(record.createdAtMicros(), stream.createdAt, "created_at of stream " + stream.name);
        Difference.unlessEqual(record.topicsCount(), stream.topics.size(), "topics_count of %s", stream.name);
        boolean isStill = stream.topics.values().stream()
                .flatMap(topic -> topic.partitions.stream())
                .noneMatch(PartitionState::isUncounted);
        if (isStill) {
            long bytes =
                    stream.topics.values().stream().mapToLong(TopicState::bytes).sum();
            long messages = stream.topics.values().stream()
                    .mapToLong(TopicState::messagesCount)
                    .sum();
            Difference.unlessEqual(record.sizeBytes(), bytes, "the size of stream %s", stream.name);
            Difference.unlessEqual(record.messagesCount(), messages, "the messages of stream %s", stream.name);
        }
    }

    private void check(TopicRecord record, TopicState topic) {
        String what = "topic " + topic.streamId + "/" + topic.name;
        Difference.unlessEqual(record.id(), topic.id, "the id of %s", what);
        Difference.unlessEqual(record.name(), topic.name, "the name of topic %d", topic.id);
        topic.createdAt = sameTime(record.createdAtMicros(), topic.createdAt, "created_at of " + what);
        Difference.unlessEqual(record.partitionsCount(), topic.partitions.size(), "partitions_count of %s", what);
        Difference.unlessEqual(
                record.explicitOptions(), TopicChoice.listed(topic.explicit), "explicit options of %s", what);
        Difference.unlessEqual(
                record.derivedOptions(), TopicChoice.listed(topic.derived()), "derived options of %s", what);
        Difference.unlessEqual(
                record.messageExpiryMicros(), topic.option("message_expiry").number(), "the expiry of %s", what);
        Difference.unlessEqual(
                record.topicBytesMax(), topic.option("max_topic_size").number(), "the largest size of %s", what);
        int compression =
                "gzip".equalsIgnoreCase(topic.option("compression_algorithm").text()) ? 2 : 1;
        Difference.unlessEqual(record.compressionAlgorithm().value(), compression, "the compression of %s", what);
        if (topic.partitions.stream().noneMatch(PartitionState::isUncounted)) {
            Difference.unlessEqual(record.sizeBytes(), topic.bytes(), "the size of %s", what);
            Difference.unlessEqual(record.messagesCount(), topic.messagesCount(), "the messages of %s", what);
        }
    }

    private void checkPartitions(List<PartitionRecord> records, TopicState topic, boolean isCreation) {
        Difference.unlessEqual(records.size(), topic.partitions.size(), "partition records of topic %s", topic.name);
        for (int i = 0; i < records.size(); i++) {
            PartitionRecord record = records.get(i);
            PartitionState partition = topic.partitions.get(i);
            String what = "partition " + topic.streamId + "/" + topic.id + "/" + i;
            Difference.unlessEqual(record.id(), i, "the id of %s", what);
            partition.createdAt = sameTime(record.createdAtMicros(), partition.createdAt, "created_at of " + what);
            Difference.unlessEqual(record.currentOffset(), partition.currentOffset(), "the current offset of %s", what);
            if (!partition.isUncounted()) {
                Difference.unlessEqual(record.sizeBytes(), partition.bytes(), "the size of %s", what);
                Difference.unlessEqual(record.messagesCount(), partition.messagesCount(), "the messages of %s", what);
                if (isCreation) {
                    Difference.unlessEqual(record.segmentsCount(), 0, "the segments of %s when it is made", what);
                } else {
                    boolean isEmptyOfAll = partition.last == PartitionState.NONE && !partition.mayJump;
                    Difference.unless(
                            isEmptyOfAll ? record.segmentsCount() == 1 : record.segmentsCount() >= partition.segments,
                            "%s has %d segments, and had %d",
                            what,
                            record.segmentsCount(),
                            partition.segments);
                    partition.segments = record.segmentsCount();
                }
            }
        }
    }

    private static void check(GroupRecord record, TopicState topic, GroupState group) {
        Difference.unlessEqual(record.id(), group.id, "the id of group %s", group.name);
        Difference.unlessEqual(record.name(), group.name, "the name of group %d", group.id);
        Difference.unlessEqual(
                record.partitionsCount(), topic.partitions.size(), "partitions_count of group %s", group.name);
        if (!group.hasLimbo()) {
            Difference.unlessEqual(
                    record.membersCount(), group.members.size(), "the number of members of group %s", group.name);
        }
    }

    private static void check(UserRecord record, UserState user) {
        Difference.unlessEqual(record.id(), user.id, "the id of user %s", user.name);
        Difference.unlessEqual(record.username(), user.name, "the name of user %d", user.id);
        Difference.unlessEqual(
                record.status(),
                user.isActive ? UserStatus.ACTIVE : UserStatus.INACTIVE,
                "the status of %s",
                user.name);
        user.createdAt = sameTime(record.createdAtMicros(), user.createdAt, "created_at of user " + user.name);
    }

    private static void check(UserDetails details, UserState user) {
        check(details.user(), user);
        Difference.unless(
                Objects.equals(details.permissions(), user.permissions),
                "the permissions of %s are %s and should be %s",
                user.name,
                String.valueOf(details.permissions()),
                String.valueOf(user.permissions));
    }

    // Groups

    private List<Branch> sync(Caller caller, SyncConsumerGroup sync) {
        TopicState topic = state.topic(sync.stream(), sync.topic());
        GroupState group = topic == null ? null : topic.group(sync.group());
        Integer slot = group == null ? null : group.slot(caller.id);
        if (group == null || slot == null) {
            return Branch.empty();
        }
        return Branch.ok(answer -> {
            GroupAssignment told = decoded(GroupAssignment.decode(known(answer).body()));
            for (int partition : told.partitionIds()) {
                Difference.unless(
                        !Boolean.FALSE.equals(group.mayPoll(caller.id, partition)),
                        "%s may poll partition %d of group %s, which it does not own alone",
                        caller,
                        partition,
                        group.name);
            }
        });
    }

    private List<Branch> attach(Caller caller, AttachConsumerSession attach) {
        if (attach.session() >= FAR_AWAY) {
            // A place in the metadata log that is not reached in time.
            return Branch.deny(58);
        }
        SessionState session = state.sessions.get(attach.client());
        boolean isLive = callers.stream()
                .anyMatch(other -> other.isBound()
                        && other.id.equals(attach.client())
                        && other.session == attach.session()
                        && lost(other).isEmpty());
        boolean isOwn = session != null && session.epoch == attach.session() && session.userId == caller.userId;
        if (isOwn && !isLive) {
            // Left by a former life of the server: nobody says for how long it counts as live.
            return List.of(new Branch(Answer.OK, _ -> onAttached(caller, attach)), Branch.to(Answer.deny(30)));
        }
        return isOwn
                ? Branch.ok(answer -> {
                    if (answer != null) {
                        Difference.unless(!answer.body().hasRemaining(), "the body should be empty");
                    }
                    onAttached(caller, attach);
                })
                : Branch.deny(30);
    }

    /// Under which identity group ownership is checked for code 104 and offset writes. A session that is over owns
    /// nothing.
    private ClientId owner(Caller caller) {
        ClientId attached = caller.attached;
        if (attached == null) {
            return caller.id;
        }
        SessionState session = state.sessions.get(attached);
        return session != null && session.epoch == caller.attachedSession ? attached : ClientId.NONE;
    }

    private static void onAttached(Caller caller, AttachConsumerSession attach) {
        caller.attached = attach.client();
        caller.attachedSession = attach.session();
    }

    private List<Branch> pollRouting(Caller caller, PollMessages poll) {
        StreamState stream = state.stream(poll.stream());
        TopicState topic = stream == null ? null : stream.topic(poll.topic());
        if (topic != null && !state.may(caller.userId, Deed.POLL, topic.streamId, topic.id)) {
            return Branch.deny(41);
        }
        if (poll.consumer().isGroup()) {
            GroupState group =
                    topic == null ? null : topic.group(poll.consumer().id());
            if (!poll.partition().isGiven()) {
                return Branch.deny(6);
            }
            Boolean may = group == null
                    ? Boolean.FALSE
                    : group.mayPoll(caller.id, poll.partition().id());
            if (may == null) {
                return List.of(Branch.to(Answer.deny(5009)), routed(caller));
            }
            if (!may) {
                return Branch.deny(5009);
            }
        }
        boolean isOdd = !poll.consumer().isKnownKind() || !poll.strategy().isKnownKind();
        return routed(caller, missing(stream, topic, poll.partition().idOrFirst()), isOdd);
    }

    private List<Branch> offsetRouting(Caller caller, GetConsumerOffset query) {
        StreamState stream = state.stream(query.stream());
        TopicState topic = stream == null ? null : stream.topic(query.topic());
        if (topic != null && !state.may(caller.userId, Deed.POLL, topic.streamId, topic.id)) {
            return Branch.deny(41);
        }
        if (!query.partition().isGiven()) {
            return Branch.deny(6);
        }
        if (query.consumer().isGroup()) {
            int wrong = fence(
                    caller.id, topic, query.consumer().id(), query.partition().id());
            if (wrong != CODE_UNKNOWN) {
                return Branch.deny(wrong);
            }
        }
        return routed(
                caller,
                missing(stream, topic, query.partition().id()),
                !query.consumer().isKnownKind());
    }

    /// @param isOdd whether there is something in the body that a poll or an offset command would refuse with
    ///     3: when that is noticed is open
    private List<Branch> routed(Caller caller, int missing, boolean isOdd) {
        List<Branch> branches = new ArrayList<>();
        if (isOdd) {
            branches.addAll(Branch.deny(3));
        }
        branches.add(missing == CODE_UNKNOWN ? routed(caller) : Branch.to(Answer.deny(missing)));
        return branches;
    }

    private static Branch routed(Caller caller) {
        return new Branch(Answer.OK, answer -> {
            Routing routing = decoded(Routing.decode(known(answer).body()));
            Difference.unlessEqual(routing.client(), caller.id, "the client id of a routing");
            Difference.unlessEqual(routing.session(), caller.session, "the session of a routing");
        });
    }

    // Polls

    private List<Branch> poll(ClientId owner, Caller caller, PollMessages poll) {
        StreamState stream = state.stream(poll.stream());
        TopicState topic = stream == null ? null : stream.topic(poll.topic());
        if (topic != null && !state.may(caller.userId, Deed.POLL, topic.streamId, topic.id)) {
            return Branch.deny(41);
        }
        if (!poll.strategy().isKnownKind()) {
            return Branch.deny(3);
        }
        boolean isGroup = poll.consumer().isGroup();
        long key = Integer.toUnsignedLong(poll.consumer().offsetKey());
        GroupState group = null;
        boolean isDoubtful = false;
        if (isGroup) {
            if (!poll.partition().isGiven()) {
                return Branch.deny(6);
            }
            group = topic == null ? null : topic.group(poll.consumer().id());
            if (group == null) {
                return notOwned();
            }
            Boolean may = group.mayPoll(owner, poll.partition().id());
            if (Boolean.FALSE.equals(may)) {
                return notOwned();
            }
            isDoubtful = may == null;
            key = group.id;
        }
        int missing = missing(stream, topic, poll.partition().idOrFirst());
        if (missing != CODE_UNKNOWN || topic == null) {
            return isDoubtful ? notOwned() : Branch.deny(missing);
        }
        if (!poll.consumer().isKnownKind()) {
            return Branch.deny(3);
        }
        int partitionId = poll.partition().idOrFirst();
        PartitionState partition = topic.partitions.get(partitionId);
        long start = start(partition, poll.strategy(), poll.count(), isGroup, key);
        List<Polled> expected = partition.from(start, poll.count());
        if (poll.autoCommit() && !expected.isEmpty() && partition.isFull(isGroup, key, subject.consumerOffsetsMax())) {
            return Branch.deny(3024);
        }
        if (partition.isDamaged) {
            return List.of(Branch.to(Answer.OK), Branch.to(Answer.deny(4039)));
        }
        GroupState served = group;
        boolean mayBeRefused = isDoubtful;
        long offsetKey = key;
        return Branch.ok(answer -> {
            ByteBuffer body = known(answer).body();
            if (mayBeRefused && PollHeader.partitionId(body, 0) == PollHeader.PARTITION_NOT_OWNED) {
                return;
            }
            Difference.unlessEqual(PollHeader.partitionId(body, 0), partitionId, "the partition of a poll");
            Difference.unlessEqual(
                    PollHeader.currentOffset(body, 0), partition.currentOffset(), "the current offset of a poll");
            List<Polled> told = Batches.polled(body, partitionId);
            checkPolled(partition, told, expected);
            if (!told.isEmpty() && served != null) {
                served.onServed(partitionId, told.getLast().offset());
            }
            if (!told.isEmpty() && poll.autoCommit()) {
                partition.storeByPoll(isGroup, offsetKey, told.getLast().offset());
            }
        });
    }

    private List<Branch> notOwned() {
        return Branch.ok(answer -> {
            ByteBuffer body = known(answer).body();
            Difference.unlessEqual(
                    PollHeader.partitionId(body, 0),
                    PollHeader.PARTITION_NOT_OWNED,
                    "the partition of a poll of what is not owned");
            Difference.unlessEqual(body.remaining(), PollHeader.BYTES, "the bytes of an empty poll");
        });
    }

    private static long start(
            PartitionState partition, PollingStrategy strategy, long count, boolean isGroup, long key) {
        return switch (strategy.kind()) {
            case PollingStrategy.KIND_OFFSET ->
                // Beyond the end whatever its sign.
                strategy.value() < 0 ? Long.MAX_VALUE : strategy.value();
            case PollingStrategy.KIND_TIMESTAMP -> partition.since(strategy.value());
            case PollingStrategy.KIND_LAST -> Math.max(0, partition.last - (count - 1));
            case PollingStrategy.KIND_NEXT -> partition.storedOffset(isGroup, key) + 1;
            default -> 0;
        };
    }

    /// The messages are those expected; only what a frame cannot hold may be missing at the end.
    private void checkPolled(PartitionState partition, List<Polled> told, List<Polled> expected) {
        for (int i = 0; i < Math.min(told.size(), expected.size()); i++) {
            Polled actual = told.get(i);
            Difference.unlessEqual(actual.offset(), expected.get(i).offset(), "the offset of message %d of a poll", i);
            Difference.unlessEqual(
                    actual.message(), expected.get(i).message(), "the message at offset %d", actual.offset());
            partition.onSeen(actual.offset(), actual.timestamp());
        }
        Difference.unless(
                told.size() <= expected.size(),
                "a poll returned %d messages, the model has %d",
                told.size(),
                expected.size());
        if (told.size() < expected.size()) {
            long bytes = expected.stream()
                    .mapToLong(polled -> 256 + polled.message().bytes())
                    .sum();
            Difference.unless(
                    !told.isEmpty() && bytes > subject.frameBytesMax() - 1024,
                    "a poll returned %d messages, the model has %d of %d bytes",
                    told.size(),
                    expected.size(),
                    bytes);
        }
    }

    private List<Branch> offset(Caller caller, GetConsumerOffset get) {
        StreamState stream = state.stream(get.stream());
        TopicState topic = stream == null ? null : stream.topic(get.topic());
        if (topic != null && !state.may(caller.userId, Deed.POLL, topic.streamId, topic.id)) {
            return Branch.deny(41);
        }
        int partitionId = get.partition().idOrFirst();
        int missing = missing(stream, topic, partitionId);
        if (missing != CODE_UNKNOWN || topic == null) {
            return Branch.deny(missing);
        }
        if (!get.consumer().isKnownKind()) {
            return Branch.deny(3);
        }
        long key = Integer.toUnsignedLong(get.consumer().offsetKey());
        if (get.consumer().isGroup()) {
            GroupState group = topic.group(get.consumer().id());
            if (group == null) {
                return Branch.empty();
            }
            key = group.id;
        }
        PartitionState partition = topic.partitions.get(partitionId);
        long stored = partition.storedOffset(get.consumer().isGroup(), key);
        if (stored == PartitionState.NONE) {
            return Branch.empty();
        }
        return Branch.ok(answer -> {
            StoredOffset told = decoded(StoredOffset.decode(known(answer).body()));
            Difference.unlessEqual(
                    told,
                    new StoredOffset(partitionId, partition.currentOffset(), stored),
                    "the stored offset of %s",
                    get.consumer());
        });
    }

    // Small things

    private static Answer known(@Nullable Answer answer) {
        return Objects.requireNonNull(answer, "reads do nothing without an answer");
    }

    static <T> T decoded(@Nullable T value) {
        if (value == null) {
            throw new Difference("the reply cannot be decoded");
        }
        return value;
    }

    /// The branch that an answer takes.
    static Branch taken(List<Branch> branches, String outcome) {
        for (Branch branch : branches) {
            if (branch.outcome().equals(outcome)) {
                return branch;
            }
        }
        Set<String> legal = new LinkedHashSet<>();
        branches.forEach(branch -> legal.add(branch.outcome()));
        throw new Difference("the server answers " + outcome + ", the model " + legal);
    }

    /// The members that are connected, for asking each of them for its part.
    Map<Integer, Caller> connectedMembers(GroupState group) {
        Map<Integer, Caller> connected = new TreeMap<>();
        for (Caller caller : callers) {
            Integer slot = caller.isBound() && lost(caller).isEmpty() ? group.slot(caller.id) : null;
            if (slot != null) {
                connected.put(slot, caller);
            }
        }
        return connected;
    }
}
