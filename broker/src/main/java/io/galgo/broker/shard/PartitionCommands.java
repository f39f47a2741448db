package io.galgo.broker.shard;

import io.galgo.broker.metadata.Catalog;
import io.galgo.broker.metadata.Change;
import io.galgo.broker.metadata.ConsumerGroup;
import io.galgo.broker.metadata.Right;
import io.galgo.broker.metadata.Stream;
import io.galgo.broker.metadata.Topic;
import io.galgo.broker.partition.GroupClaim;
import io.galgo.broker.partition.OffsetReadRequest;
import io.galgo.broker.partition.OffsetWriteRequest;
import io.galgo.broker.partition.PartitionDirectory;
import io.galgo.broker.partition.PartitionRequest;
import io.galgo.broker.partition.PollRequest;
import io.galgo.broker.partition.PollWait;
import io.galgo.broker.partition.SegmentEndRequest;
import io.galgo.broker.partition.SendRequest;
import io.galgo.broker.partition.Target;
import io.galgo.broker.table.LongTable;
import io.galgo.protocol.BodyReader;
import io.galgo.protocol.Checksum;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.NameCache;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.Partitioning;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.reply.PollHeader;
import io.galgo.protocol.reply.StoredOffset;
import io.galgo.protocol.request.AwaitMessages;
import io.galgo.protocol.request.DeleteConsumerOffset;
import io.galgo.protocol.request.GetConsumerOffset;
import io.galgo.protocol.request.PollMessages;
import io.galgo.protocol.request.SendMessages;
import io.galgo.protocol.request.StoreConsumerOffset;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The commands on one partition, on the side of the connection: understands them, finds the partition, asks
/// whether the user may, and hands them to the partition's owner. The checks and their order are those of spec
/// protocol 8.8 and 8.9.
final class PartitionCommands {
    /// Names that are remembered, so that they are not made anew with each request.
    private static final int NAMES = 1024;

    /// Replies on QUIC stay below what its clients read.
    private static final int QUIC_TRANSPORT = 2;

    private static final int QUIC_REPLY_BYTES_MAX = 10_000_000;
    private static final int REPLY_BYTES_MAX = 64 << 20;

    private final Shard shard;
    private final Catalog catalog;
    private final Replies replies;
    private final int replyBytesMax;
    private final long pollWaitNanosMax;
    private final BodyReader in = new BodyReader(new NameCache(NAMES));

    // Whose turn it is, for sends that leave the choice to the server. Per shard, for no shard sees them all: what
    // each of them deals out evenly is dealt out evenly.
    private final LongTable<int[]> turns = new LongTable<>();

    /// @param pollWaitNanosMax how long a poll may wait for messages
    PartitionCommands(Shard shard, Catalog catalog, Replies replies, int frameBytesMax, long pollWaitNanosMax) {
        this.shard = shard;
        this.catalog = catalog;
        this.replies = replies;
        this.replyBytesMax = Math.min(frameBytesMax, REPLY_BYTES_MAX);
        this.pollWaitNanosMax = pollWaitNanosMax;
    }

    void write(Exchange exchange, Session session) {
        switch (exchange.operation()) {
            case SEND_MESSAGES -> send(exchange, session);
            case STORE_CONSUMER_OFFSET -> storeOffset(exchange, session);
            case DELETE_CONSUMER_OFFSET -> deleteOffset(exchange, session);
            default -> throw new IllegalStateException(exchange.operation() + " writes to no partition");
        }
    }

    // Sends

    private void send(Exchange exchange, Session session) {
        SendMessages send = SendMessages.decode(in.over(exchange.body()));
        Topic topic = send == null ? null : catalog.topic(send.stream(), send.topic());
        if (send == null || topic == null || !hasPartition(topic, send.partitioning())) {
            replies.deny(exchange, ErrorCode.RESOURCE_NOT_FOUND);
            return;
        }
        if (!catalog.isAllowed(session.userId(), Right.SEND_MESSAGES, topic.streamId(), topic.id())) {
            replies.deny(exchange, ErrorCode.UNAUTHORIZED);
            return;
        }
        if (!send.isMetadataExact()) {
            replies.deny(exchange, ErrorCode.INVALID_COMMAND);
            return;
        }
        Target target = target(topic, partition(topic, send.partitioning()));
        ask(
                exchange,
                new SendRequest(
                        target,
                        exchange,
                        shard.index(),
                        session.writer(),
                        exchange.number(),
                        exchange.takeFrame(),
                        FrameHeader.BYTES + send.batchPosition(),
                        send.batchLength(),
                        send.messagesCount()));
    }

    private static boolean hasPartition(Topic topic, Partitioning partitioning) {
        return partitioning instanceof Partitioning.Partition partition
                ? hasPartition(topic, partition.id())
                : topic.partitionsCount() > 0;
    }

    private int partition(Topic topic, Partitioning partitioning) {
        return switch (partitioning) {
            case Partitioning.Balanced _ -> nextInTurn(topic);
            case Partitioning.Partition partition -> partition.id();
            case Partitioning.Key key -> key.partitionIndex(topic.partitionsCount());
        };
    }

    private int nextInTurn(Topic topic) {
        long key = PartitionDirectory.key(topic.streamId(), topic.id(), 0);
        int[] turn = turns.get(key);
        if (turn == null) {
            turn = new int[1];
            turns.put(key, turn);
        }
        int partition = turn[0] % topic.partitionsCount();
        turn[0] = partition + 1;
        return partition;
    }

    /// A topic that comes later under the same ids begins anew.
    void apply(Change change) {
        if (change instanceof Change.TopicRemoved gone) {
            turns.remove(PartitionDirectory.key(gone.streamId(), gone.topicId(), 0));
        }
    }

    // Consumer offsets

    private void storeOffset(Exchange exchange, Session session) {
        StoreConsumerOffset store = StoreConsumerOffset.decode(in.over(exchange.body()));
        if (store == null) {
            replies.deny(exchange, ErrorCode.INVALID_COMMAND);
        } else {
            writeOffset(
                    exchange,
                    session,
                    store.consumer(),
                    store.stream(),
                    store.topic(),
                    store.partition(),
                    false,
                    store.offset());
        }
    }

    private void deleteOffset(Exchange exchange, Session session) {
        DeleteConsumerOffset delete = DeleteConsumerOffset.decode(exchange.body());
        if (delete == null) {
            replies.deny(exchange, ErrorCode.INVALID_COMMAND);
        } else {
            writeOffset(
                    exchange, session, delete.consumer(), delete.stream(), delete.topic(), delete.partition(), true, 0);
        }
    }

    private void writeOffset(
            Exchange exchange,
            Session session,
            ConsumerRef consumer,
            Identifier streamId,
            Identifier topicId,
            OptionalPartition partition,
            boolean isDelete,
            long offset) {
        Stream stream = catalog.stream(streamId);
        Topic topic = stream == null ? null : stream.topic(topicId);
        ClientId client = attachedOrOwn(exchange, session);
        ErrorCode wrong = offsetWriteRefusal(session, consumer, stream, topic, partition, client);
        if (wrong != null || topic == null) {
            replies.deny(exchange, wrong == null ? ErrorCode.TOPIC_ID_NOT_FOUND : wrong);
            return;
        }
        ConsumerGroup group = consumer.isGroup() ? topic.group(consumer.id()) : null;
        ByteBuffer body = exchange.body();
        long content = Checksum.xxh3(body, 0, body.remaining());
        exchange.releaseFrame();
        ask(
                exchange,
                new OffsetWriteRequest(
                        target(topic, partition.id()),
                        exchange,
                        shard.index(),
                        session.writer(),
                        exchange.number(),
                        content,
                        group == null ? null : new GroupClaim(group.id(), client),
                        group == null ? consumer.offsetKey() : group.id(),
                        isDelete,
                        offset));
    }

    private @Nullable ErrorCode offsetWriteRefusal(
            Session session,
            ConsumerRef consumer,
            @Nullable Stream stream,
            @Nullable Topic topic,
            OptionalPartition partition,
            ClientId client) {
        if (!consumer.isKnownKind()) {
            return ErrorCode.INVALID_COMMAND;
        }
        if (!partition.isGiven()) {
            return ErrorCode.INVALID_IDENTIFIER;
        }
        ErrorCode wrong = consumer.isGroup() ? groupOffsetRefusal(topic, consumer, partition, client) : null;
        if (wrong == null) {
            wrong = missing(stream, topic, partition.id());
        }
        if (wrong != null || topic == null) {
            return wrong;
        }
        return mayPoll(session, topic) ? null : ErrorCode.UNAUTHORIZED;
    }

    /// Why a client may not write a group's offset of a partition, or null. One that has to give the partition up
    /// still may.
    @Nullable ErrorCode groupOffsetRefusal(
            @Nullable Topic topic, ConsumerRef consumer, OptionalPartition partition, ClientId client) {
        if (!partition.isGiven()) {
            return ErrorCode.INVALID_IDENTIFIER;
        }
        if (topic == null) {
            return ErrorCode.RESOURCE_NOT_FOUND;
        }
        ConsumerGroup group = topic.group(consumer.id());
        if (group == null) {
            return consumer.id() instanceof Identifier.Numeric
                    ? ErrorCode.CONSUMER_GROUP_ID_NOT_FOUND
                    : ErrorCode.CONSUMER_GROUP_NAME_NOT_FOUND;
        }
        return group.isAssigned(client, partition.id()) ? null : ErrorCode.CONSUMER_GROUP_PARTITION_NOT_OWNED;
    }

    /// The client as which a connection acts in consumer groups when it does not name one: the attached one, which
    /// is nobody when its session is over, or its own.
    private ClientId attachedOrOwn(Exchange exchange, Session session) {
        Attachment attachment = exchange.connection().attachment();
        if (attachment == null) {
            return session.client();
        }
        return catalog.clients().session(attachment.client()) == attachment.session()
                ? attachment.client()
                : ClientId.NONE;
    }

    void readOffset(Exchange exchange, Session session) {
        GetConsumerOffset get = GetConsumerOffset.decode(in.over(exchange.body()));
        if (get == null) {
            replies.deny(exchange, ErrorCode.INVALID_COMMAND);
            return;
        }
        Stream stream = catalog.stream(get.stream());
        Topic topic = stream == null ? null : stream.topic(get.topic());
        if (topic != null && !mayPoll(session, topic)) {
            replies.deny(exchange, ErrorCode.UNAUTHORIZED);
            return;
        }
        int partition = get.partition().idOrFirst();
        ErrorCode missing = missing(stream, topic, partition);
        if (missing != null || topic == null) {
            replies.deny(exchange, missing == null ? ErrorCode.TOPIC_ID_NOT_FOUND : missing);
            return;
        }
        boolean isGroup = get.consumer().isGroup();
        ConsumerGroup group = isGroup ? topic.group(get.consumer().id()) : null;
        if (!get.consumer().isKnownKind()) {
            replies.deny(exchange, ErrorCode.INVALID_COMMAND);
        } else if (isGroup && group == null) {
            replies.readEmpty(exchange);
        } else {
            exchange.releaseFrame();
            ask(
                    exchange,
                    new OffsetReadRequest(
                            target(topic, partition),
                            exchange,
                            shard.index(),
                            isGroup,
                            group == null ? get.consumer().offsetKey() : group.id()));
        }
    }

    // Polls

    void poll(Exchange exchange, Session session) {
        PollMessages poll = PollMessages.decode(in.over(exchange.body()));
        if (poll == null) {
            replies.deny(exchange, ErrorCode.INVALID_COMMAND);
        } else {
            ClientId client =
                    poll.consumer().isGroup() ? GroupRequests.member(catalog, exchange, session) : ClientId.NONE;
            poll(exchange, session, poll, client, null);
        }
    }

    /// The same, under the name of an attached session.
    void pollOnPrimary(Exchange exchange, Session session) {
        PollMessages poll = PollMessages.decode(in.over(exchange.body()));
        if (poll == null) {
            replies.deny(exchange, ErrorCode.INVALID_COMMAND);
        } else {
            poll(exchange, session, poll, attachedOrOwn(exchange, session), null);
        }
    }

    /// The same as a poll, and when there is nothing the answer waits.
    void await(Exchange exchange, Session session) {
        AwaitMessages request = AwaitMessages.decode(in.over(exchange.body()));
        if (request == null) {
            replies.deny(exchange, ErrorCode.INVALID_COMMAND);
            return;
        }
        long nanos = Long.compareUnsigned(request.waitMicrosMax(), pollWaitNanosMax / 1000) < 0
                ? request.waitMicrosMax() * 1000
                : pollWaitNanosMax;
        PollMessages poll = request.poll();
        ClientId client = poll.consumer().isGroup() ? GroupRequests.member(catalog, exchange, session) : ClientId.NONE;
        poll(exchange, session, poll, client, wait(exchange, session, nanos));
    }

    private static @Nullable PollWait wait(Exchange exchange, Session session, long nanos) {
        return nanos > 0 && !exchange.connection().isInputEnded()
                ? new PollWait(nanos, session.userId(), session.client(), session.number())
                : null;
    }

    /// @param client the member that polls, if it is for a group
    private void poll(Exchange exchange, Session session, PollMessages poll, ClientId client, @Nullable PollWait wait) {
        Stream stream = catalog.stream(poll.stream());
        Topic topic = stream == null ? null : stream.topic(poll.topic());
        ErrorCode wrong = pollRefusal(session, poll, stream, topic);
        if (wrong != null) {
            replies.deny(exchange, wrong);
            return;
        }
        GroupClaim claim =
                poll.consumer().isGroup() ? pollClaim(topic, poll.consumer(), poll.partition(), client) : null;
        if (topic == null || (claim == null && poll.consumer().isGroup())) {
            replies.pollNotOwned(exchange);
        } else {
            exchange.releaseFrame();
            PollRequest request = pollRequest(exchange, poll, topic, claim, wait);
            exchange.connection().awaits(request);
            ask(exchange, request);
        }
    }

    /// What a client polls a partition of a group with; null when it may not.
    @Nullable GroupClaim pollClaim(@Nullable Topic topic, ConsumerRef consumer, OptionalPartition partition, ClientId client) {
        ConsumerGroup group = topic == null ? null : topic.group(consumer.id());
        return group != null && partition.isGiven() && group.isPollable(client, partition.id())
                ? new GroupClaim(group.id(), client)
                : null;
    }

    private @Nullable ErrorCode pollRefusal(
            Session session, PollMessages poll, @Nullable Stream stream, @Nullable Topic topic) {
        if (topic != null && !mayPoll(session, topic)) {
            return ErrorCode.UNAUTHORIZED;
        }
        if (!poll.strategy().isKnownKind()) {
            return ErrorCode.INVALID_COMMAND;
        }
        if (poll.consumer().isGroup()) {
            return poll.partition().isGiven() ? null : ErrorCode.INVALID_IDENTIFIER;
        }
        ErrorCode missing = missing(stream, topic, poll.partition().idOrFirst());
        if (missing != null) {
            return missing;
        }
        return poll.consumer().isConsumer() ? null : ErrorCode.INVALID_COMMAND;
    }

    private PollRequest pollRequest(
            Exchange exchange, PollMessages poll, Topic topic, @Nullable GroupClaim claim, @Nullable PollWait wait) {
        return new PollRequest(
                target(topic, poll.partition().idOrFirst()),
                exchange,
                shard.index(),
                start(poll.strategy()),
                poll.strategy().value(),
                poll.count(),
                batchBytesMax(exchange.connection()),
                claim,
                claim == null ? poll.consumer().offsetKey() : claim.groupId(),
                poll.autoCommit(),
                wait);
    }

    private static PollRequest.Start start(PollingStrategy strategy) {
        return switch (strategy.kind()) {
            case PollingStrategy.KIND_OFFSET -> PollRequest.Start.OFFSET;
            case PollingStrategy.KIND_TIMESTAMP -> PollRequest.Start.TIMESTAMP;
            case PollingStrategy.KIND_FIRST -> PollRequest.Start.FIRST;
            case PollingStrategy.KIND_LAST -> PollRequest.Start.LAST;
            case PollingStrategy.KIND_NEXT -> PollRequest.Start.NEXT;
            default -> throw new IllegalStateException("strategy " + strategy.kind() + " was refused before");
        };
    }

    private int batchBytesMax(Connection connection) {
        int replyMax = connection.link().transportCode() == QUIC_TRANSPORT
                ? Math.min(replyBytesMax, QUIC_REPLY_BYTES_MAX)
                : replyBytesMax;
        return replyMax - FrameHeader.BYTES - PollHeader.BYTES;
    }

    // Both ways

    private void ask(Exchange exchange, PartitionRequest request) {
        if (!shard.ask(request)) {
            exchange.connection().awaits(null);
            replies.refuseForNow(exchange);
        }
    }

    /// A partition's owner has answered a request of this shard.
    void onAnswered(PartitionRequest request) {
        Exchange exchange = (Exchange) request.requester();
        if (exchange.connection().awaited() == request) {
            exchange.connection().awaits(null);
        }
        ErrorCode refusal = request.refusal();
        if (refusal != null) {
            if (isNotOwned(request, refusal)) {
                replies.pollNotOwned(exchange);
            } else {
                replies.deny(exchange, refusal);
            }
            return;
        }
        switch (request) {
            case SendRequest send -> replies.sent(exchange, send);
            case OffsetWriteRequest _ -> replies.offsetWritten(exchange);
            case PollRequest poll -> replies.poll(exchange, poll);
            case SegmentEndRequest _ -> throw new IllegalStateException("a question of another class");
            case OffsetReadRequest read -> {
                if (read.isStored()) {
                    replies.read(
                            exchange,
                            new StoredOffset(read.target().partitionId(), read.currentOffset(), read.storedOffset()));
                } else {
                    replies.readEmpty(exchange);
                }
            }
        }
    }

    /// Whether a group's poll came too late: its partition is another member's by now, or gone.
    private static boolean isNotOwned(PartitionRequest request, ErrorCode refusal) {
        return request instanceof PollRequest poll
                && poll.isForGroup()
                && (refusal == ErrorCode.CONSUMER_GROUP_PARTITION_NOT_OWNED
                        || refusal == ErrorCode.PARTITION_NOT_FOUND);
    }

    boolean mayPoll(Session session, Topic topic) {
        return catalog.isAllowed(session.userId(), Right.POLL_MESSAGES, topic.streamId(), topic.id());
    }

    static @Nullable ErrorCode missing(@Nullable Stream stream, @Nullable Topic topic, int partition) {
        if (stream == null) {
            return ErrorCode.STREAM_ID_NOT_FOUND;
        }
        if (topic == null) {
            return ErrorCode.TOPIC_ID_NOT_FOUND;
        }
        return hasPartition(topic, partition) ? null : ErrorCode.PARTITION_NOT_FOUND;
    }

    private static boolean hasPartition(Topic topic, int partition) {
        return 0 <= partition && partition < topic.partitionsCount();
    }

    private Target target(Topic topic, int partition) {
        return new Target(topic.streamId(), topic.id(), partition, topic.created(partition), catalog.appliedOp());
    }
}
