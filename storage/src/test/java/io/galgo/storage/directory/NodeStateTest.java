package io.galgo.storage.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.protocol.Checksum;
import io.galgo.storage.Unreadable;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk;
import io.galgo.storage.disk.MemoryDisk.Operation;
import io.galgo.storage.disk.MemoryDisk.PowerLoss;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NodeStateTest {
    private static final String MONDAY = "0b1a52ab-5d1c-4c4e-9f0e-3f2b5c1d7e90";
    private static final String TUESDAY = "71c0a1f4-1be5-4b8f-8a57-6d2f0e9c3b12";

    private final MemoryDisk disk = new MemoryDisk(1);
    private final List<String> events = new ArrayList<>();

    @Test
    void theSameRunOfTheMachineLosesNothing() {
        open(MONDAY).recovered();
        disk.kill();
        assertThat(open(MONDAY).memoryWasLost()).isFalse();
    }

    @Test
    void anotherRunOfTheMachineMayHaveLostBytes() {
        open(MONDAY).recovered();
        disk.powerLoss(PowerLoss.CLEAN);
        assertThat(open(TUESDAY).memoryWasLost()).isTrue();
    }

    @Test
    void anUnknownRunOfTheMachineMayHaveLostBytes() {
        open(MONDAY).recovered();
        assertThat(open(null).memoryWasLost()).isTrue();
        open(null).recovered();
        assertThat(open(null).memoryWasLost()).isTrue();
        assertThat(open(MONDAY).memoryWasLost()).isTrue();
    }

    @Test
    void aRecoveryThatDidNotEndIsDoneAgain() {
        open(MONDAY).recovered();
        disk.powerLoss(PowerLoss.CLEAN);
        assertThat(open(TUESDAY).memoryWasLost()).isTrue();
        disk.kill();
        NodeState second = open(TUESDAY);
        assertThat(second.memoryWasLost())
                .as("the first recovery was not noted")
                .isTrue();
        second.recovered();
        disk.kill();
        assertThat(open(TUESDAY).memoryWasLost()).isFalse();
    }

    @Test
    void whatWasNotedSurvivesAPowerLoss() {
        open(MONDAY).recovered();
        disk.powerLoss(PowerLoss.CLEAN);
        assertThat(open(MONDAY).memoryWasLost()).isFalse();
    }

    @Test
    void anEmptyDirectoryIsTakenAtOnce() {
        open(MONDAY);
        disk.powerLoss(PowerLoss.CLEAN);
        disk.createDirectories("metadata");
        disk.content("metadata/superblock.a", new byte[1]);
        open(MONDAY);
        assertThat(events).isEmpty();
    }

    @Test
    void dataWithoutAStateIsRefused() {
        disk.content("streams/0/topics/0", new byte[1]);
        assertThatThrownBy(() -> open(MONDAY))
                .isInstanceOf(Unreadable.class)
                .hasMessageContainingAll("streams", NodeState.FILE);
        assertThat(disk.files()).containsExactly("streams/0/topics/0");
    }

    @Test
    void lostMetadataAreRefusedBeforeTheMessagesAreTakenForLeftovers() {
        NodeState first = open(MONDAY);
        disk.content("metadata/superblock.a", new byte[1]);
        disk.content("streams/0/topics/0", new byte[1]);
        first.recovered();
        disk.kill();
        assertThat(open(MONDAY).memoryWasLost()).isFalse();
        disk.removeLater("metadata");
        disk.runCompletions();
        assertThatThrownBy(() -> open(MONDAY))
                .isInstanceOf(Unreadable.class)
                .hasMessageContainingAll("no metadata", "restore");
    }

    @Test
    void anotherFormatIsRefused() {
        open(MONDAY).recovered();
        ByteBuffer bytes = ByteBuffer.wrap(disk.content(NodeState.FILE)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(8, 2).putInt(12, ~2);
        bytes.putLong(NodeState.BYTES - 8, Checksum.xxh3(bytes, 0, NodeState.BYTES - 8));
        disk.content(NodeState.FILE, bytes.array());
        assertThatThrownBy(() -> open(MONDAY))
                .isInstanceOf(Unreadable.class)
                .hasMessageContainingAll("format version 2", "version 1");
    }

    @Test
    void aDamagedStateCountsAsARestartWhereTheFormatIsKnownAndIsRefusedElsewhere() {
        open(MONDAY).recovered();
        byte[] whole = disk.content(NodeState.FILE);
        for (int length = 0; length < whole.length; length++) {
            checkDamaged(Arrays.copyOf(whole, length), length >= 16, "cut to " + length + " bytes");
        }
        for (int bit = 0; bit < whole.length * 8; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            checkDamaged(flipped, bit / 8 >= 16, "bit " + bit + " flipped");
        }
    }

    private void checkDamaged(byte[] content, boolean isFormatKnown, String what) {
        disk.content(NodeState.FILE, content);
        if (isFormatKnown) {
            assertThat(open(MONDAY).memoryWasLost()).as(what).isTrue();
        } else {
            assertThatThrownBy(() -> open(MONDAY)).as(what).isInstanceOf(Unreadable.class);
        }
        assertThat(disk.openFiles()).as("files open, " + what).isZero();
    }

    @Test
    void aNoteThatFailsIsThrownAndTheOlderOneStays() {
        open(MONDAY).recovered();
        NodeState state = open(TUESDAY);
        for (Operation operation : List.of(Operation.OPEN, Operation.WRITE, Operation.SYNC, Operation.RENAME)) {
            disk.failNext(operation, DiskFault.Kind.NO_SPACE);
            assertThatThrownBy(state::recovered).as("%s fails", operation).isInstanceOf(DiskException.class);
            assertThat(open(TUESDAY).memoryWasLost()).as("%s failed", operation).isTrue();
        }
        state.recovered();
        assertThat(open(TUESDAY).memoryWasLost()).isFalse();
        assertThat(disk.openFiles()).isZero();
    }

    private NodeState open(@Nullable String bootId) {
        return NodeState.open(disk, bootId, events::add);
    }
}
