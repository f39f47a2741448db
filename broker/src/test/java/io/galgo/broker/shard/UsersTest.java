package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.CommandCode;
import io.galgo.protocol.GlobalPermission;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.reply.TokenSecret;
import io.galgo.protocol.reply.UserDetails;
import io.galgo.protocol.reply.UserRecord;
import io.galgo.protocol.reply.UserRecords;
import io.galgo.protocol.reply.UserStatus;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.ChangePassword;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeletePersonalAccessToken;
import io.galgo.protocol.request.DeleteUser;
import io.galgo.protocol.request.GetUser;
import io.galgo.protocol.request.UpdatePermissions;
import io.galgo.protocol.request.UpdateUser;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/// Users as clients see them.
@ParameterizedClass
@ValueSource(ints = {1, 3})
class UsersTest {
    private static final Identifier ALICE = Identifier.of("alice");
    private static final Identifier ROOT = Identifier.of("root");
    private static final Permissions MAY_READ_USERS = new Permissions(GlobalPermission.READ_USERS.mask(), List.of());

    private final TestNode node;
    private final TestClient root;

    UsersTest(int shardsCount) {
        node = new TestNode(shardsCount);
        root = node.root(shardsCount - 1);
    }

    private static CreateUser user(String name) {
        return new CreateUser(name, "secret of " + name, 1, null, Options.NONE);
    }

    private TestClient created(String name) {
        assertThat(root.ask(user(name)).outcome()).isEqualTo("ok");
        return node.connect(0).login(name, "secret of " + name);
    }

    private static UserDetails details(Answer answer) {
        assertThat(answer.outcome()).isEqualTo("ok");
        return Objects.requireNonNull(UserDetails.decode(answer.body()));
    }

    private List<UserRecord> users() {
        Answer answer = root.ask(new BodilessRequest(CommandCode.GET_USERS));
        assertThat(answer.outcome()).isEqualTo("ok");
        return Objects.requireNonNull(UserRecords.decode(answer.body())).users();
    }

    @Test
    void aUserIsCreatedFoundListedAndLogsIn() {
        Answer answer = root.ask(new CreateUser("alice", "secret", 1, MAY_READ_USERS, Options.NONE));
        assertThat(answer.outcome()).isEqualTo("ok");
        UserDetails created = Objects.requireNonNull(UserDetails.decode(answer.payload()));
        assertThat(created.user())
                .isEqualTo(
                        new UserRecord(1, created.user().createdAtMicros(), UserStatus.ACTIVE, "alice", Options.NONE));
        assertThat(created.permissions()).isEqualTo(MAY_READ_USERS);
        assertThat(details(root.ask(new GetUser(ALICE)))).isEqualTo(created);
        assertThat(details(root.ask(new GetUser(Identifier.of(1))))).isEqualTo(created);
        assertThat(users()).extracting(UserRecord::username).containsExactly("root", "alice");
        assertThat(TestClient.loginReply(node.connect(0).tryLogin("alice", "secret"))
                        .userId())
                .isEqualTo(1);
    }

    @Test
    void aMissingUserIsAnEmptyAnswer() {
        Answer answer = root.ask(new GetUser(Identifier.of("nobody")));
        assertThat(answer.outcome()).isEqualTo("ok");
        assertThat(answer.body().remaining()).isZero();
    }

    @Test
    void everyoneMayReadThemselvesAndOnlyThem() {
        TestClient alice = created("alice");
        assertThat(details(alice.ask(new GetUser(ALICE))).user().id()).isEqualTo(1);
        assertThat(alice.ask(new GetUser(ROOT)).outcome()).isEqualTo("deny 41");
        assertThat(alice.ask(new BodilessRequest(CommandCode.GET_USERS)).outcome())
                .isEqualTo("deny 41");
    }

    @Test
    void anUpdateIsSeenAndAnInactiveUserCannotLogIn() {
        created("alice");
        assertThat(root.ask(new UpdateUser(ALICE, "alicia", 2, Options.NONE)).outcome())
                .isEqualTo("ok");
        assertThat(users().getLast().username()).isEqualTo("alicia");
        assertThat(users().getLast().status()).isEqualTo(UserStatus.INACTIVE);
        assertThat(node.connect(0).tryLogin("alice", "secret of alice").outcome())
                .as("the old name")
                .isEqualTo("evict 9");
        assertThat(node.connect(0).tryLogin("alicia", "secret of alice").outcome())
                .as("an inactive user")
                .isEqualTo("evict 9");
        root.ask(new UpdateUser(Identifier.of("alicia"), null, 1, Options.NONE));
        assertThat(node.connect(0).tryLogin("alicia", "secret of alice").outcome())
                .isEqualTo("ok");
    }

    @Test
    void whoChangesAPasswordMustKnowTheCurrentOne() {
        TestClient alice = created("alice");
        created("bob");
        assertThat(alice.ask(new ChangePassword(ALICE, "wrong", "new one")).outcome())
                .isEqualTo("reject 42");
        assertThat(alice.ask(new ChangePassword(Identifier.of("bob"), "secret of bob", "new one"))
                        .outcome())
                .as("another user's")
                .isEqualTo("reject 41");
        assertThat(alice.ask(new ChangePassword(Identifier.of("nobody"), "x", "new one"))
                        .outcome())
                .isEqualTo("reject 20");
        assertThat(root.ask(new ChangePassword(ALICE, "wrong", "new one")).outcome())
                .as("an administrator must know it too")
                .isEqualTo("reject 42");
        assertThat(alice.ask(new ChangePassword(ALICE, "secret of alice", "new one"))
                        .outcome())
                .isEqualTo("ok");
        assertThat(alice.ping().outcome()).as("the session goes on").isEqualTo("ok");
        assertThat(alice.ask(new GetUser(ALICE)).outcome()).isEqualTo("ok");
        assertThat(node.connect(0).tryLogin("alice", "secret of alice").outcome())
                .isEqualTo("evict 9");
        assertThat(node.connect(0).tryLogin("alice", "new one").outcome()).isEqualTo("ok");
    }

    @Test
    void oneWhoMayNotChangeAPasswordLearnsNothingFromTheTimeItTakes() {
        TestClient alice = created("alice");
        int verified = node.passwords.asked().size();
        int hashed = node.passwords.hashesMade();
        alice.ask(new ChangePassword(ROOT, TestNode.ROOT_PASSWORD, "new one"));
        alice.ask(new ChangePassword(ROOT, "wrong", "new one"));
        assertThat(node.passwords.asked()).hasSize(verified);
        assertThat(node.passwords.hashesMade()).isEqualTo(hashed);
    }

    @Test
    void aLoginThatWaitsForItsTurnIsRefusedWhenThePasswordIsChangedBefore() {
        TestClient admin = node.root(0);
        created("alice");
        admin.post(new ChangePassword(ALICE, "secret of alice", "new one"));
        node.runParcels();
        assertThat(node.passwords.runNext()).as("the current password").isTrue();
        TestClient late = node.connect(node.shardsCount() - 1);
        late.post(TestClient.password("alice", "secret of alice"));
        assertThat(node.passwords.runNext()).as("the new hash").isTrue();
        assertThat(node.passwords.runNext()).as("the login's password").isTrue();
        node.run();
        assertThat(admin.next().outcome()).isEqualTo("ok");
        assertThat(late.next().outcome()).isEqualTo("evict 9");
    }

    @Test
    void aLoginThatWaitsForItsTurnIsRefusedWhenItsTokenIsDeletedBefore() {
        TestClient admin = node.root(0);
        Answer creation = admin.ask(new CreatePersonalAccessToken("ci", 0));
        String token =
                Objects.requireNonNull(TokenSecret.decode(creation.payload())).text();
        admin.post(new DeletePersonalAccessToken("ci"));
        TestClient late = node.connect(node.shardsCount() - 1);
        late.post(TestClient.token(token));
        node.run();
        assertThat(admin.next().outcome()).isEqualTo("ok");
        assertThat(late.next().outcome()).isEqualTo("evict 10");
    }

    @Test
    void aLoginThatWaitsForItsTurnDoesNotTellThatThePasswordOfOneSwitchedOffWasRight() {
        TestClient admin = node.root(0);
        created("alice");
        TestClient late = node.connect(node.shardsCount() - 1);
        late.post(TestClient.password("alice", "secret of alice"));
        admin.post(new UpdateUser(ALICE, null, 2, Options.NONE));
        assertThat(node.passwords.runNext()).as("the login's password").isTrue();
        node.run();
        assertThat(admin.next().outcome()).isEqualTo("ok");
        assertThat(late.next().outcome()).isEqualTo("evict 9");
    }

    @Test
    void rootCannotBeDeletedAndKeepsItsPermissions() {
        TestClient admin = created("admin");
        root.ask(new UpdatePermissions(Identifier.of("admin"), Scene.everything()));
        for (TestClient client : List.of(root, admin)) {
            assertThat(client.ask(new DeleteUser(ROOT)).outcome()).isEqualTo("reject 48");
            assertThat(client.ask(new UpdatePermissions(ROOT, null)).outcome()).isEqualTo("reject 49");
        }
        assertThat(admin.ask(new UpdateUser(ROOT, "boss", 0, Options.NONE)).outcome())
                .as("a new name is fine")
                .isEqualTo("ok");
    }

    @Test
    void aDeletedUserIsGone() {
        created("alice");
        assertThat(root.ask(new DeleteUser(ALICE)).outcome()).isEqualTo("ok");
        assertThat(root.ask(new GetUser(ALICE)).body().remaining()).isZero();
        assertThat(node.connect(0).tryLogin("alice", "secret of alice").outcome())
                .isEqualTo("evict 9");
        assertThat(root.ask(new DeleteUser(ALICE)).outcome()).isEqualTo("reject 20");
    }

    @Test
    void whatWasConfirmedSurvivesADeathOfTheProcess() {
        created("alice");
        root.ask(new UpdatePermissions(ALICE, MAY_READ_USERS));
        root.ask(new ChangePassword(ALICE, "secret of alice", "new one"));
        created("bob");
        root.ask(new DeleteUser(Identifier.of("bob")));
        node.killAndRestart();
        TestClient again = node.root(0);
        assertThat(details(again.ask(new GetUser(ALICE))).permissions()).isEqualTo(MAY_READ_USERS);
        assertThat(again.ask(new GetUser(Identifier.of("bob"))).body().remaining())
                .isZero();
        assertThat(node.connect(0).tryLogin("alice", "new one").outcome()).isEqualTo("ok");
        assertThat(node.connect(0).tryLogin("alice", "secret of alice").outcome())
                .isEqualTo("evict 9");
    }

    @Test
    void aRepeatedCreationIsAnsweredFromMemory() {
        ByteBuffer frame = root.frame(user("alice"));
        Answer first = root.ask(frame);
        Answer second = root.ask(frame);
        assertThat(first.outcome()).isEqualTo("ok");
        assertThat(second.frame()).isEqualTo(first.frame());
        assertThat(users()).hasSize(2);
    }

    @Test
    void whenNoPasswordCanBeHashedACommandIsRefusedForNowAndTheSameAgainIsCarriedOut() {
        created("alice");
        node.passwords.capacity(0);
        ByteBuffer create = root.frame(user("bob"));
        assertThat(root.ask(create).outcome()).isEqualTo("reject 58");
        ByteBuffer change = root.frame(new ChangePassword(ALICE, "secret of alice", "new one"));
        assertThat(root.ask(change).outcome()).isEqualTo("reject 58");
        node.passwords.capacity(1);
        assertThat(root.ask(create).outcome()).isEqualTo("ok");
        assertThat(root.ask(change).outcome()).isEqualTo("ok");
        assertThat(node.connect(0).tryLogin("alice", "new one").outcome()).isEqualTo("ok");
    }

    @Test
    void aConnectionThatBreaksWhileAPasswordIsHashedLeavesNothingBehind() {
        TestClient broken = node.root(0);
        broken.post(user("alice"));
        broken.link.cut();
        node.run();
        assertThat(users()).extracting(UserRecord::username).containsExactly("root");
        root.link.cut();
        node.assertNoMemoryIsHeld();
    }

    @Test
    void aClientIdOfAnotherUsersSessionIsRefused() {
        TestClient alice = created("alice");
        TestClient thief = node.connect(0);
        thief.id = alice.id;
        assertThat(thief.tryLogin("root", "secret").outcome()).isEqualTo("evict 12");
        assertThat(alice.ask(new GetUser(ALICE)).outcome()).as("the owner").isEqualTo("ok");
    }

    @Test
    void aLoginAsAnotherUserOnABoundConnectionKeepsTheSessionAndItsUser() {
        TestClient alice = created("alice");
        Answer answer = alice.tryLogin("root", "secret");
        assertThat(answer.outcome()).isEqualTo("ok");
        assertThat(TestClient.loginReply(answer).userId())
                .as("who was verified")
                .isZero();
        assertThat(TestClient.loginReply(answer).session()).isEqualTo(alice.session);
        assertThat(alice.createStream("s").outcome()).as("still alice").isEqualTo("reject 41");
    }

    @Test
    void framesThatHoldPasswordsAreErasedWhenTheyAreGivenBack() {
        created("alice");
        root.ask(new ChangePassword(ALICE, "secret of alice", "new one"));
        root.tryLogin("alice", "wrong one");
        for (int i = 0; i < node.shardsCount(); i++) {
            assertThat(TestNode.contents(node.buffers(node.shard(i)), 50))
                    .doesNotContain("secret of alice", "new one", "wrong one");
        }
    }
}
