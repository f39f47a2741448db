package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A partition that a start could not open has not been recovered from what the machine lost.
@ParameterizedClass
@ValueSource(ints = {1, 2})
class UnopenedPartitionTest {
    private final TestNode node;
    private final TestClient client;

    UnopenedPartitionTest(int shardsCount) {
        node = new TestNode(shardsCount);
        client = node.root(0);
        client.createTopic(3);
        for (int partition = 0; partition < 3; partition++) {
            client.sendOk(partition, "message");
        }
    }

    @Test
    void aNodeThatOpensAllIsFullyRecovered() {
        assertThat(node.isFullyRecovered()).isTrue();
        node.stopAndRestart();
        assertThat(node.isFullyRecovered()).isTrue();
    }

    @Test
    void aNodeSaysWhenAPartitionIsLeft() {
        node.stop();
        node.disk.failAll(MemoryDisk.Operation.OPEN, DiskFault.Kind.TOO_MANY_FILES, "partitions/1/superblock");
        node.restart();
        assertThat(node.isFullyRecovered()).isFalse();
        node.disk.heal();
        node.killAndRestart();
        assertThat(node.isFullyRecovered()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"partitions/1/00000000000000000000.log", "partitions/1/offsets"})
    void aPartitionThatCannotBeReadHoldsNoFileHoweverOftenThatIsTried(String unreadable) {
        assertThat(client.ask(TestClient.store(TestClient.CONSUMER, 1, 0)).outcome())
                .isEqualTo("ok");
        node.disk.failAll(MemoryDisk.Operation.READ, DiskFault.Kind.IO, unreadable);
        node.killAndRestart();
        TestClient late = node.root(0);
        for (int i = 0; i < 3; i++) {
            node.clock.advance(2_000_000_000L);
            assertThat(late.ask(TestClient.send(1, "late")).outcome()).isNotEqualTo("ok");
        }
        node.stop();
        assertThat(node.disk.openFiles()).as("files open after the stop").isZero();
    }

    @Test
    void aPartitionThatIsOpenedLaterInARunSkipsWhatTheMachineLost() {
        node.disk.failAll(MemoryDisk.Operation.OPEN, DiskFault.Kind.TOO_MANY_FILES, "partitions/1/superblock");
        node.losePowerAndRestart(MemoryDisk.PowerLoss.CLEAN);
        assertThat(node.isFullyRecovered()).isFalse();
        node.disk.heal();
        node.clock.advance(2_000_000_000L);
        TestClient late = node.root(0);
        assertThat(late.sendOk(1, "late"))
                .as("the offset behind the claimed block")
                .isGreaterThan(1);
    }
}
