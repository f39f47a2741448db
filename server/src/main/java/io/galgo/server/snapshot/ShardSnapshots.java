package io.galgo.server.snapshot;

import io.galgo.broker.shard.SnapshotMaker;
import io.galgo.protocol.request.GetSnapshot;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The [SnapshotMaker] of one shard: archives of the node, answers on the shard's thread.
public final class ShardSnapshots implements SnapshotMaker {
    private final SnapshotArchives archives;
    private final Executor shard;

    /// @param shard runs the answers
    public ShardSnapshots(SnapshotArchives archives, Executor shard) {
        this.archives = archives;
        this.shard = shard;
    }

    @Override
    public boolean make(GetSnapshot request, int bytesMax, Consumer<@Nullable ByteBuffer> done) {
        return archives.offer(request, bytesMax, archive -> shard.execute(() -> done.accept(archive)));
    }
}
