package io.galgo.simulator.world;

import java.nio.ByteBuffer;

/// A client's connection, to write to. Calls on a channel that is not open do nothing.
public interface Channel {
    /// Sends the bytes from position to limit, which are copied and not moved.
    void send(ByteBuffer bytes);

    /// Closes both directions behind what was sent.
    void close();

    /// Says that nothing more will be sent; replies still arrive.
    void endOutput();

    /// The client is gone without a word, as when its machine lost power: the server hears nothing more.
    void abandon();

    /// Leaves what arrives unread, until the server cannot send any more.
    void stopReading();

    void resumeReading();

    /// Whether the connection stands as far as the client knows. False until [Endpoint#onConnected].
    boolean isOpen();

    /// Whether it really stands. False when the other end is gone, also while the client has not heard of it. For
    /// checkers: no client can know.
    boolean isWhole();
}
