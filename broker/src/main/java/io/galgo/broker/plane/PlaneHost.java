package io.galgo.broker.plane;

import io.galgo.broker.metadata.Outcome;
import io.galgo.storage.Incident;
import java.nio.ByteBuffer;

/// What the metadata plane needs from the shard that it runs on.
public interface PlaneHost {
    /// Microseconds since the Unix epoch. May jump either way.
    long wallMicros();

    /// Nanoseconds that only grow.
    long monotonicNanos();

    /// Claims room in every other shard's mailbox for one committed operation.
    ///
    /// @return false, and nothing is claimed, when one of them is full
    boolean reserveBroadcast();

    /// Gives back what [#reserveBroadcast] claimed for an operation that will not be committed.
    void unreserveBroadcast();

    /// Applies a committed operation here and sends it to every other shard, using up one [#reserveBroadcast].
    ///
    /// @param operation position to limit; not changed any more
    Outcome commit(long op, ByteBuffer operation);

    /// Takes an answered request back for its requester, for good.
    void onAnswered(MetadataRequest request);

    /// Counts what operators may want to count.
    void count(Incident incident);

    /// One line for people: a fault that does not end the service.
    void warn(String line);

    /// One line for people: a fault that ends the service.
    void error(String line);
}
