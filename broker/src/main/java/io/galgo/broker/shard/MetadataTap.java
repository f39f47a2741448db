package io.galgo.broker.shard;

import io.galgo.broker.metadata.Outcome;
import java.nio.ByteBuffer;

/// Hears which metadata operations a shard applies, in order. For whoever checks a node from outside; a server has no
/// need of it.
///
/// Buffers are valid during the call only.
public interface MetadataTap {
    /// Hears nothing.
    MetadataTap NONE = new MetadataTap() {};

    /// Recovery starts from a snapshot that holds everything up to `op`.
    default void onSnapshot(long op, ByteBuffer state) {}

    /// Recovery repeats an operation of the journal.
    default void onReplayed(long op, ByteBuffer operation, Outcome outcome) {}

    /// The shard applied an operation that was just committed.
    default void onApplied(long op, ByteBuffer operation, Outcome outcome) {}
}
