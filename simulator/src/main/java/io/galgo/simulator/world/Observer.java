package io.galgo.simulator.world;

import io.galgo.broker.metadata.Outcome;
import java.nio.ByteBuffer;

/// Hears what the world does, to check it. A broken promise is thrown as a [Violation].
public interface Observer {
    /// A process has recovered and serves.
    default void onStarted(SimulatedMachine machine, Life life) {}

    /// A shard applied a committed metadata operation. Called for every shard.
    ///
    /// @param operation valid during the call
    default void onApplied(SimulatedMachine machine, int shard, long op, ByteBuffer operation, Outcome outcome) {}

    /// A process ended. What it had in memory is gone; of what it had not synced as much as [End] says.
    default void onDied(SimulatedMachine machine, End end) {}

    /// A process could not start on what the disk holds. The world goes on only when damage explains it.
    default void onRefusedStart(SimulatedMachine machine, String reason) {}

    /// The world damaged something.
    default void onDamage(DamageRecord damage) {}

    default void onPhase(Phase phase) {}

    /// An event ran. For cheap invariants.
    default void afterEvent() {}

    /// Everything is healed, clients have stopped and have read what there is, the node is idle.
    default void atQuiescence() {}
}
