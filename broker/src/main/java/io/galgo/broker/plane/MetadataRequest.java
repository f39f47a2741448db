package io.galgo.broker.plane;

import io.galgo.broker.metadata.Admission;
import io.galgo.broker.metadata.MetadataOperation;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.Operation;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// A change of metadata that somebody asks for, on its way to the plane and back.
///
/// The shard that received it makes it and hands it over for good; the plane answers it and hands it back for good.
/// Answered exactly once.
public final class MetadataRequest {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).order(ByteOrder.LITTLE_ENDIAN);

    /// What kind of change it is.
    public enum Kind {
        /// A client's command.
        COMMAND,
        /// A login whose credentials are right.
        LOGIN,
        /// The end of a session that its client wishes.
        LOGOUT,
        /// The end of a session whose connection is gone.
        DISCONNECT,
        /// The removal of expired tokens, which the node itself asks for.
        REMOVE_EXPIRED_TOKENS,
        /// The end of a pending move of a partition inside a consumer group.
        REVOCATION
    }

    final Kind kind;
    final Operation operation;
    final ClientId client;
    final long session;
    final long number;
    final long checksum;
    final int userId;
    final ByteBuffer body;
    final @Nullable Admission admission;

    private final MetadataRequester requester;
    private final int requesterShard;
    private @Nullable MetadataAnswer answer;

    private MetadataRequest(
            Kind kind,
            Operation operation,
            ClientId client,
            long session,
            long number,
            long checksum,
            int userId,
            ByteBuffer body,
            @Nullable Admission admission,
            MetadataRequester requester,
            int requesterShard) {
        this.kind = kind;
        this.operation = operation;
        this.client = client;
        this.session = session;
        this.number = number;
        this.checksum = checksum;
        this.userId = userId;
        this.body = body;
        this.admission = admission;
        this.requester = requester;
        this.requesterShard = requesterShard;
    }

    /// @param client the client id bound to the connection, likewise session and user
    /// @param body the request's, position to limit; handed over for good
    public static MetadataRequest command(
            Operation operation,
            ClientId client,
            long session,
            long number,
            long checksum,
            int userId,
            ByteBuffer body,
            MetadataRequester requester,
            int requesterShard) {
        return new MetadataRequest(
                Kind.COMMAND,
                operation,
                client,
                session,
                number,
                checksum,
                userId,
                body,
                null,
                requester,
                requesterShard);
    }

    /// @param admission why it is let in
    public static MetadataRequest login(
            ClientId client,
            long checksum,
            int userId,
            Admission admission,
            MetadataRequester requester,
            int requesterShard) {
        return new MetadataRequest(
                Kind.LOGIN,
                Operation.REGISTER,
                client,
                0,
                0,
                checksum,
                userId,
                NOTHING,
                admission,
                requester,
                requesterShard);
    }

    public static MetadataRequest logout(
            ClientId client,
            long session,
            long number,
            long checksum,
            int userId,
            MetadataRequester requester,
            int requesterShard) {
        return new MetadataRequest(
                Kind.LOGOUT,
                Operation.LOGOUT,
                client,
                session,
                number,
                checksum,
                userId,
                NOTHING,
                null,
                requester,
                requesterShard);
    }

    public static MetadataRequest disconnect(
            ClientId client, long session, int userId, MetadataRequester requester, int requesterShard) {
        return new MetadataRequest(
                Kind.DISCONNECT,
                Operation.LOGOUT,
                client,
                session,
                0,
                0,
                userId,
                NOTHING,
                null,
                requester,
                requesterShard);
    }

    public static MetadataRequest removeExpiredTokens(MetadataRequester requester, int requesterShard) {
        return new MetadataRequest(
                Kind.REMOVE_EXPIRED_TOKENS,
                Operation.DELETE_PERSONAL_ACCESS_TOKEN,
                ClientId.NONE,
                0,
                0,
                0,
                0,
                NOTHING,
                null,
                requester,
                requesterShard);
    }

    /// @param sinceOp the op that made the partition pending
    public static MetadataRequest revocation(
            int streamId,
            int topicId,
            int groupId,
            int partition,
            long sinceOp,
            MetadataRequester requester,
            int requesterShard) {
        return new MetadataRequest(
                Kind.REVOCATION,
                Operation.COMPLETE_CONSUMER_GROUP_REVOCATION,
                ClientId.NONE,
                0,
                0,
                0,
                0,
                MetadataOperation.revocationBody(streamId, topicId, groupId, partition, sinceOp),
                null,
                requester,
                requesterShard);
    }

    public Kind kind() {
        return kind;
    }

    public ClientId client() {
        return client;
    }

    /// The session that it belongs to, 0 for a login.
    public long session() {
        return session;
    }

    public int userId() {
        return userId;
    }

    public MetadataRequester requester() {
        return requester;
    }

    /// The shard that made the request and waits for it.
    public int requesterShard() {
        return requesterShard;
    }

    /// What became of it. There once it was handed back.
    public MetadataAnswer answer() {
        MetadataAnswer given = answer;
        if (given == null) {
            throw new IllegalStateException("the request is not answered yet");
        }
        return given;
    }

    void answer(MetadataAnswer given) {
        answer = given;
    }
}
