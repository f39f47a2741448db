package io.galgo.broker.metadata;

import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.request.DeletePersonalAccessToken;
import io.galgo.protocol.request.DeleteUser;
import io.galgo.protocol.request.UpdatePermissions;
import io.galgo.protocol.request.UpdateUser;

/// What commands do to users and personal access tokens in their turn (spec protocol 8.2 and 8.3).
///
/// Here the right comes before the target, except where users act on themselves.
final class UserCommands {
    static final int STATUS_ACTIVE = 1;
    static final int STATUS_INACTIVE = 2;

    private final Access access;
    private final UserTable users;
    private final TokenTable tokens;
    private final ClientTable clients;

    UserCommands(Access access, UserTable users, TokenTable tokens, ClientTable clients) {
        this.access = access;
        this.users = users;
        this.tokens = tokens;
        this.clients = clients;
    }

    Result execute(Turn turn, CompletedBody.NewUser request) {
        if (!mayManageUsers(turn) || !request.wasAllowed()) {
            return Result.of(ErrorCode.UNAUTHORIZED);
        }
        if (!UserTable.isName(request.name())) {
            return Result.of(ErrorCode.INVALID_USERNAME);
        }
        if (users.user(request.name()) != null) {
            return Result.of(ErrorCode.USER_ALREADY_EXISTS);
        }
        if (users.lowestFreeId() >= UserTable.USERS_MAX) {
            return Result.of(ErrorCode.USERS_LIMIT_REACHED);
        }
        User user = users.create(
                request.name(),
                request.passwordPhc(),
                request.status() != STATUS_INACTIVE,
                Grants.of(request.permissions()),
                turn.nowMicros());
        return Result.of(MetadataReads.user(user));
    }

    Result execute(Turn turn, UpdateUser request) {
        if (!mayManageUsers(turn)) {
            return Result.of(ErrorCode.UNAUTHORIZED);
        }
        User user = users.user(request.user());
        if (user == null) {
            return Result.of(ErrorCode.RESOURCE_NOT_FOUND);
        }
        String name = request.username();
        if (name != null && !UserTable.isName(name)) {
            return Result.of(ErrorCode.INVALID_USERNAME);
        }
        if (name != null && !name.equals(user.name()) && users.user(name) != null) {
            return Result.of(ErrorCode.USER_ALREADY_EXISTS);
        }
        if (!request.options().isEmpty()) {
            return Result.of(ErrorCode.UNSUPPORTED_OPTION_KEY);
        }
        if (name != null) {
            users.rename(user, name);
        }
        if (request.status() == STATUS_ACTIVE || request.status() == STATUS_INACTIVE) {
            user.setActive(request.status() == STATUS_ACTIVE);
        }
        return Result.DONE;
    }

    Result execute(Turn turn, DeleteUser request) {
        if (!mayManageUsers(turn)) {
            return Result.of(ErrorCode.UNAUTHORIZED);
        }
        User user = users.user(request.user());
        if (user == null) {
            return Result.of(ErrorCode.RESOURCE_NOT_FOUND);
        }
        if (user.id() == User.ROOT_ID) {
            return Result.of(ErrorCode.CANNOT_DELETE_USER);
        }
        users.remove(user);
        tokens.removeUser(user.id());
        clients.removeUser(user.id(), turn.changes());
        return Result.DONE;
    }

    Result execute(Turn turn, UpdatePermissions request) {
        if (!mayManageUsers(turn)) {
            return Result.of(ErrorCode.UNAUTHORIZED);
        }
        User user = users.user(request.user());
        if (user == null) {
            return Result.of(ErrorCode.RESOURCE_NOT_FOUND);
        }
        if (user.id() == User.ROOT_ID) {
            return Result.of(ErrorCode.CANNOT_CHANGE_PERMISSIONS);
        }
        user.setGrants(Grants.of(request.permissions()));
        turn.changes().add(new Change.RightsChanged(user.id()));
        return Result.DONE;
    }

    Result execute(Turn turn, CompletedBody.NewPassword request) {
        User user = users.user(request.user());
        if (user == null) {
            return Result.of(ErrorCode.RESOURCE_NOT_FOUND);
        }
        if (user.id() != turn.userId() && !mayManageUsers(turn)) {
            return Result.of(ErrorCode.UNAUTHORIZED);
        }
        if (!request.verifiedPhc().equals(user.passwordPhc())) {
            return Result.of(ErrorCode.INVALID_CREDENTIALS);
        }
        user.setPassword(request.newPhc());
        return Result.DONE;
    }

    private boolean mayManageUsers(Turn turn) {
        return access.isAllowed(turn.userId(), Right.MANAGE_USERS, -1, -1);
    }

    /// Says nothing: the text of the token is with the node that made it, and nowhere else.
    Result execute(Turn turn, CompletedBody.NewToken request) {
        if (users.user(turn.userId()) == null) {
            return Result.of(ErrorCode.UNAUTHORIZED);
        }
        if (tokens.tokens(turn.userId()).size() >= request.tokensMax()) {
            return Result.of(ErrorCode.PERSONAL_ACCESS_TOKENS_LIMIT_REACHED);
        }
        if (tokens.token(turn.userId(), request.name()) != null || tokens.token(request.hash()) != null) {
            return Result.of(ErrorCode.PERSONAL_ACCESS_TOKEN_ALREADY_EXISTS);
        }
        long expiryAtMicros = 0;
        if (request.expiryMicros() != 0 && request.expiryMicros() != -1) {
            expiryAtMicros = turn.nowMicros() + request.expiryMicros();
            if (Long.compareUnsigned(expiryAtMicros, turn.nowMicros()) < 0) {
                return Result.of(ErrorCode.INVALID_PERSONAL_ACCESS_TOKEN_EXPIRY);
            }
        }
        tokens.add(new Token(turn.userId(), request.name(), request.hash(), expiryAtMicros));
        return Result.DONE;
    }

    Result execute(Turn turn, DeletePersonalAccessToken request) {
        Token token = tokens.token(turn.userId(), request.name());
        if (token == null) {
            return Result.of(ErrorCode.RESOURCE_NOT_FOUND);
        }
        tokens.remove(token);
        return Result.DONE;
    }
}
