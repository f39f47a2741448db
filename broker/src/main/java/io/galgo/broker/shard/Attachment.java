package io.galgo.broker.shard;

import io.galgo.protocol.ClientId;

/// Another live session of the same user, under whose consumer group identity a connection acts.
record Attachment(ClientId client, long session) {}
