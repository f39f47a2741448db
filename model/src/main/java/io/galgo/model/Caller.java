package io.galgo.model;

import io.galgo.protocol.ClientId;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// One connection of a client, and what the client knows.
final class Caller {
    static final int NOBODY = -1;

    final int index;
    final Subject.Wire wire;
    ClientId id;
    /// The last number taken.
    long number;
    long session;
    int userId = NOBODY;
    String user = "nobody";
    /// Whether another connection has logged in under this one's client id.
    boolean isUsurped;

    @Nullable ClientId attached;

    long attachedSession;
    long lastSpokeMicros;
    boolean hasSpoken;
    /// The number of this connection that the server tells.
    int clientNumber = -1;
    /// What was sent and can be sent again.
    final Deque<Call> recent = new ArrayDeque<>();

    Caller(int index, Subject.Wire wire, ClientId id) {
        this.index = index;
        this.wire = wire;
        this.id = id;
    }

    boolean isBound() {
        return userId != NOBODY;
    }

    void unbind() {
        userId = NOBODY;
        user = "nobody";
        session = 0;
        isUsurped = false;
        attached = null;
        recent.clear();
    }

    void remember(Call call) {
        recent.addFirst(call);
        if (recent.size() > 9) {
            recent.removeLast();
        }
    }

    @Override
    public String toString() {
        return "c" + index + " (" + user + ")";
    }
}
