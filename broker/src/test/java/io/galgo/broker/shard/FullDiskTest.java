package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.DeleteSegments;
import io.galgo.protocol.request.DeleteStream;
import io.galgo.protocol.request.DeleteTopic;
import io.galgo.protocol.request.PurgeTopic;
import io.galgo.protocol.request.Request;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/// What a node does on a full disk, and when there is room again (spec semantics 26.3).
@ParameterizedClass
@ValueSource(ints = {1, 2})
class FullDiskTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Identifier S = Identifier.of("s");
    private static final Identifier T = Identifier.of("t");
    private static final String PAYLOAD = "x".repeat(10_000);

    private final TestNode node;
    private final TestClient client;

    FullDiskTest(int shardsCount) {
        node = new TestNode(shardsCount, Settings.with(TestNode.SETTINGS, "segmentBytesMax", 30_000L), 1);
        client = node.root(0);
        client.createTopic(2);
        for (int i = 0; i < 20; i++) {
            client.sendOk(0, PAYLOAD);
            client.sendOk(1, PAYLOAD);
        }
    }

    private String ask(Request request) {
        return client.ask(request).outcome();
    }

    private String send(int partition) {
        return ask(TestClient.send(partition, PAYLOAD));
    }

    private void fill() {
        node.disk.capacity(node.disk.usedBytes() + 1_000);
        assertThat(send(0)).as("the first send without room").isEqualTo("deny 4010");
        assertThat(send(0)).as("the next").isEqualTo("deny 58");
    }

    private void assertSendsGoOn(int partition) {
        String outcome = "";
        for (int i = 0; i < 6 && !outcome.equals("ok"); i++) {
            node.clock.advance(SECOND / 2);
            node.run();
            outcome = send(partition);
        }
        assertThat(outcome).as("a send within three seconds").isEqualTo("ok");
    }

    @Test
    void peopleCanLogInAndLookAndDelete() {
        fill();
        for (int i = 0; i < 50; i++) {
            TestClient operator = node.connect(i % node.shardsCount());
            assertThat(operator.tryLogin(TestNode.ROOT_NAME, TestNode.ROOT_PASSWORD)
                            .outcome())
                    .as("login %s", i)
                    .isEqualTo("ok");
        }
        assertThat(client.pollOk(0, PollingStrategy.FIRST, 5)).hasSize(5);
        assertThat(client.pollOk(TestClient.poll(1, PollingStrategy.NEXT, 5, true)))
                .as("a poll that stores its offset")
                .hasSize(5);
        assertThat(client.topic().topic().messagesCount()).isEqualTo(40);
        assertThat(ask(new CreateStream("another", Options.NONE))).isEqualTo("ok");
        assertThat(ask(new DeleteStream(Identifier.of("another")))).isEqualTo("ok");
        assertThat(ask(new DeleteSegments(S, T, 0, 100))).isEqualTo("ok");
        node.run();
        assertThat(client.topic().partitions().getFirst().messagesCount()).isLessThan(5);
        assertSendsGoOn(0);
        node.assertNoMemoryIsHeld();
    }

    @Test
    void aPurgeMakesRoomAndMessagesComeAgain() {
        fill();
        assertThat(ask(new PurgeTopic(S, T))).isEqualTo("ok");
        assertThat(client.pollOk(0, PollingStrategy.FIRST, 5)).isEmpty();
        node.run();
        assertSendsGoOn(0);
        assertSendsGoOn(1);
        assertThat(TestClient.offsets(client.pollOk(0, PollingStrategy.FIRST, 5)))
                .contains(0L);
        node.assertNoMemoryIsHeld();
    }

    @Test
    void aDeletedTopicMakesRoomForAnother() {
        fill();
        assertThat(ask(new DeleteTopic(S, T))).isEqualTo("ok");
        assertThat(client.createTopic("s", "t", 2).outcome()).isEqualTo("ok");
        node.run();
        assertSendsGoOn(0);
        node.stopAndRestart();
        assertThat(node.root(0).pollOk(0, PollingStrategy.FIRST, 5)).hasSize(1);
    }

    @Test
    void metadataGoOnWithoutARestartEvenWhenTheirReserveWasUsedUp() {
        node.disk.failNext(MemoryDisk.Operation.WRITE, DiskFault.Kind.NO_SPACE, ".journal");
        assertThat(ask(new CreateStream("lost", Options.NONE))).isEqualTo("reject 57");
        assertThat(ask(new CreateStream("refused", Options.NONE))).isEqualTo("reject 58");
        assertThat(client.pollOk(0, PollingStrategy.FIRST, 5)).hasSize(5);
        String outcome = "";
        for (int i = 0; i < 6 && !outcome.equals("ok"); i++) {
            node.clock.advance(SECOND / 2);
            outcome = ask(new CreateStream("made", Options.NONE));
        }
        assertThat(outcome).as("within three seconds").isEqualTo("ok");
        assertThat(node.log.warnings).anyMatch(line -> line.contains("works again"));
        node.killAndRestart();
        TestClient later = node.root(0);
        assertThat(later.createStream("made").outcome()).as("it is there").isEqualTo("reject 1012");
        assertThat(later.createStream("lost").outcome()).as("it is not there").isEqualTo("ok");
    }

    @Test
    void metadataGoOnWhenASnapshotIsPossibleAgainAlthoughTheJournalIsFull() {
        TestNode small = new TestNode(node.shardsCount(), Settings.with(TestNode.SETTINGS, "journalSlots", 16), 1);
        TestClient operator = small.root(0);
        small.disk.failAll(MemoryDisk.Operation.OPEN, DiskFault.Kind.TOO_MANY_FILES, ".tmp");
        int made = 0;
        while (operator.createStream("made" + made).outcome().equals("ok")) {
            made++;
            assertThat(made).as("streams made, with no snapshot since").isLessThan(100);
        }
        small.killAndRestart();
        TestClient stranger = small.connect(0);
        String refused =
                stranger.tryLogin(TestNode.ROOT_NAME, TestNode.ROOT_PASSWORD).outcome();
        assertThat(refused).as("a login with a full journal").isEqualTo("reject 58");
        small.disk.heal();
        String outcome = refused;
        for (int i = 0; i < 6 && !outcome.equals("ok"); i++) {
            small.clock.advance(SECOND / 2);
            outcome = small.connect(0)
                    .tryLogin(TestNode.ROOT_NAME, TestNode.ROOT_PASSWORD)
                    .outcome();
            small.run();
        }
        assertThat(outcome).as("a login within three seconds").isEqualTo("ok");
    }

    private List<String> outageLines() {
        return node.log.lines().stream()
                .filter(line -> line.contains("0/0/0 (stream \"s\", topic \"t\")"))
                .toList();
    }

    @Test
    void anOutageIsOneLineAReminderAMinuteAndALineAtItsEnd() {
        fill();
        for (int i = 0; i < 10; i++) {
            send(0);
        }
        assertThat(outageLines())
                .singleElement()
                .asString()
                .contains("cannot be written: ", "sends are refused until it can", "Make room");
        for (int second = 0; second < 61; second++) {
            node.clock.advance(SECOND);
            node.run();
            send(0);
        }
        assertThat(node.log.errors.getLast())
                .contains("0/0/0 (stream \"s\", topic \"t\") still cannot be written after 60 s: ")
                .contains(" sends were refused");
        assertThat(outageLines()).hasSize(2);
        assertThat(ask(new DeleteSegments(S, T, 0, 100))).isEqualTo("ok");
        node.run();
        assertSendsGoOn(0);
        assertThat(outageLines()).hasSize(3);
        assertThat(node.log.infos.getLast()).contains("is written again after 6", "sends were refused meanwhile");
    }

    @Test
    void aNodeThatStopsWhileItIsFullSaysThatNothingIsAtRisk() {
        fill();
        node.stopAndRestart();
        assertThat(node.log.warnings)
                .anyMatch(line -> line.contains("0/0/0 (stream \"s\", topic \"t\") could not be written to the end")
                        && line.contains("everything that was acknowledged was written before"));
    }
}
