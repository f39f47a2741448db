package io.galgo.broker.shard;

import io.galgo.broker.metadata.Catalog;
import io.galgo.broker.metadata.MetadataReads;
import io.galgo.broker.metadata.Right;
import io.galgo.broker.metadata.Stream;
import io.galgo.broker.metadata.Topic;
import io.galgo.broker.metadata.User;
import io.galgo.broker.shard.Parcel.ConnectionRecord;
import io.galgo.broker.shard.Parcel.Scope;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.reply.ClientDetails;
import io.galgo.protocol.reply.ClientRecord;
import io.galgo.protocol.reply.ClientRecords;
import io.galgo.protocol.reply.ClusterMetadata;
import io.galgo.protocol.reply.NodeRecord;
import io.galgo.protocol.reply.NodeRole;
import io.galgo.protocol.reply.NodeStatus;
import io.galgo.protocol.reply.Stats;
import io.galgo.protocol.request.DescribeOptions;
import io.galgo.protocol.request.GetClient;
import io.galgo.protocol.request.GetStream;
import io.galgo.protocol.request.GetTopic;
import io.galgo.protocol.request.GetTopics;
import io.galgo.protocol.request.GetUser;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;

/// The reads that concern no single partition (spec protocol 8.1 to 8.5). Metadata come from this shard's own
/// catalog; the numbers that other shards own are gathered from them.
final class Reads {
    private static final String CLUSTER_NAME = "single-node";
    private static final String NODE_NAME = "iggy-node";

    /// The release of Iggy that this server is compatible with, as clients show it.
    private static final int COMPATIBLE_SEMVER = 9000;

    private final Shard shard;
    private final Catalog catalog;
    private final Replies replies;
    private final Supplier<NodeStatistics> statistics;
    private final String serverVersion;

    Reads(Shard shard, Catalog catalog, Replies replies, Supplier<NodeStatistics> statistics, String serverVersion) {
        this.shard = shard;
        this.catalog = catalog;
        this.replies = replies;
        this.statistics = statistics;
        this.serverVersion = serverVersion;
    }

    void start(Exchange exchange, CommandCode command) {
        switch (command) {
            case GET_STATS -> stats(exchange);
            case GET_CLUSTER_METADATA -> clusterMetadata(exchange);
            case DESCRIBE_OPTIONS -> describeOptions(exchange);
            case GET_ME -> replies.read(exchange, details(record(exchange.connection())));
            case GET_CLIENT -> client(exchange);
            case GET_CLIENTS -> clients(exchange);
            case GET_USER -> user(exchange);
            case GET_USERS -> users(exchange);
            case GET_PERSONAL_ACCESS_TOKENS -> tokens(exchange);
            case GET_STREAM -> stream(exchange);
            case GET_STREAMS -> streams(exchange);
            case GET_TOPIC -> topic(exchange);
            case GET_TOPICS -> topics(exchange);
            // Known, and not in the table of what is not delivered: nothing to tell (spec semantics 2.2).
            default -> replies.readEmpty(exchange);
        }
    }

    // The node

    private void stats(Exchange exchange) {
        if (isDenied(exchange, Right.READ_SERVER, -1, -1)) {
            return;
        }
        gather(exchange, Scope.NODE, -1, -1, found -> {
            NodeStatistics node = statistics.get();
            replies.read(
                    exchange,
                    new Stats(
                            node.processId(),
                            node.cpuUsage(),
                            node.cpuUsageTotal(),
                            node.memoryUsageBytes(),
                            node.memoryTotalBytes(),
                            node.memoryAvailableBytes(),
                            node.runTimeMicros(),
                            node.startTimeMicros(),
                            node.readBytes(),
                            node.writtenBytes(),
                            found.sizeBytes(),
                            catalog.streamsCount(),
                            catalog.topicsCount(),
                            catalog.partitionsCount(),
                            (int) found.segmentsCount(),
                            found.messagesCount(),
                            found.connectionsCount(),
                            catalog.groupsCount(),
                            node.hostname(),
                            node.osName(),
                            node.osVersion(),
                            node.kernelVersion(),
                            serverVersion,
                            COMPATIBLE_SEMVER,
                            List.of(),
                            node.threadsCount(),
                            node.diskFreeBytes(),
                            node.diskTotalBytes()));
        });
    }

    private void clusterMetadata(Exchange exchange) {
        replies.read(exchange, new ClusterMetadata(CLUSTER_NAME, List.of(node(shard.address(), exchange))));
    }

    /// This node, as the client of a request reaches it.
    static NodeRecord node(NodeAddress address, Exchange exchange) {
        String host = address.host().isEmpty() ? exchange.connection().link().localIp() : address.host();
        return new NodeRecord(
                NODE_NAME,
                host,
                address.tcpPort(),
                address.quicPort(),
                address.httpPort(),
                address.webSocketPort(),
                NodeRole.LEADER,
                NodeStatus.HEALTHY);
    }

    private void describeOptions(Exchange exchange) {
        DescribeOptions request = DescribeOptions.decode(exchange.body());
        if (request == null) {
            replies.deny(exchange, ErrorCode.INVALID_COMMAND);
        } else {
            replies.read(exchange, MetadataReads.options(request.scope()));
        }
    }

    // Connections

    private void client(Exchange exchange) {
        if (isDenied(exchange, Right.READ_SERVER, -1, -1)) {
            return;
        }
        GetClient request = GetClient.decode(exchange.body());
        if (request == null) {
            replies.readEmpty(exchange);
            return;
        }
        gather(exchange, Scope.CLIENTS, -1, -1, found -> {
            for (ConnectionRecord connection : found.connections()) {
                if (connection.number() == request.clientId()) {
                    replies.read(exchange, details(connection));
                    return;
                }
            }
            replies.readEmpty(exchange);
        });
    }

    private void clients(Exchange exchange) {
        if (isDenied(exchange, Right.READ_SERVER, -1, -1)) {
            return;
        }
        gather(exchange, Scope.CLIENTS, -1, -1, found -> {
            List<ConnectionRecord> connections = new ArrayList<>(found.connections());
            connections.sort(Comparator.comparingInt(ConnectionRecord::number));
            List<ClientRecord> records = new ArrayList<>(connections.size());
            for (ConnectionRecord connection : connections) {
                records.add(clientRecord(connection));
            }
            replies.read(exchange, new ClientRecords(records));
        });
    }

    static ConnectionRecord record(Connection connection) {
        Session session = connection.session();
        return new ConnectionRecord(
                connection.number(),
                session == null ? ClientId.NONE : session.client(),
                session == null ? ClientRecord.NO_USER : session.userId(),
                connection.link().transportCode(),
                connection.link().remoteAddress());
    }

    private ClientRecord clientRecord(ConnectionRecord connection) {
        return new ClientRecord(
                connection.number(),
                connection.userId(),
                connection.transportCode(),
                connection.address(),
                catalog.groups(connection.client()).size());
    }

    private ClientDetails details(ConnectionRecord connection) {
        return new ClientDetails(clientRecord(connection), MetadataReads.memberships(catalog, connection.client()));
    }

    // Users

    private void user(Exchange exchange) {
        GetUser request = GetUser.decode(exchange.body());
        if (request == null) {
            replies.deny(exchange, ErrorCode.INVALID_COMMAND);
            return;
        }
        User user = catalog.user(request.user());
        Session session = exchange.connection().session();
        if (user == null) {
            replies.readEmpty(exchange);
        } else if ((session != null && session.userId() == user.id())
                || !isDenied(exchange, Right.READ_USERS, -1, -1)) {
            replies.read(exchange, MetadataReads.user(user));
        }
    }

    private void users(Exchange exchange) {
        if (!isDenied(exchange, Right.READ_USERS, -1, -1)) {
            replies.read(exchange, MetadataReads.users(catalog));
        }
    }

    private void tokens(Exchange exchange) {
        Session session = exchange.connection().session();
        if (session == null) {
            replies.deny(exchange, ErrorCode.UNAUTHENTICATED);
        } else {
            replies.read(exchange, MetadataReads.tokens(catalog, session.userId()));
        }
    }

    // Streams and topics

    private void stream(Exchange exchange) {
        GetStream request = GetStream.decode(exchange.body());
        if (request == null) {
            replies.deny(exchange, ErrorCode.INVALID_COMMAND);
            return;
        }
        Stream stream = catalog.stream(request.stream());
        if (stream == null) {
            replies.readEmpty(exchange);
        } else if (!isDenied(exchange, Right.READ_STREAM, stream.id(), -1)) {
            int id = stream.id();
            gather(exchange, Scope.STREAM, id, -1, found -> {
                Stream now = catalog.stream(id);
                if (now == null) {
                    replies.readEmpty(exchange);
                } else {
                    replies.read(exchange, MetadataReads.stream(now, found.topics()));
                }
            });
        }
    }

    private void streams(Exchange exchange) {
        if (!isDenied(exchange, Right.LIST_STREAMS, -1, -1)) {
            gather(
                    exchange,
                    Scope.STREAMS,
                    -1,
                    -1,
                    found -> replies.read(exchange, MetadataReads.streams(catalog, found.topics())));
        }
    }

    private void topic(Exchange exchange) {
        GetTopic request = GetTopic.decode(exchange.body());
        if (request == null) {
            replies.deny(exchange, ErrorCode.INVALID_COMMAND);
            return;
        }
        Topic topic = catalog.topic(request.stream(), request.topic());
        if (topic == null) {
            replies.readEmpty(exchange);
        } else if (!isDenied(exchange, Right.READ_TOPIC, topic.streamId(), topic.id())) {
            int streamId = topic.streamId();
            int id = topic.id();
            gather(exchange, Scope.TOPIC, streamId, id, found -> {
                Topic now = catalog.topic(streamId, id);
                if (now == null) {
                    replies.readEmpty(exchange);
                } else {
                    replies.read(exchange, MetadataReads.topic(now, found.partitions()));
                }
            });
        }
    }

    private void topics(Exchange exchange) {
        GetTopics request = GetTopics.decode(exchange.body());
        if (request == null) {
            replies.deny(exchange, ErrorCode.INVALID_COMMAND);
            return;
        }
        Stream stream = catalog.stream(request.stream());
        if (stream == null) {
            replies.read(exchange, MetadataReads.topics(null, new TopicNumbers()));
        } else if (!isDenied(exchange, Right.LIST_TOPICS, stream.id(), -1)) {
            int id = stream.id();
            gather(
                    exchange,
                    Scope.STREAM,
                    id,
                    -1,
                    found -> replies.read(exchange, MetadataReads.topics(catalog.stream(id), found.topics())));
        }
    }

    private boolean isDenied(Exchange exchange, Right right, int streamId, int topicId) {
        Session session = exchange.connection().session();
        if (session != null && catalog.isAllowed(session.userId(), right, streamId, topicId)) {
            return false;
        }
        replies.deny(exchange, ErrorCode.UNAUTHORIZED);
        return true;
    }

    private void gather(Exchange exchange, Scope scope, int streamId, int topicId, Gathering.Next next) {
        exchange.releaseFrame();
        if (!shard.gather(scope, streamId, topicId, next)) {
            replies.refuseForNow(exchange);
        }
    }
}
