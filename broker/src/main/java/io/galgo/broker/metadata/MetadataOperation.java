package io.galgo.broker.metadata;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.Operation;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// What goes into the metadata journal: who asked for what, and when.
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 1 | version of this layout, 1 |
/// | 1 | 1 | operation: the wire's (spec protocol 2.7), 16 root user, 17 expired tokens, 18 root password |
/// | 2 | 2 | zero |
/// | 4 | 4 | user id |
/// | 8 | 16 | client id, 0 when no client asked |
/// | 24 | 8 | session |
/// | 32 | 8 | request number |
/// | 40 | 8 | request checksum, 0 for none |
/// | 48 | 8 | commit time, microseconds |
/// | 56 | | body |
///
/// Little-endian. The body is the request's as it came over the wire, except where that holds a secret or lacks
/// what only the primary knows (see [CompletedBody]). What was written once stays readable by every later program.
///
/// Commit times grow strictly from op to op; whoever prepares an operation sees to it.
public final class MetadataOperation {
    /// The request number of a logout that the node proposes itself.
    public static final long DISCONNECT_REQUEST = -1;

    static final int VERSION = 1;
    static final int HEADER_BYTES = 56;

    /// How many expired tokens one operation removes.
    static final int EXPIRED_TOKENS_MAX = 256;

    static final int CREATE_ROOT = 16;
    static final int REMOVE_EXPIRED_TOKENS = 17;
    static final int RESET_ROOT = 18;

    private static final int OPERATION = 1;
    private static final int USER_ID = 4;
    private static final int CLIENT = 8;
    private static final int SESSION = 24;
    private static final int REQUEST = 32;
    private static final int REQUEST_CHECKSUM = 40;
    private static final int TIMESTAMP = 48;

    private final int value;
    private final int userId;
    private final ClientId client;
    private final long session;
    private final long request;
    private final long requestChecksum;
    private final long timestampMicros;
    private final ByteBuffer body;

    private MetadataOperation(ByteBuffer bytes) {
        int start = bytes.position();
        this.value = bytes.get(start + OPERATION) & 0xFF;
        this.userId = bytes.getInt(start + USER_ID);
        this.client = new ClientId(bytes.getLong(start + CLIENT + 8), bytes.getLong(start + CLIENT));
        this.session = bytes.getLong(start + SESSION);
        this.request = bytes.getLong(start + REQUEST);
        this.requestChecksum = bytes.getLong(start + REQUEST_CHECKSUM);
        this.timestampMicros = bytes.getLong(start + TIMESTAMP);
        this.body = bytes.slice(start + HEADER_BYTES, bytes.remaining() - HEADER_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
    }

    /// A client's command.
    ///
    /// @param operation the request's, 128..149
    /// @param body the request's as it came over the wire, or completed where [CompletedBody#isNeeded]; position to
    ///     limit, not moved
    public static ByteBuffer command(
            Operation operation,
            ClientId client,
            long session,
            long request,
            long requestChecksum,
            int userId,
            long timestampMicros,
            ByteBuffer body) {
        if (CompletedBody.isNeeded(operation) && !CompletedBody.isMarked(body)) {
            throw new IllegalArgumentException(operation + " does not go into the log as it came");
        }
        ByteBuffer bytes = header(
                operation.value(),
                client,
                session,
                request,
                requestChecksum,
                userId,
                timestampMicros,
                body.remaining());
        return bytes.put(body.duplicate()).flip();
    }

    /// A login whose credentials were found right. The op becomes the session.
    ///
    /// Body: `clientsMax` in 32 bits, then the [Admission]; before parts of that were added, bodies ended without
    /// them.
    ///
    /// @param clientsMax `metadata.clients_table_max`; travels with the operation, so that every replay keeps the
    ///     same clients whatever the configuration says then
    public static ByteBuffer register(
            ClientId client,
            long requestChecksum,
            int userId,
            Admission admission,
            long timestampMicros,
            int clientsMax) {
        ByteWriter body = new ByteWriter(64).u32(clientsMax);
        AdmissionRecord.write(admission, body);
        return header(Operation.REGISTER.value(), client, 0, 0, requestChecksum, userId, timestampMicros, body.length())
                .put(body.toBuffer())
                .flip();
    }

    /// The end of a session, by the client's wish or because its connection is gone ([#DISCONNECT_REQUEST]). It
    /// does nothing when the client has another session by then.
    public static ByteBuffer logout(
            ClientId client, long session, long request, long requestChecksum, int userId, long timestampMicros) {
        return header(Operation.LOGOUT.value(), client, session, request, requestChecksum, userId, timestampMicros, 0)
                .flip();
    }

    /// The first operation of an empty journal: the root user.
    ///
    /// Body: name behind 8 bits of length, password hash behind 32 bits of length.
    public static ByteBuffer createRoot(String name, String passwordPhc, long timestampMicros) {
        ByteWriter body = new ByteWriter(256).name(name).text(passwordPhc);
        return header(CREATE_ROOT, ClientId.NONE, 0, 0, 0, User.ROOT_ID, timestampMicros, body.length())
                .put(body.toBuffer())
                .flip();
    }

    /// Another password for the root user, who is active behind it. For whoever may write the data directory of a
    /// node that does not run, and so could do anything with it.
    ///
    /// Body: password hash behind 32 bits of length.
    public static ByteBuffer resetRoot(String passwordPhc, long timestampMicros) {
        ByteWriter body = new ByteWriter(256).text(passwordPhc);
        return header(RESET_ROOT, ClientId.NONE, 0, 0, 0, User.ROOT_ID, timestampMicros, body.length())
                .put(body.toBuffer())
                .flip();
    }

    /// The end of a pending move of a partition inside a consumer group: what its owner polled is stored, or it had
    /// its time. It does nothing when that move is not pending any more.
    ///
    /// Body: stream, topic, group and partition id in 32 bits each, `sinceOp` in 64.
    ///
    /// @param sinceOp the op that made the partition pending
    public static ByteBuffer completeRevocation(
            int streamId, int topicId, int groupId, int partition, long sinceOp, long timestampMicros) {
        return completeRevocation(revocationBody(streamId, topicId, groupId, partition, sinceOp), timestampMicros);
    }

    /// The same with a body that was made before.
    public static ByteBuffer completeRevocation(ByteBuffer body, long timestampMicros) {
        return header(
                        Operation.COMPLETE_CONSUMER_GROUP_REVOCATION.value(),
                        ClientId.NONE,
                        0,
                        0,
                        0,
                        User.ROOT_ID,
                        timestampMicros,
                        body.remaining())
                .put(body.duplicate())
                .flip();
    }

    /// The body of [#completeRevocation].
    public static ByteBuffer revocationBody(int streamId, int topicId, int groupId, int partition, long sinceOp) {
        return ByteBuffer.allocate(4 * 4 + 8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(streamId)
                .putInt(topicId)
                .putInt(groupId)
                .putInt(partition)
                .putLong(sinceOp)
                .flip();
    }

    /// The removal of personal access tokens that are expired by the operation's time, the first
    /// [#EXPIRED_TOKENS_MAX] of them. No body.
    public static ByteBuffer removeExpiredTokens(long timestampMicros) {
        return header(REMOVE_EXPIRED_TOKENS, ClientId.NONE, 0, 0, 0, User.ROOT_ID, timestampMicros, 0)
                .flip();
    }

    /// The operation that bytes hold, or null when no program of this version wrote them.
    static @Nullable MetadataOperation decode(ByteBuffer source) {
        ByteBuffer bytes = source.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.remaining() < HEADER_BYTES || bytes.get(bytes.position()) != VERSION) {
            return null;
        }
        MetadataOperation operation = new MetadataOperation(bytes);
        boolean isKnown = switch (operation.value) {
            case CREATE_ROOT, REMOVE_EXPIRED_TOKENS, RESET_ROOT -> true;
            default -> Operation.of(operation.value) != null;
        };
        return isKnown ? operation : null;
    }

    /// The operation's number: the wire's, or one of the journal's own.
    int value() {
        return value;
    }

    int userId() {
        return userId;
    }

    ClientId client() {
        return client;
    }

    long session() {
        return session;
    }

    long request() {
        return request;
    }

    long requestChecksum() {
        return requestChecksum;
    }

    long timestampMicros() {
        return timestampMicros;
    }

    /// Position to limit, little-endian. Not to be moved.
    ByteBuffer body() {
        return body;
    }

    BodyReader read() {
        return new BodyReader(body);
    }

    private static ByteBuffer header(
            int operation,
            ClientId client,
            long session,
            long request,
            long requestChecksum,
            int userId,
            long timestampMicros,
            int bodyBytes) {
        return ByteBuffer.allocate(HEADER_BYTES + bodyBytes)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) VERSION)
                .put((byte) operation)
                .putShort((short) 0)
                .putInt(userId)
                .putLong(client.low())
                .putLong(client.high())
                .putLong(session)
                .putLong(request)
                .putLong(requestChecksum)
                .putLong(timestampMicros);
    }
}
