package io.galgo.broker.partition;

import io.galgo.protocol.ClientId;

/// Who writes, as duplicate detection knows them: the client id and user of a login (spec protocol 3.5).
public record Writer(ClientId client, int userId) {}
