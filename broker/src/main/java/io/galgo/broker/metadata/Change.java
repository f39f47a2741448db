package io.galgo.broker.metadata;

import io.galgo.protocol.ClientId;

/// A consequence of a committed operation outside the catalog. Every shard hears each of them once, in order, while
/// it runs; after a restart the catalog itself is the list of what must exist.
public sealed interface Change {
    /// Partitions `[first, first + count)` of a topic now exist, empty.
    ///
    /// @param created the op that made them; with the three ids it names a partition for ever
    record PartitionsCreated(int streamId, int topicId, int first, int count, long created, TopicSettings settings)
            implements Change {}

    /// Partitions `[first, first + count)` of a topic are gone, with messages and offsets.
    record PartitionsRemoved(int streamId, int topicId, int first, int count) implements Change {}

    /// A topic is gone. Its partitions were removed before.
    record TopicRemoved(int streamId, int topicId) implements Change {}

    /// A stream is gone. Its topics were removed before.
    record StreamRemoved(int streamId) implements Change {}

    /// All partitions of a topic, `[0, partitionsCount)`, start again at offset 0 without messages or offsets.
    ///
    /// @param generation the op of the purge
    record TopicPurged(int streamId, int topicId, int partitionsCount, long generation) implements Change {}

    /// A topic's settings are different now, for its existing partitions too.
    record TopicUpdated(int streamId, int topicId, TopicSettings settings) implements Change {}

    /// The closed segments of a partition that end below an offset may go, as soon as no stored consumer offset
    /// needs them (spec semantics 11.2).
    ///
    /// @param offset first offset to keep; never below that of an earlier one since the last purge
    record PartitionTruncated(int streamId, int topicId, int partition, long offset) implements Change {}

    /// A consumer group is gone; its stored offsets go too.
    record GroupRemoved(int streamId, int topicId, int groupId) implements Change {}

    /// The members of a consumer group, or who owns which partition, are different now.
    record GroupChanged(int streamId, int topicId, int groupId) implements Change {}

    /// What a user may do is different now.
    record RightsChanged(int userId) implements Change {}

    /// A client logged in. When the client had a session before, on whatever connection, that one is over.
    ///
    /// @param session the new session
    /// @param previousSession the one that it replaces, 0 for none
    record SessionBound(ClientId client, long session, int userId, long previousSession) implements Change {}

    /// A session is over; the connection that holds it is not logged in any more.
    record SessionEnded(ClientId client, long session, Cause cause) implements Change {
        /// Why a session ended.
        public enum Cause {
            /// The client asked for it, or its connection is gone.
            LOGOUT,
            /// There was no room. The next command of the connection is answered with an eviction.
            DISCARDED,
            /// The user was deleted. The next command of the connection is answered with an eviction.
            USER_REMOVED
        }
    }
}
