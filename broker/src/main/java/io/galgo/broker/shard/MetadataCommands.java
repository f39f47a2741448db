package io.galgo.broker.shard;

import io.galgo.broker.metadata.Catalog;
import io.galgo.broker.metadata.MetadataReply;
import io.galgo.broker.partition.SegmentEndRequest;
import io.galgo.broker.plane.MetadataAnswer;
import io.galgo.broker.plane.MetadataRequest;
import io.galgo.broker.plane.MetadataRequester;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.reply.TokenSecret;
import io.galgo.protocol.request.ChangePassword;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeleteSegments;
import io.galgo.protocol.request.JoinConsumerGroup;
import io.galgo.protocol.request.Request;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The commands that change metadata, and the logout, on the side of the connection: understands them, completes
/// their bodies where the log needs more or less than came over the wire, hands them to the metadata plane and
/// answers what it decided (spec protocol 8, semantics 2.2).
final class MetadataCommands {
    /// Bodies are kept in the journal, so what may trail behind the last field is bounded. No command needs as
    /// much.
    private static final int BODY_BYTES_MAX = 1 << 20;

    private final Shard shard;
    private final Catalog catalog;
    private final Replies replies;
    private final Secrets secrets;
    private final GroupRequests groups;
    private final SegmentCommands segments;

    MetadataCommands(Shard shard, Catalog catalog, Replies replies, Secrets secrets, GroupRequests groups) {
        this.shard = shard;
        this.catalog = catalog;
        this.replies = replies;
        this.secrets = secrets;
        this.groups = groups;
        this.segments = new SegmentCommands(shard, catalog, replies, this::propose);
    }

    void start(Exchange exchange, Session session) {
        Request request = decode(exchange);
        ErrorCode wrong = request == null ? ErrorCode.INVALID_COMMAND : catalog.check(request);
        if (request == null || wrong != null) {
            replies.deny(exchange, wrong == null ? ErrorCode.INVALID_COMMAND : wrong);
            return;
        }
        switch (request) {
            case CreateUser create -> {
                exchange.releaseFrame();
                secrets.createUser(exchange, session.userId(), create, body -> propose(exchange, session, body));
            }
            case ChangePassword change -> {
                exchange.releaseFrame();
                secrets.changePassword(exchange, session.userId(), change, body -> propose(exchange, session, body));
            }
            case DeleteSegments delete -> {
                exchange.releaseFrame();
                segments.delete(exchange, session, delete);
            }
            case CreatePersonalAccessToken create -> createToken(exchange, session, create);
            case JoinConsumerGroup join -> groups.join(exchange, session, join);
            default -> propose(exchange, session, exchange.bodyCopy());
        }
    }

    private static @Nullable Request decode(Exchange exchange) {
        CommandCode command = CommandCode.of(exchange.operation());
        return command == null || exchange.bodyBytes() > BODY_BYTES_MAX
                ? null
                : Request.decode(command, exchange.body());
    }

    private void createToken(Exchange exchange, Session session, CreatePersonalAccessToken create) {
        TokenSecret secret = secrets.newToken();
        propose(exchange, session, secrets.createToken(create, secret), new TokenCreation(exchange, secret));
    }

    /// Whoever waits for a new token: the one place where its text is.
    private record TokenCreation(Exchange exchange, TokenSecret secret) implements MetadataRequester {}

    /// Hands a command to the metadata plane, now that its body is as the log needs it.
    ///
    /// @param session in which the command came, whatever has become of it since
    void propose(Exchange exchange, Session session, ByteBuffer body) {
        propose(exchange, session, body, exchange);
    }

    private void propose(Exchange exchange, Session session, ByteBuffer body, MetadataRequester requester) {
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
                        requester,
                        shard.index()));
    }

    void startLogout(Exchange exchange) {
        Session session = exchange.connection().session();
        if (session == null) {
            exchange.connection().takeLostSession();
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

    /// The owner of a partition has told which segments a deletion means.
    void onAnswered(SegmentEndRequest answered) {
        segments.onAnswered(answered);
    }

    /// The plane has decided about a command or a logout of this shard.
    void onDecided(MetadataRequest request) {
        switch (request.requester()) {
            case Exchange exchange -> onDecided(exchange, request, null);
            case GroupJoin join -> {
                shard.endJoin(join);
                onDecided(join.exchange(), request, null);
            }
            case TokenCreation creation -> onDecided(creation.exchange(), request, creation.secret());
            default -> throw new IllegalStateException("an answer for nobody");
        }
    }

    private void onDecided(Exchange exchange, MetadataRequest request, @Nullable TokenSecret secret) {
        boolean isLogout = request.kind() == MetadataRequest.Kind.LOGOUT;
        switch (request.answer()) {
            case MetadataAnswer.Decided decided -> {
                MetadataReply reply = decided.reply();
                if (isLogout) {
                    shard.sessions().remove(exchange.connection());
                    replies.loggedOut(exchange, request.session());
                } else if (secret != null && reply.error() == null) {
                    // A creation that succeeded is never repeated from memory, so this is the token just made.
                    replies.decided(
                            exchange, reply, request.client(), secret.toBuffer().array());
                } else if (reply.error() == ErrorCode.PERSONAL_ACCESS_TOKENS_LIMIT_REACHED) {
                    // Decided in the log as all is, and told as clients know it (spec protocol 8.3).
                    replies.deny(exchange, reply.error());
                } else {
                    replies.decided(exchange, reply, request.client(), reply.payload());
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
                exchange.connection().takeLostSession();
                replies.evict(exchange, evicted.reason(), request.client());
            }
        }
    }
}
