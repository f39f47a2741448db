package io.galgo.simulator.world;

import io.galgo.broker.metadata.Outcome;
import java.nio.ByteBuffer;
import java.util.List;

/// One process of a machine, from its start to its end, and what it found when it recovered.
///
/// @param number counted from 1 on each machine
/// @param memoryWasLost whether the machine lost power since the last complete recovery
/// @param snapshotOp the last metadata operation inside the snapshot it started from; 0 when there was none
/// @param replayed the operations of the journal behind the snapshot, in order
/// @param isFullyRecovered whether every partition could be opened
public record Life(
        int number, boolean memoryWasLost, long snapshotOp, List<Replayed> replayed, boolean isFullyRecovered) {
    /// An operation that recovery found and repeated.
    ///
    /// @param operation a copy
    public record Replayed(long op, ByteBuffer operation, Outcome outcome) {}

    /// The last operation that this process knew when it began to serve.
    public long recoveredOp() {
        return replayed.isEmpty() ? snapshotOp : replayed.getLast().op();
    }
}
