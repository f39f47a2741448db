package io.galgo.broker.metadata;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.Checksum;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.EvictionReason;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.request.Request;
import io.galgo.storage.Invariant;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The node's replicated metadata: streams, topics, partitions, consumer groups, users, tokens, sessions.
///
/// A deterministic state machine. Every shard has its own catalog, confined to its thread, and applies the same
/// committed operations in order; equal operations make equal catalogs, on every node.
public final class Catalog {
    // The tables hold the state and keep it whole. Commands decides what a client's command does to them, in the
    // order of checks that clients may rely on. What is left here is who may speak at all, what no client asks for,
    // and the log position.

    /// The snapshot was written by a program that this one does not understand, or is no snapshot.
    public static final class Unreadable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Unreadable(String message) {
            super(message);
        }
    }

    private static final int SNAPSHOT_VERSION = 1;
    private static final long ROOT_CREATED_AT_MICROS = 1;

    private final StreamTable streams = new StreamTable();
    private final UserTable users = new UserTable();
    private final TokenTable tokens = new TokenTable();
    private final ClientTable clients = new ClientTable();
    private final Memberships memberships = new Memberships();
    private final Access access = new Access(streams, users);
    private final GroupCommands groupCommands = new GroupCommands(access, streams, clients, memberships);
    private final Commands commands = new Commands(
            streams,
            new StreamCommands(access, streams, memberships),
            new UserCommands(access, users, tokens, clients),
            groupCommands);
    private long appliedOp;
    private long appliedAtMicros;

    /// An empty catalog, before op 1.
    public Catalog() {}

    /// The checks before a metadata command gets a place in the order: null, or the denial.
    ///
    /// Changes nothing. What passes here may still be refused by the state when its turn comes.
    ///
    /// @param operation the request's
    /// @param body position to limit; not moved
    public @Nullable ErrorCode check(Operation operation, ByteBuffer body) {
        CommandCode command = CommandCode.of(operation);
        Request request = command == null ? null : Request.decode(command, body);
        return request == null ? ErrorCode.INVALID_COMMAND : check(request);
    }

    /// The same for a request that is decoded already.
    public @Nullable ErrorCode check(Request request) {
        return commands.check(request);
    }

    /// Applies a committed operation. Total: whatever the bytes are, the outcome is a value, the same everywhere.
    ///
    /// @param op one more than the last applied, or further where ops were abandoned
    /// @param bytes as [MetadataOperation] made them, position to limit; not moved
    public Outcome apply(long op, ByteBuffer bytes) {
        Invariant.check(op > appliedOp, "an op is applied once, behind those before it", op, appliedOp);
        appliedOp = op;
        MetadataOperation operation = MetadataOperation.decode(bytes);
        if (operation == null) {
            return new Outcome.Unknown();
        }
        appliedAtMicros = operation.timestampMicros();
        return switch (operation.value()) {
            case MetadataOperation.CREATE_ROOT -> createRoot(op, operation);
            case MetadataOperation.REMOVE_EXPIRED_TOKENS -> removeExpiredTokens(op, operation);
            case MetadataOperation.RESET_ROOT -> resetRoot(op, operation);
            default -> apply(op, operation);
        };
    }

    private Outcome apply(long op, MetadataOperation operation) {
        Operation kind = Operation.of(operation.value());
        return switch (kind) {
            case REGISTER -> register(op, operation);
            case LOGOUT -> logout(op, operation);
            case COMPLETE_CONSUMER_GROUP_REVOCATION -> completeRevocation(op, operation);
            case null -> new Outcome.Unknown();
            default -> command(op, kind, operation);
        };
    }

    private Outcome createRoot(long op, MetadataOperation operation) {
        BodyReader in = operation.read();
        String name = in.name();
        String passwordPhc = in.longText();
        ErrorCode error = null;
        if (in.isFailed()) {
            error = ErrorCode.INVALID_COMMAND;
        } else if (users.count() > 0) {
            error = ErrorCode.USER_ALREADY_EXISTS;
        } else {
            users.create(name, passwordPhc, true, Grants.ALL, ROOT_CREATED_AT_MICROS);
        }
        return new Outcome.Decided(reply(op, Operation.CREATE_USER, operation, error), List.of());
    }

    private Outcome resetRoot(long op, MetadataOperation operation) {
        BodyReader in = operation.read();
        String passwordPhc = in.longText();
        User root = users.user(User.ROOT_ID);
        ErrorCode error = null;
        if (in.isFailed()) {
            error = ErrorCode.INVALID_COMMAND;
        } else if (root == null) {
            error = ErrorCode.RESOURCE_NOT_FOUND;
        } else {
            root.setPassword(passwordPhc);
            root.setActive(true);
        }
        return new Outcome.Decided(reply(op, Operation.CHANGE_PASSWORD, operation, error), List.of());
    }

    private Outcome removeExpiredTokens(long op, MetadataOperation operation) {
        tokens.removeExpired(operation.timestampMicros(), MetadataOperation.EXPIRED_TOKENS_MAX);
        return new Outcome.Decided(reply(op, Operation.DELETE_PERSONAL_ACCESS_TOKEN, operation, null), List.of());
    }

    private Outcome completeRevocation(long op, MetadataOperation operation) {
        List<Change> changes = new ArrayList<>(1);
        Result result = groupCommands.completeRevocation(operation.read(), changes);
        return new Outcome.Decided(
                reply(op, Operation.COMPLETE_CONSUMER_GROUP_REVOCATION, operation, result.error()),
                List.copyOf(changes));
    }

    private Outcome register(long op, MetadataOperation operation) {
        BodyReader in = operation.read();
        int capacity = in.u32();
        ClientId client = operation.client();
        User user = users.user(operation.userId());
        if (in.isFailed() || client.isNone() || user == null) {
            return new Outcome.Evicted(EvictionReason.SESSION_ERROR);
        }
        if (in.remaining() > 0) {
            // The credentials were right some time ago. Whether they still are is decided now.
            EvictionReason refusal = AdmissionRecord.refusal(in, user, tokens, operation.timestampMicros());
            if (refusal != null || in.isFailed()) {
                return new Outcome.Evicted(refusal == null ? EvictionReason.SESSION_ERROR : refusal);
            }
        }
        List<Change> changes = new ArrayList<>(2);
        MetadataReply reply = reply(op, Operation.REGISTER, operation, null);
        if (!clients.register(client, operation.userId(), op, capacity, reply, changes)) {
            return new Outcome.Evicted(EvictionReason.SESSION_ERROR);
        }
        groupCommands.onSessionsEnded(changes);
        return new Outcome.Decided(reply, List.copyOf(changes));
    }

    private Outcome logout(long op, MetadataOperation operation) {
        List<Change> changes = new ArrayList<>(1);
        if (!clients.remove(operation.client(), operation.session(), changes)) {
            return new Outcome.Evicted(EvictionReason.NO_SESSION);
        }
        groupCommands.onSessionsEnded(changes);
        return new Outcome.Decided(reply(op, Operation.LOGOUT, operation, null), List.copyOf(changes));
    }

    /// The table of clients is asked again here, because the session may have ended between the request's arrival
    /// and its turn.
    private Outcome command(long op, Operation kind, MetadataOperation operation) {
        ClientTable.Verdict verdict = clients.judge(
                operation.client(), operation.session(), operation.request(), operation.requestChecksum());
        return switch (verdict) {
            case ClientTable.Verdict.Execute _ -> execute(op, kind, operation);
            case ClientTable.Verdict.Repeat repeat -> new Outcome.Decided(repeat.reply(), List.of());
            case ClientTable.Verdict.Reject reject -> undone(op, kind, operation, reject.error());
            case ClientTable.Verdict.Deny deny -> undone(op, kind, operation, deny.error());
            case ClientTable.Verdict.Evict evict -> new Outcome.Evicted(evict.reason());
        };
    }

    private Outcome execute(long op, Operation kind, MetadataOperation operation) {
        List<Change> changes = new ArrayList<>();
        Result result = commands.execute(op, kind, operation, changes);
        groupCommands.onSessionsEnded(changes);
        MetadataReply reply = MetadataReply.of(op, kind.executed(), operation, result.error(), result.payload());
        clients.remember(operation.client(), reply);
        return new Outcome.Decided(reply, List.copyOf(changes));
    }

    private static Outcome undone(long op, Operation kind, MetadataOperation operation, ErrorCode error) {
        return new Outcome.Decided(reply(op, kind.executed(), operation, error), List.of());
    }

    private static MetadataReply reply(
            long op, Operation executed, MetadataOperation operation, @Nullable ErrorCode error) {
        return MetadataReply.of(op, executed, operation, error, null);
    }

    /// The op applied last, 0 for none.
    public long appliedOp() {
        return appliedOp;
    }

    /// The commit time of the op applied last, 0 for none.
    public long appliedAtMicros() {
        return appliedAtMicros;
    }

    public ClientTable clients() {
        return clients;
    }

    /// Whether a user may do something now. False for a user that does not exist.
    ///
    /// @param streamId the addressed stream, or -1 where the right has no stream scope; likewise `topicId`
    public boolean isAllowed(int userId, Right right, int streamId, int topicId) {
        return access.isAllowed(userId, right, streamId, topicId);
    }

    public @Nullable Stream stream(int streamId) {
        return streams.stream(streamId);
    }

    public @Nullable Stream stream(Identifier identifier) {
        return streams.stream(identifier);
    }

    public @Nullable Topic topic(int streamId, int topicId) {
        Stream stream = streams.stream(streamId);
        return stream == null ? null : stream.topic(topicId);
    }

    public @Nullable Topic topic(Identifier streamIdentifier, Identifier topicIdentifier) {
        Stream stream = streams.stream(streamIdentifier);
        return stream == null ? null : stream.topic(topicIdentifier);
    }

    public @Nullable User user(int userId) {
        return users.user(userId);
    }

    public @Nullable User user(Identifier identifier) {
        return users.user(identifier);
    }

    /// The user who logs in under a name.
    public @Nullable User user(String name) {
        return users.user(name);
    }

    public int usersCount() {
        return users.count();
    }

    /// One more than the highest user id in use.
    public int userIdsEnd() {
        return users.end();
    }

    public int streamsCount() {
        return streams.streamsCount();
    }

    /// One more than the highest stream id in use.
    public int streamIdsEnd() {
        return streams.streamIdsEnd();
    }

    public int topicsCount() {
        return streams.topicsCount();
    }

    public int partitionsCount() {
        return streams.partitionsCount();
    }

    public int groupsCount() {
        return streams.groupsCount();
    }

    /// The token with a hash, expired or not, or null.
    public @Nullable Token token(TokenHash hash) {
        return tokens.token(hash);
    }

    /// A user's tokens in the order of their names, expired ones included.
    public Collection<Token> tokens(int userId) {
        return tokens.tokens(userId);
    }

    /// Whether there is a token for [MetadataOperation#removeExpiredTokens] to remove.
    public boolean hasExpiredTokens(long nowMicros) {
        return tokens.hasExpired(nowMicros);
    }

    /// The consumer groups that a client is a member of, by stream, topic and id.
    public Collection<ConsumerGroup> groups(ClientId client) {
        return Collections.unmodifiableCollection(memberships.of(client));
    }

    /// Whether a client is a member of any consumer group.
    public boolean isMember(ClientId client) {
        return !memberships.of(client).isEmpty();
    }

    /// All of the state as bytes, position to limit; the same for equal catalogs.
    ///
    /// | size | field |
    /// |---|---|
    /// | 4 | version of this layout, 1 |
    /// | 8, 8 | op applied last, its commit time |
    /// | | users, see [UserTable#write] |
    /// | | tokens, see [TokenTable#write] |
    /// | | streams, see [StreamTable#write] |
    /// | | clients, see [ClientTable#write] |
    public ByteBuffer snapshot() {
        ByteWriter out = new ByteWriter(64 * 1024);
        out.u32(SNAPSHOT_VERSION).u64(appliedOp).u64(appliedAtMicros);
        users.write(out);
        tokens.write(out);
        streams.write(out);
        clients.write(out);
        return out.toBuffer();
    }

    /// The catalog that [#snapshot] wrote.
    ///
    /// @throws Unreadable one sentence: what was expected and what was found
    public static Catalog restore(ByteBuffer state) {
        BodyReader in = new BodyReader(state);
        int version = in.u32();
        if (in.isFailed() || version != SNAPSHOT_VERSION) {
            throw new Unreadable("the metadata snapshot has version " + version + ", this program reads version "
                    + SNAPSHOT_VERSION);
        }
        Catalog catalog = new Catalog();
        catalog.appliedOp = in.u64();
        catalog.appliedAtMicros = in.u64();
        catalog.users.read(in);
        catalog.tokens.read(in);
        catalog.streams.read(in);
        catalog.clients.read(in);
        if (in.isFailed() || in.remaining() > 0) {
            throw new Unreadable("the metadata snapshot of " + state.remaining() + " bytes, version " + version
                    + ", is not readable at byte " + (in.position() - state.position()));
        }
        catalog.collectMemberships();
        return catalog;
    }

    private void collectMemberships() {
        for (int streamId = 0; streamId < streams.streamIdsEnd(); streamId++) {
            Stream stream = streams.stream(streamId);
            for (int topicId = 0; stream != null && topicId < stream.topicIdsEnd(); topicId++) {
                Topic topic = stream.topic(topicId);
                if (topic != null) {
                    topic.groups().forEach(group -> group.clients().forEach(client -> memberships.add(client, group)));
                }
            }
        }
    }

    /// A fingerprint of all of the state, for comparing catalogs.
    public long digest() {
        ByteBuffer state = snapshot();
        return Checksum.xxh3(state, state.position(), state.remaining());
    }
}
