package io.galgo.broker.plane;

/// Whoever waits for the answer of a [MetadataRequest]; meaningful to the shard that made the request only.
public interface MetadataRequester {}
