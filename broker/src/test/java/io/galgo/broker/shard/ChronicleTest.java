package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.request.ChangePassword;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeletePersonalAccessToken;
import io.galgo.protocol.request.DeleteStream;
import io.galgo.protocol.request.DeleteTopic;
import io.galgo.protocol.request.DeleteUser;
import io.galgo.protocol.request.PurgeTopic;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.UpdatePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/// What an operator finds in the log about who did what, and about those who were not let in.
@ParameterizedClass
@ValueSource(ints = {1, 3})
class ChronicleTest {
    private static final Identifier ALICE = Identifier.of("alice");
    private static final Identifier S = Identifier.of("s");
    private static final Identifier T = Identifier.of("t");

    private final TestNode node;
    private final TestClient root;

    ChronicleTest(int shardsCount) {
        node = new TestNode(shardsCount);
        root = node.root(shardsCount - 1);
        node.log.infos.clear();
    }

    private void succeed(Request request) {
        assertThat(root.ask(request).outcome()).as(request.toString()).isEqualTo("ok");
    }

    @Test
    void everyChangeIsOneLineWithWhoAndWhat() {
        succeed(new CreateUser("alice", "first secret", 1, null, Options.NONE));
        succeed(new ChangePassword(ALICE, "first secret", "second secret"));
        succeed(new UpdatePermissions(ALICE, null));
        succeed(new CreatePersonalAccessToken("ci", 0));
        succeed(new DeletePersonalAccessToken("ci"));
        succeed(new DeleteUser(Identifier.of(1)));
        succeed(new CreateStream("s", Options.NONE));
        assertThat(root.createTopic("s", "t", 2).outcome()).isEqualTo("ok");
        succeed(new PurgeTopic(S, T));
        succeed(new DeleteTopic(S, Identifier.of(0)));
        succeed(new DeleteStream(Identifier.of(0)));
        assertThat(node.log.infos)
                .containsExactly(
                        "user \"root\" created user \"alice\"",
                        "user \"root\" changed the password of user \"alice\"",
                        "user \"root\" changed the permissions of user \"alice\"",
                        "user \"root\" created token \"ci\"",
                        "user \"root\" deleted token \"ci\"",
                        "user \"root\" deleted user \"alice\"",
                        "user \"root\" created stream \"s\"",
                        "user \"root\" created topic \"t\" with 2 partitions in stream \"s\"",
                        "user \"root\" purged topic \"t\" of stream \"s\"",
                        "user \"root\" deleted topic \"t\" of stream \"s\"",
                        "user \"root\" deleted stream \"s\"");
    }

    @Test
    void whatWasRefusedDidNotHappen() {
        succeed(new CreateStream("s", Options.NONE));
        assertThat(root.ask(new CreateStream("s", Options.NONE)).outcome()).isNotEqualTo("ok");
        assertThat(root.ask(new DeleteUser(ALICE)).outcome()).isNotEqualTo("ok");
        assertThat(node.log.infos).containsExactly("user \"root\" created stream \"s\"");
    }

    @Test
    void noRestartTellsItAgain() {
        succeed(new CreateStream("s", Options.NONE));
        node.log.infos.clear();
        node.killAndRestart();
        assertThat(node.log.infos).noneMatch(line -> line.contains("created stream"));
    }

    @Test
    void aRefusedLoginIsALineWithAddressNameAndReasonAndNoSecret() {
        node.connect(0).tryLogin(TestNode.ROOT_NAME, "a wrong secret");
        node.connect(0).tryLogin("nobody", "another secret");
        node.connect(0).tryLogin("no such token");
        assertThat(node.log.warnings)
                .hasSize(3)
                .satisfiesExactly(
                        line -> assertThat(line)
                                .startsWith("login refused: user \"root\" from 127.0.0.1:")
                                .endsWith(": wrong password"),
                        line -> assertThat(line)
                                .startsWith("login refused: user \"nobody\" from 127.0.0.1:")
                                .endsWith(": there is no such active user"),
                        line -> assertThat(line)
                                .startsWith("login refused: a client from 127.0.0.1:")
                                .endsWith(": its token is unknown or expired"))
                .noneMatch(line -> line.contains("secret") || line.contains("such token"));
    }

    @Test
    void aNameThatWantsToBeMoreThanANameIsShownPlain() {
        node.connect(0).tryLogin("a\nINFO user \"root\"\u202e\u001b[2J", "wrong");
        node.connect(0).tryLogin("n".repeat(255), "wrong");
        assertThat(node.log.warnings.getFirst())
                .contains("user \"a\\u{a}INFO user \\\"root\\\"\\u{202e}\\u{1b}[2J\" from ");
        assertThat(node.log.warnings.getLast()).contains("user \"" + "n".repeat(64) + "…\" from ");
    }

    @Test
    void aFloodOfRefusedLoginsIsAFewLinesAndACount() {
        for (int i = 0; i < RefusedLogins.LINES_MAX + 25; i++) {
            node.connect(0).tryLogin("nobody", "wrong");
        }
        assertThat(node.log.warnings).hasSize(RefusedLogins.LINES_MAX);
        node.clock.advance(RefusedLogins.PERIOD_NANOS);
        node.run();
        assertThat(node.log.warnings).hasSize(RefusedLogins.LINES_MAX + 1);
        assertThat(node.log.warnings.getLast()).isEqualTo("login refused: 25 more in the 10 s before");
        node.connect(0).tryLogin("nobody", "wrong");
        assertThat(node.log.warnings).hasSize(RefusedLogins.LINES_MAX + 2);
    }

    @Test
    void aLineOfWhatIsRefusedIsNotWrittenForThoseWhoAreLetIn() {
        List<String> before = List.copyOf(node.log.lines());
        node.root(0);
        assertThat(node.log.lines()).isEqualTo(before);
    }
}
