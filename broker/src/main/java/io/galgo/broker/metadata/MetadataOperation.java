package io.galgo.broker.metadata;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.Operation;
import java.nio.ByteBuffer;

/// What goes into the metadata journal: who asked for what, and when.
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 1 | version of this layout, 1 |
/// | 1 | 1 | operation: the wire's (spec protocol 2.7), or one of the journal's own below 64 |
/// | 2 | 2 | zero |
/// | 4 | 4 | user id |
/// | 8 | 16 | client id, 0 when no client asked |
/// | 24 | 8 | session |
/// | 32 | 8 | request number |
/// | 40 | 8 | request checksum, 0 for none |
/// | 48 | 8 | commit time, microseconds |
/// | 56 | | body |
///
/// Little-endian. The body is the request's as it came over the wire, except where that holds a secret or lacks what
/// only the primary knows; those bodies are described where they are made. What was written once stays readable by
/// every later program.
///
/// Timestamps grow strictly from op to op; whoever prepares an operation sees to it.
public final class MetadataOperation {
    private MetadataOperation() {}

    /// A client's command with the body as it came over the wire.
    ///
    /// @param operation the request's, 128..149 but not DeleteSegments
    /// @param body position to limit; not moved
    public static ByteBuffer command(
            Operation operation,
            ClientId client,
            long session,
            long request,
            long requestChecksum,
            int userId,
            long timestampMicros,
            ByteBuffer body) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// A login whose credentials were found right. The op becomes the session.
    ///
    /// @param clientsMax `metadata.clients_table_max`; travels with the operation, so that every replay keeps the
    ///     same clients whatever the configuration says then
    public static ByteBuffer register(
            ClientId client, long requestChecksum, int userId, long timestampMicros, int clientsMax) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// The end of a session, by the client's wish or because its connection is gone ([#DISCONNECT_REQUEST]). It does
    /// nothing when the client has another session by then.
    public static ByteBuffer logout(
            ClientId client, long session, long request, long requestChecksum, int userId, long timestampMicros) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// The request number of a logout that the node proposes itself.
    public static final long DISCONNECT_REQUEST = -1;

    /// The first operation of an empty journal: the root user.
    public static ByteBuffer createRoot(String name, String passwordPhc, long timestampMicros) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// The deletion of closed segments (DeleteSegments), resolved by the partition's owner.
    ///
    /// @param body the request's
    /// @param offset first offset to keep: the end of the segments that the request names, 0 when there is no such
    ///     partition or segment
    public static ByteBuffer truncatePartition(
            ClientId client,
            long session,
            long request,
            long requestChecksum,
            int userId,
            long timestampMicros,
            ByteBuffer body,
            long offset) {
        throw new UnsupportedOperationException("not written yet");
    }
}
