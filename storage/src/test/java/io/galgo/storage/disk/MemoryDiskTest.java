package io.galgo.storage.disk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.storage.Invariant;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryDiskTest {
    private final MemoryDisk disk = new MemoryDisk(1);
    private final List<String> heard = new ArrayList<>();

    @Test
    void nothingHappensBeforeItIsRun() {
        DiskFile file = disk.open("a", true);
        file.write(0, bytes("hello"), (count, _) -> heard.add("wrote " + count));
        assertThat(file.size()).isZero();
        assertThat(heard).isEmpty();
        disk.runCompletions();
        assertThat(disk.content("a")).isEqualTo("hello".getBytes(UTF_8));
        assertThat(heard).containsExactly("wrote 5");
    }

    @Test
    void aReadAtTheEndIsShort() {
        disk.content("a", "hello".getBytes(UTF_8));
        ByteBuffer target = ByteBuffer.allocate(10);
        disk.open("a", false).read(3, target, (count, _) -> heard.add("read " + count));
        disk.runCompletions();
        assertThat(heard).containsExactly("read 2");
        assertThat((char) target.get(0)).isEqualTo('l');
        assertThat(target.position()).isZero();
    }

    @Test
    void operationsCompleteInTheOrderThatTheTestChooses() {
        DiskFile file = disk.open("a", true);
        file.write(0, bytes("1"), (_, _) -> heard.add("first"));
        file.write(1, bytes("2"), (_, _) -> heard.add("second"));
        disk.run(1);
        disk.run(0);
        assertThat(heard).containsExactly("second", "first");
    }

    @Test
    void aPowerLossTakesWhatWasNotSynced() {
        DiskFile file = disk.open("a", true);
        disk.syncDirectoryNow("");
        file.writeNow(0, bytes("safe"));
        file.syncNow();
        file.writeNow(4, bytes("lost"));
        disk.powerLoss(MemoryDisk.PowerLoss.CLEAN);
        assertThat(disk.content("a")).isEqualTo("safe".getBytes(UTF_8));
    }

    @Test
    void aSyncDoesNotCoverWhatCompletesAfterItWasAskedFor() {
        DiskFile file = disk.open("a", true);
        disk.syncDirectoryNow("");
        file.write(0, bytes("late"), (_, _) -> {});
        file.sync((_, _) -> {});
        disk.runCompletions();
        disk.powerLoss(MemoryDisk.PowerLoss.CLEAN);
        assertThat(disk.content("a")).isEmpty();
    }

    @Test
    void aPowerLossTakesNamesWhoseDirectoryWasNotSynced() {
        disk.createDirectories("d/e");
        disk.syncDirectoryNow("");
        disk.syncDirectoryNow("d");
        disk.open("d/e/kept", true).close();
        disk.syncDirectoryNow("d/e");
        DiskFile lost = disk.open("d/e/lost", true);
        lost.writeNow(0, bytes("x"));
        lost.syncNow();
        disk.powerLoss(MemoryDisk.PowerLoss.CLEAN);
        assertThat(disk.files()).containsExactly("d/e/kept");
    }

    @Test
    void aPowerLossTakesADirectoryThatItsParentForgot() {
        disk.createDirectories("d/e");
        disk.open("d/e/f", true).close();
        disk.syncDirectoryNow("d/e");
        disk.powerLoss(MemoryDisk.PowerLoss.CLEAN);
        assertThat(disk.exists("d")).isFalse();
    }

    @Test
    void aRenameIsAllOrNothing() {
        for (int seed = 0; seed < 50; seed++) {
            MemoryDisk disk = new MemoryDisk(seed);
            disk.content("old", "1".getBytes(UTF_8));
            disk.content("target", "2".getBytes(UTF_8));
            disk.rename("old", "target");
            disk.powerLoss(MemoryDisk.PowerLoss.TORN);
            if (disk.exists("old")) {
                assertThat(disk.content("target")).as("seed " + seed).isEqualTo("2".getBytes(UTF_8));
            } else {
                assertThat(disk.content("target")).as("seed " + seed).isEqualTo("1".getBytes(UTF_8));
            }
        }
    }

    @Test
    void aTornPowerLossLeavesAPrefixAndAScatteredOneAnySectors() {
        boolean sawPrefix = false;
        boolean sawHole = false;
        for (int seed = 0; seed < 200; seed++) {
            byte[] torn = afterPowerLoss(seed, MemoryDisk.PowerLoss.TORN);
            for (byte b : torn) {
                assertThat(b).as("seed " + seed).isEqualTo((byte) 1);
            }
            sawPrefix |= torn.length > 0 && torn.length < 4096;
            byte[] scattered = afterPowerLoss(seed, MemoryDisk.PowerLoss.SCATTERED);
            sawHole |= scattered.length > 512 && scattered[0] == 0;
        }
        assertThat(sawPrefix).isTrue();
        assertThat(sawHole).isTrue();
    }

    private static byte[] afterPowerLoss(int seed, MemoryDisk.PowerLoss extent) {
        MemoryDisk disk = new MemoryDisk(seed);
        DiskFile file = disk.open("a", true);
        disk.syncDirectoryNow("");
        byte[] ones = new byte[4096];
        java.util.Arrays.fill(ones, (byte) 1);
        file.writeNow(0, ByteBuffer.wrap(ones));
        disk.powerLoss(extent);
        return disk.content("a");
    }

    @Test
    void akilledProcessLosesWhatIsInFlightButNothingWritten() {
        boolean sawNothing = false;
        boolean sawPart = false;
        boolean sawAll = false;
        for (int seed = 0; seed < 100; seed++) {
            MemoryDisk disk = new MemoryDisk(seed);
            DiskFile file = disk.open("a", true);
            file.writeNow(0, bytes("ab"));
            file.write(2, bytes("cdefgh"), (_, _) -> heard.add("completed"));
            disk.kill();
            String content = new String(disk.content("a"), UTF_8);
            assertThat("abcdefgh").as("seed " + seed).startsWith(content);
            assertThat(content).as("seed " + seed).startsWith("ab");
            sawNothing |= content.length() == 2;
            sawPart |= content.length() > 2 && content.length() < 8;
            sawAll |= content.length() == 8;
            assertThatThrownBy(file::size).isInstanceOf(Invariant.Violation.class);
        }
        assertThat(List.of(sawNothing, sawPart, sawAll)).containsOnly(true);
        assertThat(heard).isEmpty();
    }

    @Test
    void aFailedSyncLosesTheUnsyncedBytesForGood() {
        DiskFile file = disk.open("a", true);
        disk.syncDirectoryNow("");
        file.writeNow(0, bytes("lost"));
        disk.failNext(MemoryDisk.Operation.SYNC, DiskFault.Kind.IO);
        file.sync((_, fault) -> heard.add("fault " + (fault != null)));
        disk.runCompletions();
        file.syncNow();
        disk.powerLoss(MemoryDisk.PowerLoss.CLEAN);
        assertThat(heard).containsExactly("fault true");
        assertThat(disk.content("a")).isEmpty();
    }

    @Test
    void aFullDiskTakesAPartAndSaysSo() {
        disk.capacity(6);
        DiskFile file = disk.open("a", true);
        file.write(
                0, bytes("0123456789"), (count, fault) -> heard.add(count + " " + (fault == null ? "" : fault.kind())));
        disk.runCompletions();
        assertThat(heard).containsExactly("0 NO_SPACE");
        assertThat(disk.content("a")).isEqualTo("012345".getBytes(UTF_8));
        disk.capacity(20);
        file.writeNow(0, bytes("0123456789"));
    }

    @Test
    void reservedRoomIsThereWhenTheDiskIsFull() {
        DiskFile file = disk.open("a", true);
        disk.capacity(8);
        assertThat(file.preallocate(9)).isFalse();
        assertThat(file.preallocate(8)).isTrue();
        assertThat(file.size()).isZero();
        disk.capacity(0);
        file.writeNow(0, bytes("01234567"));
        assertThatThrownBy(() -> file.writeNow(8, bytes("8"))).isInstanceOf(DiskException.class);
    }

    @Test
    void handlesAreCountedAndBounded() {
        disk.handlesMax(1);
        DiskFile file = disk.open("a", true);
        assertThatThrownBy(() -> disk.open("b", true))
                .isInstanceOfSatisfying(
                        DiskException.class,
                        e -> assertThat(e.fault().kind()).isEqualTo(DiskFault.Kind.TOO_MANY_FILES));
        file.write(0, bytes("x"), (_, _) -> {});
        file.close();
        assertThat(disk.openFiles()).isEqualTo(1);
        disk.runCompletions();
        assertThat(disk.openFiles()).isZero();
        assertThat(disk.content("a")).hasSize(1);
    }

    @Test
    void removedFilesStayReadableForWhoHasThemOpen() {
        disk.content("d/a", "hello".getBytes(UTF_8));
        DiskFile file = disk.open("d/a", false);
        disk.removeLater("d");
        assertThat(disk.exists("d")).isTrue();
        disk.runCompletions();
        assertThat(disk.exists("d")).isFalse();
        assertThat(file.readNow(0, ByteBuffer.allocate(5))).isEqualTo(5);
    }

    @Test
    void changingABufferThatIsBeingWrittenIsABug() {
        ByteBuffer source = bytes("hello");
        disk.open("a", true).write(0, source, (_, _) -> {});
        source.put(0, (byte) 0);
        assertThatThrownBy(disk::runCompletions).isInstanceOf(Invariant.Violation.class);
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }
}
