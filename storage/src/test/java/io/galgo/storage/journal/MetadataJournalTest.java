package io.galgo.storage.journal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.storage.Invariant;
import io.galgo.storage.Unreadable;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk;
import io.galgo.storage.disk.MemoryDisk.Operation;
import io.galgo.storage.disk.MemoryDisk.PowerLoss;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class MetadataJournalTest {
    private static final String FIRST = "metadata/00000000000000000001.journal";

    private final MemoryDisk disk = new MemoryDisk(1);
    private final List<String> replayed = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private final List<String> heard = new ArrayList<>();

    // ------------------------------------------------------------------------------------ appending

    @Test
    void anEmptyDirectoryIsAnEmptyJournal() {
        MetadataJournal journal = open();
        assertThat(journal.lastOp()).isZero();
        assertThat(journal.operationsCount()).isZero();
        assertThat(journal.fault()).isNull();
        assertThat(replayed).isEmpty();
        assertThat(reopen().lastOp()).isZero();
    }

    @Test
    void whatWasAppendedIsReplayedInOrder() {
        MetadataJournal journal = open();
        append(journal, 1, "one");
        append(journal, 2, "");
        append(journal, 3, "three");
        disk.runCompletions();
        assertThat(heard).containsExactly("1 done", "2 done", "3 done");
        assertThat(journal.lastOp()).isEqualTo(3);
        assertThat(journal.operationsCount()).isEqualTo(3);
        MetadataJournal next = reopen();
        assertThat(replayed).containsExactly("1=one", "2=", "3=three");
        assertThat(next.lastOp()).isEqualTo(3);
        assertThat(next.operationsCount()).isEqualTo(3);
        assertThat(events).isEmpty();
    }

    @Test
    void anAppendIsNotDoneBeforeItIsSynced() {
        MetadataJournal journal = open();
        append(journal, 1, "one");
        assertThat(heard).isEmpty();
        disk.runNext();
        assertThat(heard).as("after the write").isEmpty();
        assertThat(journal.lastOp()).isZero();
        disk.runNext();
        assertThat(heard).as("after the sync").containsExactly("1 done");
    }

    @Test
    void oneWriteAndOneSyncCoverAllThatWait() {
        MetadataJournal journal = open();
        append(journal, 1, "one");
        for (int op = 2; op <= 100; op++) {
            append(journal, op, "waits");
        }
        int operations = 0;
        while (disk.runNext()) {
            operations++;
        }
        assertThat(heard).hasSize(100);
        assertThat(operations).as("two writes and two syncs").isEqualTo(4);
    }

    @Test
    void theBytesAreCopiedByTheCall() {
        MetadataJournal journal = open();
        ByteBuffer body = ByteBuffer.wrap("before".getBytes(UTF_8));
        journal.append(1, body, (_, _) -> {});
        body.put(0, (byte) '?');
        disk.runCompletions();
        reopen();
        assertThat(replayed).containsExactly("1=before");
        assertThat(body.remaining()).isEqualTo(6);
    }

    @Test
    void anAppendThatIsWaitedForIsDurableAtOnce() {
        open().appendNow(1, bytes("root"));
        disk.powerLoss(PowerLoss.CLEAN);
        MetadataJournal journal = open();
        assertThat(replayed).containsExactly("1=root");
        append(journal, 2, "next");
        disk.runCompletions();
        assertThat(heard).containsExactly("2 done");
    }

    @Test
    void opsAreConsecutive() {
        MetadataJournal journal = open();
        append(journal, 1, "one");
        assertThatThrownBy(() -> append(journal, 3, "three"))
                .isInstanceOf(Invariant.Violation.class)
                .hasMessageContaining("(3, 1)");
    }

    @Test
    void aPowerLossTakesNothingThatWasDone() {
        MetadataJournal journal = open();
        append(journal, 1, "one");
        disk.runCompletions();
        append(journal, 2, "two");
        disk.powerLoss(PowerLoss.CLEAN);
        open();
        assertThat(replayed).containsExactly("1=one");
    }

    @Test
    void aVeryLargeOperationIsReplayed() {
        byte[] large = new byte[40 * 1024 * 1024 + 3];
        for (int i = 0; i < large.length; i++) {
            large[i] = (byte) ((i * 31) >>> 7);
        }
        MetadataJournal journal = open();
        append(journal, 1, "small");
        journal.append(2, ByteBuffer.wrap(large), (_, _) -> heard.add("2 done"));
        append(journal, 3, "behind");
        disk.runCompletions();
        disk.kill();
        List<byte[]> bodies = new ArrayList<>();
        MetadataJournal.open(
                disk,
                "metadata",
                new MetadataJournal.Replay() {
                    @Override
                    public void onSnapshot(long op, ByteBuffer state) {}

                    @Override
                    public void onOperation(long op, ByteBuffer body) {
                        byte[] copy = new byte[body.remaining()];
                        body.get(copy);
                        bodies.add(copy);
                    }
                },
                events::add);
        assertThat(bodies).hasSize(3);
        assertThat(Arrays.equals(bodies.get(1), large))
                .as("the large body is as it was")
                .isTrue();
    }

    // ------------------------------------------------------------------------------------ snapshots

    @Test
    void aSnapshotReplacesTheOperationsThatItCovers() {
        MetadataJournal journal = open();
        appendUpTo(journal, 10);
        snapshot(journal, 10, "state");
        disk.runCompletions();
        assertThat(heard).contains("snapshot 10 done");
        assertThat(journal.operationsCount()).isZero();
        append(journal, 11, "eleven");
        disk.runCompletions();
        assertThat(disk.files())
                .containsExactlyInAnyOrder(
                        "metadata/00000000000000000010.snapshot",
                        "metadata/00000000000000000011.journal",
                        "metadata/superblock.a",
                        "metadata/superblock.b");
        MetadataJournal next = reopen();
        assertThat(replayed).containsExactly("snapshot 10=state", "11=eleven");
        assertThat(next.lastOp()).isEqualTo(11);
        assertThat(next.operationsCount()).isEqualTo(1);
    }

    @Test
    void operationsBehindTheSnapshotStay() {
        MetadataJournal journal = open();
        appendUpTo(journal, 10);
        snapshot(journal, 7, "seven");
        append(journal, 11, "o11");
        disk.runCompletions();
        assertThat(journal.operationsCount()).isEqualTo(4);
        reopen();
        assertThat(replayed).containsExactly("snapshot 7=seven", "8=o8", "9=o9", "10=o10", "11=o11");
    }

    @Test
    void aSnapshotOfTheLastOneAgainChangesNothing() {
        MetadataJournal journal = open();
        appendUpTo(journal, 2);
        snapshot(journal, 2, "two");
        disk.runCompletions();
        snapshot(journal, 2, "two");
        disk.runCompletions();
        reopen();
        assertThat(replayed).containsExactly("snapshot 2=two");
    }

    @Test
    void appendsGoOnWhileASnapshotIsWritten() {
        MetadataJournal journal = open();
        appendUpTo(journal, 3);
        snapshot(journal, 3, "three");
        append(journal, 4, "four");
        while (!heard.contains("4 done")) {
            assertThat(disk.runNext()).as("the append gets done").isTrue();
        }
        assertThat(heard).as("the snapshot is still being written").doesNotContain("snapshot 3 done");
        disk.runCompletions();
        assertThat(heard).contains("snapshot 3 done");
    }

    @Test
    void manySnapshotsLeaveFewFiles() {
        MetadataJournal journal = open();
        for (int op = 1; op <= 50; op++) {
            append(journal, op, "o" + op);
            disk.runCompletions();
            snapshot(journal, op, "s" + op);
            disk.runCompletions();
        }
        assertThat(disk.files()).hasSize(4);
        reopen();
        assertThat(replayed).containsExactly("snapshot 50=s50");
    }

    @Test
    void aSnapshotLargerThanAnyBufferIsRestored() {
        MetadataJournal journal = open();
        appendUpTo(journal, 1);
        String state = "0123456789".repeat(500_000);
        snapshot(journal, 1, state);
        disk.runCompletions();
        reopen();
        assertThat(replayed.equals(List.of("snapshot 1=" + state)))
                .as("the state is as it was")
                .isTrue();
    }

    // ------------------------------------------------------------------------------------ faults

    @Test
    void aFailedSyncStopsTheJournal() {
        MetadataJournal journal = open();
        disk.failNext(Operation.SYNC, DiskFault.Kind.IO);
        append(journal, 1, "one");
        append(journal, 2, "two");
        disk.runCompletions();
        assertThat(heard).containsExactly("1 failed IO", "2 failed IO");
        assertThat(journal.fault()).isNotNull();
        assertThat(journal.lastOp()).isZero();
        append(journal, 3, "three");
        assertThat(heard).as("nothing is heard inside the call").hasSize(2);
        disk.runCompletions();
        assertThat(heard).last().isEqualTo("3 failed IO");
    }

    @Test
    void aFullDiskLeavesRoomForManyOperations() {
        MetadataJournal journal = open();
        appendUpTo(journal, 2);
        disk.capacity(disk.usedBytes());
        appendUpTo(journal, 1_000);
        assertThat(journal.fault()).isNull();
        assertThat(journal.lastOp()).isEqualTo(1_000);
    }

    @Test
    void aJournalThatFoundNoRoomGoesOnWhenThereIsSome() {
        MetadataJournal journal = open();
        appendUpTo(journal, 2);
        disk.failNext(Operation.WRITE, DiskFault.Kind.NO_SPACE);
        append(journal, 3, "lost".repeat(2_000));
        append(journal, 4, "lost too");
        disk.runCompletions();
        assertThat(heard).endsWith("3 failed NO_SPACE", "4 failed NO_SPACE");
        disk.failNext(Operation.WRITE, DiskFault.Kind.NO_SPACE);
        journal.probe();
        disk.runCompletions();
        assertThat(journal.fault()).as("while there is no room").isNotNull();
        journal.probe();
        disk.runCompletions();
        assertThat(journal.fault()).as("with room").isNull();
        assertThat(journal.lastOp()).isEqualTo(2);
        append(journal, 3, "three");
        disk.runCompletions();
        assertThat(heard).last().isEqualTo("3 done");
        disk.powerLoss(PowerLoss.SCATTERED);
        open();
        assertThat(replayed).containsExactly("1=o1", "2=o2", "3=three");
    }

    @Test
    void whatASyncThatFoundNoRoomLeftNeverComesBack() {
        for (PowerLoss extent : PowerLoss.values()) {
            MemoryDisk own = new MemoryDisk(4);
            MetadataJournal journal = MetadataJournal.open(own, "metadata", recorder(), events::add);
            journal.append(1, bytes("one"), (_, _) -> {});
            own.runCompletions();
            own.failNext(Operation.SYNC, DiskFault.Kind.NO_SPACE);
            journal.append(2, bytes("lost".repeat(1_000)), (_, _) -> {});
            own.runCompletions();
            journal.probe();
            own.runCompletions();
            journal.append(2, bytes("two"), (_, _) -> {});
            own.runCompletions();
            own.powerLoss(extent);
            replayed.clear();
            MetadataJournal.open(own, "metadata", recorder(), events::add);
            assertThat(replayed).as("after %s", extent).containsExactly("1=one", "2=two");
        }
    }

    @Test
    void aJournalThatTheDiskFailedIsNotBroughtBack() {
        MetadataJournal journal = open();
        disk.failNext(Operation.SYNC, DiskFault.Kind.IO);
        append(journal, 1, "one");
        disk.runCompletions();
        journal.probe();
        disk.runCompletions();
        assertThat(journal.fault()).isNotNull();
    }

    @Test
    void aFullDiskStopsTheJournalToo() {
        MetadataJournal journal = open();
        disk.failNext(Operation.WRITE, DiskFault.Kind.NO_SPACE);
        append(journal, 1, "one");
        disk.runCompletions();
        append(journal, 2, "two");
        disk.runCompletions();
        assertThat(heard).containsExactly("1 failed NO_SPACE", "2 failed NO_SPACE");
        disk.kill();
        MetadataJournal next = open();
        append(next, next.lastOp() + 1, "again");
        disk.runCompletions();
        assertThat(heard).last().isEqualTo(next.lastOp() + " done");
    }

    @Test
    void aFailedSnapshotCanBeTriedAgain() {
        for (Operation operation : List.of(Operation.OPEN, Operation.WRITE, Operation.SYNC, Operation.RENAME)) {
            for (String file : List.of("journal.tmp", "snapshot.tmp", "superblock.tmp")) {
                MemoryDisk own = new MemoryDisk(3);
                List<String> answers = new ArrayList<>();
                MetadataJournal journal = MetadataJournal.open(own, "metadata", recorder(), events::add);
                journal.append(1, bytes("one"), (_, _) -> {});
                own.runCompletions();
                own.failNext(operation, DiskFault.Kind.NO_SPACE, file);
                journal.snapshot(1, bytes("state"), (_, fault) -> answers.add(fault == null ? "done" : "failed"));
                assertThat(answers).isEmpty();
                journal.append(2, bytes("two"), (_, fault) -> answers.add(fault == null ? "2" : "2 failed"));
                own.runCompletions();
                assertThat(answers).as("%s of %s fails", operation, file).containsExactlyInAnyOrder("failed", "2");
                journal.snapshot(2, bytes("again"), (_, fault) -> answers.add(fault == null ? "done" : "failed"));
                own.runCompletions();
                assertThat(answers).last().isEqualTo("done");
                own.powerLoss(PowerLoss.CLEAN);
                replayed.clear();
                MetadataJournal.open(own, "metadata", recorder(), events::add);
                assertThat(replayed).containsExactly("snapshot 2=again");
            }
        }
    }

    @Test
    void aNewJournalFileWhoseNameMayVanishStopsTheJournal() {
        MetadataJournal journal = open();
        appendUpTo(journal, 2);
        disk.failNext(Operation.SYNC_DIRECTORY, DiskFault.Kind.IO, "metadata");
        snapshot(journal, 2, "two");
        append(journal, 3, "three");
        disk.runCompletions();
        assertThat(heard).contains("snapshot 2 failed IO", "3 failed IO");
        disk.powerLoss(PowerLoss.CLEAN);
        open();
        assertThat(replayed).containsExactly("1=o1", "2=o2");
    }

    @Test
    void aSuperblockWhoseNameMayVanishStopsTheJournal() {
        MetadataJournal journal = open();
        appendUpTo(journal, 2);
        snapshot(journal, 2, "two");
        while (!disk.files().contains("metadata/superblock.tmp")) {
            assertThat(disk.runNext()).as("the superblock gets written").isTrue();
        }
        disk.failNext(Operation.SYNC_DIRECTORY, DiskFault.Kind.IO, "metadata");
        append(journal, 3, "three");
        append(journal, 4, "four");
        disk.runNext();
        while (!heard.contains("snapshot 2 failed IO")) {
            // The superblock overtakes the write of op 3.
            disk.run(disk.pendingCount() - 1);
        }
        assertThat(journal.fault()).isNotNull();
        append(journal, 5, "five");
        disk.runCompletions();
        assertThat(heard)
                .as("what was on its way is done, what waited fails, in order")
                .endsWith("3 done", "4 failed IO", "5 failed IO");
        disk.powerLoss(PowerLoss.CLEAN);
        open();
        assertThat(replayed).containsExactly("1=o1", "2=o2", "3=three");
    }

    @Test
    void aFailedAppendOfTheStartIsThrown() {
        MetadataJournal journal = open();
        disk.failNext(Operation.SYNC, DiskFault.Kind.IO);
        assertThatThrownBy(() -> journal.appendNow(1, bytes("root"))).isInstanceOf(DiskException.class);
        assertThat(journal.fault()).isNotNull();
    }

    @Test
    void anOperationWhoseSyncFailedIsMadeDurableByTheNextStartOrDropped() {
        MetadataJournal journal = open();
        disk.failNext(Operation.SYNC, DiskFault.Kind.IO);
        append(journal, 1, "one");
        disk.runCompletions();
        disk.kill();
        MetadataJournal next = open();
        assertThat(replayed).containsExactly("1=one");
        append(next, 2, "two");
        disk.runCompletions();
        disk.powerLoss(PowerLoss.CLEAN);
        replayed.clear();
        open();
        assertThat(replayed).containsExactly("1=one", "2=two");
    }

    // ------------------------------------------------------------------------------------ closing

    @Test
    void closingWaitsForWhatIsOnItsWay() {
        MetadataJournal journal = open();
        appendUpTo(journal, 1);
        append(journal, 2, "two");
        snapshot(journal, 1, "one");
        journal.close((_, fault) -> heard.add("closed " + fault));
        disk.runCompletions();
        assertThat(heard).contains("2 done", "snapshot 1 done").last().isEqualTo("closed null");
        assertThat(disk.openFiles()).isZero();
        assertThatThrownBy(() -> append(journal, 3, "three")).isInstanceOf(Invariant.Violation.class);
    }

    @Test
    void closingAStoppedJournalSaysSo() {
        MetadataJournal journal = open();
        disk.failNext(Operation.WRITE, DiskFault.Kind.IO);
        append(journal, 1, "one");
        disk.runCompletions();
        journal.close((_, fault) -> heard.add(fault == null ? "closed" : "closed with " + fault.kind()));
        assertThat(heard).doesNotContain("closed with IO");
        disk.runCompletions();
        assertThat(heard).last().isEqualTo("closed with IO");
        assertThat(disk.openFiles()).isZero();
    }

    // ------------------------------------------------------------------------------------ damage

    @Test
    void aTornLastOperationIsDropped() {
        MetadataJournal journal = open();
        appendUpTo(journal, 3);
        disk.kill();
        byte[] whole = disk.content(FIRST);
        disk.content(FIRST, Arrays.copyOf(whole, whole.length - 1));
        MetadataJournal next = open();
        assertThat(replayed).containsExactly("1=o1", "2=o2");
        assertThat(events).singleElement().asString().contains("torn", FIRST);
        append(next, 3, "new three");
        disk.runCompletions();
        reopen();
        assertThat(replayed).containsExactly("1=o1", "2=o2", "3=new three");
    }

    @Test
    void damageBeforeTheLastWriteIsRefused() {
        MetadataJournal journal = open();
        appendUpTo(journal, 3);
        disk.kill();
        disk.flipBit(FIRST, JournalFile.HEADER_BYTES + JournalFile.RECORD_BYTES, 0);
        assertThatThrownBy(this::open)
                .isInstanceOf(Unreadable.class)
                .hasMessageContainingAll(FIRST, "position 32", "op 1", "restore");
        assertThat(disk.openFiles()).isZero();
    }

    @Test
    void aCleanStopProtectsTheLastOperationToo() {
        MetadataJournal journal = open();
        appendUpTo(journal, 3);
        journal.close((_, _) -> {});
        disk.runCompletions();
        long last = JournalFile.HEADER_BYTES + 2L * JournalFile.recordBytes(2);
        disk.flipBit(FIRST, last + JournalFile.RECORD_BYTES, 0);
        assertThatThrownBy(this::open).isInstanceOf(Unreadable.class).hasMessageContaining("op 3");
    }

    @Test
    void laterPartsOfATornWriteAreNoSignOfDamage() {
        MetadataJournal journal = open();
        append(journal, 1, "one");
        append(journal, 2, "two");
        append(journal, 3, "three");
        disk.runCompletions();
        disk.kill();
        // Ops 2 and 3 were one write. A sector in its beginning is lost, one behind it is not.
        disk.flipBit(FIRST, JournalFile.HEADER_BYTES + JournalFile.recordBytes(3) + JournalFile.RECORD_BYTES, 0);
        open();
        assertThat(replayed).containsExactly("1=one");
    }

    @Test
    void whatATornWriteLeftNeverComesBack() {
        MetadataJournal journal = open();
        append(journal, 1, "one");
        append(journal, 2, "2".repeat(104));
        append(journal, 3, "three");
        disk.runCompletions();
        disk.kill();
        disk.flipBit(FIRST, JournalFile.HEADER_BYTES + JournalFile.recordBytes(3) + JournalFile.RECORD_BYTES, 0);
        MetadataJournal next = open();
        assertThat(next.lastOp()).isEqualTo(1);
        // With the mark of the start it ends exactly where the old op 3 begins.
        append(next, 2, "?".repeat(104 - JournalFile.RECORD_BYTES));
        disk.runCompletions();
        reopen();
        assertThat(replayed).containsExactly("1=one", "2=" + "?".repeat(48));
    }

    @Test
    void aDamagedSnapshotIsRefused() {
        MetadataJournal journal = open();
        appendUpTo(journal, 2);
        snapshot(journal, 2, "state");
        disk.runCompletions();
        disk.kill();
        disk.flipBit("metadata/00000000000000000002.snapshot", Snapshot.HEADER_BYTES + 1, 3);
        assertThatThrownBy(this::open)
                .isInstanceOf(Unreadable.class)
                .hasMessageContainingAll("00000000000000000002.snapshot", "restore");
    }

    @Test
    void oneWholeSuperblockIsEnoughWhereItFits() {
        MetadataJournal journal = open();
        appendUpTo(journal, 2);
        disk.kill();
        disk.flipBit("metadata/superblock.b", 20, 3);
        open();
        assertThat(replayed).containsExactly("1=o1", "2=o2");
        assertThat(events).singleElement().asString().contains("superblock.b");
    }

    @Test
    void anOlderSuperblockIsRefusedWhenWhatItNamesIsGone() {
        MetadataJournal journal = open();
        appendUpTo(journal, 2);
        snapshot(journal, 2, "state");
        disk.runCompletions();
        disk.kill();
        disk.flipBit("metadata/superblock.a", 20, 3);
        assertThatThrownBy(this::open).isInstanceOf(Unreadable.class).hasMessageContaining("missing");
    }

    @Test
    void noWholeSuperblockIsRefused() {
        appendUpTo(open(), 2);
        disk.kill();
        disk.flipBit("metadata/superblock.a", 20, 3);
        disk.flipBit("metadata/superblock.b", 20, 3);
        assertThatThrownBy(this::open)
                .isInstanceOf(Unreadable.class)
                .hasMessageContainingAll("superblock.a", "superblock.b");
    }

    @Test
    void missingSuperblocksAreRefusedWhereOperationsAre() {
        appendUpTo(open(), 2);
        disk.kill();
        disk.removeLater("metadata/superblock.a");
        disk.removeLater("metadata/superblock.b");
        disk.runCompletions();
        assertThatThrownBy(this::open).isInstanceOf(Unreadable.class).hasMessageContaining("superblock");
    }

    @Test
    void aMissingJournalFileIsRefused() {
        MetadataJournal journal = open();
        appendUpTo(journal, 2);
        snapshot(journal, 1, "one");
        disk.runCompletions();
        disk.kill();
        disk.removeLater("metadata/00000000000000000003.journal");
        disk.runCompletions();
        assertThatThrownBy(this::open)
                .isInstanceOf(Unreadable.class)
                .hasMessageContaining("00000000000000000003.journal is missing");
    }

    @Test
    void aLaterFormatIsRefused() {
        appendUpTo(open(), 1);
        disk.kill();
        byte[] content = disk.content(FIRST);
        ByteBuffer header = ByteBuffer.wrap(content).order(java.nio.ByteOrder.LITTLE_ENDIAN);
        header.putInt(8, 2);
        header.putLong(24, io.galgo.protocol.Checksum.xxh3(header, 0, 24));
        disk.content(FIRST, content);
        assertThatThrownBy(this::open)
                .isInstanceOf(Unreadable.class)
                .hasMessageContainingAll(FIRST, "format version 2", "version 1");
    }

    // ------------------------------------------------------------------------------------ parts

    private MetadataJournal open() {
        return MetadataJournal.open(disk, "metadata", recorder(), events::add);
    }

    private MetadataJournal reopen() {
        disk.kill();
        replayed.clear();
        return open();
    }

    private MetadataJournal.Replay recorder() {
        return new MetadataJournal.Replay() {
            @Override
            public void onSnapshot(long op, ByteBuffer state) {
                replayed.add("snapshot " + op + "=" + UTF_8.decode(state));
            }

            @Override
            public void onOperation(long op, ByteBuffer body) {
                replayed.add(op + "=" + UTF_8.decode(body));
            }
        };
    }

    private void append(MetadataJournal journal, long op, String body) {
        journal.append(
                op, bytes(body), (_, fault) -> heard.add(op + (fault == null ? " done" : " failed " + fault.kind())));
    }

    /// Appends ops whose bodies are `o` and the op, one write each.
    private void appendUpTo(MetadataJournal journal, long last) {
        for (long op = journal.lastOp() + 1; op <= last; op++) {
            append(journal, op, "o" + op);
            disk.runCompletions();
        }
    }

    private void snapshot(MetadataJournal journal, long op, String state) {
        journal.snapshot(
                op,
                bytes(state),
                (_, fault) -> heard.add("snapshot " + op + (fault == null ? " done" : " failed " + fault.kind())));
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }
}
