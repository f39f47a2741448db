package io.galgo.simulator.check;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.request.Request;
import org.jspecify.annotations.Nullable;

/// One request of a client under one number, and all of its transmissions.
public final class Exchange {
    public final int clientIndex;
    public final ClientId client;
    public final long number;
    public final Request request;
    public final @Nullable Sending sending;
    /// The session that it was transmitted under last, 0 for a login.
    public long session;
    /// When it was transmitted first.
    public long begunNanos = -1;
    /// When it was transmitted last.
    public long transmittedNanos = -1;
    public int transmissions;
    /// Answers that say that a transmission had no effect.
    int refusals;
    /// In which life of the process it was transmitted last.
    int life;
    /// The state of the group's ownership when it was transmitted, if it is about a group.
    long groupChanges = -1;

    public Exchange(
            int clientIndex, ClientId client, long session, long number, Request request, @Nullable Sending sending) {
        this.clientIndex = clientIndex;
        this.client = client;
        this.session = session;
        this.number = number;
        this.request = request;
        this.sending = sending;
    }

    @Override
    public String toString() {
        return "client " + clientIndex + " (" + client + ", session " + session + ") #" + number + " "
                + (sending == null ? request : sending);
    }
}
