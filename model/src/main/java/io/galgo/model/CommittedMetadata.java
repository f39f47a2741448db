package io.galgo.model;

import io.galgo.model.State.Done;
import io.galgo.model.State.SessionState;
import io.galgo.model.State.StreamState;
import io.galgo.model.State.TokenState;
import io.galgo.model.State.TopicState;
import io.galgo.model.State.UserState;
import io.galgo.protocol.BodyReader;
import io.galgo.protocol.Checksum;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.Options;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.ReplyHeader;
import io.galgo.protocol.ResultSection;
import io.galgo.protocol.reply.GroupRecord;
import io.galgo.protocol.reply.StreamRecord;
import io.galgo.protocol.reply.TopicRecord;
import io.galgo.protocol.reply.UserDetails;
import io.galgo.protocol.request.AwaitMessages;
import io.galgo.protocol.request.ChangePassword;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeleteConsumerOffset;
import io.galgo.protocol.request.DeleteSegments;
import io.galgo.protocol.request.DeleteUser;
import io.galgo.protocol.request.GetConsumerOffset;
import io.galgo.protocol.request.JoinConsumerGroup;
import io.galgo.protocol.request.PollMessages;
import io.galgo.protocol.request.PollMessagesOnPrimary;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.SendMessages;
import io.galgo.protocol.request.StoreConsumerOffset;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The metadata as a log of operations makes it, told by the [Model]: what each of them must have come to, and what
/// is there after it.
///
/// Reads the operations' bytes by itself. Where the server hands the same operation to several machines or shards,
/// it is fed once.
public final class CommittedMetadata {
    // The layout of an operation: version, operation, 2 bytes, user id in 32 bits, client id in 128, then session,
    // request number, request checksum and commit time in 64 bits each, then the body.
    private static final int VERSION = 1;
    private static final int HEADER_BYTES = 56;
    private static final int CREATE_ROOT = 16;
    private static final int REMOVE_EXPIRED_TOKENS = 17;
    /// What a body begins with that was completed before it went into the log.
    private static final int COMPLETED = 0x4C_4A_47_00;

    /// What let a client in, in the body of its login.
    private static final int BY_PASSWORD = 1;

    private static final int INVALID_COMMAND = 3;
    private static final int TOKEN_EXISTS = 51;
    private static final String TOKENS_LIMIT = Answer.reject(52);
    private static final int ALREADY_APPLIED = 59;
    private static final int NO_SESSION = 1;
    private static final int SESSION_TOO_LOW = 7;
    private static final int INVALID_CREDENTIALS = 9;
    private static final int INVALID_TOKEN = 10;
    private static final int USER_INACTIVE = 11;
    private static final int SESSION_ERROR = 12;

    /// Where messages are.
    public record Place(int stream, int topic, int partition) implements Comparable<Place> {
        @Override
        public int compareTo(Place other) {
            int byStream = Integer.compare(stream, other.stream);
            int byTopic = byStream != 0 ? byStream : Integer.compare(topic, other.topic);
            return byTopic != 0 ? byTopic : Integer.compare(partition, other.partition);
        }

        @Override
        public String toString() {
            return stream + "/" + topic + "/" + partition;
        }
    }

    /// What a partition is.
    ///
    /// @param sinceOp the operation with which its offsets began: its creation or the last purge
    public record Partition(long sinceOp, boolean isPersisted, boolean areOffsetsPersisted, boolean mayShrink) {}

    /// An operation, decoded.
    ///
    /// @param request null for what no client asks for, and for bodies that cannot be decoded
    public record Committed(
            long op,
            int kind,
            ClientId client,
            int userId,
            long session,
            long number,
            long checksum,
            long timeMicros,
            @Nullable Request request) {}

    /// The operation that made a token, and what the server keeps of its text.
    private record TokenMade(long op, List<Long> hash) {}

    private record Fence(
            int userId, long watermark, @Nullable Done last) {}

    private final State state = State.fresh();
    private final Clock clock = new Clock();
    private final Model model = new Model(state, clock, List.of());
    private final LinkedHashMap<ClientId, Fence> fences = new LinkedHashMap<>();
    private final TreeMap<Place, Long> since = new TreeMap<>();
    private final Map<String, Long> generations = new TreeMap<>();
    private final Map<String, TokenMade> tokensMade = new TreeMap<>();
    private List<Long> hashInBody = List.of();
    private long appliedOp;

    public CommittedMetadata() {
        state.users.clear();
    }

    /// The options of topics that this model understands. Commands with others must not be fed.
    public static List<Options> knownOptions() {
        return TopicChoice.ALL.stream().map(TopicChoice::options).toList();
    }

    /// Options of a topic that keeps what it confirms over a power loss, or not, with segments of 1 MiB or of the
    /// default size.
    public static Options options(boolean isPersisted, boolean isSmall) {
        TopicChoice persisted = isSmall ? TopicChoice.PERSISTED_SMALL : TopicChoice.PERSISTED;
        TopicChoice replicated = isSmall ? TopicChoice.SMALL : TopicChoice.NOTHING;
        return (isPersisted ? persisted : replicated).options();
    }

    /// The op that was fed last.
    public long appliedOp() {
        return appliedOp;
    }

    /// Feeds the next operation, with what the server made of it.
    ///
    /// @param error the code in the reply, 0 for a success
    /// @param eviction the reason when it ended with an eviction instead, else 0
    /// @param payload of a success; null when unknown
    /// @throws Difference when the model has another result
    public Committed apply(long op, ByteBuffer operation, int error, int eviction, @Nullable ByteBuffer payload) {
        Difference.unless(op > appliedOp, "op %d is applied behind op %d", op, appliedOp);
        appliedOp = op;
        Committed committed = decode(op, operation);
        clock.nowMicros = committed.timeMicros;
        BodyReader body = new BodyReader(operation
                .slice(operation.position() + HEADER_BYTES, operation.remaining() - HEADER_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN));
        String told = eviction != 0 ? Answer.evict(eviction) : error != 0 ? Answer.reject(error) : Answer.OK;
        try {
            switch (committed.kind) {
                case CREATE_ROOT -> createRoot(body, told);
                case REMOVE_EXPIRED_TOKENS -> removeExpiredTokens();
                default -> apply(committed, body, told, payload);
            }
        } catch (Difference e) {
            throw new Difference("op " + op + ", " + committed + ": " + e.getMessage());
        }
        follow(op);
        return committed;
    }

    private void apply(Committed committed, BodyReader body, String told, @Nullable ByteBuffer payload) {
        switch (Objects.requireNonNull(Operation.of(committed.kind))) {
            case REGISTER -> expect(told, register(committed, body));
            case LOGOUT -> expect(told, logout(committed));
            case COMPLETE_CONSUMER_GROUP_REVOCATION -> {
                String group = body.u32() + "/" + body.u32() + "/" + body.u32();
                generations.merge(group, 1L, Long::sum);
            }
            default -> {
                hashInBody = committed.request instanceof CreatePersonalAccessToken ? tokenHash(body) : List.of();
                command(committed, told, payload);
            }
        }
    }

    private static void expect(String told, String expected) {
        Difference.unlessEqual(told, expected, "the outcome");
    }

    // Decoding

    private static Committed decode(long op, ByteBuffer operation) {
        ByteBuffer bytes = operation.slice().order(ByteOrder.LITTLE_ENDIAN);
        Difference.unless(
                bytes.remaining() >= HEADER_BYTES && bytes.get(0) == VERSION,
                "op %d has %d bytes and is no operation",
                op,
                bytes.remaining());
        int kind = bytes.get(1) & 0xFF;
        ByteBuffer body =
                bytes.slice(HEADER_BYTES, bytes.remaining() - HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        return new Committed(
                op,
                kind,
                new ClientId(bytes.getLong(16), bytes.getLong(8)),
                bytes.getInt(4),
                bytes.getLong(24),
                bytes.getLong(32),
                bytes.getLong(40),
                bytes.getLong(48),
                request(kind, body));
    }

    private static @Nullable Request request(int kind, ByteBuffer body) {
        Operation operation = Operation.of(kind);
        if (operation == null || !operation.isMetadata()) {
            return null;
        }
        BodyReader in = new BodyReader(body);
        return switch (operation) {
            case CREATE_USER -> {
                mark(in);
                String name = in.name();
                String hash = in.longText();
                int status = in.u8();
                Permissions permissions = Permissions.readOptional(in);
                yield in.orNull(new CreateUser(name, hash, status, permissions, Options.NONE));
            }
            case CHANGE_PASSWORD -> {
                mark(in);
                yield in.orNull(new ChangePassword(Identifier.read(in), in.longText(), in.longText()));
            }
            case CREATE_PERSONAL_ACCESS_TOKEN -> {
                mark(in);
                yield in.orNull(new CreatePersonalAccessToken(in.name(), in.u64()));
            }
            case JOIN_CONSUMER_GROUP -> {
                mark(in);
                yield in.orNull(new JoinConsumerGroup(Identifier.read(in), Identifier.read(in), Identifier.read(in)));
            }
            case DELETE_SEGMENTS -> {
                mark(in);
                yield in.orNull(new DeleteSegments(Identifier.read(in), Identifier.read(in), in.u32(), 0));
            }
            default -> Request.decode(Objects.requireNonNull(CommandCode.of(operation)), body);
        };
    }

    /// Of a token that is to be made.
    private static List<Long> tokenHash(BodyReader in) {
        mark(in);
        in.name();
        in.u64();
        return hash(in);
    }

    private static void mark(BodyReader in) {
        in.require(in.u32() == COMPLETED);
    }

    // What no client asks for

    private void createRoot(BodyReader body, String told) {
        String name = body.name();
        String hash = body.longText();
        if (!state.users.isEmpty()) {
            expect(told, Answer.reject(46));
            return;
        }
        expect(told, Answer.OK);
        UserState root = new UserState(0, name, hash);
        root.permissions = new Permissions(io.galgo.protocol.GlobalPermission.ALL, List.of());
        root.createdAt = 1;
        state.users.put(0, root);
    }

    private void removeExpiredTokens() {
        for (UserState user : state.users.values()) {
            user.tokens
                    .values()
                    .removeIf(token ->
                            !token.isEndless && token.expiresAt != State.UNKNOWN && token.expiresAt <= clock.nowMicros);
        }
    }

    // Sessions (semantics 12)

    private String register(Committed committed, BodyReader body) {
        int capacity = Math.max(1, body.u32());
        UserState user = state.users.get(committed.userId);
        if (user == null) {
            return Answer.evict(SESSION_ERROR);
        }
        if (body.remaining() > 0) {
            long createdAt = body.u64();
            if (user.createdAt != State.UNKNOWN && user.createdAt != createdAt) {
                return Answer.evict(SESSION_ERROR);
            }
            int refused = refusal(user, body);
            if (refused != 0) {
                return Answer.evict(refused);
            }
        }
        ClientId client = committed.client;
        SessionState session = state.sessions.get(client);
        Fence fence = fences.get(client);
        int owner = session != null ? session.userId : fence != null ? fence.userId : committed.userId;
        if (owner != committed.userId) {
            return Answer.evict(SESSION_ERROR);
        }
        if (session == null) {
            session = new SessionState(committed.userId);
            fences.remove(client);
            if (fence != null) {
                if (fence.last != null) {
                    session.remember(fence.last);
                }
                session.watermark = fence.watermark;
            }
            while (state.sessions.size() >= capacity) {
                discardOldest(capacity);
            }
        }
        session.epoch = committed.op;
        session.remember(new Done(0, 0, false, Answer.OK, null, false));
        putLast(client, session);
        return Answer.OK;
    }

    /// Why what let a user in does not count any more when the login gets its place in the log; 0 when it does.
    private int refusal(UserState user, BodyReader body) {
        if (body.remaining() == 0) {
            return user.isActive ? 0 : USER_INACTIVE;
        }
        if (body.u8() == BY_PASSWORD) {
            ByteBuffer hash = ByteBuffer.wrap(user.password.getBytes(StandardCharsets.UTF_8));
            boolean isRight = body.u64() == Checksum.xxh3(hash, 0, hash.remaining());
            // Whoever knows the password of one who is switched off is not told that it is right.
            return isRight && user.isActive ? 0 : INVALID_CREDENTIALS;
        }
        List<Long> hash = hash(body);
        boolean isRight = false;
        for (Map.Entry<String, TokenState> token : user.tokens.entrySet()) {
            TokenMade made = tokensMade.get(key(user.id, token.getKey()));
            TokenState state = token.getValue();
            boolean isExpired = !state.isEndless && Long.compareUnsigned(state.expiresAt, clock.nowMicros) <= 0;
            isRight |= made != null && made.hash.equals(hash) && !isExpired;
        }
        if (!isRight) {
            return INVALID_TOKEN;
        }
        return user.isActive ? 0 : USER_INACTIVE;
    }

    private static List<Long> hash(BodyReader in) {
        return List.of(in.u64(), in.u64(), in.u64(), in.u64());
    }

    private static String key(int userId, String token) {
        return userId + "/" + token;
    }

    private void discardOldest(int capacity) {
        ClientId oldest = state.sessions.keySet().iterator().next();
        SessionState session = Objects.requireNonNull(state.sessions.get(oldest));
        end(oldest);
        if (session.watermark == 0) {
            return;
        }
        while (fences.size() >= capacity) {
            fences.remove(fences.keySet().iterator().next());
        }
        fences.put(oldest, new Fence(session.userId, session.watermark, session.done(session.watermark)));
    }

    private String logout(Committed committed) {
        SessionState session = state.sessions.get(committed.client);
        if (session == null || session.epoch != committed.session) {
            return Answer.evict(NO_SESSION);
        }
        end(committed.client);
        return Answer.OK;
    }

    private void end(ClientId client) {
        forEachGroup((key, group) -> {
            if (group.slot(client) != null) {
                generations.merge(key, 1L, Long::sum);
            }
        });
        state.endSession(client);
    }

    private void putLast(ClientId client, SessionState session) {
        state.sessions.remove(client);
        state.sessions.put(client, session);
    }

    // Commands

    private void command(Committed committed, String told, @Nullable ByteBuffer payload) {
        SessionState session = state.sessions.get(committed.client);
        if (session == null) {
            expect(told, Answer.evict(NO_SESSION));
            return;
        }
        if (session.epoch != committed.session) {
            expect(told, Answer.evict(SESSION_TOO_LOW));
            return;
        }
        if (Long.compareUnsigned(committed.number, session.watermark) <= 0) {
            repeat(session, committed, told, payload);
            return;
        }
        Request request = committed.request;
        if (request == null) {
            expect(told, Answer.reject(INVALID_COMMAND));
            return;
        }
        execute(committed, request, told, payload);
        SessionState after = state.sessions.get(committed.client);
        if (after != null) {
            after.remember(new Done(
                    committed.number,
                    committed.checksum,
                    request instanceof CreatePersonalAccessToken,
                    told,
                    payload,
                    false));
            putLast(committed.client, after);
        }
    }

    private static void repeat(SessionState session, Committed committed, String told, @Nullable ByteBuffer payload) {
        Done done = session.done(committed.number);
        boolean isOther = done != null
                && done.checksum() != 0
                && committed.checksum != 0
                && done.checksum() != committed.checksum;
        if (isOther) {
            expect(told, Answer.reject(INVALID_COMMAND));
        } else if (done == null) {
            expect(told, Answer.reject(ALREADY_APPLIED));
        } else if (done.isToken() && done.outcome().equals(Answer.OK)) {
            expect(told, Answer.reject(TOKEN_EXISTS));
        } else {
            expect(told, done.outcome());
            Difference.unless(
                    payload == null || done.reply() == null || payload.equals(done.reply()),
                    "a repeated command has another reply than before");
        }
    }

    private void execute(Committed committed, Request request, String told, @Nullable ByteBuffer payload) {
        Caller caller = new Caller(0, new NoWire(), committed.client);
        caller.userId = committed.userId;
        caller.session = committed.session;
        List<ClientId> ending = ending(request);
        Map<String, List<Integer>> membersBefore = memberships();
        List<Branch> branches = new ArrayList<>();
        for (Branch early : model.early(request)) {
            // What is checked before the log is checked again in it, against what is there by then.
            branches.add(Branch.to(early.outcome().replace("DENY", "REJECT")));
        }
        branches.addAll(model.state(caller, request));
        if (request instanceof CreatePersonalAccessToken) {
            // How many there may be is up to the settings of the server.
            branches.add(Branch.to(TOKENS_LIMIT));
        }
        boolean isOk = told.equals(Answer.OK);
        // The text of a token is in no log.
        boolean isJudged = isOk && payload != null && !(request instanceof CreatePersonalAccessToken);
        Model.taken(branches, told)
                .effect()
                .apply(isJudged ? answer(committed, Objects.requireNonNull(payload)) : null);
        if (!isOk) {
            return;
        }
        ending.forEach(this::end);
        if (request instanceof CreatePersonalAccessToken create) {
            UserState user = Objects.requireNonNull(state.users.get(committed.userId));
            TokenState token = Objects.requireNonNull(user.tokens.get(create.name()));
            token.expiresAt = token.isEndless ? State.UNKNOWN : committed.timeMicros + create.expiryMicros();
            tokensMade.put(key(user.id, create.name()), new TokenMade(committed.op, hashInBody));
        }
        memberships().forEach((key, members) -> {
            if (!members.equals(membersBefore.get(key))) {
                generations.merge(key, 1L, Long::sum);
            }
        });
    }

    /// The clients whose sessions end with a command.
    private List<ClientId> ending(Request request) {
        List<ClientId> ending = new ArrayList<>();
        UserState user = request instanceof DeleteUser delete ? state.user(delete.user()) : null;
        if (user != null) {
            state.sessions.forEach((client, session) -> {
                if (session.userId == user.id) {
                    ending.add(client);
                }
            });
            fences.values().removeIf(fence -> fence.userId == user.id && user.id != 0);
        }
        return ending;
    }

    /// By group: the slots of its members, and how many partitions there are.
    private Map<String, List<Integer>> memberships() {
        Map<String, List<Integer>> memberships = new TreeMap<>();
        for (TopicState topic : state.topics()) {
            topic.groups.forEach((id, group) -> {
                List<Integer> members = new ArrayList<>(group.members.keySet());
                members.add(topic.partitions.size());
                memberships.put(topic.streamId + "/" + topic.id + "/" + id, members);
            });
        }
        return memberships;
    }

    private interface GroupVisitor {
        void onGroup(String key, GroupState group);
    }

    private void forEachGroup(GroupVisitor visitor) {
        for (TopicState topic : state.topics()) {
            topic.groups.forEach((id, group) -> visitor.onGroup(topic.streamId + "/" + topic.id + "/" + id, group));
        }
    }

    private static Answer answer(Committed committed, ByteBuffer payload) {
        Operation executed =
                Objects.requireNonNull(Operation.of(committed.kind)).executed();
        int length = FrameHeader.BYTES + ResultSection.SUCCESS_BYTES + payload.remaining();
        ByteBuffer frame = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        ReplyHeader.write(frame, 0, length, executed.value(), committed.client, committed.number);
        ReplyHeader.position(frame, 0, committed.op, committed.op);
        frame.put(FrameHeader.BYTES + ResultSection.SUCCESS_BYTES, payload, payload.position(), payload.remaining());
        return new Answer(frame);
    }

    // Partitions

    /// Notes which partitions began with this operation.
    private void follow(long op) {
        TreeSet<Place> present = new TreeSet<>();
        for (TopicState topic : state.topics()) {
            for (int i = 0; i < topic.partitions.size(); i++) {
                Place place = new Place(topic.streamId, topic.id, i);
                present.add(place);
                PartitionState partition = topic.partitions.get(i);
                if (partition.isFresh) {
                    partition.isFresh = false;
                    since.put(place, op);
                }
            }
        }
        since.keySet().retainAll(present);
    }

    /// The partitions that are there.
    public Map<Place, Partition> partitions() {
        Map<Place, Partition> partitions = new TreeMap<>();
        since.forEach((place, op) -> partitions.put(place, partition(place, op)));
        return partitions;
    }

    /// A partition, or null when it is not there.
    public @Nullable Partition partition(Place place) {
        Long op = since.get(place);
        return op == null ? null : partition(place, op);
    }

    private Partition partition(Place place, long op) {
        TopicState topic = Objects.requireNonNull(
                Objects.requireNonNull(state.streams.get(place.stream)).topics.get(place.topic));
        return new Partition(
                op,
                "persisted".equalsIgnoreCase(topic.option("durability").text()),
                "persisted"
                        .equalsIgnoreCase(
                                topic.option("consumer_offset_durability").text()),
                topic.explicit.containsKey("message_expiry") || topic.explicit.containsKey("max_topic_size"));
    }

    /// Where a request goes that names a stream, a topic and a partition; null when nothing is there.
    public @Nullable Place place(Identifier stream, Identifier topic, int partition) {
        TopicState found = state.topic(stream, topic);
        return found == null || found.partition(partition) == null
                ? null
                : new Place(found.streamId, found.id, partition);
    }

    /// How many partitions a topic has, 0 when it is not there.
    public int partitionsCount(Identifier stream, Identifier topic) {
        TopicState found = state.topic(stream, topic);
        return found == null ? 0 : found.partitions.size();
    }

    // Groups and sessions

    /// A group as `stream/topic/group` by ids, or null when it is not there.
    public @Nullable String group(Identifier stream, Identifier topic, Identifier group) {
        TopicState found = state.topic(stream, topic);
        GroupState named = found == null ? null : found.group(group);
        return named == null || found == null ? null : found.streamId + "/" + found.id + "/" + named.id;
    }

    /// Grows with every operation that may change who owns what in a group.
    public long changes(String group) {
        return generations.getOrDefault(group, 0L);
    }

    /// Whether a client is a member of a group that [#group] named.
    public boolean isMember(String group, ClientId client) {
        return state.memberships(client).contains(group);
    }

    /// The session of a client, 0 when it has none.
    public long session(ClientId client) {
        SessionState session = state.sessions.get(client);
        return session == null ? 0 : session.epoch;
    }

    public int sessionsCount() {
        return state.sessions.size();
    }

    /// The user that a client's session belongs to, -1 when it has none.
    public int userId(ClientId client) {
        SessionState session = state.sessions.get(client);
        return session == null ? -1 : session.userId;
    }

    /// The op that made the token of a user that has this name now, 0 when there is none.
    public long tokenOp(int userId, String name) {
        UserState user = state.users.get(userId);
        boolean isThere = user != null && user.tokens.containsKey(name);
        TokenMade made = isThere ? tokensMade.get(key(userId, name)) : null;
        return made == null ? 0 : made.op;
    }

    /// Whether the user of a client's session may do what a request about messages or stored offsets asks for. Null
    /// for others, without a session, and when the topic is not there.
    public @Nullable Boolean isAllowed(ClientId client, Request request) {
        return switch (request) {
            case SendMessages send -> isAllowed(client, Deed.SEND, send.stream(), send.topic());
            case PollMessages poll -> isAllowed(client, Deed.POLL, poll.stream(), poll.topic());
            case AwaitMessages await -> isAllowed(client, await.poll());
            case PollMessagesOnPrimary primary -> isAllowed(client, primary.poll());
            case GetConsumerOffset get -> isAllowed(client, Deed.POLL, get.stream(), get.topic());
            case StoreConsumerOffset store -> isAllowed(client, Deed.POLL, store.stream(), store.topic());
            case DeleteConsumerOffset delete -> isAllowed(client, Deed.POLL, delete.stream(), delete.topic());
            default -> null;
        };
    }

    private @Nullable Boolean isAllowed(ClientId client, Deed deed, Identifier stream, Identifier topic) {
        TopicState found = state.topic(stream, topic);
        int userId = userId(client);
        return (found == null || userId < 0) ? null : state.may(userId, deed, found.streamId, found.id);
    }

    // Everything at once

    /// What a client that may see everything must be told: one line for each thing, in the order of its path.
    public List<String> described() {
        List<String> lines = new ArrayList<>();
        for (StreamState stream : state.streams.values()) {
            lines.add(line(stream.id, stream.name, stream.topics.size()));
            for (TopicState topic : stream.topics.values()) {
                lines.add(line(
                        stream.id, topic.id, topic.name, topic.partitions.size(), TopicChoice.listed(topic.explicit)));
                topic.groups.forEach(
                        (id, group) -> lines.add(line(stream.id, topic.id, id, group.name, group.members.size())));
            }
        }
        for (UserState user : state.users.values()) {
            lines.add(line(user.id, user.name, user.isActive, user.permissions));
        }
        return lines;
    }

    public static String described(StreamRecord stream) {
        return line(stream.id(), stream.name(), stream.topicsCount());
    }

    public static String described(int stream, TopicRecord topic) {
        return line(stream, topic.id(), topic.name(), topic.partitionsCount(), topic.explicitOptions());
    }

    public static String described(int stream, int topic, GroupRecord group) {
        return line(stream, topic, group.id(), group.name(), group.membersCount());
    }

    public static String described(UserDetails user) {
        return line(
                user.user().id(),
                user.user().username(),
                user.user().status() == io.galgo.protocol.reply.UserStatus.ACTIVE,
                user.permissions());
    }

    private static String line(int stream, String name, int topics) {
        return "stream " + stream + " " + name + ", topics " + topics;
    }

    private static String line(int stream, int topic, String name, int partitions, Options options) {
        return "topic " + stream + "/" + topic + " " + name + ", partitions " + partitions + ", " + options;
    }

    private static String line(int stream, int topic, int group, String name, int members) {
        return "group " + stream + "/" + topic + "/" + group + " " + name + ", members " + members;
    }

    private static String line(int user, String name, boolean isActive, @Nullable Permissions permissions) {
        return "user " + user + " " + name + ", active " + isActive + ", " + permissions;
    }

    /// The time of the operation that is being applied.
    private static final class Clock implements Subject {
        long nowMicros;

        @Override
        public long nowMicros() {
            return nowMicros;
        }

        @Override
        public Wire connect() {
            return new NoWire();
        }

        @Override
        public void settle() {}

        @Override
        public void work(java.util.SplittableRandom random) {}

        @Override
        public boolean pass(int seconds) {
            return false;
        }

        @Override
        public void restart(End end) {}

        @Override
        public int frameBytesMax() {
            return Integer.MAX_VALUE;
        }

        @Override
        public int consumerOffsetsMax() {
            return Integer.MAX_VALUE;
        }

        @Override
        public String log() {
            return "";
        }

        @Override
        public boolean isPrompt() {
            return false;
        }
    }

    private static final class NoWire implements Subject.Wire {
        @Override
        public void transmit(ByteBuffer frame) {}

        @Override
        public @Nullable ByteBuffer receive() {
            return null;
        }

        @Override
        public @Nullable ByteBuffer arrived() {
            return null;
        }

        @Override
        public void close() {}
    }
}
