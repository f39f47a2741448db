package io.galgo.broker.shard;

import io.galgo.broker.metadata.Admission;
import io.galgo.broker.metadata.Catalog;
import io.galgo.broker.metadata.ShownName;
import io.galgo.broker.metadata.Token;
import io.galgo.broker.metadata.TokenHash;
import io.galgo.broker.metadata.User;
import io.galgo.broker.partition.Writer;
import io.galgo.broker.plane.MetadataAnswer;
import io.galgo.broker.plane.MetadataRequest;
import io.galgo.broker.plane.MetadataRequester;
import io.galgo.protocol.EvictionReason;
import io.galgo.protocol.ProtocolVersion;
import io.galgo.protocol.reply.LoginReply;
import io.galgo.protocol.request.LoginPrefix;
import io.galgo.protocol.request.PasswordLogin;
import io.galgo.protocol.request.TokenLogin;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// The login of a connection (spec protocol 3.3, semantics 12.1): who it is, then a session from the metadata
/// plane.
///
/// A wrong password, an unknown or inactive user and lengths out of bounds cannot be told apart, by the answer or
/// by the time it takes: a password is always hashed. What was found while a password was being hashed may have
/// changed since, so the user is looked up again afterwards, and what the login was let in for once more in its
/// turn in the log.
final class Login {
    /// A well-formed hash that no password has: 16 and 32 zero bytes.
    static final String NOBODYS_PHC =
            "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$" + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

    private static final int NOBODYS_ID = -1;

    /// A login that finds the metadata plane full tries again after so long, and is refused when it did so for as
    /// long as a command may wait for anything.
    private static final long CROWD_PAUSE_NANOS = 20_000_000L;

    private static final long CROWD_PATIENCE_NANOS = 3_000_000_000L;

    private static final int NAME_BYTES_MIN = 3;
    private static final int NAME_BYTES_MAX = 50;
    private static final int PASSWORD_BYTES_MIN = 3;
    private static final int PASSWORD_BYTES_MAX = 100;
    private static final int TOKEN_BYTES_MAX = 100;

    private final Shard shard;
    private final Catalog catalog;
    private final Replies replies;
    private final PasswordHasher passwords;
    private final TokenHasher tokens;
    private final Timers timers;
    private final String serverVersion;
    private final RefusedLogins refused;

    Login(
            Shard shard,
            Catalog catalog,
            Replies replies,
            PasswordHasher passwords,
            TokenHasher tokens,
            Timers timers,
            String serverVersion) {
        this.shard = shard;
        this.catalog = catalog;
        this.replies = replies;
        this.passwords = passwords;
        this.tokens = tokens;
        this.timers = timers;
        this.serverVersion = serverVersion;
        this.refused = new RefusedLogins(shard.log(), timers);
    }

    void start(Exchange exchange) {
        LoginPrefix prefix = LoginPrefix.decode(exchange.body());
        if (prefix == null) {
            evict(exchange, EvictionReason.MALFORMED_LOGIN, "its login is malformed");
        } else if (!ProtocolVersion.isAccepted(prefix.protocolVersion())) {
            evict(
                    exchange,
                    EvictionReason.INCOMPATIBLE_PROTOCOL,
                    "its protocol version is none that this server speaks");
        } else {
            PasswordLogin credentials = PasswordLogin.decode(exchange.body());
            TokenLogin token = TokenLogin.decode(exchange.body());
            // A hash may wait for long, and its client may be gone by then: neither memory nor a password waits
            // with it.
            exchange.releaseFrame();
            if (credentials == null) {
                tryToken(exchange, token, EvictionReason.MALFORMED_LOGIN, "its login is malformed");
            } else {
                tryPassword(exchange, credentials, token);
            }
        }
    }

    /// @param token what the body is when it is read as a login with a token, or null
    private void tryPassword(Exchange exchange, PasswordLogin credentials, @Nullable TokenLogin token) {
        byte[] password = credentials.password().getBytes(StandardCharsets.UTF_8);
        int nameBytes = credentials.username().getBytes(StandardCharsets.UTF_8).length;
        boolean isPossible = NAME_BYTES_MIN <= nameBytes
                && nameBytes <= NAME_BYTES_MAX
                && PASSWORD_BYTES_MIN <= password.length
                && password.length <= PASSWORD_BYTES_MAX;
        exchange.nameLogin(credentials.username());
        User user = isPossible ? activeUser(credentials.username()) : null;
        int userId = user == null ? NOBODYS_ID : user.id();
        String phc = user == null ? NOBODYS_PHC : user.passwordPhc();
        if (!passwords.verify(phc, password, isRight -> onVerified(exchange, token, userId, phc, isRight))) {
            replies.refuseForNow(exchange);
        }
    }

    /// One who may not log in is nobody: a right password that the hasher remembers would be refused sooner than a
    /// wrong one.
    private @Nullable User activeUser(String name) {
        User user = catalog.user(name);
        return user == null || !user.isActive() ? null : user;
    }

    private void onVerified(Exchange exchange, @Nullable TokenLogin token, int userId, String phc, boolean isRight) {
        User user = isRight ? catalog.user(userId) : null;
        // Whoever has the id now is the one who was verified if the hash is the same: no two hashes are, for salt.
        if (user != null && user.passwordPhc().equals(phc) && user.isActive()) {
            admit(exchange, user, Admission.byPassword(user));
        } else {
            String reason = userId == NOBODYS_ID
                    ? "there is no such active user"
                    : isRight ? "the user was changed meanwhile" : "wrong password";
            tryToken(exchange, token, EvictionReason.INVALID_CREDENTIALS, reason);
        }
    }

    /// @param otherwise the reason when the body is no login with a token either
    /// @param why the same for the log
    private void tryToken(Exchange exchange, @Nullable TokenLogin credentials, EvictionReason otherwise, String why) {
        if (credentials == null) {
            evict(exchange, otherwise, why);
            return;
        }
        TokenHash hash = hash(credentials.token().getBytes(StandardCharsets.UTF_8));
        User owner = hash == null ? null : owner(hash);
        if (hash == null || owner == null) {
            evict(exchange, EvictionReason.INVALID_TOKEN, "its token is unknown or expired");
        } else if (!owner.isActive()) {
            exchange.nameLogin(owner.name());
            evict(exchange, EvictionReason.USER_INACTIVE, "the owner of the token is inactive");
        } else {
            admit(exchange, owner, Admission.byToken(owner, hash));
        }
    }

    /// Null when no token is like that.
    private @Nullable TokenHash hash(byte[] text) {
        return text.length < 1 || text.length > TOKEN_BYTES_MAX ? null : TokenHash.of(tokens.hash(text));
    }

    /// The user whom a token belongs to, or null when it opens nothing.
    private @Nullable User owner(TokenHash hash) {
        Token token = catalog.token(hash);
        return token == null || token.isExpired(shard.wallMicros()) ? null : catalog.user(token.userId());
    }

    /// The credentials are right.
    private void admit(Exchange exchange, User user, Admission admission) {
        Session session = exchange.connection().session();
        if (session != null) {
            // The session stays as it is; only the answer names the user just verified.
            replies.loggedIn(exchange, session.number(), reply(user.id(), session.number()));
            return;
        }
        if (exchange.connection().isClosed()) {
            replies.refuseForNow(exchange);
            return;
        }
        propose(new Attempt(exchange, user.id(), admission, shard.monotonicNanos() + CROWD_PATIENCE_NANOS));
    }

    /// A login whose credentials are right.
    ///
    /// @param admission why it is let in; its turn in the log sees whether that still holds, however late that is
    /// @param patientUntilNanos when one that finds no room is refused rather than asked for again
    record Attempt(Exchange exchange, int userId, Admission admission, long patientUntilNanos)
            implements MetadataRequester {}

    private void propose(Attempt attempt) {
        Exchange exchange = attempt.exchange();
        MetadataRequest request = MetadataRequest.login(
                exchange.client(),
                exchange.checksumLow(),
                attempt.userId(),
                attempt.admission(),
                attempt,
                shard.index());
        if (!shard.propose(request)) {
            replies.refuseForNow(exchange);
        }
    }

    /// A node that comes back meets all its clients at once. They wait here, one a connection, and not in the
    /// plane, so that the commands of those who are logged in already find room there.
    private void onRejected(Attempt attempt, MetadataAnswer.Rejected rejected) {
        boolean isPatient = rejected.isCrowded()
                && shard.monotonicNanos() - attempt.patientUntilNanos() < 0
                && !shard.isStopping()
                && !attempt.exchange().connection().isClosed();
        if (isPatient) {
            timers.after(CROWD_PAUSE_NANOS, () -> propose(attempt));
        } else {
            replies.reject(attempt.exchange(), rejected.error());
        }
    }

    /// The metadata plane has decided about a login of this shard.
    void onDecided(MetadataRequest request) {
        Attempt attempt = (Attempt) request.requester();
        Exchange exchange = attempt.exchange();
        switch (request.answer()) {
            case MetadataAnswer.Decided decided -> {
                if (decided.reply().error() != null) {
                    replies.reject(exchange, decided.reply().error());
                    return;
                }
                long session = decided.reply().op();
                if (shard.log().isDebug()) {
                    tellLogin(exchange, request);
                }
                bind(exchange.connection(), new Session(new Writer(request.client(), request.userId()), session));
                replies.loggedIn(exchange, session, reply(request.userId(), session));
            }
            case MetadataAnswer.Rejected rejected -> onRejected(attempt, rejected);
            case MetadataAnswer.Denied denied -> replies.deny(exchange, denied.error());
            case MetadataAnswer.Evicted evicted ->
                evict(exchange, evicted.reason(), "its session could not begin (" + evicted.reason() + ")");
        }
    }

    private void bind(Connection connection, Session session) {
        if (connection.isClosed()) {
            shard.endSession(session);
        } else if (catalog.clients().session(session.client()) == session.number()) {
            shard.sessions().bind(connection, session);
        }
        // Otherwise another connection has taken the client id over already, and this one is not logged in.
    }

    private LoginReply reply(int userId, long session) {
        return new LoginReply(userId, session, ProtocolVersion.CURRENT, serverVersion);
    }

    private void tellLogin(Exchange exchange, MetadataRequest request) {
        User user = catalog.user(request.userId());
        shard.log()
                .debug("connection " + exchange.connection().number() + " from "
                        + exchange.connection().link().remoteAddress() + " logged in as user "
                        + (user == null ? Integer.toString(request.userId()) : ShownName.of(user.name())));
    }

    private void evict(Exchange exchange, EvictionReason reason, String why) {
        refused.add(exchange.connection().link().remoteAddress(), exchange.loginName(), why);
        replies.evict(exchange, reason, exchange.client());
    }
}
