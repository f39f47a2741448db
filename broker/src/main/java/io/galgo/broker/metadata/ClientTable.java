package io.galgo.broker.metadata;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.EvictionReason;

/// The sessions, and what each client's last metadata commands answered: the reason why a repeated command is not
/// executed again (spec semantics 12.2).
///
/// Part of the replicated state. Read-only outside the catalog.
public final class ClientTable {
    ClientTable() {}

    /// What to do with a command before it gets a place in the order.
    public sealed interface Verdict {
        /// It is new.
        record Execute() implements Verdict {}

        /// It was executed: send this again.
        record Repeat(MetadataReply reply) implements Verdict {}

        /// It was executed, and its reply is forgotten, or may not be repeated: a rejection.
        record Reject(ErrorCode error) implements Verdict {}

        /// Its number belongs to another request: a denial.
        record Deny(ErrorCode error) implements Verdict {}

        /// The session is over: an eviction.
        record Evict(EvictionReason reason) implements Verdict {}
    }

    /// Judges a command of a bound session (spec protocol 3.5). That an earlier command of the client is still
    /// running (57) is for the caller to know.
    public Verdict judge(ClientId client, long session, long request, long requestChecksum) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Whether a user may log in under a client id: it is free, or the user's own (else: eviction 12).
    public boolean isFreeFor(ClientId client, int userId) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// The client's session, 0 when it has none.
    public long session(ClientId client) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// The user that a client's session belongs to, -1 when it has none.
    public int userId(ClientId client) {
        throw new UnsupportedOperationException("not written yet");
    }

    public int count() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Hears sessions.
    @FunctionalInterface
    public interface SessionVisitor {
        void onSession(ClientId client, long session, int userId);
    }

    /// Visits every session, in the order of their latest commits, oldest first.
    public void forEach(SessionVisitor visitor) {
        throw new UnsupportedOperationException("not written yet");
    }
}
