package io.galgo.simulator.world;

import java.nio.ByteBuffer;

/// The client's end of a connection.
public interface Endpoint {
    /// The connection stands.
    void onConnected();

    /// Bytes of the server, cut anyhow, from position to limit, little-endian. Valid during the call.
    void onBytes(ByteBuffer bytes);

    /// The connection ended, or was refused. Nothing follows. Not called for what the client itself closed or
    /// abandoned, and at most once.
    void onClosed();
}
