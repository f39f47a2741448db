package io.galgo.broker.partition;

/// Whoever waits for the answer of a [PartitionRequest]; meaningful to the shard that made the request only.
public interface Requester {}
