package io.galgo.broker.shard;

/// Chance, as an input. One seeded source in a simulation, the system's in production.
public interface Entropy {
    void fill(byte[] target);
}
