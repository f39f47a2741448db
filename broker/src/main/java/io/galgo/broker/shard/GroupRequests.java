package io.galgo.broker.shard;

import io.galgo.broker.metadata.Catalog;
import io.galgo.broker.metadata.CompletedBody;
import io.galgo.broker.metadata.ConsumerGroup;
import io.galgo.broker.metadata.MetadataReads;
import io.galgo.broker.metadata.Right;
import io.galgo.broker.metadata.Stream;
import io.galgo.broker.metadata.Topic;
import io.galgo.broker.plane.MetadataRequest;
import io.galgo.broker.plane.MetadataRequester;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.Operation;
import io.galgo.protocol.reply.GroupAssignment;
import io.galgo.protocol.request.GetConsumerGroup;
import io.galgo.protocol.request.GetConsumerGroups;
import io.galgo.protocol.request.JoinConsumerGroup;
import io.galgo.protocol.request.SyncConsumerGroup;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The commands about consumer groups that need more than the state machine, on the side of the connection (spec
/// protocol 8.7).
final class GroupRequests {
    private final Shard shard;
    private final Catalog catalog;
    private final Replies replies;

    GroupRequests(Shard shard, Catalog catalog, Replies replies) {
        this.shard = shard;
        this.catalog = catalog;
        this.replies = replies;
    }

    void get(Exchange exchange, Session session) {
        GetConsumerGroup get = GetConsumerGroup.decode(exchange.body());
        if (get == null) {
            replies.deny(exchange, ErrorCode.INVALID_COMMAND);
            return;
        }
        Stream stream = catalog.stream(get.stream());
        Topic topic = stream == null ? null : stream.topic(get.topic());
        if (topic == null) {
            replies.deny(exchange, missing(stream));
            return;
        }
        ConsumerGroup group = topic.group(get.group());
        if (group == null) {
            replies.readEmpty(exchange);
        } else if (mayRead(session, topic)) {
            replies.read(exchange, MetadataReads.group(topic, group));
        } else {
            replies.deny(exchange, ErrorCode.UNAUTHORIZED);
        }
    }

    void list(Exchange exchange, Session session) {
        GetConsumerGroups list = GetConsumerGroups.decode(exchange.body());
        if (list == null) {
            replies.deny(exchange, ErrorCode.INVALID_COMMAND);
            return;
        }
        Stream stream = catalog.stream(list.stream());
        Topic topic = stream == null ? null : stream.topic(list.topic());
        if (topic == null) {
            replies.deny(exchange, missing(stream));
        } else if (mayRead(session, topic)) {
            replies.read(exchange, MetadataReads.groups(topic));
        } else {
            replies.deny(exchange, ErrorCode.UNAUTHORIZED);
        }
    }

    private static ErrorCode missing(@Nullable Stream stream) {
        return stream == null ? ErrorCode.STREAM_ID_NOT_FOUND : ErrorCode.TOPIC_ID_NOT_FOUND;
    }

    private boolean mayRead(Session session, Topic topic) {
        return catalog.isAllowed(session.userId(), Right.READ_TOPIC, topic.streamId(), topic.id());
    }

    /// Whatever is wrong, the answer is the same: the client owns nothing.
    void sync(Exchange exchange, Session session) {
        SyncConsumerGroup sync = SyncConsumerGroup.decode(exchange.body());
        Topic topic = sync == null ? null : catalog.topic(sync.stream(), sync.topic());
        ConsumerGroup group = sync == null || topic == null ? null : topic.group(sync.group());
        GroupAssignment assignment =
                group == null ? null : MetadataReads.assignment(group, member(catalog, exchange, session));
        if (assignment == null) {
            replies.readEmpty(exchange);
        } else {
            replies.read(exchange, assignment);
        }
    }

    /// The client as which a read acts in consumer groups: the one that its header names (spec protocol 2.6), if
    /// that is the connection's own or another one of the same user.
    static ClientId member(Catalog catalog, Exchange exchange, Session session) {
        ClientId named = exchange.client();
        return named.equals(session.client()) || catalog.clients().userId(named) == session.userId()
                ? named
                : ClientId.NONE;
    }

    /// Begins a join. Who may not join does not make the shards tell what is in flight, nor polls wait for that.
    void join(Exchange exchange, Session session, JoinConsumerGroup request) {
        exchange.releaseFrame();
        Topic topic = catalog.topic(request.stream(), request.topic());
        ConsumerGroup group = topic == null ? null : topic.group(request.group());
        if (topic != null && !mayRead(session, topic)) {
            propose(exchange, session, CompletedBody.joinGroupNotAllowed(request), exchange);
            return;
        }
        if (topic == null || group == null) {
            // The state machine says what is missing.
            propose(exchange, session, CompletedBody.joinGroup(request, new int[0]), exchange);
            return;
        }
        GroupJoin join = new GroupJoin(
                exchange,
                session,
                request,
                topic.streamId(),
                topic.id(),
                group.id(),
                shard.index(),
                shard.shardsCount());
        if (!shard.beginJoin(join)) {
            replies.refuseForNow(exchange);
        }
    }

    /// Every shard has told what is in flight.
    void propose(GroupJoin join) {
        if (!propose(join.exchange(), join.session(), CompletedBody.joinGroup(join.request(), join.inFlight()), join)) {
            shard.endJoin(join);
        }
    }

    private boolean propose(Exchange exchange, Session session, ByteBuffer body, MetadataRequester requester) {
        boolean isTaken = shard.propose(MetadataRequest.command(
                Operation.JOIN_CONSUMER_GROUP,
                session.client(),
                session.number(),
                exchange.number(),
                exchange.checksumLow(),
                session.userId(),
                body,
                requester,
                shard.index()));
        if (!isTaken) {
            replies.refuseForNow(exchange);
        }
        return isTaken;
    }
}
