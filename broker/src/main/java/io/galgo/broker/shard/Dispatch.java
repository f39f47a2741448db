package io.galgo.broker.shard;

import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.EvictionReason;
import io.galgo.protocol.Operation;

/// Decides which way a request takes: the checks that come before any command, in the order of spec protocol 2.6,
/// then one of the commands.
///
/// Every way ends in exactly one answer.
final class Dispatch {
    private final Replies replies;
    private final Login login;
    private final MetadataCommands metadata;
    private final PartitionCommands partitions;
    private final Reads reads;
    private final GroupRequests groups;
    private final Routes routes;
    private final Snapshots snapshots;

    Dispatch(
            Replies replies,
            Login login,
            MetadataCommands metadata,
            PartitionCommands partitions,
            Reads reads,
            GroupRequests groups,
            Routes routes,
            Snapshots snapshots) {
        this.replies = replies;
        this.login = login;
        this.metadata = metadata;
        this.partitions = partitions;
        this.reads = reads;
        this.groups = groups;
        this.routes = routes;
        this.snapshots = snapshots;
    }

    void start(Exchange exchange) {
        ErrorCode refusal = exchange.headerRefusal();
        if (refusal != null) {
            replies.deny(exchange, refusal);
        } else if (!exchange.wasReceived()) {
            replies.refuseForNow(exchange);
        } else if (!exchange.isBodyIntact()) {
            replies.deny(exchange, ErrorCode.INVALID_FORMAT);
        } else {
            switch (exchange.operation()) {
                case NON_REPLICATED -> startRead(exchange);
                case REGISTER -> login.start(exchange);
                case LOGOUT -> metadata.startLogout(exchange);
                default -> startWrite(exchange);
            }
        }
    }

    private void startRead(Exchange exchange) {
        CommandCode command = CommandCode.of(exchange.commandCode());
        Session session = exchange.connection().session();
        if (command == CommandCode.LEGACY_LOGIN || command == CommandCode.LEGACY_TOKEN_LOGIN) {
            replies.evict(exchange, EvictionReason.MALFORMED_LOGIN, exchange.client());
        } else if (command == CommandCode.PING) {
            replies.readEmpty(exchange);
        } else if (session == null) {
            refuseStranger(exchange);
        } else if (command == null) {
            replies.deny(exchange, ErrorCode.INVALID_COMMAND);
        } else {
            startRead(exchange, session, command);
        }
    }

    /// A client whose session others ended is told so once; then it is as if it had never logged in.
    private void refuseStranger(Exchange exchange) {
        if (exchange.connection().takeLostSession()) {
            replies.evict(exchange, EvictionReason.NO_SESSION, exchange.client());
        } else {
            replies.deny(exchange, ErrorCode.UNAUTHENTICATED);
        }
    }

    private void startRead(Exchange exchange, Session session, CommandCode command) {
        switch (command.commandClass()) {
            case METADATA, PARTITION -> replies.deny(exchange, ErrorCode.FEATURE_UNAVAILABLE);
            // The codes of login and logout mean nothing here.
            case SESSION -> replies.readEmpty(exchange);
            case NON_REPLICATED -> {
                switch (command) {
                    case FLUSH_UNSAVED_BUFFER -> replies.deny(exchange, ErrorCode.FEATURE_UNAVAILABLE);
                    case POLL_MESSAGES -> partitions.poll(exchange, session);
                    case AWAIT_MESSAGES -> partitions.await(exchange, session);
                    case POLL_MESSAGES_ON_PRIMARY -> partitions.pollOnPrimary(exchange, session);
                    case GET_SNAPSHOT -> snapshots.start(exchange);
                    case GET_CONSUMER_OFFSET -> partitions.readOffset(exchange, session);
                    case GET_CONSUMER_GROUP -> groups.get(exchange, session);
                    case GET_CONSUMER_GROUPS -> groups.list(exchange, session);
                    case SYNC_CONSUMER_GROUP -> groups.sync(exchange, session);
                    case ATTACH_CONSUMER_SESSION -> routes.attach(exchange);
                    case GET_POLL_ROUTING -> routes.pollRouting(exchange, session);
                    case GET_CONSUMER_OFFSET_ROUTING -> routes.offsetRouting(exchange, session);
                    default -> reads.start(exchange, command);
                }
            }
        }
    }

    private void startWrite(Exchange exchange) {
        Session session = exchange.connection().session();
        Operation operation = exchange.operation();
        if (session == null) {
            exchange.connection().takeLostSession();
            replies.evict(exchange, EvictionReason.NO_SESSION, Replies.connectionId(exchange));
        } else if (operation.isInternal()) {
            replies.evict(exchange, EvictionReason.INVALID_REQUEST_OPERATION, session.client());
        } else if (operation.isPartition()) {
            partitions.write(exchange, session);
        } else {
            metadata.start(exchange, session);
        }
    }
}
