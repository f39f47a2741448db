package io.galgo.broker.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.EvictionReason;
import io.galgo.protocol.GlobalPermission;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.Options;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.StreamPermission;
import io.galgo.protocol.TypedValue;
import io.galgo.protocol.reply.TokenRecord;
import io.galgo.protocol.reply.UserDetails;
import io.galgo.protocol.reply.UserRecord;
import io.galgo.protocol.reply.UserStatus;
import io.galgo.protocol.request.ChangePassword;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeletePersonalAccessToken;
import io.galgo.protocol.request.DeleteUser;
import io.galgo.protocol.request.JoinConsumerGroup;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.UpdatePermissions;
import io.galgo.protocol.request.UpdateUser;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class UsersTest {
    private static final Identifier ROOT = Identifier.of(User.ROOT_ID);
    private static final Identifier MISSING = Identifier.of(99);
    private static final Permissions MAY_CREATE_STREAMS =
            new Permissions(GlobalPermission.MANAGE_STREAMS.mask(), List.of());
    private static final Options UNKNOWN = new Options(List.of(new Options.Entry("x", TypedValue.bool(true))));

    private final Metadata metadata = new Metadata();
    private final Metadata.Login root = metadata.loginRoot();

    private static CreateUser user(String name) {
        return user(name, null);
    }

    private static CreateUser user(String name, @Nullable Permissions permissions) {
        return new CreateUser(name, "secret of " + name, 1, permissions, Options.NONE);
    }

    private static UpdateUser rename(Identifier user, String name) {
        return new UpdateUser(user, name, 0, Options.NONE);
    }

    private User userNow(String name) {
        return Objects.requireNonNull(metadata.catalog.user(name));
    }

    private Metadata.Login created(String name, @Nullable Permissions permissions) {
        root.succeed(user(name, permissions));
        return metadata.login(50 + userNow(name).id(), userNow(name).id());
    }

    @Test
    void rootIsThereFromTheStartWithEveryRight() {
        User user = userNow(Metadata.ROOT);

        assertThat(user.id()).isEqualTo(User.ROOT_ID);
        assertThat(user.createdAtMicros()).isEqualTo(1);
        assertThat(user.isActive()).isTrue();
        assertThat(user.permissions()).isEqualTo(new Permissions(GlobalPermission.ALL, List.of()));
        assertThat(user.passwordPhc()).isEqualTo(Metadata.phc("root"));
    }

    @Test
    void rootIsMadeOnce() {
        Outcome outcome = metadata.apply(MetadataOperation.createRoot("other", "x", metadata.now));

        assertThat(((Outcome.Decided) outcome).reply().error()).isEqualTo(ErrorCode.USER_ALREADY_EXISTS);
        assertThat(metadata.catalog.usersCount()).isEqualTo(1);
    }

    @Test
    void theFirstUserThatIsCreatedHasIdOne() {
        UserDetails details =
                Objects.requireNonNull(UserDetails.decode(root.payload(user("alice", MAY_CREATE_STREAMS))));

        assertThat(details.user())
                .isEqualTo(new UserRecord(1, metadata.now - 1_000, UserStatus.ACTIVE, "alice", Options.NONE));
        assertThat(details.permissions()).isEqualTo(MAY_CREATE_STREAMS);
        assertThat(MetadataReads.user(userNow("alice"))).isEqualTo(details);
        assertThat(MetadataReads.users(metadata.catalog).users())
                .extracting(UserRecord::username)
                .containsExactly(Metadata.ROOT, "alice");
        assertThat(metadata.catalog.user(Identifier.of("alice"))).isSameAs(userNow("alice"));
        assertThat(metadata.catalog.user(Identifier.of(1))).isSameAs(userNow("alice"));
    }

    @Test
    void aStatusThatIsNotInactiveIsActive() {
        for (int status : new int[] {0, 1, 2, 3, 255}) {
            root.succeed(new CreateUser("user" + status, "p", status, null, Options.NONE));
            assertThat(userNow("user" + status).isActive())
                    .as("status %d", status)
                    .isEqualTo(status != 2);
        }
    }

    @Test
    void namesHave3To50Bytes() {
        assertThat(root.error(user("ab"))).isEqualTo(ErrorCode.INVALID_USERNAME);
        assertThat(root.error(user("abc"))).isNull();
        assertThat(root.error(user("x".repeat(50)))).isNull();
        assertThat(root.error(user("x".repeat(51)))).isEqualTo(ErrorCode.INVALID_USERNAME);
        assertThat(root.error(user("é"))).as("bytes count, not characters").isEqualTo(ErrorCode.INVALID_USERNAME);
        assertThat(root.error(user("éé"))).isNull();
        assertThat(root.error(user("é".repeat(26)))).isEqualTo(ErrorCode.INVALID_USERNAME);
    }

    @Test
    void whichProblemOfACreationIsReported() {
        Metadata.Login nobody = created("nobody", null);

        assertThat(nobody.error(new CreateUser("ab", "", 1, null, UNKNOWN)))
                .isEqualTo(ErrorCode.UNSUPPORTED_OPTION_KEY);
        assertThat(nobody.error(user("ab"))).isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(root.error(user("ab"))).isEqualTo(ErrorCode.INVALID_USERNAME);
        assertThat(root.error(user("nobody"))).isEqualTo(ErrorCode.USER_ALREADY_EXISTS);
        assertThat(root.error(user("somebody"))).isNull();
    }

    @Test
    void whichProblemOfAnUpdateIsReported() {
        Metadata.Login nobody = created("nobody", null);
        root.succeed(user("alice"));

        assertThat(nobody.error(new UpdateUser(MISSING, "ab", 1, UNKNOWN))).isEqualTo(ErrorCode.UNSUPPORTED_OPTION_KEY);
        assertThat(nobody.error(rename(MISSING, "ab"))).isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(root.error(rename(MISSING, "ab"))).isEqualTo(ErrorCode.RESOURCE_NOT_FOUND);
        assertThat(root.error(rename(Identifier.of("alice"), "ab"))).isEqualTo(ErrorCode.INVALID_USERNAME);
        assertThat(root.error(rename(Identifier.of("alice"), "nobody"))).isEqualTo(ErrorCode.USER_ALREADY_EXISTS);
        assertThat(root.error(rename(Identifier.of("alice"), "alice"))).isNull();
        assertThat(root.error(rename(Identifier.of("alice"), "alicia"))).isNull();
        assertThat(metadata.catalog.user("alice")).isNull();
        assertThat(userNow("alicia").id()).isEqualTo(2);
    }

    @Test
    void anUpdateChangesTheNameTheStatusOrBoth() {
        root.succeed(user("alice"));

        root.succeed(new UpdateUser(Identifier.of("alice"), null, 2, Options.NONE));
        assertThat(userNow("alice").isActive()).isFalse();
        root.succeed(new UpdateUser(Identifier.of("alice"), null, 7, Options.NONE));
        assertThat(userNow("alice").isActive())
                .as("an unknown status changes nothing")
                .isFalse();
        root.succeed(new UpdateUser(Identifier.of("alice"), "bob", 1, Options.NONE));
        assertThat(userNow("bob").isActive()).isTrue();
        root.succeed(new UpdateUser(ROOT, "admin", 2, Options.NONE));
        assertThat(userNow("admin").isActive()).as("root too").isFalse();
    }

    @Test
    void whichProblemOfADeletionIsReported() {
        Metadata.Login nobody = created("nobody", null);

        assertThat(nobody.error(new DeleteUser(MISSING))).isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(nobody.error(new DeleteUser(ROOT))).isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(root.error(new DeleteUser(MISSING))).isEqualTo(ErrorCode.RESOURCE_NOT_FOUND);
        assertThat(root.error(new DeleteUser(ROOT))).isEqualTo(ErrorCode.CANNOT_DELETE_USER);
        assertThat(root.error(new DeleteUser(Identifier.of("nobody")))).isNull();
    }

    @Test
    void aDeletedUserLeavesNothingToTheNextOneWithItsId() {
        Metadata.Login alice = created("alice", MAY_CREATE_STREAMS);
        alice.succeed(new CreatePersonalAccessToken("ci", 0));

        assertThat(root.succeed(new DeleteUser(Identifier.of("alice"))))
                .containsExactly(
                        new Change.SessionEnded(alice.client, alice.session, Change.SessionEnded.Cause.USER_REMOVED));
        assertThat(metadata.apply(alice.encode(new CreateStream("s", Options.NONE), 2, 0)))
                .isEqualTo(new Outcome.Evicted(EvictionReason.NO_SESSION));

        root.succeed(user("bob"));
        assertThat(userNow("bob").id()).isEqualTo(1);
        assertThat(metadata.catalog.isAllowed(1, Right.CREATE_STREAM, -1, -1)).isFalse();
        assertThat(metadata.catalog.tokens(1)).isEmpty();
        assertThat(metadata.catalog.token(Metadata.hash("1 ci"))).isNull();
    }

    @Test
    void whichProblemOfNewPermissionsIsReported() {
        Metadata.Login nobody = created("nobody", null);

        assertThat(nobody.error(new UpdatePermissions(MISSING, null))).isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(root.error(new UpdatePermissions(MISSING, null))).isEqualTo(ErrorCode.RESOURCE_NOT_FOUND);
        assertThat(root.error(new UpdatePermissions(ROOT, null))).isEqualTo(ErrorCode.CANNOT_CHANGE_PERMISSIONS);
        assertThat(root.error(new UpdatePermissions(Identifier.of("nobody"), MAY_CREATE_STREAMS)))
                .isNull();
    }

    @Test
    void newPermissionsHoldForTheNextCommandOfALiveSession() {
        Metadata.Login alice = created("alice", MAY_CREATE_STREAMS);
        assertThat(alice.error(new CreateStream("a", Options.NONE))).isNull();

        root.succeed(new UpdatePermissions(Identifier.of("alice"), null));
        assertThat(alice.error(new CreateStream("b", Options.NONE))).isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(userNow("alice").permissions()).isNull();

        root.succeed(new UpdatePermissions(Identifier.of("alice"), MAY_CREATE_STREAMS));
        assertThat(alice.error(new CreateStream("b", Options.NONE))).isNull();
    }

    @Test
    void permissionsComeBackAsTheyWereGiven() {
        Permissions given = new Permissions(
                0,
                List.of(
                        new Permissions.OnStream(9, StreamPermission.READ_STREAM.mask(), List.of()),
                        new Permissions.OnStream(2, 0, List.of(new Permissions.OnTopic(4, 1)))));
        root.succeed(user("alice", given));
        metadata.restart();

        assertThat(MetadataReads.user(userNow("alice")).permissions()).isEqualTo(given);
    }

    @Test
    void whichProblemOfANewPasswordIsReported() {
        Metadata.Login nobody = created("nobody", null);

        assertThat(nobody.error(new ChangePassword(MISSING, "?", "new"))).isEqualTo(ErrorCode.RESOURCE_NOT_FOUND);
        assertThat(nobody.error(new ChangePassword(ROOT, "?", "new"))).isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(nobody.error(new ChangePassword(Identifier.of("nobody"), "?", "new")))
                .isEqualTo(ErrorCode.INVALID_CREDENTIALS);
        assertThat(nobody.error(new ChangePassword(Identifier.of("nobody"), "secret of nobody", "new")))
                .isNull();
        assertThat(userNow("nobody").passwordPhc()).isEqualTo(Metadata.phc("new"));
        assertThat(root.error(new ChangePassword(Identifier.of("nobody"), "?", "newer")))
                .as("an administrator must know it too")
                .isEqualTo(ErrorCode.INVALID_CREDENTIALS);
    }

    @Test
    void aPasswordThatWasVerifiedBeforeAnotherChangeIsWrongInItsTurn() {
        Metadata.Login alice = created("alice", null);
        ChangePassword first = new ChangePassword(Identifier.of("alice"), "secret of alice", "one");
        ChangePassword second = new ChangePassword(Identifier.of("alice"), "secret of alice", "two");

        assertThat(alice.error(first)).isNull();
        assertThat(alice.error(second)).isEqualTo(ErrorCode.INVALID_CREDENTIALS);
        assertThat(userNow("alice").passwordPhc()).isEqualTo(Metadata.phc("one"));
    }

    @Test
    void nothingWasVerifiedAgainstAnEmptyHash() {
        created("alice", null);
        ChangePassword change = new ChangePassword(Identifier.of("alice"), "?", "new");
        Outcome outcome = metadata.apply(root.encode(
                Operation.CHANGE_PASSWORD, CompletedBody.changePassword(change, "", ""), ++root.request, 0));

        assertThat(((Outcome.Decided) outcome).reply().error()).isEqualTo(ErrorCode.INVALID_CREDENTIALS);
    }

    @Test
    void secretsDoNotGoIntoTheLogAsTheyCame() {
        List<Request> secrets = List.of(
                user("alice"),
                new ChangePassword(ROOT, "old", "new"),
                new CreatePersonalAccessToken("ci", 0),
                new JoinConsumerGroup(ROOT, ROOT, ROOT));
        for (Request request : secrets) {
            assertThatThrownBy(() -> root.encode(request.command().operation(), request.toBuffer(), 1, 0))
                    .as("%s", request.command())
                    .isInstanceOf(IllegalArgumentException.class);
        }
        root.succeed(user("alice"));
        String journal = new String(metadata.journal.getLast().array(), StandardCharsets.UTF_8);
        assertThat(journal).contains("alice").contains(Metadata.phc("secret of alice"));
    }

    @Test
    void aTokenIsFoundByItsHashUntilItIsDeleted() {
        Metadata.Login alice = created("alice", null);
        long now = metadata.now;
        assertThat(alice.execute(new CreatePersonalAccessToken("ci", 5_000_000))
                        .reply()
                        .payload())
                .as("the text of a token is not in the catalog's reply")
                .isEmpty();
        alice.succeed(new CreatePersonalAccessToken("ever", 0));
        alice.succeed(new CreatePersonalAccessToken("always", -1));
        metadata.restart();

        Token token = Objects.requireNonNull(metadata.catalog.token(Metadata.hash("1 ci")));
        assertThat(token).isEqualTo(new Token(1, "ci", Metadata.hash("1 ci"), now + 5_000_000));
        assertThat(token.isExpired(now + 4_999_999)).isFalse();
        assertThat(token.isExpired(now + 5_000_000)).isTrue();
        assertThat(MetadataReads.tokens(metadata.catalog, 1).tokens())
                .containsExactly(
                        new TokenRecord("always", 0),
                        new TokenRecord("ci", now + 5_000_000),
                        new TokenRecord("ever", 0));
        assertThat(MetadataReads.tokens(metadata.catalog, 0).tokens()).isEmpty();

        assertThat(root.error(new DeletePersonalAccessToken("ci")))
                .as("another user's token")
                .isEqualTo(ErrorCode.RESOURCE_NOT_FOUND);
        assertThat(alice.error(new DeletePersonalAccessToken("ci"))).isNull();
        assertThat(alice.error(new DeletePersonalAccessToken("ci"))).isEqualTo(ErrorCode.RESOURCE_NOT_FOUND);
        assertThat(metadata.catalog.token(Metadata.hash("1 ci"))).isNull();
    }

    @Test
    void theLimitOfTokensIsTheOneThatTravelsWithTheOperation() {
        Metadata metadata = new Metadata();
        Metadata.Login root = metadata.loginRoot();
        assertThat(creation(metadata, root, "a", 2)).isNull();
        assertThat(creation(metadata, root, "b", 2)).isNull();
        assertThat(creation(metadata, root, "c", 2)).isEqualTo(ErrorCode.PERSONAL_ACCESS_TOKENS_LIMIT_REACHED);
        assertThat(creation(metadata, root, "a", 2))
                .as("before the name is looked at")
                .isEqualTo(ErrorCode.PERSONAL_ACCESS_TOKENS_LIMIT_REACHED);
        assertThat(creation(metadata, root, "c", 3)).as("with a higher limit").isNull();
    }

    /// Journals of earlier programs have the creations that were let through, without the limit of that time.
    @Test
    void aCreationOfATokenThatWasWrittenWithoutALimitIsCarriedOut() {
        Metadata metadata = new Metadata();
        Metadata.Login root = metadata.loginRoot();
        assertThat(creation(metadata, root, "a", 1)).isNull();
        ByteBuffer body = body("b", 1);
        assertThat(decided(metadata, root, body.limit(body.limit() - 8))).isNull();
        assertThat(metadata.catalog.tokens(User.ROOT_ID)).hasSize(2);
    }

    private static ByteBuffer body(String name, long tokensMax) {
        return CompletedBody.createToken(new CreatePersonalAccessToken(name, 0), Metadata.hash(name), tokensMax);
    }

    private static @Nullable ErrorCode creation(Metadata metadata, Metadata.Login login, String name, long tokensMax) {
        return decided(metadata, login, body(name, tokensMax));
    }

    private static @Nullable ErrorCode decided(Metadata metadata, Metadata.Login login, ByteBuffer body) {
        Outcome outcome =
                metadata.apply(login.encode(Operation.CREATE_PERSONAL_ACCESS_TOKEN, body, ++login.request, 0));
        return ((Outcome.Decided) outcome).reply().error();
    }

    @Test
    void aTokensNameIsTakenOncePerUser() {
        Metadata.Login alice = created("alice", null);
        alice.succeed(new CreatePersonalAccessToken("ci", 0));

        assertThat(alice.error(new CreatePersonalAccessToken("ci", -2)))
                .as("the name is looked at before the expiry")
                .isEqualTo(ErrorCode.PERSONAL_ACCESS_TOKEN_ALREADY_EXISTS);
        assertThat(root.error(new CreatePersonalAccessToken("ci", 0))).isNull();
    }

    @Test
    void anExpiryBeyondTimeIsRefused() {
        assertThat(root.error(new CreatePersonalAccessToken("a", -2)))
                .isEqualTo(ErrorCode.INVALID_PERSONAL_ACCESS_TOKEN_EXPIRY);
        assertThat(root.error(new CreatePersonalAccessToken("a", -1 - metadata.now)))
                .isNull();
        assertThat(root.error(new CreatePersonalAccessToken("b", -metadata.now)))
                .isEqualTo(ErrorCode.INVALID_PERSONAL_ACCESS_TOKEN_EXPIRY);
        assertThat(root.error(new CreatePersonalAccessToken("c", 3_600L << 32))).isNull();
    }

    @Test
    void aRepeatedCreationOfATokenDoesNotTellItAgain() {
        MetadataReply reply =
                root.commit(new CreatePersonalAccessToken("ci", 0), 1, 5).reply();
        assertThat(reply.error()).isNull();

        assertThat(metadata.catalog.clients().judge(root.client, root.session, 1, 5))
                .isEqualTo(new ClientTable.Verdict.Reject(ErrorCode.PERSONAL_ACCESS_TOKEN_ALREADY_EXISTS));
    }

    @Test
    void whatIsDeletedIsNotExpiredAnyMore() {
        Metadata.Login alice = created("alice", null);
        alice.succeed(new CreatePersonalAccessToken("a", 1));
        root.succeed(new CreatePersonalAccessToken("b", 1));
        root.succeed(new CreatePersonalAccessToken("c", 0));
        metadata.restart();
        assertThat(metadata.catalog.hasExpiredTokens(metadata.now)).isTrue();

        root.succeed(new DeletePersonalAccessToken("b"));
        assertThat(metadata.catalog.hasExpiredTokens(metadata.now)).isTrue();
        root.succeed(new DeleteUser(Identifier.of("alice")));
        assertThat(metadata.catalog.hasExpiredTokens(metadata.now)).isFalse();
    }

    @Test
    void tokensThatEndedFirstGoFirst() {
        long end = metadata.now + 1_000_000_000L;
        for (int i = 0; i < 300; i++) {
            root.succeed(new CreatePersonalAccessToken("t" + i, end - i - metadata.now));
        }
        metadata.now = end + 1_000_000_000L;
        metadata.apply(MetadataOperation.removeExpiredTokens(metadata.now));
        assertThat(metadata.catalog.tokens(User.ROOT_ID))
                .extracting(token -> end - token.expiryAtMicros())
                .allMatch(before -> before < 44)
                .hasSize(44);
    }

    @Test
    void expiredTokensGoABatchAtATime() {
        for (int i = 0; i < 300; i++) {
            root.succeed(new CreatePersonalAccessToken("t" + i, 1));
        }
        root.succeed(new CreatePersonalAccessToken("later", 1_000_000_000_000L));
        assertThat(metadata.catalog.hasExpiredTokens(metadata.now)).isTrue();

        metadata.apply(MetadataOperation.removeExpiredTokens(metadata.now));
        assertThat(metadata.catalog.tokens(User.ROOT_ID)).hasSize(301 - 256);
        metadata.apply(MetadataOperation.removeExpiredTokens(metadata.now));
        assertThat(metadata.catalog.tokens(User.ROOT_ID))
                .extracting(Token::name)
                .containsExactly("later");
        assertThat(metadata.catalog.hasExpiredTokens(metadata.now)).isFalse();
        assertThat(metadata.catalog.token(Metadata.hash("0 t1"))).isNull();
    }
}
