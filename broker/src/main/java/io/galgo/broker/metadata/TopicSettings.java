package io.galgo.broker.metadata;

import io.galgo.protocol.reply.CompressionAlgorithm;

/// The effective options of a topic (spec protocol 6.2, semantics 4).
///
/// @param messageExpiryMicros age at which a message may go; [#NEVER] for never
/// @param compression whether batches are deflated on disk (`compression_algorithm`)
/// @param topicBytesMax bytes that the topic may keep; [#UNLIMITED] for no bound
/// @param segmentBytesMax size at which a segment is sealed
/// @param persisted whether a send is acknowledged only when it is synced (`durability`)
/// @param offsetsPersisted the same for stored consumer offsets (`consumer_offset_durability`)
/// @param flushMessages `messages_required_to_save`
/// @param flushBytes `size_of_messages_required_to_save`
/// @param preallocate whether a segment's room is reserved at its creation (`preallocate_segments`)
public record TopicSettings(
        long messageExpiryMicros,
        CompressionAlgorithm compression,
        long topicBytesMax,
        long segmentBytesMax,
        boolean persisted,
        boolean offsetsPersisted,
        int flushMessages,
        long flushBytes,
        boolean preallocate) {
    /// A message expiry of never.
    public static final long NEVER = -1;

    /// A topic size without bound.
    public static final long UNLIMITED = -1;
}
