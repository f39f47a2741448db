package io.galgo.broker.shard;

/// Time, as an input.
public interface Clock {
    /// Microseconds since the Unix epoch. May jump either way.
    long wallMicros();

    /// Nanoseconds that only grow; meaningful as differences.
    long monotonicNanos();
}
