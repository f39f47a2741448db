package io.galgo.broker.shard;

import io.galgo.broker.metadata.Catalog;
import io.galgo.broker.metadata.CompletedBody;
import io.galgo.broker.metadata.Right;
import io.galgo.broker.metadata.TokenHash;
import io.galgo.broker.metadata.User;
import io.galgo.protocol.reply.TokenSecret;
import io.galgo.protocol.request.ChangePassword;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.protocol.request.CreateUser;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.function.Consumer;

/// Takes the secrets out of the bodies of commands before these go into the log: a password leaves its hash behind,
/// a token as well (spec semantics 15.3 and 17).
///
/// Passwords are hashed away from the shard. When there is no room for that, the command is refused for now. What
/// the catalog says may have changed by the time a hash is there, so nothing is decided here that the command's
/// turn in the log does not decide again.
final class Secrets {
    private static final int TOKEN_BYTES = 50;

    private final Catalog catalog;
    private final Replies replies;
    private final PasswordHasher passwords;
    private final TokenHasher tokens;
    private final Entropy entropy;
    private final long tokensPerUserMax;

    Secrets(
            Catalog catalog,
            Replies replies,
            PasswordHasher passwords,
            TokenHasher tokens,
            Entropy entropy,
            long tokensPerUserMax) {
        this.catalog = catalog;
        this.replies = replies;
        this.passwords = passwords;
        this.tokens = tokens;
        this.entropy = entropy;
        this.tokensPerUserMax = tokensPerUserMax;
    }

    /// Without the right to it nothing is hashed: whoever may not create users shall not keep the hashers busy.
    ///
    /// @param ready takes the completed body, unless the command was refused
    void createUser(Exchange exchange, int askingUserId, CreateUser request, Consumer<ByteBuffer> ready) {
        if (!mayManageUsers(askingUserId)) {
            ready.accept(CompletedBody.createUserNotAllowed(request));
            return;
        }
        hash(exchange, request.password(), phc -> ready.accept(CompletedBody.createUser(request, phc)));
    }

    /// Without the right to it nothing is verified: neither the answer nor the time it takes tells such a user
    /// whether the password was right.
    ///
    /// @param ready takes the completed body, unless the command was refused
    void changePassword(Exchange exchange, int askingUserId, ChangePassword request, Consumer<ByteBuffer> ready) {
        User user = catalog.user(request.user());
        if (user == null || !mayChange(askingUserId, user)) {
            ready.accept(CompletedBody.changePassword(request, "", ""));
            return;
        }
        String phc = user.passwordPhc();
        boolean isTaken = passwords.verify(phc, bytes(request.currentPassword()), isRight -> {
            if (isRight) {
                hash(
                        exchange,
                        request.newPassword(),
                        newPhc -> ready.accept(CompletedBody.changePassword(request, phc, newPhc)));
            } else {
                ready.accept(CompletedBody.changePassword(request, "", ""));
            }
        });
        if (!isTaken) {
            replies.refuseForNow(exchange);
        }
    }

    private boolean mayChange(int askingUserId, User user) {
        return user.id() == askingUserId || mayManageUsers(askingUserId);
    }

    private boolean mayManageUsers(int askingUserId) {
        return catalog.isAllowed(askingUserId, Right.MANAGE_USERS, -1, -1);
    }

    private void hash(Exchange exchange, String password, Consumer<String> done) {
        if (!passwords.hash(bytes(password), done)) {
            replies.refuseForNow(exchange);
        }
    }

    /// A new token's text.
    TokenSecret newToken() {
        byte[] random = new byte[TOKEN_BYTES];
        entropy.fill(random);
        return new TokenSecret(Base64.getEncoder().encodeToString(random));
    }

    ByteBuffer createToken(CreatePersonalAccessToken request, TokenSecret secret) {
        return CompletedBody.createToken(request, TokenHash.of(tokens.hash(bytes(secret.text()))), tokensPerUserMax);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
