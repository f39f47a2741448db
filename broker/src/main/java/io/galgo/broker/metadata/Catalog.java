package io.galgo.broker.metadata;

import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.Operation;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The node's replicated metadata: streams, topics, partitions, users, sessions.
///
/// A deterministic state machine. Every shard has its own catalog, confined to its thread, and applies the same
/// committed operations in order; equal operations make equal catalogs, on every node.
public final class Catalog {
    /// An empty catalog, before op 1.
    public Catalog() {}

    /// The snapshot was written by a program that this one does not understand, or is no snapshot.
    public static final class Unreadable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public Unreadable(String message) {
            super(message);
        }
    }

    /// The catalog that [#snapshot] wrote.
    ///
    /// @throws Unreadable one sentence: what was expected and what was found
    public static Catalog restore(ByteBuffer state) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// All of the state as bytes, position to limit; the same for equal catalogs.
    public ByteBuffer snapshot() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// A fingerprint of all of the state, for comparing catalogs.
    public long digest() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// The checks before a metadata command gets a place in the order: null, or the denial.
    ///
    /// Changes nothing. What passes here may still be refused by the state when its turn comes.
    ///
    /// @param operation the request's
    /// @param body position to limit; not moved
    public @Nullable ErrorCode check(Operation operation, ByteBuffer body) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Applies a committed operation. Total: whatever the bytes are, the outcome is a value, the same everywhere.
    ///
    /// @param op one more than the last applied
    /// @param operation as [MetadataOperation] made it, position to limit; not moved
    public Outcome apply(long op, ByteBuffer operation) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// The op applied last, 0 for none.
    public long appliedOp() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// The commit time of the op applied last, 0 for none.
    public long appliedAtMicros() {
        throw new UnsupportedOperationException("not written yet");
    }

    public ClientTable clients() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Whether a user may do something now. False for a user that does not exist.
    ///
    /// @param streamId the addressed stream, or -1 where the right has no stream scope; likewise `topicId`
    public boolean isAllowed(int userId, Right right, int streamId, int topicId) {
        throw new UnsupportedOperationException("not written yet");
    }

    public @Nullable Stream stream(int streamId) {
        throw new UnsupportedOperationException("not written yet");
    }

    public @Nullable Topic topic(int streamId, int topicId) {
        throw new UnsupportedOperationException("not written yet");
    }

    public @Nullable User user(int userId) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// @param name UTF-8
    public @Nullable User userNamed(byte[] name) {
        throw new UnsupportedOperationException("not written yet");
    }

    public int usersCount() {
        throw new UnsupportedOperationException("not written yet");
    }

    public int streamsCount() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// One more than the highest stream id in use.
    public int streamIdsEnd() {
        throw new UnsupportedOperationException("not written yet");
    }

    public int topicsCount() {
        throw new UnsupportedOperationException("not written yet");
    }

    public int partitionsCount() {
        throw new UnsupportedOperationException("not written yet");
    }

    public int groupsCount() {
        throw new UnsupportedOperationException("not written yet");
    }
}
