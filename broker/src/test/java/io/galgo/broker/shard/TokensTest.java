package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.reply.TokenRecord;
import io.galgo.protocol.reply.TokenRecords;
import io.galgo.protocol.reply.TokenSecret;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.ChangePassword;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeletePersonalAccessToken;
import io.galgo.protocol.request.GetUser;
import io.galgo.protocol.request.UpdateUser;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/// Personal access tokens as clients see them.
@ParameterizedClass
@ValueSource(ints = {1, 3})
class TokensTest {
    private static final Identifier ALICE = Identifier.of("alice");
    private static final long HOUR_MICROS = 3_600_000_000L;

    private final TestNode node;
    private final TestClient root;
    private final TestClient alice;

    TokensTest(int shardsCount) {
        node = new TestNode(shardsCount);
        root = node.root(0);
        assertThat(root.ask(new CreateUser("alice", "secret of alice", 1, null, Options.NONE))
                        .outcome())
                .isEqualTo("ok");
        alice = node.connect(shardsCount - 1).login("alice", "secret of alice");
    }

    private static String text(Answer answer) {
        assertThat(answer.outcome()).isEqualTo("ok");
        return Objects.requireNonNull(TokenSecret.decode(answer.payload())).text();
    }

    private static void create(TestClient client, ByteBuffer frame) {
        assertThat(text(client.ask(frame))).isNotEmpty();
    }

    private static String create(TestClient client, String name, long expiryMicros) {
        return text(client.ask(new CreatePersonalAccessToken(name, expiryMicros)));
    }

    private static List<TokenRecord> list(TestClient client) {
        Answer answer = client.ask(new BodilessRequest(CommandCode.GET_PERSONAL_ACCESS_TOKENS));
        assertThat(answer.outcome()).isEqualTo("ok");
        return Objects.requireNonNull(TokenRecords.decode(answer.body())).tokens();
    }

    private String loginOutcome(String token) {
        return node.connect(0).tryLogin(token).outcome();
    }

    @Test
    void aTokenIsFiftyRandomBytesAsTextAndLogsItsOwnerIn() {
        String token = create(alice, "ci", 0);
        assertThat(token).hasSize(68);
        assertThat(Base64.getDecoder().decode(token)).hasSize(50);
        assertThat(create(alice, "other", 0)).isNotEqualTo(token);
        TestClient client = node.connect(0);
        Answer answer = client.tryLogin(token);
        assertThat(TestClient.loginReply(answer).userId()).isEqualTo(1);
        client.loggedIn(answer);
        assertThat(client.ask(new GetUser(ALICE)).outcome()).isEqualTo("ok");
        assertThat(client.createStream("s").outcome()).as("the owner's rights").isEqualTo("reject 41");
    }

    @Test
    void everyoneSeesTheirOwnTokensOnly() {
        create(root, "roots", 0);
        long before = node.clock.wallMicros();
        create(alice, "ci", HOUR_MICROS);
        create(alice, "ever", -1);
        assertThat(list(alice)).extracting(TokenRecord::name).containsExactly("ci", "ever");
        assertThat(list(alice).getFirst().expiryAtMicros())
                .isBetween(before + HOUR_MICROS, before + HOUR_MICROS + 1_000_000);
        assertThat(list(alice).getLast().expiryAtMicros()).isZero();
        assertThat(alice.ask(new DeletePersonalAccessToken("roots")).outcome()).isEqualTo("reject 20");
    }

    @Test
    void aDeletedTokenOpensNothingAndItsSessionsGoOn() {
        String token = create(alice, "ci", 0);
        TestClient client = node.connect(0);
        client.loggedIn(client.tryLogin(token));
        assertThat(alice.ask(new DeletePersonalAccessToken("ci")).outcome()).isEqualTo("ok");
        assertThat(loginOutcome(token)).isEqualTo("evict 10");
        assertThat(client.ask(new GetUser(ALICE)).outcome()).isEqualTo("ok");
        assertThat(list(alice)).isEmpty();
    }

    @Test
    void aTokenEndsAtItsTime() {
        String token = create(alice, "ci", HOUR_MICROS);
        long end = list(alice).getFirst().expiryAtMicros();
        node.clock.wallMicros(end - 1);
        assertThat(loginOutcome(token)).isEqualTo("ok");
        node.clock.wallMicros(end);
        assertThat(loginOutcome(token)).isEqualTo("evict 10");
    }

    @Test
    void expiriesThatCannotBeAreRefused() {
        assertThat(alice.ask(new CreatePersonalAccessToken("ci", -2)).outcome()).isEqualTo("reject 56");
        assertThat(list(alice)).isEmpty();
    }

    @Test
    void aTokenOfAnInactiveUserSaysSo() {
        String token = create(alice, "ci", 0);
        root.ask(new UpdateUser(ALICE, null, 2, Options.NONE));
        assertThat(loginOutcome(token)).isEqualTo("evict 11");
        root.ask(new UpdateUser(ALICE, null, 1, Options.NONE));
        assertThat(loginOutcome(token)).isEqualTo("ok");
    }

    @Test
    void textsThatAreNoTokenOpenNothing() {
        String token = create(alice, "ci", 0);
        for (String text : List.of(
                "",
                "A",
                token.substring(1),
                token + "A",
                token.toLowerCase(Locale.ROOT),
                "A".repeat(100),
                "A".repeat(101),
                "A".repeat(255))) {
            assertThat(loginOutcome(text)).as("%s", text).isEqualTo("evict 10");
        }
    }

    @Test
    void aNameIsTakenOnce() {
        create(alice, "ci", 0);
        assertThat(alice.ask(new CreatePersonalAccessToken("ci", 0)).outcome()).isEqualTo("reject 51");
        create(root, "ci", 0);
    }

    @Test
    void aRepeatedCreationDoesNotTellTheTokenAgain() {
        ByteBuffer frame = alice.frame(new CreatePersonalAccessToken("ci", 0));
        String token = text(alice.ask(frame));
        Answer again = alice.ask(frame);
        assertThat(again.outcome()).isEqualTo("reject 51");
        assertThat(loginOutcome(token)).as("the token that was told").isEqualTo("ok");
        assertThat(list(alice)).hasSize(1);
    }

    @Test
    void aUserHasSoManyTokensAtMostAndExpiredOnesCount() {
        TestNode small = new TestNode(1, Settings.with(TestNode.SETTINGS, "tokensPerUserMax", 3L), 1);
        TestClient client = small.root(0);
        create(client, "a", 0);
        create(client, "b", 1);
        create(client, "c", 0);
        small.clock.wallMicros(small.clock.wallMicros() + HOUR_MICROS);
        assertThat(client.ask(new CreatePersonalAccessToken("a", 0)).outcome())
                .as("before the name is looked at")
                .isEqualTo("deny 52");
        assertThat(client.ask(new DeletePersonalAccessToken("a")).outcome()).isEqualTo("ok");
        create(client, "d", 0);
    }

    @Test
    void theLimitHoldsForCreationsThatAreUnderWayAtOnce() {
        TestNode small = new TestNode(2, Settings.with(TestNode.SETTINGS, "tokensPerUserMax", 3L), 1);
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            clients.add(small.root(i % 2));
        }
        for (int i = 0; i < 6; i++) {
            clients.get(i).post(new CreatePersonalAccessToken("token " + i, 0));
        }
        small.run();
        assertThat(clients.stream().map(client -> client.next().outcome()).sorted())
                .containsExactly("deny 52", "deny 52", "deny 52", "ok", "ok", "ok");
        assertThat(list(clients.getFirst())).hasSize(3);
    }

    @Test
    void aRepeatOfTheLastCreationThatWasPossibleIsNoCreation() {
        TestNode small = new TestNode(1, Settings.with(TestNode.SETTINGS, "tokensPerUserMax", 1L), 1);
        TestClient client = small.root(0);
        ByteBuffer possible = client.frame(new CreatePersonalAccessToken("a", 0));
        create(client, possible);
        assertThat(client.ask(possible).outcome()).as("it was carried out").isEqualTo("reject 51");
        ByteBuffer impossible = client.frame(new CreatePersonalAccessToken("b", 0));
        assertThat(client.ask(impossible).outcome()).isEqualTo("deny 52");
        assertThat(client.ask(impossible).outcome()).as("the same again").isEqualTo("deny 52");
    }

    @Test
    void anotherLimitAtTheNextStartChangesNothingThatWasDecided() {
        TestNode large = new TestNode(1, Settings.with(TestNode.SETTINGS, "tokensPerUserMax", 3L), 1);
        TestClient client = large.root(0);
        create(client, "a", 0);
        create(client, "b", 0);
        large.settings(settings -> Settings.with(settings, "tokensPerUserMax", 1L));
        large.killAndRestart();
        TestClient again = large.root(0);
        assertThat(list(again)).hasSize(2);
        assertThat(again.ask(new CreatePersonalAccessToken("c", 0)).outcome()).isEqualTo("deny 52");
    }

    @Test
    void theCleanerRemovesExpiredTokensAndNoOthers() {
        create(alice, "short", 1);
        create(alice, "long", HOUR_MICROS);
        create(alice, "ever", 0);
        assertThat(list(alice)).hasSize(3);
        node.clock.advance(59_000_000_000L);
        node.run();
        assertThat(list(alice)).as("before its time").hasSize(3);
        node.clock.advance(1_000_000_000L);
        node.run();
        assertThat(list(alice)).extracting(TokenRecord::name).containsExactly("ever", "long");
        long op = node.shard(0).appliedOp();
        node.clock.advance(120_000_000_000L);
        node.run();
        assertThat(node.shard(0).appliedOp())
                .as("nothing to remove, nothing in the log")
                .isEqualTo(op);
        node.killAndRestart();
        TestClient again = node.connect(0).login("alice", "secret of alice");
        assertThat(list(again)).extracting(TokenRecord::name).containsExactly("ever", "long");
        node.clock.advance(3_600_000_000_000L);
        node.run();
        assertThat(list(again))
                .as("after a restart too")
                .extracting(TokenRecord::name)
                .containsExactly("ever");
    }

    @Test
    void theCleanerRemovesABoundedNumberAtATime() {
        TestNode large = new TestNode(1, Settings.with(TestNode.SETTINGS, "tokensPerUserMax", 1_000L), 1);
        TestClient client = large.root(0);
        for (int i = 0; i < 300; i++) {
            create(client, "t" + i, 1);
        }
        large.clock.advance(60_000_000_000L);
        large.run();
        assertThat(list(client)).hasSize(300 - 256);
        large.clock.advance(60_000_000_000L);
        large.run();
        assertThat(list(client)).isEmpty();
    }

    @Test
    void aCleanerThatIsSwitchedOffRemovesNothing() {
        TestNode still = new TestNode(1, Settings.with(TestNode.SETTINGS, "tokenCleanerEnabled", false), 1);
        TestClient client = still.root(0);
        create(client, "short", 1);
        still.clock.advance(3_600_000_000_000L);
        still.run();
        assertThat(list(client)).hasSize(1);
    }

    @Test
    void tokensSurviveADeathOfTheProcess() {
        String token = create(alice, "ci", 0);
        node.killAndRestart();
        assertThat(loginOutcome(token)).isEqualTo("ok");
    }

    @Test
    void noSecretIsInAnyFileOrLogLine() {
        String token = create(alice, "ci", 0);
        assertThat(alice.ask(new ChangePassword(ALICE, "secret of alice", "another secret"))
                        .outcome())
                .isEqualTo("ok");
        node.connect(0).tryLogin("alice", "a wrong secret");
        node.connect(0).tryLogin(token);
        node.stopAndRestart();
        for (String secret : List.of(token, "secret of alice", "another secret", "a wrong secret")) {
            for (String path : node.disk.files()) {
                assertThat(TestNode.contains(node.disk.content(path), secret))
                        .as("%s is in %s", secret, path)
                        .isFalse();
            }
            assertThat(node.log.lines()).noneMatch(line -> line.contains(secret));
        }
        assertThat(node.disk.files().stream().anyMatch(path -> TestNode.contains(node.disk.content(path), "alice")))
                .as("what is no secret is found")
                .isTrue();
    }
}
