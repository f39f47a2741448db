package io.galgo.broker.metadata;

import io.galgo.protocol.ClientId;
import java.util.List;

/// The circumstances of one command whose turn has come.
///
/// @param op its place in the log
/// @param nowMicros its commit time
/// @param userId who asks
/// @param client with which client
/// @param changes takes what the shards must act on
record Turn(long op, long nowMicros, int userId, ClientId client, List<Change> changes) {}
