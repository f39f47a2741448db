package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.EvictionHeader;
import io.galgo.protocol.EvictionReason;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.Options;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.ProtocolVersion;
import io.galgo.protocol.reply.LoginReply;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.PasswordLogin;
import io.galgo.protocol.request.TokenLogin;
import io.galgo.protocol.request.UpdateUser;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {1, 3})
class LoginTest {
    private final TestNode node;
    private final TestClient client;

    LoginTest(int shardsCount) {
        node = new TestNode(shardsCount);
        client = node.connect(shardsCount - 1);
    }

    @Test
    void rootLogsInAndLearnsItsSession() {
        Answer answer = client.tryLogin("root", "secret");
        assertThat(answer.outcome()).isEqualTo("ok");
        assertThat(answer.operation()).isEqualTo(Operation.REGISTER.value());
        assertThat(answer.number()).isZero();
        LoginReply login = TestClient.loginReply(answer);
        assertThat(login.userId()).isZero();
        assertThat(login.session()).isPositive().isEqualTo(answer.op());
        assertThat(answer.commit()).isGreaterThanOrEqualTo(login.session());
        assertThat(login.protocolVersion()).isEqualTo(ProtocolVersion.CURRENT);
        assertThat(login.serverVersion()).isEqualTo("galgo-test");
    }

    @Test
    void sessionsGrowFromLoginToLogin() {
        long first = client.login().session;
        assertThat(node.connect(0).login().session).isGreaterThan(first);
    }

    @Test
    void wrongPasswordsUnknownUsersAndImpossibleLengthsLookTheSame() {
        List<String> outcomes = new ArrayList<>();
        outcomes.add(client.tryLogin("root", "wrong").outcome());
        outcomes.add(client.tryLogin("nobody", "secret").outcome());
        outcomes.add(client.tryLogin("ro", "secret").outcome());
        outcomes.add(client.tryLogin("r".repeat(51), "secret").outcome());
        outcomes.add(client.tryLogin("root", "se").outcome());
        outcomes.add(client.tryLogin("root", "s".repeat(101)).outcome());
        assertThat(outcomes).containsOnly(Answer.evict(EvictionReason.INVALID_CREDENTIALS));
        assertThat(node.passwords.asked())
                .as("hashes computed, so that all take equal time")
                .hasSize(outcomes.size());
        assertThat(node.passwords.asked().subList(1, 6))
                .allMatch(phc ->
                        phc.matches("\\$argon2id\\$v=19\\$m=19456,t=2,p=1\\$[A-Za-z0-9+/]{22}\\$[A-Za-z0-9+/]{43}"));
    }

    @Test
    void theRightPasswordOfAUserWhoWasSwitchedOffTakesAsMuchWorkAsAnyOfAnUnknownUser() {
        TestClient root = node.root(0);
        assertThat(root.ask(new CreateUser("alice", "password", 1, null, Options.NONE))
                        .outcome())
                .isEqualTo("ok");
        assertThat(node.connect(0).tryLogin("alice", "password").outcome()).isEqualTo("ok");
        assertThat(root.ask(new UpdateUser(Identifier.of("alice"), null, 2, Options.NONE))
                        .outcome())
                .isEqualTo("ok");
        int before = node.passwords.asked().size();
        assertThat(client.tryLogin("alice", "password").outcome()).isEqualTo("evict 9");
        assertThat(client.tryLogin("alice", "wrong").outcome()).isEqualTo("evict 9");
        assertThat(client.tryLogin("nobody", "password").outcome()).isEqualTo("evict 9");
        assertThat(node.passwords.asked().subList(before, node.passwords.asked().size()))
                .as("hashes that no password has, so that none of them can be remembered")
                .hasSize(3)
                .containsOnly(Login.NOBODYS_PHC);
    }

    @Test
    void aRefusedLoginLeavesTheConnectionOpenForTheRightOne() {
        assertThat(client.tryLogin("root", "wrong").outcome()).isEqualTo("evict 9");
        assertThat(client.link.isClosed()).isFalse();
        assertThat(client.tryLogin("root", "secret").outcome()).isEqualTo("ok");
    }

    @Test
    void anEmptyPasswordReadsAsATokenToo() {
        assertThat(client.tryLogin("root", "").outcome()).isEqualTo(Answer.evict(EvictionReason.INVALID_TOKEN));
    }

    @Test
    void anUnknownTokenIsRefusedAsAToken() {
        TokenLogin token = new TokenLogin(ProtocolVersion.CURRENT, "test", "1", "A".repeat(68), "");
        assertThat(client.ask(token).outcome()).isEqualTo(Answer.evict(EvictionReason.INVALID_TOKEN));
    }

    @Test
    void anOtherProtocolVersionIsToldTheWindow() {
        for (int version : new int[] {
            ProtocolVersion.packed(0, 10, 1023), ProtocolVersion.packed(0, 12, 0), ProtocolVersion.packed(1, 0, 0), 0
        }) {
            Answer answer = client.ask(new PasswordLogin(version, "test", "1", "root", "secret", ""));
            assertThat(answer.outcome())
                    .as("version %s", ProtocolVersion.toText(version))
                    .isEqualTo(Answer.evict(EvictionReason.INCOMPATIBLE_PROTOCOL));
            assertThat(EvictionHeader.versionNewest(answer.frame(), 0)).isEqualTo(11264);
            assertThat(EvictionHeader.versionOldest(answer.frame(), 0)).isEqualTo(11264);
        }
        int patched = ProtocolVersion.packed(0, 11, 7);
        assertThat(client.ask(new PasswordLogin(patched, "test", "1", "root", "secret", ""))
                        .outcome())
                .isEqualTo("ok");
    }

    @Test
    void aLoginWithoutAVersionOrOfNoShapeIsMalformed() {
        ByteBuffer shortBody = ByteBuffer.allocate(3).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(client.ask(client.frame(Operation.REGISTER, 0, 0, shortBody)).outcome())
                .isEqualTo(Answer.evict(EvictionReason.MALFORMED_LOGIN));
        ByteBuffer prefixOnly = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        prefixOnly
                .putInt(ProtocolVersion.CURRENT)
                .put((byte) 1)
                .put((byte) 'a')
                .put((byte) 1)
                .put((byte) 'b');
        assertThat(client.ask(client.frame(Operation.REGISTER, 0, 0, prefixOnly.flip()))
                        .outcome())
                .isEqualTo(Answer.evict(EvictionReason.MALFORMED_LOGIN));
    }

    @Test
    void theLegacyLoginCodesAreEvictedBeforeAndAfterLogin() {
        for (int code : new int[] {38, 44}) {
            assertThat(client.ask(rawRead(code)).outcome()).isEqualTo("evict 15");
        }
        client.login();
        for (int code : new int[] {38, 44}) {
            assertThat(client.ask(rawRead(code)).outcome()).isEqualTo("evict 15");
        }
        assertThat(client.createStream("s").outcome()).isEqualTo("ok");
    }

    @Test
    void theCodesOfLoginAndLogoutMeanNothingAsReads() {
        for (int code : new int[] {39, 40, 45}) {
            assertThat(client.ask(rawRead(code)).outcome()).isEqualTo("deny 40");
        }
        client.login();
        for (int code : new int[] {39, 40, 45}) {
            Answer answer = client.ask(rawRead(code));
            assertThat(answer.outcome()).isEqualTo("ok");
            assertThat(answer.body().remaining()).isZero();
        }
        assertThat(client.createStream("s").outcome()).as("still logged in").isEqualTo("ok");
    }

    private ByteBuffer rawRead(int code) {
        return client.frame(Operation.NON_REPLICATED, code, 1, ByteBuffer.allocate(0));
    }

    @Test
    void beforeLoginOnlyPingLoginAndLogoutAreServed() {
        assertThat(client.ping().outcome()).isEqualTo("ok");
        assertThat(client.ask(new BodilessRequest(CommandCode.GET_STREAMS)).outcome())
                .isEqualTo("deny 40");
        assertThat(client.ask(new BodilessRequest(CommandCode.GET_CLUSTER_METADATA))
                        .outcome())
                .isEqualTo("deny 40");
        assertThat(client.ask(TestClient.poll(0, PollingStrategy.FIRST, 1, false))
                        .outcome())
                .isEqualTo("deny 40");
        client.session = 99;
        Answer create = client.createStream("s");
        assertThat(create.outcome()).isEqualTo(Answer.evict(EvictionReason.NO_SESSION));
        assertThat(EvictionHeader.clientLow(create.frame(), 0) | EvictionHeader.clientHigh(create.frame(), 0))
                .as("the client field of an eviction")
                .isNotZero();
        assertThat(client.ask(TestClient.send(0, "a")).outcome()).isEqualTo("evict 1");
        Answer logout = client.logout();
        assertThat(logout.outcome()).isEqualTo("ok");
        assertThat(logout.body().remaining()).isZero();
    }

    @Test
    void everyCommandButAPingNeedsALogin() {
        Scene scene = new Scene(node.shardsCount(), null);
        TestClient stranger = scene.node.connect(0);
        stranger.session = 99;
        for (CommandCode command : Scene.commands()) {
            boolean isRead = command.operation() == Operation.NON_REPLICATED;
            String expected = command == CommandCode.PING ? "ok" : isRead ? "deny 40" : "evict 1";

            assertThat(stranger.ask(scene.there(command)).outcome())
                    .as("%s", command)
                    .isEqualTo(expected);
        }
    }

    @Test
    void afterLogoutCommandsAreRefusedUntilTheNextLogin() {
        client.login();
        long session = client.session;
        Answer logout = client.logout();
        assertThat(logout.outcome()).isEqualTo("ok");
        assertThat(logout.operation()).isEqualTo(Operation.LOGOUT.value());
        assertThat(logout.op()).isEqualTo(session);
        assertThat(logout.body().remaining())
                .as("a logout is not result-framed")
                .isZero();
        assertThat(client.ask(new BodilessRequest(CommandCode.GET_STREAMS)).outcome())
                .isEqualTo("deny 40");
        assertThat(client.createStream("s").outcome()).isEqualTo("evict 1");
        client.login();
        assertThat(client.createStream("s").outcome()).isEqualTo("ok");
    }

    @Test
    void aLoginOnABoundConnectionKeepsTheSession() {
        client.login();
        long session = client.session;
        Answer again = client.tryLogin("root", "secret");
        assertThat(again.outcome()).isEqualTo("ok");
        assertThat(TestClient.loginReply(again).session()).isEqualTo(session);
        assertThat(client.tryLogin("root", "wrong").outcome()).isEqualTo("evict 9");
        assertThat(client.createStream("s").outcome()).as("still logged in").isEqualTo("ok");
    }

    @Test
    void aSecondConnectionTakesTheClientIdOver() {
        client.login();
        assertThat(client.createStream("s").outcome()).isEqualTo("ok");
        TestClient second = node.connect(0);
        second.id = client.id;
        second.login();
        assertThat(second.session).isGreaterThan(client.session);
        assertThat(client.createStream("t").outcome())
                .as("on the old connection")
                .isEqualTo("evict 1");
        assertThat(client.ping().outcome()).as("on the old connection").isEqualTo("ok");
        // The watermark was kept: number 1 was the creation of "s".
        second.number = 0;
        assertThat(second.ask(new CreateStream("s", Options.NONE)).outcome())
                .as("the repeated creation is answered from memory")
                .isEqualTo("ok");
        assertThat(second.createStream("u").outcome()).isEqualTo("ok");
    }

    @Test
    void aCommandWhileTheClientIdIsBeingTakenOverMustBeAskedAgain() {
        client.login();
        TestClient second = node.connect(0);
        second.id = client.id;
        second.post(TestClient.password("root", "secret"));
        assertThat(node.passwords.runNext()).isTrue();
        ByteBuffer create = client.frame(new CreateStream("s", Options.NONE));
        client.deliver(create);
        node.run();
        assertThat(client.next().outcome()).isEqualTo(Answer.reject(ErrorCode.TRANSIENT_NOT_COMMITTED));
        assertThat(client.ask(create).outcome()).isEqualTo("evict 1");
        assertThat(second.next().outcome()).isEqualTo("ok");
    }

    @Test
    void aConnectionCannotBorrowALiveSession() {
        client.login();
        TestClient thief = node.connect(0);
        thief.id = client.id;
        thief.session = client.session;
        thief.number = 10;
        assertThat(thief.createStream("s").outcome()).isEqualTo("evict 1");
        assertThat(thief.ask(new BodilessRequest(CommandCode.GET_STREAMS)).outcome())
                .isEqualTo("deny 40");
        assertThat(client.createStream("s").outcome()).as("the owner's").isEqualTo("ok");
    }

    @Test
    void theSessionEndsWithTheConnection() {
        client.login();
        ClientId id = client.id;
        client.link.cut();
        node.run();
        TestClient next = node.connect(0);
        next.id = id;
        next.login();
        assertThat(next.createStream("s").outcome())
                .as("request number 1 is new again")
                .isEqualTo("ok");
    }

    @Test
    void aConnectionThatBreaksWhileItLogsInLeavesNoSession() {
        client.post(TestClient.password("root", "secret"));
        assertThat(node.passwords.runNext()).isTrue();
        client.link.cut();
        node.run();
        assertThat(node.shard(0).sessionsCount()).isZero();
    }

    @Test
    void aLoginThatWaitsForItsHashHoldsNoMemory() {
        TestClient waiting = node.connect(0);
        long before = node.buffers(node.shard(0)).inUse();
        waiting.post(TestClient.password("root", "secret"));
        assertThat(node.buffers(node.shard(0)).inUse()).isEqualTo(before);
        node.run();
        assertThat(waiting.next().outcome()).isEqualTo("ok");
    }

    @Test
    void aLoginWhoseHashComesAfterTheEndHoldsNoMemory() {
        TestClient late = node.connect(0);
        late.post(TestClient.password("root", "wrong"));
        late.link.cut();
        boolean[] isStopped = new boolean[1];
        node.shard(0).stop(() -> isStopped[0] = true);
        while (node.runParcels() || node.transmit() || node.disk.runNext()) {
            // goes on until only the hash is left
        }
        assertThat(isStopped[0]).isTrue();
        assertThat(node.passwords.runNext()).isTrue();
        assertThat(node.buffers(node.shard(0)).inUse()).isZero();
    }

    @Test
    void aFullHasherRefusesForNow() {
        node.passwords.capacity(0);
        Answer answer = client.tryLogin("root", "secret");
        assertThat(answer.outcome()).isEqualTo(Answer.reject(ErrorCode.TRANSIENT_NOT_ACCEPTED));
        node.passwords.capacity(1);
        assertThat(client.tryLogin("root", "secret").outcome()).isEqualTo("ok");
    }

    @Test
    void aCrowdOfLoginsIsServedOneAfterTheOther() {
        List<TestClient> crowd = crowd(60);
        for (int i = 0; i < 50; i++) {
            node.run();
            node.clock.advance(20_000_000L);
        }
        for (TestClient one : crowd) {
            one.loggedIn(one.next());
            assertThat(one.createStream("s" + one.session).outcome()).isEqualTo("ok");
        }
    }

    @Test
    void aLoginThatFindsNoRoomForLongIsRefusedForNow() {
        List<TestClient> crowd = crowd(13);
        runAllButTheDisk();
        TestClient last = crowd.getLast();
        node.clock.advance(2_900_000_000L);
        runAllButTheDisk();
        assertThat(last.hasNothing()).as("is patient").isTrue();
        node.clock.advance(200_000_000L);
        runAllButTheDisk();
        assertThat(last.next().outcome()).isEqualTo(Answer.reject(ErrorCode.TRANSIENT_NOT_ACCEPTED));
        node.run();
        assertThat(crowd.getFirst().next().outcome())
                .as("one that was there before")
                .isEqualTo("ok");
    }

    private List<TestClient> crowd(int count) {
        List<TestClient> crowd = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            TestClient one = node.connect(i % node.shardsCount());
            one.post(TestClient.password("root", "secret"));
            crowd.add(one);
        }
        return crowd;
    }

    private void runAllButTheDisk() {
        boolean isBusy;
        do {
            isBusy = node.runParcels() || node.transmit() || node.passwords.runNext();
        } while (isBusy);
    }

    @Test
    void theTableOfClientsForgetsTheOldestWhichIsThenEvicted() {
        TestNode small = new TestNode(2, withClients(2), 1);
        TestClient first = small.root(1);
        TestClient second = small.root(0);
        TestClient third = small.root(1);
        assertThat(first.createStream("a").outcome()).as("the oldest").isEqualTo("evict 1");
        assertThat(second.createStream("b").outcome()).isEqualTo("ok");
        assertThat(third.createStream("c").outcome()).isEqualTo("ok");
        first.login();
        assertThat(first.createStream("a").outcome()).isEqualTo("ok");
    }

    @Test
    void aForgottenClientThatComesBackGetsTheReplyToItsLastRequestAgain() {
        TestNode small = new TestNode(node.shardsCount(), withClients(2), 1);
        TestClient first = small.root(0);
        ByteBuffer create = first.frame(new CreateStream("a", Options.NONE));
        Answer reply = first.ask(create);
        assertThat(reply.outcome()).isEqualTo("ok");
        small.root(0);
        TestClient third = small.root(small.shardsCount() - 1);
        assertThat(first.ask(create).outcome()).as("it was forgotten").isEqualTo("evict 1");

        first.login();
        create.putLong(184, first.session);
        assertThat(first.ask(create).frame()).as("the same bytes").isEqualTo(reply.frame());

        assertThat(third.createStream("a").outcome())
                .as("the stream was made once and is there")
                .isEqualTo("reject 1012");
        first.number = 1;
        assertThat(first.createStream("b").outcome()).as("the next request").isEqualTo("ok");
    }

    private static BrokerSettings withClients(int max) {
        return Settings.with(TestNode.SETTINGS, "clientsTableMax", max);
    }
}
