package io.galgo.broker.partition;

import io.galgo.protocol.ClientId;

/// Who acts for which consumer group. The owner of a partition asks its own metadata whether the client may: what
/// the requester's said is the past by then.
public record GroupClaim(int groupId, ClientId client) {}
