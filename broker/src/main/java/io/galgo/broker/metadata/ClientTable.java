package io.galgo.broker.metadata;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.EvictionReason;
import io.galgo.protocol.Operation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The sessions, and what each client's last metadata commands answered: the reason why a repeated command is not
/// executed again (spec semantics 12.2).
///
/// Part of the replicated state. Read-only outside the catalog. Bounded by the capacity that travels with each login;
/// beyond it the client whose last commit is oldest loses its session. Of such a client a fence remains, which is no
/// session: it says what the client did last, so that it cannot do it again when it comes back.
public final class ClientTable {
    // Both maps are lists first: sessions in the order of their last commits, fences in the order of their making.
    // Nothing depends on how the keys hash.

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

    private static final Verdict EXECUTE = new Verdict.Execute();
    private static final Verdict NO_SESSION = new Verdict.Evict(EvictionReason.NO_SESSION);
    private static final Verdict OTHER_SESSION = new Verdict.Evict(EvictionReason.SESSION_TOO_LOW);
    private static final Verdict OTHER_REQUEST = new Verdict.Deny(ErrorCode.INVALID_COMMAND);
    private static final Verdict FORGOTTEN = new Verdict.Reject(ErrorCode.REQUEST_ALREADY_APPLIED);
    private static final Verdict SECRET = new Verdict.Reject(ErrorCode.PERSONAL_ACCESS_TOKEN_ALREADY_EXISTS);

    /// Fewest entries that a capacity may ask for; a login must not push itself out.
    private static final int CAPACITY_MIN = 1;

    private record Fence(
            int userId,
            long watermark,
            long watermarkChecksum,
            @Nullable MetadataReply reply) {}

    private final LinkedHashMap<ClientId, Session> sessions = new LinkedHashMap<>();
    private final LinkedHashMap<ClientId, Fence> fences = new LinkedHashMap<>();

    ClientTable() {}

    /// Judges a command of a bound session (spec protocol 3.5). That an earlier command of the client is still
    /// running (57) is for the caller to know.
    ///
    /// @param requestChecksum 0 for none, which agrees with every other
    public Verdict judge(ClientId client, long session, long request, long requestChecksum) {
        Session entry = sessions.get(client);
        if (entry == null) {
            return NO_SESSION;
        }
        if (session != entry.session) {
            return OTHER_SESSION;
        }
        if (Long.compareUnsigned(request, entry.watermark) > 0) {
            return EXECUTE;
        }
        MetadataReply reply = entry.replies.of(request);
        if (request == entry.watermark && !isSame(requestChecksum, entry.watermarkChecksum)) {
            return OTHER_REQUEST;
        }
        if (reply == null) {
            return FORGOTTEN;
        }
        if (!isSame(requestChecksum, reply.requestChecksum())) {
            return OTHER_REQUEST;
        }
        boolean isSecret = reply.operation() == Operation.CREATE_PERSONAL_ACCESS_TOKEN && reply.error() == null;
        return isSecret ? SECRET : new Verdict.Repeat(reply);
    }

    private static boolean isSame(long checksum, long other) {
        return checksum == 0 || other == 0 || checksum == other;
    }

    /// Whether a user may log in under a client id: it is free, or the user's own (else: eviction 12).
    public boolean isFreeFor(ClientId client, int userId) {
        Session entry = sessions.get(client);
        if (entry != null) {
            return entry.userId == userId;
        }
        Fence fence = fences.get(client);
        return fence == null || fence.userId == userId;
    }

    /// The client's session, 0 when it has none.
    public long session(ClientId client) {
        Session entry = sessions.get(client);
        return entry == null ? 0 : entry.session;
    }

    /// The user that a client's session belongs to, -1 when it has none.
    public int userId(ClientId client) {
        Session entry = sessions.get(client);
        return entry == null ? -1 : entry.userId;
    }

    public int count() {
        return sessions.size();
    }

    /// Hears sessions.
    @FunctionalInterface
    public interface SessionVisitor {
        void onSession(ClientId client, long session, int userId);
    }

    /// Visits every session, in the order of their latest commits, oldest first.
    public void forEach(SessionVisitor visitor) {
        for (Map.Entry<ClientId, Session> entry : sessions.entrySet()) {
            visitor.onSession(entry.getKey(), entry.getValue().session, entry.getValue().userId);
        }
    }

    /// Gives a client a new session, and takes the room for it from others when there is none.
    ///
    /// @param op becomes the session
    /// @param capacity sessions to keep, this one included, and fences likewise
    /// @param login the reply, which takes a place among the remembered ones
    /// @return false when the client id belongs to another user; nothing changed then
    boolean register(ClientId client, int userId, long op, int capacity, MetadataReply login, List<Change> changes) {
        if (!isFreeFor(client, userId)) {
            return false;
        }
        int room = Math.max(capacity, CAPACITY_MIN);
        Session entry = sessions.get(client);
        long previousSession = entry == null ? 0 : entry.session;
        if (entry == null) {
            entry = new Session(userId);
            // Taken before room is made: the client that goes leaves a fence, which could push out this one.
            Fence fence = fences.remove(client);
            if (fence != null) {
                entry.watermark = fence.watermark;
                entry.watermarkChecksum = fence.watermarkChecksum;
                if (fence.reply != null) {
                    entry.replies.add(fence.reply);
                }
            }
            while (sessions.size() >= room) {
                discardOldest(room, changes);
            }
        }
        entry.session = op;
        entry.replies.add(login);
        sessions.putLast(client, entry);
        changes.add(new Change.SessionBound(client, op, userId, previousSession));
        return true;
    }

    /// Remembers what an executed command answered.
    void remember(ClientId client, MetadataReply reply) {
        Session entry = sessions.get(client);
        if (entry == null) {
            return;
        }
        entry.watermark = reply.request();
        entry.watermarkChecksum = reply.requestChecksum();
        entry.replies.add(reply);
        sessions.putLast(client, entry);
    }

    /// Ends a client's session, with all that is remembered of it.
    ///
    /// @return false when that was not the client's session; nothing changed then
    boolean remove(ClientId client, long session, List<Change> changes) {
        Session entry = sessions.get(client);
        if (entry == null || entry.session != session) {
            return false;
        }
        sessions.remove(client);
        changes.add(new Change.SessionEnded(client, session, Change.SessionEnded.Cause.LOGOUT));
        return true;
    }

    /// Ends all sessions of a user that is gone. Its id may be given to another one, so nothing of it may stay.
    void removeUser(int userId, List<Change> changes) {
        var entries = sessions.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry<ClientId, Session> entry = entries.next();
            if (entry.getValue().userId == userId) {
                changes.add(new Change.SessionEnded(
                        entry.getKey(), entry.getValue().session, Change.SessionEnded.Cause.USER_REMOVED));
                entries.remove();
            }
        }
        fences.values().removeIf(fence -> fence.userId == userId);
    }

    private void discardOldest(int capacity, List<Change> changes) {
        Map.Entry<ClientId, Session> oldest = sessions.pollFirstEntry();
        ClientId client = oldest.getKey();
        Session entry = oldest.getValue();
        changes.add(new Change.SessionEnded(client, entry.session, Change.SessionEnded.Cause.DISCARDED));
        if (entry.watermark == 0) {
            // It did nothing that could be repeated.
            return;
        }
        while (fences.size() >= capacity) {
            fences.pollFirstEntry();
        }
        MetadataReply last = entry.replies.of(entry.watermark);
        fences.putLast(client, new Fence(entry.userId, entry.watermark, entry.watermarkChecksum, last));
    }

    /// | size | field |
    /// |---|---|
    /// | 4 | sessions, then for each, oldest commit first: |
    /// | 16 | client id |
    /// | 8, 4 | session, user id |
    /// | 8, 8 | watermark and its request checksum |
    /// | 1 | replies, then each reply, oldest first |
    /// | 4 | fences, then for each, oldest first: |
    /// | 16, 4 | client id, user id |
    /// | 8, 8 | watermark and its request checksum |
    /// | 1 | whether a reply follows |
    void write(ByteWriter out) {
        out.u32(sessions.size());
        for (Map.Entry<ClientId, Session> each : sessions.entrySet()) {
            Session entry = each.getValue();
            out.client(each.getKey()).u64(entry.session).u32(entry.userId);
            out.u64(entry.watermark).u64(entry.watermarkChecksum);
            entry.replies.write(out);
        }
        out.u32(fences.size());
        for (Map.Entry<ClientId, Fence> each : fences.entrySet()) {
            Fence fence = each.getValue();
            out.client(each.getKey()).u32(fence.userId);
            out.u64(fence.watermark).u64(fence.watermarkChecksum);
            out.flag(fence.reply != null);
            if (fence.reply != null) {
                fence.reply.write(out);
            }
        }
    }

    /// Reads what [#write] wrote into an empty table. Fails the reader on anything else.
    void read(BodyReader in) {
        int sessionsCount = in.count(16 + 8 + 4 + 8 + 8 + 1);
        for (int i = 0; i < sessionsCount && !in.isFailed(); i++) {
            ClientId client = in.clientId();
            long session = in.u64();
            Session entry = new Session(in.u32());
            entry.session = session;
            entry.watermark = in.u64();
            entry.watermarkChecksum = in.u64();
            entry.replies.read(in);
            in.require(sessions.put(client, entry) == null);
        }
        int fencesCount = in.count(16 + 4 + 8 + 8 + 1);
        for (int i = 0; i < fencesCount && !in.isFailed(); i++) {
            ClientId client = in.clientId();
            int userId = in.u32();
            long watermark = in.u64();
            long watermarkChecksum = in.u64();
            MetadataReply reply = in.u8() == 1 ? MetadataReply.read(in) : null;
            in.require(fences.put(client, new Fence(userId, watermark, watermarkChecksum, reply)) == null);
        }
    }

    /// One client's session.
    private static final class Session {
        final int userId;
        final RecentReplies replies = new RecentReplies();
        long session;
        long watermark;
        long watermarkChecksum;

        Session(int userId) {
            this.userId = userId;
        }
    }

    /// The last few replies of a client, that to its login included.
    private static final class RecentReplies {
        private static final int CAPACITY = 5;

        private final @Nullable MetadataReply[] ring = new @Nullable MetadataReply[CAPACITY];
        private int start;
        private int count;

        void add(MetadataReply reply) {
            if (count == CAPACITY) {
                ring[start] = reply;
                start = (start + 1) % CAPACITY;
            } else {
                ring[(start + count) % CAPACITY] = reply;
                count++;
            }
        }

        /// The reply to a request number, or null. A login has none: its number is not a client's to ask for.
        @Nullable MetadataReply of(long request) {
            for (MetadataReply reply : ring) {
                if (reply != null && reply.request() == request && reply.operation() != Operation.REGISTER) {
                    return reply;
                }
            }
            return null;
        }

        void write(ByteWriter out) {
            out.u8(count);
            for (int i = 0; i < count; i++) {
                MetadataReply reply = ring[(start + i) % CAPACITY];
                if (reply != null) {
                    reply.write(out);
                }
            }
        }

        void read(BodyReader in) {
            int repliesCount = in.u8();
            in.require(repliesCount <= CAPACITY);
            for (int i = 0; i < repliesCount && !in.isFailed(); i++) {
                add(MetadataReply.read(in));
            }
        }
    }
}
