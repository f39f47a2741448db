package io.galgo.broker.plane;

import io.galgo.broker.metadata.MetadataReply;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.EvictionReason;

/// What became of a [MetadataRequest].
public sealed interface MetadataAnswer {
    /// It was carried out, or refused by the state, now or when it came for the first time.
    record Decided(MetadataReply reply) implements MetadataAnswer {}

    /// It got no place in the order, or lost it: 58 when nothing happened, 57 when that is not known.
    ///
    /// @param isCrowded whether only too many were there before it, so that it has good prospects a little later
    record Rejected(ErrorCode error, boolean isCrowded) implements MetadataAnswer {}

    /// It got no place in the order, for a reason that will not pass.
    record Denied(ErrorCode error) implements MetadataAnswer {}

    /// Its session, or the login that it was, is over.
    record Evicted(EvictionReason reason) implements MetadataAnswer {}
}
