package io.galgo.broker.shard;

import io.galgo.storage.Incidents;
import io.galgo.storage.disk.Disk;
import io.galgo.storage.form.Encryption;
import io.galgo.storage.memory.BufferPool;
import java.util.function.Supplier;

/// The world of one shard: everything that the core cannot do itself.
///
/// @param wakeUp makes the shard's thread call [Shard#onParcels] soon; may be called on any thread
/// @param encryption how batches are stored
/// @param statistics asks the node about itself; cheap enough to be called on a shard
/// @param tap hears which metadata operations take effect
/// @param incidents counts what operators may want to count; the same for all shards
/// @param log hears one line a fault or notable event
public record ShardEnvironment(
        Clock clock,
        Timers timers,
        Disk disk,
        BufferPool buffers,
        Entropy entropy,
        Encryption encryption,
        SnapshotMaker snapshots,
        PasswordHasher passwords,
        TokenHasher tokens,
        Supplier<NodeStatistics> statistics,
        Runnable wakeUp,
        MetadataTap tap,
        Incidents incidents,
        EventLog log) {}
