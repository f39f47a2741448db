package io.galgo.broker.shard;

import io.galgo.broker.metadata.Catalog;
import io.galgo.broker.metadata.Stream;
import io.galgo.broker.metadata.Topic;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.reply.Routing;
import io.galgo.protocol.request.AttachConsumerSession;
import io.galgo.protocol.request.GetConsumerOffset;
import io.galgo.protocol.request.GetConsumerOffsetRouting;
import io.galgo.protocol.request.GetPollRouting;
import io.galgo.protocol.request.PollMessages;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which node serves a partition, and under whose name a connection acts there (spec semantics 12.5).
///
/// This node leads all of its partitions, so it names itself.
final class Routes {
    /// How long an attachment waits for metadata that its client has heard of and this shard has not.
    private static final long PATIENCE_NANOS = 3_000_000_000L;

    /// An attachment that waits. At most one a connection: nothing else of it runs meanwhile.
    private record Waiting(Exchange exchange, AttachConsumerSession request) {
        boolean isDue(long appliedOp) {
            return Long.compareUnsigned(request.metadataWatermark(), appliedOp) <= 0
                    && Long.compareUnsigned(request.session(), appliedOp) <= 0;
        }
    }

    private final Shard shard;
    private final Catalog catalog;
    private final Replies replies;
    private final PartitionCommands partitions;
    private final Timers timers;
    private final List<Waiting> waiting = new ArrayList<>();

    Routes(Shard shard, Catalog catalog, Replies replies, PartitionCommands partitions, Timers timers) {
        this.shard = shard;
        this.catalog = catalog;
        this.replies = replies;
        this.partitions = partitions;
        this.timers = timers;
    }

    // Attachments

    void attach(Exchange exchange) {
        AttachConsumerSession request = AttachConsumerSession.decode(exchange.body());
        if (request == null) {
            replies.deny(exchange, ErrorCode.INVALID_COMMAND);
            return;
        }
        exchange.releaseFrame();
        Waiting attachment = new Waiting(exchange, request);
        if (attachment.isDue(catalog.appliedOp())) {
            attach(attachment);
        } else if (shard.isStopping()) {
            replies.refuseForNow(exchange);
        } else {
            waiting.add(attachment);
            timers.after(PATIENCE_NANOS, () -> giveUp(attachment));
        }
    }

    private void attach(Waiting attachment) {
        Exchange exchange = attachment.exchange;
        AttachConsumerSession request = attachment.request;
        Session own = exchange.connection().session();
        if (own == null) {
            replies.deny(exchange, ErrorCode.UNAUTHENTICATED);
        } else if (request.session() == 0
                || catalog.clients().session(request.client()) != request.session()
                || catalog.clients().userId(request.client()) != own.userId()) {
            replies.deny(exchange, ErrorCode.STALE_CLIENT);
        } else {
            exchange.connection().attach(new Attachment(request.client(), request.session()));
            replies.readEmpty(exchange);
        }
    }

    private void giveUp(Waiting attachment) {
        if (waiting.remove(attachment)) {
            replies.refuseForNow(attachment.exchange);
        }
    }

    /// An operation was applied.
    void onApplied() {
        if (waiting.isEmpty()) {
            return;
        }
        long appliedOp = catalog.appliedOp();
        List<Waiting> due = new ArrayList<>();
        waiting.removeIf(attachment -> attachment.isDue(appliedOp) && due.add(attachment));
        for (Waiting attachment : due) {
            attach(attachment);
        }
    }

    /// The shard stops: nothing will be applied any more.
    void stop() {
        List<Waiting> all = List.copyOf(waiting);
        waiting.clear();
        for (Waiting attachment : all) {
            replies.refuseForNow(attachment.exchange);
        }
    }

    // Routing

    void pollRouting(Exchange exchange, Session session) {
        GetPollRouting request = GetPollRouting.decode(exchange.body());
        if (request == null) {
            replies.deny(exchange, ErrorCode.INVALID_COMMAND);
            return;
        }
        PollMessages poll = request.poll();
        Stream stream = catalog.stream(poll.stream());
        Topic topic = stream == null ? null : stream.topic(poll.topic());
        ErrorCode wrong = refusal(
                session,
                stream,
                topic,
                poll.consumer(),
                poll.partition(),
                poll.consumer().isGroup(),
                () -> partitions.pollClaim(
                                        topic,
                                        poll.consumer(),
                                        poll.partition(),
                                        GroupRequests.member(catalog, exchange, session))
                                == null
                        ? ErrorCode.CONSUMER_GROUP_PARTITION_NOT_OWNED
                        : null);
        answer(exchange, session, wrong);
    }

    void offsetRouting(Exchange exchange, Session session) {
        GetConsumerOffsetRouting request = GetConsumerOffsetRouting.decode(exchange.body());
        if (request == null) {
            replies.deny(exchange, ErrorCode.INVALID_COMMAND);
            return;
        }
        GetConsumerOffset query = request.query();
        Stream stream = catalog.stream(query.stream());
        Topic topic = stream == null ? null : stream.topic(query.topic());
        ErrorCode wrong = refusal(
                session,
                stream,
                topic,
                query.consumer(),
                query.partition(),
                true,
                () -> partitions.groupOffsetRefusal(
                        topic, query.consumer(), query.partition(), GroupRequests.member(catalog, exchange, session)));
        answer(exchange, session, wrong);
    }

    /// What the group has to say, asked only when the consumer is one.
    @FunctionalInterface
    private interface GroupCheck {
        @Nullable ErrorCode refusal();
    }

    private @Nullable ErrorCode refusal(
            Session session,
            @Nullable Stream stream,
            @Nullable Topic topic,
            ConsumerRef consumer,
            OptionalPartition partition,
            boolean mustNamePartition,
            GroupCheck groupCheck) {
        if (topic != null && !partitions.mayPoll(session, topic)) {
            return ErrorCode.UNAUTHORIZED;
        }
        if (mustNamePartition && !partition.isGiven()) {
            // As the poll of a group and the offset write that the client asks for would be answered.
            return ErrorCode.INVALID_IDENTIFIER;
        }
        ErrorCode wrong = consumer.isGroup() ? groupCheck.refusal() : null;
        if (wrong == null) {
            wrong = PartitionCommands.missing(stream, topic, partition.idOrFirst());
        }
        return wrong == null && !consumer.isKnownKind() ? ErrorCode.INVALID_COMMAND : wrong;
    }

    private void answer(Exchange exchange, Session session, @Nullable ErrorCode wrong) {
        if (wrong != null) {
            replies.deny(exchange, wrong);
        } else {
            replies.read(
                    exchange,
                    new Routing(session.client(), session.number(), catalog.appliedOp(), shard.node(exchange)));
        }
    }
}
