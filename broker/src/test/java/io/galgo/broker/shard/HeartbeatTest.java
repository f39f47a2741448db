package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.ConsumerRef;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {1, 2, 3})
class HeartbeatTest {
    private static final long SECOND = 1_000_000_000L;
    private static final ConsumerRef G = TestClient.group("g");

    private final TestNode node;
    private final TestClient client;

    HeartbeatTest(int shardsCount) {
        node = new TestNode(shardsCount, Settings.with(TestNode.SETTINGS, "heartbeatIntervalNanos", 2 * SECOND), 1);
        client = node.root(0);
        client.createTopic(2);
        client.createGroup("g");
    }

    private TestClient member(int shard) {
        return node.root(shard % node.shardsCount()).joinOk("g");
    }

    /// Lets so much time pass, in short steps, while some clients send pings.
    private void pass(long nanos, TestClient... alive) {
        for (long passed = 0; passed < nanos; passed += SECOND / 10) {
            node.clock.advance(SECOND / 10);
            for (TestClient each : alive) {
                assertThat(each.ping().outcome()).isEqualTo("ok");
            }
            node.run();
        }
    }

    @Test
    void aMemberThatSendsNothingIsEvictedAfterOnePointTwoIntervals() {
        TestClient silent = member(0);
        TestClient alive = member(1);
        pass(2_400_000_000L, alive);
        assertThat(silent.hasNothing()).as("after exactly 2.4 s").isTrue();
        assertThat(client.groupDetails("g").group().membersCount()).isEqualTo(2);
        pass(SECOND / 5, alive);
        assertThat(silent.next().outcome()).as("a little later").isEqualTo("evict 13");
        assertThat(silent.link.isClosed()).as("its connection is closed").isFalse();
        assertThat(client.groupDetails("g").group().membersCount()).isEqualTo(1);
        assertThat(alive.pollable("g")).containsExactly(0, 1);
    }

    @Test
    void anEvictedMemberMustLogInAgainAndGoesOnWhereTheGroupStands() {
        for (int i = 0; i < 10; i++) {
            client.sendOk(0, "m" + i);
        }
        TestClient member = member(0);
        assertThat(member.groupPollOk("g", 0, 5, true)).hasSize(5);
        pass(3 * SECOND);
        assertThat(member.next().outcome()).isEqualTo("evict 13");
        assertThat(member.ask(TestClient.groupPoll("g", 0, 1, false)).outcome()).isEqualTo("deny 40");
        assertThat(member.ask(TestClient.store(G, 0, 4)).outcome()).isEqualTo("evict 1");
        member.id = new ClientId(77, 78);
        member.login().joinOk("g");
        assertThat(TestClient.offsets(member.groupPollOk("g", 0, 1, true))).containsExactly(5L);
        assertThat(member.hasNothing()).as("nothing more comes").isTrue();
    }

    @Test
    void anIdleClientThatIsNoMemberStays() {
        TestClient idle = node.root(node.shardsCount() - 1);
        TestClient left = member(0);
        assertThat(left.ask(TestClient.leave("g")).outcome()).isEqualTo("ok");
        pass(20 * SECOND);
        assertThat(idle.hasNothing()).isTrue();
        assertThat(left.hasNothing()).isTrue();
        assertThat(idle.createStream("still here").outcome()).isEqualTo("ok");
    }

    @Test
    void aMemberThatPingsStays() {
        TestClient alive = member(1);
        pass(10 * SECOND, alive);
        assertThat(alive.pollable("g")).containsExactly(0, 1);
    }

    @Test
    void aPingOfAnotherConnectionDoesNotCount() {
        TestClient silent = member(1);
        TestClient data = node.root(0);
        assertThat(data.ask(new io.galgo.protocol.request.AttachConsumerSession(silent.id, silent.session, 0))
                        .outcome())
                .isEqualTo("ok");
        pass(3 * SECOND, data);
        assertThat(silent.next().outcome()).isEqualTo("evict 13");
    }

    @Test
    void nobodyIsEvictedWhenHeartbeatsAreOff() {
        node.settings(settings -> Settings.with(settings, "heartbeatEnabled", false));
        node.stopAndRestart();
        TestClient member = node.root(0).joinOk("g");
        pass(10 * SECOND);
        assertThat(member.hasNothing()).isTrue();
        assertThat(member.pollable("g")).hasSize(2);
    }

    @Test
    void membersLeftByACrashAreDroppedUnlessTheyComeBack() {
        TestClient lost = member(0);
        TestClient returning = member(1);
        ClientId id = returning.id;
        node.killAndRestart();
        TestClient observer = node.root(0);
        assertThat(observer.groupDetails("g").group().membersCount())
                .as("members right after the start")
                .isEqualTo(2);
        pass(SECOND);
        TestClient back = node.connect(node.shardsCount() - 1);
        back.id = id;
        back.login();
        pass(1_300_000_000L, back);
        assertThat(observer.groupDetails("g").group().membersCount())
                .as("members 2.3 s after the start")
                .isEqualTo(2);
        pass(SECOND / 5, back);
        assertThat(observer.groupDetails("g").group().membersCount())
                .as("members 2.5 s after the start")
                .isEqualTo(1);
        assertThat(back.pollable("g")).containsExactly(0, 1);
        assertThat(lost.id).isNotEqualTo(id);
    }

    @Test
    void sessionsThatAreNoMembersAreNotTouchedByAStart() {
        ClientId id = client.id;
        node.killAndRestart();
        pass(5 * SECOND);
        TestClient back = node.connect(0);
        back.id = id;
        assertThat(back.tryLogin(TestNode.ROOT_NAME, TestNode.ROOT_PASSWORD).outcome())
                .isEqualTo("ok");
    }

    @Test
    void anEvictionThatFindsNoRoomIsTriedAgain() {
        TestClient silent = member(node.shardsCount() - 1);
        if (node.shardsCount() == 1) {
            return;
        }
        Runnable giveBack = node.fillMailbox(0);
        pass(3 * SECOND);
        assertThat(silent.hasNothing()).as("told before it is so").isTrue();
        giveBack.run();
        pass(5 * SECOND);
        assertThat(silent.next().outcome()).isEqualTo("evict 13");
        assertThat(client.groupDetails("g").members()).isEqualTo(List.of());
    }
}
