package io.galgo.broker.shard;

import io.galgo.broker.partition.Writer;
import io.galgo.protocol.ClientId;

/// A login on a connection.
///
/// @param writer client id and user
/// @param number the session: the op of the login
record Session(Writer writer, long number) {
    ClientId client() {
        return writer.client();
    }

    int userId() {
        return writer.userId();
    }
}
