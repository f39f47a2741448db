package io.galgo.broker.shard;

/// How clients reach this node (spec protocol 8.1.4).
///
/// @param host what cluster metadata names; empty when the listener is bound to a wildcard and nothing is
///     advertised: then each client is told the address it connected to
/// @param tcpPort the bound port, 0 when the transport is off; likewise the others
public record NodeAddress(String host, int tcpPort, int quicPort, int httpPort, int webSocketPort) {}
