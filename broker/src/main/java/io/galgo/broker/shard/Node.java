package io.galgo.broker.shard;

import java.util.List;

/// All shards of one node and the mailboxes between them.
///
/// Start-up, on the caller's thread and before any shard's thread runs: [#recover] reads the metadata and each
/// shard's partitions. After it every method belongs to the shards' threads.
public abstract class Node {
    protected Node() {}

    /// Opens the metadata journal and every partition in the data directory and makes the shards.
    ///
    /// @param environments one for each shard, in order
    /// @param root used when the journal is empty
    /// @param memoryWasLost whether written but unsynced bytes may be missing (the machine restarted since the
    ///     last run)
    public static Node recover(
            BrokerSettings settings,
            List<ShardEnvironment> environments,
            java.util.function.Supplier<RootUser> root,
            boolean memoryWasLost) {
        throw new UnsupportedOperationException("not written yet");
    }

    public abstract List<Shard> shards();

    /// Tells how clients reach this node, once the listeners are bound and before clients are accepted.
    public abstract void publish(NodeAddress address);
}
