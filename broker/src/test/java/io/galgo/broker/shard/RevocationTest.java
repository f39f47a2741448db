package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.CommandCode;
import io.galgo.protocol.GlobalPermission;
import io.galgo.protocol.Options;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.StreamPermission;
import io.galgo.protocol.reply.TokenSecret;
import io.galgo.protocol.reply.UserRecord;
import io.galgo.protocol.reply.UserRecords;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.ChangePassword;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeleteUser;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.UpdatePermissions;
import io.galgo.protocol.request.UpdateUser;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What live sessions may do after their user lost a right, was switched off or deleted, for every command and at
/// every moment.
class RevocationTest {
    private static final BodilessRequest GET_ME = new BodilessRequest(CommandCode.GET_ME);

    /// What one who is logged in may do without any right.
    private static final Set<CommandCode> FREE = EnumSet.of(
            CommandCode.PING,
            CommandCode.GET_CLUSTER_METADATA,
            CommandCode.DESCRIBE_OPTIONS,
            CommandCode.ATTACH_CONSUMER_SESSION,
            CommandCode.GET_ME,
            CommandCode.GET_PERSONAL_ACCESS_TOKENS,
            CommandCode.CREATE_PERSONAL_ACCESS_TOKEN,
            CommandCode.DELETE_PERSONAL_ACCESS_TOKEN,
            CommandCode.FLUSH_UNSAVED_BUFFER,
            CommandCode.SYNC_CONSUMER_GROUP);

    private static Scene scene(int shardsCount) {
        return new Scene(shardsCount, Scene.everything());
    }

    static Set<CommandCode> commands() {
        return Scene.commands();
    }

    static List<CommandCode> metadataCommands() {
        return Scene.commands().stream()
                .filter(command -> command.operation().isMetadata())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void theNextCommandOfADeletedUserIsAnsweredWithAnEviction(CommandCode command) {
        Scene scene = scene(2);
        scene.succeed(new DeleteUser(Scene.ALICE));
        assertThat(scene.alice.ping().outcome()).as("a ping needs no login").isEqualTo("ok");
        if (command != CommandCode.PING) {
            assertThat(scene.alice.ask(scene.there(command)).outcome()).isEqualTo("evict 1");
        } else {
            assertThat(scene.alice.ask(GET_ME).outcome()).isEqualTo("evict 1");
        }
        assertThat(scene.alice.ask(GET_ME).outcome()).as("it was told once").isEqualTo("deny 40");
        assertThat(scene.alice.link.isClosed()).isFalse();
        scene.alice.login();
        assertThat(scene.alice.ask(GET_ME).outcome()).as("as another user").isEqualTo("ok");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void aSessionOfAUserWhoWasSwitchedOffGoesOn(CommandCode command) {
        Scene active = scene(2);
        String before = active.alice.ask(active.there(command)).outcome();
        Scene scene = scene(2);
        scene.succeed(new UpdateUser(Scene.ALICE, null, 2, Options.NONE));
        assertThat(scene.alice.ask(scene.there(command)).outcome()).isEqualTo(before);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void aRightThatWasTakenAwayIsGoneWithTheNextCommand(CommandCode command) {
        Scene scene = scene(3);
        assertThat(Scene.outcome(scene.alice.ask(GET_ME))).isEqualTo("ok");
        scene.grant(null);
        String outcome = scene.alice.ask(scene.there(command)).outcome();
        if (FREE.contains(command)) {
            assertThat(outcome).isNotEqualTo(Scene.refusal(command));
        } else {
            assertThat(outcome).isEqualTo(Scene.refusal(command));
        }
        scene.grant(Scene.everything());
        assertThat(scene.alice.ask(scene.there(command)).outcome())
                .as("given back")
                .isNotEqualTo(Scene.refusal(command));
    }

    @Test
    void whoLosesTheRightToSendPollsOn() {
        int poll = GlobalPermission.POLL_MESSAGES.mask();
        Scene scene = new Scene(2, new Permissions(poll | GlobalPermission.SEND_MESSAGES.mask(), List.of()));
        assertThat(scene.alice.ask(scene.there(CommandCode.SEND_MESSAGES)).outcome())
                .isEqualTo("ok");

        scene.grant(new Permissions(poll, List.of()));

        assertThat(scene.alice.ask(scene.there(CommandCode.SEND_MESSAGES)).outcome())
                .isEqualTo("deny 41");
        Answer polled = scene.alice.ask(scene.there(CommandCode.POLL_MESSAGES));
        assertThat(TestClient.payloads(TestClient.messages(polled))).containsExactly("a", "b", "a", "b");
    }

    @ParameterizedTest
    @MethodSource("metadataCommands")
    void aRightThatIsTakenAwayBeforeACommandsTurnIsMissingThen(CommandCode command) {
        Scene scene = scene(1);
        scene.root.post(new UpdatePermissions(Scene.ALICE, null));
        scene.alice.post(scene.there(command));
        scene.node.run();
        assertThat(scene.root.next().outcome()).isEqualTo("ok");
        assertThat(scene.alice.next().outcome()).isEqualTo(FREE.contains(command) ? "ok" : "reject 41");
    }

    @ParameterizedTest
    @MethodSource("metadataCommands")
    void aCommandWhoseUserIsDeletedBeforeItsTurnIsNotCarriedOutForTheNextUserWithTheId(CommandCode command) {
        Scene scene = scene(1);
        TestClient other = scene.node.root(0);
        scene.root.post(new DeleteUser(Scene.ALICE));
        other.post(new CreateUser("mallory", "password", 1, Scene.everything(), Options.NONE));
        assertThat(scene.node.passwords.runNext()).isTrue();
        scene.alice.post(scene.there(command));
        scene.node.run();
        assertThat(scene.root.next().outcome()).isEqualTo("ok");
        assertThat(other.next().outcome()).isEqualTo("ok");
        assertThat(user(scene, "mallory").id()).as("mallory has alice's id").isEqualTo(1);
        assertThat(scene.alice.next().outcome()).isEqualTo("evict 1");
        assertThat(scene.alice.ask(GET_ME).outcome()).as("told already").isEqualTo("deny 40");
    }

    private static UserRecord user(Scene scene, String name) {
        Answer answer = scene.root.ask(new BodilessRequest(CommandCode.GET_USERS));
        return Objects.requireNonNull(UserRecords.decode(answer.body())).users().stream()
                .filter(user -> user.username().equals(name))
                .findAny()
                .orElseThrow();
    }

    // Logins on their way

    private static String token(Scene scene) {
        Answer answer = scene.alice.ask(new CreatePersonalAccessToken("login", 0));
        return Objects.requireNonNull(TokenSecret.decode(answer.payload())).text();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLoginDoesNotBecomeThatOfTheNextUserWithTheId(boolean withToken) {
        Scene scene = scene(1);
        String token = token(scene);
        TestClient other = scene.node.root(0);
        TestClient late = scene.node.connect(0);
        scene.root.post(new DeleteUser(Scene.ALICE));
        other.post(new CreateUser("mallory", "password", 1, Scene.everything(), Options.NONE));
        assertThat(scene.node.passwords.runNext()).isTrue();
        late.post(withToken ? TestClient.token(token) : TestClient.password("alice", Scene.ALICES_PASSWORD));
        scene.node.run();
        assertThat(scene.root.next().outcome()).isEqualTo("ok");
        assertThat(other.next().outcome()).isEqualTo("ok");
        assertThat(user(scene, "mallory").id()).as("mallory has alice's id").isEqualTo(1);
        assertThat(late.next().outcome()).isEqualTo("evict 12");
        assertThat(late.ask(GET_ME).outcome()).isEqualTo("deny 40");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLoginOfAUserWhoIsSwitchedOffBeforeItsTurnFails(boolean withToken) {
        Scene scene = scene(1);
        String token = token(scene);
        TestClient late = scene.node.connect(0);
        scene.root.post(new UpdateUser(Scene.ALICE, null, 2, Options.NONE));
        late.post(withToken ? TestClient.token(token) : TestClient.password("alice", Scene.ALICES_PASSWORD));
        scene.node.run();
        assertThat(scene.root.next().outcome()).isEqualTo("ok");
        assertThat(late.next().outcome()).isEqualTo(withToken ? "evict 11" : "evict 9");
        assertThat(late.ask(GET_ME).outcome()).isEqualTo("deny 40");
    }

    @Test
    void aPasswordThatIsChangedWhileItIsVerifiedOpensNothing() {
        Scene scene = scene(1);
        TestClient late = scene.node.connect(0);
        scene.root.post(new ChangePassword(Scene.ALICE, Scene.ALICES_PASSWORD, "another one"));
        assertThat(scene.node.passwords.runNext()).as("verifies the old one").isTrue();
        late.post(TestClient.password("alice", Scene.ALICES_PASSWORD));
        assertThat(scene.node.passwords.runNext()).as("hashes the new one").isTrue();
        scene.node.disk.runCompletions();
        assertThat(scene.node.passwords.runNext()).as("answers the login").isTrue();
        scene.node.run();
        assertThat(scene.root.next().outcome()).isEqualTo("ok");
        assertThat(late.next().outcome()).isEqualTo("evict 9");
    }

    @Test
    void ofTwoChangesWithTheSamePasswordOnlyTheFirstIsRight() {
        Scene scene = scene(1);
        TestClient other = scene.node.root(0);
        scene.root.post(new ChangePassword(Scene.ALICE, Scene.ALICES_PASSWORD, "first"));
        other.post(new ChangePassword(Scene.ALICE, Scene.ALICES_PASSWORD, "second"));
        scene.node.run();
        assertThat(scene.root.next().outcome()).isEqualTo("ok");
        assertThat(other.next().outcome()).isEqualTo("reject 42");
        assertThat(scene.node.connect(0).tryLogin("alice", "first").outcome()).isEqualTo("ok");
        assertThat(scene.node.connect(0).tryLogin("alice", "second").outcome()).isEqualTo("evict 9");
    }

    @Test
    void aUserDeletedWhileItsPasswordIsVerifiedCannotLogIn() {
        Scene scene = scene(1);
        TestClient late = scene.node.connect(0);
        late.post(TestClient.password("alice", Scene.ALICES_PASSWORD));
        scene.root.post(new DeleteUser(Scene.ALICE));
        scene.node.disk.runCompletions();
        scene.node.run();
        assertThat(late.next().outcome()).isEqualTo("evict 9");
    }

    @Test
    void aConnectionThatLogsInAnewAfterItsUserWasDeletedIsNotEvicted() {
        Scene scene = scene(1);
        scene.succeed(new DeleteUser(Scene.ALICE));
        scene.alice.login();
        assertThat(scene.alice.ask(GET_ME).outcome()).isEqualTo("ok");
        assertThat(scene.alice.createStream("new").outcome()).isEqualTo("ok");
    }

    @Test
    void aLogoutAfterTheUserWasDeletedIsFineAndSaysAllThereIs() {
        Scene scene = scene(1);
        scene.succeed(new DeleteUser(Scene.ALICE));
        assertThat(scene.alice.logout().outcome()).isEqualTo("ok");
        assertThat(scene.alice.ask(GET_ME).outcome()).isEqualTo("deny 40");
    }

    @Test
    void theTokensOfADeletedUserOpenNothingEvenForTheNextOneWithTheId() {
        Scene scene = scene(1);
        String token = token(scene);
        scene.succeed(new DeleteUser(Scene.ALICE));
        scene.succeed(new CreateUser("mallory", "password", 1, null, Options.NONE));
        assertThat(user(scene, "mallory").id()).isEqualTo(1);
        assertThat(scene.node.connect(0).tryLogin(token).outcome()).isEqualTo("evict 10");
    }

    @Test
    void rightsOnAStreamAreThoseOfItsIdNotOfItsName() {
        Scene scene = scene(1);
        scene.grant(new Permissions(
                0, List.of(new Permissions.OnStream(0, StreamPermission.READ_STREAM.mask(), List.of()))));
        Request read = scene.there(CommandCode.GET_STREAM);
        assertThat(scene.alice.ask(read).outcome()).isEqualTo("ok");
        scene.succeed(scene.there(CommandCode.UPDATE_STREAM));
        assertThat(scene.alice.ask(read).outcome()).as("renamed").isEqualTo("ok");
    }
}
