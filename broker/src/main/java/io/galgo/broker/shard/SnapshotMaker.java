package io.galgo.broker.shard;

import io.galgo.protocol.request.GetSnapshot;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Makes archives that describe the state of the server, away from the shard (spec semantics 18).
public interface SnapshotMaker {
    /// Makes an archive.
    ///
    /// @param bytesMax how long it may be
    /// @param done hears the archive, from position to limit, on the shard's thread, or null when it could not
    ///     be made or is longer
    /// @return whether this was begun; false while another one is being made
    boolean make(GetSnapshot request, int bytesMax, Consumer<@Nullable ByteBuffer> done);
}
