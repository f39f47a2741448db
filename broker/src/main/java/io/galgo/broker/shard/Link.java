package io.galgo.broker.shard;

/// The transport under one client connection. Confined to the connection's shard.
public interface Link {
    /// Sends a reply or eviction behind those sent before and releases it when its bytes are gone, or the link is.
    /// In the first case it then tells [Connection#onSent], never from inside this call.
    void send(Reply reply);

    /// Closes the transport once what was sent is out, or the close grace has passed.
    void close();

    /// Stops handing frames in until [#resumeReading]. A frame that is already decoded may still arrive.
    void pauseReading();

    void resumeReading();

    /// The client's `ip:port`, IPv6 in brackets.
    String remoteAddress();

    /// The literal ip on which the client reached this node.
    String localIp();

    /// The transport code of client listings (spec protocol 4): 1 TCP, 2 QUIC, 4 WebSocket.
    int transportCode();
}
