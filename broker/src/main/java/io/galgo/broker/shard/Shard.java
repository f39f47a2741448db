package io.galgo.broker.shard;

/// What one thread of a node owns: the connections it accepted, the partitions that hash to it, its copy of the
/// metadata.
///
/// Confined to its thread, except for the mailbox behind [ShardEnvironment#wakeUp].
public abstract class Shard {
    protected Shard() {}

    /// A transport accepted a client.
    public abstract Connection connect(Link link);

    /// Parcels of other shards wait in the mailbox. Handles them all; also called before each batch of frames.
    public abstract void onParcels();

    /// Stops: refuses new requests, finishes what is running, writes what is committed, closes the logs.
    ///
    /// @param stopped called when all is on disk
    public abstract void stop(Runnable stopped);

    public abstract int index();
}
