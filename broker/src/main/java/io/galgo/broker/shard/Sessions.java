package io.galgo.broker.shard;

import io.galgo.broker.metadata.Change;
import io.galgo.protocol.ClientId;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Which connection of this shard holds which client's session.
///
/// The catalog decides which sessions live; this follows it, so that a connection whose session was taken over
/// or ended elsewhere is not logged in any more.
final class Sessions {
    private final Map<ClientId, Connection> connections = new LinkedHashMap<>();

    void bind(Connection connection, Session session) {
        Connection before = connections.put(session.client(), connection);
        if (before != null && before != connection) {
            before.unbind();
            before.endWait();
        }
        connection.bind(session);
    }

    /// The connection is gone, or its login is over.
    void remove(Connection connection) {
        Session session = connection.session();
        if (session != null) {
            connections.remove(session.client(), connection);
            connection.unbind();
        }
    }

    void apply(Change change) {
        switch (change) {
            case Change.SessionBound bound -> end(bound.client(), bound.session() - 1, false);
            case Change.SessionEnded ended ->
                end(ended.client(), ended.session(), ended.cause() != Change.SessionEnded.Cause.LOGOUT);
            default -> {}
        }
    }

    /// Ends a client's session if it is not newer than `session`.
    ///
    /// @param isToBeTold whether the client's next command is answered with an eviction
    private void end(ClientId client, long session, boolean isToBeTold) {
        Connection connection = connections.get(client);
        if (connection == null) {
            return;
        }
        Session bound = connection.session();
        if (bound != null && bound.number() <= session) {
            remove(connection);
            if (isToBeTold) {
                connection.loseSession();
            }
            connection.endWait();
        }
    }

    @Nullable Connection connection(ClientId client) {
        return connections.get(client);
    }
}
