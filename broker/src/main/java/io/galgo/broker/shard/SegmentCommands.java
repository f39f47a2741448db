package io.galgo.broker.shard;

import io.galgo.broker.metadata.Catalog;
import io.galgo.broker.metadata.CompletedBody;
import io.galgo.broker.metadata.Right;
import io.galgo.broker.metadata.Stream;
import io.galgo.broker.metadata.Topic;
import io.galgo.broker.partition.Requester;
import io.galgo.broker.partition.SegmentEndRequest;
import io.galgo.broker.partition.Target;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.request.DeleteSegments;
import java.nio.ByteBuffer;

/// The deletion of segments, on the side of the connection (spec protocol 8.6.2, semantics 11.2).
///
/// A client names a number of segments, which is another offset at each moment. So the partition's owner is asked
/// first, if the user may delete segments at all, and what goes into the metadata is the offset: the same one for
/// whoever replays it.
final class SegmentCommands {
    /// A deletion that waits for the partition's owner.
    private record Deletion(Exchange exchange, Session session, DeleteSegments request) implements Requester {}

    private final Shard shard;
    private final Catalog catalog;
    private final Replies replies;
    private final Proposer proposer;

    /// Hands a command to the metadata plane with the body that the log needs.
    @FunctionalInterface
    interface Proposer {
        void propose(Exchange exchange, Session session, ByteBuffer body);
    }

    SegmentCommands(Shard shard, Catalog catalog, Replies replies, Proposer proposer) {
        this.shard = shard;
        this.catalog = catalog;
        this.replies = replies;
        this.proposer = proposer;
    }

    void delete(Exchange exchange, Session session, DeleteSegments request) {
        Deletion deletion = new Deletion(exchange, session, request);
        Stream stream = catalog.stream(request.stream());
        Topic topic = stream == null ? null : stream.topic(request.topic());
        int partition = request.partitionId();
        if (topic != null && !catalog.isAllowed(session.userId(), Right.MANAGE_TOPIC, topic.streamId(), topic.id())) {
            propose(deletion, CompletedBody.deleteSegmentsNotAllowed(request));
            return;
        }
        if (topic == null || partition < 0 || partition >= topic.partitionsCount()) {
            // What is missing, and whether this user is told so, is decided in the order of the log.
            propose(deletion, CompletedBody.deleteSegments(request, 0, 0));
            return;
        }
        Target target =
                new Target(topic.streamId(), topic.id(), partition, topic.created(partition), catalog.appliedOp());
        if (!shard.ask(new SegmentEndRequest(target, deletion, shard.index(), request.segmentsCount()))) {
            replies.refuseForNow(exchange);
        }
    }

    /// The partition's owner has answered.
    void onAnswered(SegmentEndRequest answered) {
        Deletion deletion = (Deletion) answered.requester();
        ErrorCode refusal = answered.refusal();
        if (refusal == null || refusal == ErrorCode.PARTITION_NOT_FOUND) {
            propose(deletion, CompletedBody.deleteSegments(deletion.request(), answered.endOffset(), answered.begun()));
        } else {
            replies.reject(deletion.exchange(), refusal);
        }
    }

    private void propose(Deletion deletion, ByteBuffer body) {
        proposer.propose(deletion.exchange(), deletion.session(), body);
    }
}
