package io.galgo.broker.metadata;

import io.galgo.protocol.EvictionReason;
import java.util.List;

/// What applying one committed operation came to.
public sealed interface Outcome {
    /// The operation had its place in the order: it succeeded, or the state refused it.
    ///
    /// @param reply for whoever asked
    /// @param changes what every shard must act on, in order
    record Decided(MetadataReply reply, List<Change> changes) implements Outcome {}

    /// Nothing happened, because the client's session ended or was replaced before the operation's turn, or the
    /// login is not possible.
    ///
    /// @param reason for the client
    record Evicted(EvictionReason reason) implements Outcome {}

    /// Nothing happened: the bytes are no operation that this program knows. Whoever finds this in a journal must
    /// not go on, since another program did more.
    record Unknown() implements Outcome {}
}
