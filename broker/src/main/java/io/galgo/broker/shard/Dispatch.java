package io.galgo.broker.shard;

import io.galgo.broker.metadata.Catalog;
import io.galgo.broker.plane.MetadataAnswer;
import io.galgo.broker.plane.MetadataRequest;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.EvictionReason;
import io.galgo.protocol.Operation;
import java.nio.ByteBuffer;

/// Decides which way a request takes: the checks that come before any command, in the order of spec protocol 2.6,
/// then one of the commands.
///
/// Every way ends in exactly one answer.
final class Dispatch {
    /// Bodies of metadata commands are kept in the journal, so what may trail behind the last field is bounded. No
    /// command needs as much.
    private static final int METADATA_BODY_BYTES_MAX = 1 << 20;

    private final Shard shard;
    private final Catalog catalog;
    private final Replies replies;
    private final Login login;
    private final PartitionCommands partitions;
    private final Reads reads;

    Dispatch(Shard shard, Catalog catalog, Replies replies, Login login, PartitionCommands partitions, Reads reads) {
        this.shard = shard;
        this.catalog = catalog;
        this.replies = replies;
        this.login = login;
        this.partitions = partitions;
        this.reads = reads;
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
                case LOGOUT -> startLogout(exchange);
                default -> startWrite(exchange);
            }
        }
    }

    private void startRead(Exchange exchange) {
        CommandCode command = CommandCode.of(exchange.commandCode());
        if (command == CommandCode.LEGACY_LOGIN || command == CommandCode.LEGACY_TOKEN_LOGIN) {
            replies.evict(exchange, EvictionReason.MALFORMED_LOGIN, exchange.client());
        } else if (command == CommandCode.PING) {
            replies.readEmpty(exchange);
        } else if (exchange.connection().session() == null) {
            replies.deny(exchange, ErrorCode.UNAUTHENTICATED);
        } else if (command == null) {
            replies.deny(exchange, ErrorCode.INVALID_COMMAND);
        } else if (Undelivered.COMMANDS.contains(command)) {
            replies.deny(exchange, ErrorCode.FEATURE_UNAVAILABLE);
        } else {
            startRead(exchange, command);
        }
    }

    private void startRead(Exchange exchange, CommandCode command) {
        switch (command.commandClass()) {
            case METADATA, PARTITION -> replies.deny(exchange, ErrorCode.FEATURE_UNAVAILABLE);
            // The codes of login and logout mean nothing here.
            case SESSION -> replies.readEmpty(exchange);
            case NON_REPLICATED -> {
                switch (command) {
                    case FLUSH_UNSAVED_BUFFER -> replies.deny(exchange, ErrorCode.FEATURE_UNAVAILABLE);
                    case POLL_MESSAGES -> partitions.poll(exchange);
                    case GET_CONSUMER_OFFSET -> partitions.readOffset(exchange);
                    default -> reads.start(exchange, command);
                }
            }
        }
    }

    private void startWrite(Exchange exchange) {
        Session session = exchange.connection().session();
        Operation operation = exchange.operation();
        if (session == null) {
            replies.evict(exchange, EvictionReason.NO_SESSION, Replies.connectionId(exchange));
        } else if (operation.isInternal()) {
            replies.evict(exchange, EvictionReason.INVALID_REQUEST_OPERATION, session.client());
        } else if (operation.isPartition()) {
            partitions.write(exchange, session);
        } else if (isUndelivered(operation)) {
            replies.deny(exchange, ErrorCode.FEATURE_UNAVAILABLE);
        } else {
            startMetadata(exchange, session);
        }
    }

    private static boolean isUndelivered(Operation operation) {
        CommandCode command = CommandCode.of(operation);
        return command == null || Undelivered.COMMANDS.contains(command);
    }

    private void startMetadata(Exchange exchange, Session session) {
        ErrorCode wrong = exchange.bodyBytes() > METADATA_BODY_BYTES_MAX
                ? ErrorCode.INVALID_COMMAND
                : catalog.check(exchange.operation(), exchange.body());
        if (wrong != null) {
            replies.deny(exchange, wrong);
            return;
        }
        ByteBuffer body = exchange.bodyCopy();
        exchange.releaseFrame();
        propose(
                exchange,
                MetadataRequest.command(
                        exchange.operation(),
                        session.client(),
                        session.number(),
                        exchange.number(),
                        exchange.checksumLow(),
                        session.userId(),
                        body,
                        exchange,
                        shard.index()));
    }

    private void startLogout(Exchange exchange) {
        Session session = exchange.connection().session();
        if (session == null) {
            replies.loggedOut(exchange, 0);
            return;
        }
        propose(
                exchange,
                MetadataRequest.logout(
                        session.client(),
                        session.number(),
                        exchange.number(),
                        exchange.checksumLow(),
                        session.userId(),
                        exchange,
                        shard.index()));
    }

    private void propose(Exchange exchange, MetadataRequest request) {
        if (!shard.propose(request)) {
            replies.refuseForNow(exchange);
        }
    }

    /// A metadata request of this shard was answered.
    void onDecided(Exchange exchange, MetadataRequest request) {
        if (request.kind() == MetadataRequest.Kind.LOGIN) {
            login.onDecided(exchange, request);
            return;
        }
        boolean isLogout = request.kind() == MetadataRequest.Kind.LOGOUT;
        ClientId client = request.client();
        switch (request.answer()) {
            case MetadataAnswer.Decided decided -> {
                if (isLogout) {
                    shard.sessions().remove(exchange.connection());
                    replies.loggedOut(exchange, request.session());
                } else {
                    replies.decided(exchange, decided.reply(), client);
                }
            }
            case MetadataAnswer.Rejected rejected -> {
                // A logout has no result section: what did not happen is denied.
                if (isLogout) {
                    replies.deny(exchange, rejected.error());
                } else {
                    replies.reject(exchange, rejected.error());
                }
            }
            case MetadataAnswer.Denied denied -> replies.deny(exchange, denied.error());
            case MetadataAnswer.Evicted evicted -> {
                shard.sessions().remove(exchange.connection());
                replies.evict(exchange, evicted.reason(), client);
            }
        }
    }
}
