package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.batch.MessageFrame;
import io.galgo.protocol.request.PurgeTopic;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {1, 2, 3})
class GroupLagTest {
    /// A batch of one message of one byte.
    private static final long BATCH_BYTES = BatchHeader.BYTES + MessageFrame.HEADER_BYTES + 1;

    private final TestNode node;
    private final TestClient client;

    GroupLagTest(int shardsCount) {
        node = new TestNode(shardsCount);
        client = node.root(0);
        client.createTopic(2);
        client.createGroup("g");
        client.createGroup("h");
        client.joinOk("g");
    }

    private List<GroupLag> lags() {
        return lags(node.shard(node.shardsCount() - 1));
    }

    private List<GroupLag> lags(Shard shard) {
        List<List<GroupLag>> told = new ArrayList<>();
        assertThat(shard.groupLags(0, 0, told::add)).isTrue();
        node.run();
        return told.getFirst();
    }

    private GroupLag lag(int groupId, int partition) {
        return lags().stream()
                .filter(lag -> lag.groupId() == groupId && lag.partition() == partition)
                .findAny()
                .orElseThrow();
    }

    @Test
    void everyGroupHasALagInEveryPartition() {
        client.sendOk(1, "a");
        assertThat(lags())
                .containsExactly(
                        new GroupLag(0, 0, 0, 0, -1, 0, 0, 0),
                        new GroupLag(0, 0, 0, 1, -1, 0, 1, BATCH_BYTES),
                        new GroupLag(0, 0, 1, 0, -1, 0, 0, 0),
                        new GroupLag(0, 0, 1, 1, -1, 0, 1, BATCH_BYTES));
        for (int shard = 0; shard < node.shardsCount(); shard++) {
            assertThat(lags(node.shard(shard))).as("asked on shard %s", shard).isEqualTo(lags());
        }
    }

    @Test
    void theLagShrinksWithWhatIsStored() {
        for (int i = 0; i < 10; i++) {
            client.sendOk(0, "m");
        }
        assertThat(client.groupPollOk("g", 0, 4, true)).hasSize(4);
        assertThat(lag(0, 0)).isEqualTo(new GroupLag(0, 0, 0, 0, 3, 9, 6, 6 * BATCH_BYTES));
        assertThat(client.groupPollOk("g", 0, 100, true)).hasSize(6);
        assertThat(lag(0, 0)).isEqualTo(new GroupLag(0, 0, 0, 0, 9, 9, 0, 0));
        assertThat(lag(1, 0).messages()).as("of the other group").isEqualTo(10);
        assertThat(client.ask(TestClient.store(TestClient.group("g"), 0, 1)).outcome())
                .isEqualTo("ok");
        assertThat(lag(0, 0).messages()).as("after going back").isEqualTo(8);
    }

    @Test
    void aPurgeLeavesNoLag() {
        client.sendOk(0, "a", "b");
        assertThat(client.ask(new PurgeTopic(TestClient.S, TestClient.T)).outcome())
                .isEqualTo("ok");
        node.run();
        assertThat(lag(0, 0)).isEqualTo(new GroupLag(0, 0, 0, 0, -1, 0, 0, 0));
    }

    @Test
    void aTopicThatIsNotThereHasNone() {
        List<List<GroupLag>> told = new ArrayList<>();
        assertThat(node.shard(0).groupLags(5, 5, told::add)).isTrue();
        node.run();
        assertThat(told).containsExactly(List.of());
    }

    @Test
    void withoutRoomToAskNobodyIsAsked() {
        if (node.shardsCount() == 1) {
            return;
        }
        Runnable giveBack = node.fillMailbox(1);
        assertThat(node.shard(0).groupLags(0, 0, _ -> {})).isFalse();
        giveBack.run();
        assertThat(lags()).hasSize(4);
    }

    @Test
    void theLagAfterARestartIsTheSame() {
        for (int i = 0; i < 10; i++) {
            client.sendOk(0, "m");
        }
        assertThat(client.ask(TestClient.store(TestClient.group("g"), 0, 6)).outcome())
                .isEqualTo("ok");
        List<GroupLag> before = lags();
        node.killAndRestart();
        assertThat(lags()).isEqualTo(before);
    }
}
