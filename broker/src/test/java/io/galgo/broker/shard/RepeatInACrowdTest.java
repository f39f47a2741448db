package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.Options;
import io.galgo.protocol.request.CreateStream;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/// A repeat of a command that was decided, while there is no room for further commands.
///
/// Code 58 makes clients ask again under another number, so a repeat that got it would be carried out twice.
class RepeatInACrowdTest {
    private final TestNode node = new TestNode(1, Settings.with(TestNode.SETTINGS, "metadataQueueDepth", 1), 1);

    @Test
    void aRepeatIsAnsweredAsTheFirstTimeAlthoughTheQueueIsFull() {
        TestClient client = node.root(0);
        ByteBuffer frame = client.frame(new CreateStream("first", Options.NONE));
        Answer first = client.ask(frame.duplicate().order(frame.order()));
        assertThat(first.outcome()).isEqualTo("ok");
        TestClient[] crowd = new TestClient[4];
        for (int i = 0; i < crowd.length; i++) {
            crowd[i] = node.root(0);
        }
        for (int i = 0; i < crowd.length; i++) {
            crowd[i].post(new CreateStream("crowd" + i, Options.NONE));
        }
        client.deliver(frame.duplicate().order(frame.order()));
        node.run();
        assertThat(crowd[3].next().outcome()).as("the queue is full").isEqualTo("reject 58");
        assertThat(client.next().body()).as("the repeat's reply").isEqualTo(first.body());
    }
}
