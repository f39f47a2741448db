package io.galgo.broker.shard;

import io.galgo.broker.partition.PartitionRequest;
import io.galgo.broker.partition.PollRequest;
import io.galgo.broker.plane.MetadataRequest;
import io.galgo.protocol.ClientId;
import java.nio.ByteBuffer;
import java.util.List;

/// What crosses a [io.galgo.broker.mailbox.Mailbox]: immutable, or handed over for good.
sealed interface Parcel {
    /// A request for a partition of the receiving shard. Its sender has reserved room for the answer.
    record Asked(PartitionRequest request) implements Parcel {}

    /// A request of the receiving shard, answered.
    record Answered(PartitionRequest request) implements Parcel {}

    /// A request for the metadata plane. Its sender has reserved room for the answer.
    record Proposed(MetadataRequest request) implements Parcel {}

    /// A metadata request of the receiving shard, answered.
    record Decided(MetadataRequest request) implements Parcel {}

    /// A committed metadata operation; they arrive in order.
    ///
    /// @param operation a view of its own, position to limit
    record Committed(long op, ByteBuffer operation) implements Parcel {}

    /// A question about what the receiving shard owns. Its sender has reserved room for the answer.
    record Questioned(Question question) implements Parcel {}

    /// The answer of one shard to a question of the receiving shard.
    record Told(Question question, Share share) implements Parcel {}

    /// A client is about to join a consumer group: what has it in flight in partitions of the receiving shard? The
    /// sender has reserved room for the answer, and for [JoinDecided].
    record JoinBegun(GroupJoin join) implements Parcel {}

    /// The answer of one shard to [JoinBegun].
    ///
    /// @param inFlight ids of partitions
    record JoinTold(GroupJoin join, List<Integer> inFlight) implements Parcel {}

    /// A join that the receiving shard was asked about is decided, and what came of it was sent before.
    record JoinDecided(GroupJoin join) implements Parcel {}

    /// The client of a poll that may be waiting at the receiving shard, for whatever reason, is gone.
    record PollCancelled(PollRequest poll) implements Parcel {}

    /// How clients reach the node.
    record Published(NodeAddress address) implements Parcel {}

    /// What one shard asks all others.
    ///
    /// @param gathering where the asking shard collects the answers; nobody else looks inside
    record Question(Scope scope, int streamId, int topicId, int askingShard, Gathering gathering) {}

    /// What a question is about.
    enum Scope {
        /// The sums over all partitions, and the number of connections.
        NODE,
        /// The sums of each topic.
        STREAMS,
        /// The sums of each topic of a stream.
        STREAM,
        /// Each partition of a topic.
        TOPIC,
        /// How far the consumer groups of a topic are behind.
        LAGS,
        /// Each connection.
        CLIENTS
    }

    /// What one shard has to tell.
    ///
    /// @param partitions those asked for one by one
    /// @param topics the sums over those partitions of each topic that the shard owns
    /// @param connectionsCount connections that sent at least one frame
    record Share(
            List<PartitionNumbers.Row> partitions,
            List<TopicNumbers.Row> topics,
            long segmentsCount,
            long sizeBytes,
            long messagesCount,
            int connectionsCount,
            List<ConnectionRecord> connections,
            List<GroupLag> lags) {}

    /// What client listings tell of a connection.
    ///
    /// @param client the client id of the login, [ClientId#NONE] when nobody is logged in
    /// @param userId -1 when nobody is logged in
    record ConnectionRecord(int number, ClientId client, int userId, int transportCode, String address) {}
}
