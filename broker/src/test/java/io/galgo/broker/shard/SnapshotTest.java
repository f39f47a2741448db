package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.CommandCode;
import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.Operation;
import io.galgo.protocol.Options;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.GetSnapshot;
import io.galgo.protocol.request.SnapshotCompression;
import io.galgo.protocol.request.SnapshotType;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SnapshotTest {
    private static final GetSnapshot REQUEST =
            new GetSnapshot(SnapshotCompression.DEFLATED, List.of(SnapshotType.TEST, SnapshotType.SERVER_LOGS));

    private final TestNode node = new TestNode(2);
    private final TestClient client = node.root(1);

    private Answer ask(int... body) {
        ByteBuffer bytes = ByteBuffer.allocate(body.length);
        Arrays.stream(body).forEach(value -> bytes.put((byte) value));
        return client.ask(client.frame(
                Operation.NON_REPLICATED, CommandCode.GET_SNAPSHOT.code(), client.number + 1, bytes.flip()));
    }

    @Test
    void theReplyIsTheArchiveAndNothingElse() {
        node.snapshots.archive = new byte[] {5, 6, 7, 8};
        Answer answer = client.ask(REQUEST);
        assertThat(answer.outcome()).isEqualTo("ok");
        assertThat(answer.body()).isEqualTo(ByteBuffer.wrap(new byte[] {5, 6, 7, 8}));
        assertThat(node.snapshots.requests).containsExactly(REQUEST);
        assertThat(node.snapshots.bytesMax)
                .as("header and archive fit a frame")
                .isEqualTo(TestNode.SETTINGS.frameBytesMax() - FrameHeader.BYTES);
    }

    @Test
    void anArchiveThatCouldNotBeMadeIsDenied() {
        node.snapshots.archive = null;
        assertThat(client.ask(REQUEST).outcome()).isEqualTo("deny 9000");
        node.snapshots.archive = new byte[] {1};
        assertThat(client.ask(REQUEST).outcome()).as("and the next one is made").isEqualTo("ok");
    }

    @Test
    void oneIsMadeAtATimeAndOtherClientsAreServedMeanwhile() {
        node.snapshots.isHeldUp = true;
        client.post(REQUEST);
        node.run();
        TestClient other = node.root(0);
        assertThat(other.ask(REQUEST).outcome()).isEqualTo("deny 9000");
        assertThat(other.ping().outcome()).isEqualTo("ok");
        assertThat(client.hasNothing()).isTrue();
        node.snapshots.isHeldUp = false;
        node.run();
        assertThat(client.next().outcome()).isEqualTo("ok");
        assertThat(other.ask(REQUEST).outcome()).isEqualTo("ok");
    }

    @Test
    void aClientThatLeavesMeanwhileLeavesNothingBehind() {
        node.snapshots.isHeldUp = true;
        client.post(REQUEST);
        node.run();
        client.link.cut();
        node.run();
        node.snapshots.isHeldUp = false;
        node.run();
        node.assertNoMemoryIsHeld();
    }

    @Test
    void undecodableRequestsAreDenied() {
        assertThat(ask(2, 1, 4).outcome()).isEqualTo("ok");
        assertThat(ask(2, 0).outcome()).as("no section at all").isEqualTo("ok");
        assertThat(ask(0, 1, 4).outcome()).as("compression 0").isEqualTo("deny 3");
        assertThat(ask(7, 1, 4).outcome()).as("compression 7").isEqualTo("deny 3");
        assertThat(ask(2, 1, 9).outcome()).as("type 9").isEqualTo("deny 3");
        assertThat(ask(2, 2, 4).outcome()).as("a type is missing").isEqualTo("deny 3");
        assertThat(ask(2, 2, 100, 4).outcome()).as("all beside another").isEqualTo("deny 3");
        assertThat(ask(2, 1, 100).outcome()).as("all").isEqualTo("ok");
        assertThat(ask().outcome()).as("no body").isEqualTo("deny 3");
    }

    @Test
    void whoMayNotReadTheServerIsDenied() {
        assertThat(client.ask(new CreateUser("limited", "password", 1, null, Options.NONE))
                        .outcome())
                .isEqualTo("ok");
        TestClient limited = node.connect(0);
        Answer login = limited.tryLogin("limited", "password");
        assertThat(login.outcome()).isEqualTo("ok");
        limited.session = TestClient.loginReply(login).session();
        assertThat(limited.ask(REQUEST).outcome()).isEqualTo("deny 41");
        assertThat(node.snapshots.requests).isEmpty();
    }
}
