package io.galgo.broker.partition;

import io.galgo.storage.log.LogStorage;
import io.galgo.storage.offsets.OffsetsStorage;

/// What partitions need from the shard that owns them.
public interface PartitionHost {
    /// What the logs of the shard share.
    LogStorage logs();

    /// What the consumer offset files of the shard share.
    OffsetsStorage offsets();

    /// Microseconds since the Unix epoch. May jump either way.
    long wallMicros();

    /// Nanoseconds that only grow.
    long monotonicNanos();

    /// Takes an answered request back for its requester, for good.
    void onAnswered(PartitionRequest request);

    /// Gives cached memory back so that a read can go on.
    ///
    /// @return whether any was given back
    boolean makeRoom(long bytes);

    /// Takes a directory out of sight at once and removes it later.
    void discard(String directory);

    /// One line for people: something was noticed that they may want to know.
    void info(String line);

    /// One line for people: a fault.
    void warn(String line);
}
