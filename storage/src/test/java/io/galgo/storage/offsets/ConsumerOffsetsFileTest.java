package io.galgo.storage.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.protocol.Checksum;
import io.galgo.storage.Invariant;
import io.galgo.storage.Unreadable;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk;
import io.galgo.storage.disk.MemoryDisk.Operation;
import io.galgo.storage.disk.MemoryDisk.PowerLoss;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ConsumerOffsetsFileTest {
    private static final String PATH = "streams/0/topics/0/partitions/0/offsets";
    private static final long CREATED = 7;

    private final MemoryDisk disk = new MemoryDisk(1);
    private final OffsetsStorage storage = new OffsetsStorage(disk, 2);
    private final List<String> events = new ArrayList<>();
    private final List<String> heard = new ArrayList<>();
    private long generation;

    // ------------------------------------------------------------------------------------ storing

    @Test
    void anIdlePartitionCostsNoFile() {
        ConsumerOffsetsFile file = open();
        assertThat(loaded()).isEmpty();
        file.close((_, _) -> heard.add("closed"));
        disk.runCompletions();
        assertThat(heard).containsExactly("closed");
        assertThat(disk.files()).isEmpty();
    }

    @Test
    void whatWasStoredIsLoaded() {
        ConsumerOffsetsFile file = open();
        store(file, 1, 10);
        store(file, 2, 20);
        store(file, 1, 11);
        file.store(true, 1, 5, false, heard("group"));
        file.store(false, -1, Long.MAX_VALUE, false, heard("large"));
        disk.runCompletions();
        assertThat(heard).containsExactly("1=10 done", "2=20 done", "1=11 done", "group done", "large done");
        disk.kill();
        assertThat(loaded())
                .containsExactly("consumer -1=9223372036854775807", "consumer 1=11", "consumer 2=20", "group 1=5");
        assertThat(events).isEmpty();
    }

    @Test
    void whatWasDeletedIsGone() {
        ConsumerOffsetsFile file = open();
        store(file, 1, 10);
        store(file, 2, 20);
        disk.runCompletions();
        file.delete(false, 1, false, heard("delete"));
        file.delete(false, 3, false, heard("nothing"));
        disk.runCompletions();
        disk.kill();
        assertThat(loaded()).containsExactly("consumer 2=20");
    }

    @Test
    void aStoreIsNotDoneInsideTheCall() {
        ConsumerOffsetsFile file = open();
        store(file, 1, 10);
        assertThat(heard).isEmpty();
        disk.runNext();
        assertThat(heard).containsExactly("1=10 done");
    }

    @Test
    void oneWriteCoversAllThatWait() {
        ConsumerOffsetsFile file = open();
        for (int i = 0; i < 1000; i++) {
            store(file, i, i);
        }
        int operations = 0;
        while (disk.runNext()) {
            operations++;
        }
        assertThat(heard).hasSize(1000);
        assertThat(operations).as("two writes").isEqualTo(2);
    }

    @Test
    void oneSyncCoversAllThatWait() {
        ConsumerOffsetsFile file = open();
        store(file, 0, 0);
        disk.runCompletions();
        for (int i = 0; i < 100; i++) {
            file.store(false, i, i, true, heard("" + i));
        }
        disk.runCompletions();
        heard.clear();
        for (int i = 0; i < 100; i++) {
            file.store(false, i, i + 1, true, heard("" + i));
        }
        int operations = 0;
        while (disk.runNext()) {
            operations++;
        }
        assertThat(heard).hasSize(100).startsWith("0 done", "1 done").endsWith("99 done");
        assertThat(operations).as("two writes and two syncs").isEqualTo(4);
    }

    @Test
    void aSyncedStoreSurvivesAPowerLoss() {
        ConsumerOffsetsFile file = open();
        store(file, 1, 10);
        disk.runCompletions();
        file.store(false, 2, 20, true, heard("synced"));
        disk.runCompletions();
        store(file, 3, 30);
        disk.runCompletions();
        disk.powerLoss(PowerLoss.CLEAN);
        assertThat(loaded()).containsExactly("consumer 1=10", "consumer 2=20");
    }

    @Test
    void theNameOfANewFileIsSyncedBeforeASyncedStoreIsDone() {
        ConsumerOffsetsFile file = open();
        file.store(false, 1, 10, true, heard("synced"));
        while (heard.isEmpty()) {
            assertThat(disk.runNext()).isTrue();
        }
        disk.powerLoss(PowerLoss.CLEAN);
        assertThat(loaded()).containsExactly("consumer 1=10");
    }

    // ------------------------------------------------------------------------------------ generations

    @Test
    void aPurgeDropsEverything() {
        ConsumerOffsetsFile file = open();
        store(file, 1, 10);
        disk.runCompletions();
        store(file, 2, 20);
        store(file, 3, 30);
        file.purge(9);
        generation = 9;
        disk.runCompletions();
        assertThat(heard).containsExactlyInAnyOrder("1=10 done", "2=20 done", "3=30 done");
        store(file, 4, 40);
        disk.runCompletions();
        disk.kill();
        assertThat(loaded()).containsExactly("consumer 4=40");
    }

    @Test
    void aPurgeHoldsWithoutAStoreBehindIt() {
        ConsumerOffsetsFile file = open();
        store(file, 1, 10);
        disk.runCompletions();
        file.purge(9);
        generation = 9;
        disk.runCompletions();
        disk.kill();
        assertThat(loaded()).isEmpty();
    }

    @Test
    void offsetsOfAnEarlierPartitionAreDropped() {
        store(open(), 1, 10);
        disk.runCompletions();
        disk.kill();
        List<String> found = new ArrayList<>();
        ConsumerOffsetsFile file =
                ConsumerOffsetsFile.open(disk, PATH, CREATED + 1, 0, entry -> found.add(describe(entry)), events::add);
        assertThat(found).isEmpty();
        file.store(false, 2, 20, false, heard("new"));
        disk.runCompletions();
        disk.kill();
        assertThat(loaded()).isEmpty();
        ConsumerOffsetsFile.open(disk, PATH, CREATED + 1, 0, entry -> found.add(describe(entry)), events::add);
        assertThat(found).containsExactly("consumer 2=20");
    }

    // ------------------------------------------------------------------------------------ rewriting

    @Test
    void aFileThatIsMostlyOldIsRewritten() {
        ConsumerOffsetsFile file = open();
        for (int i = 0; i < 9000; i++) {
            store(file, i % 3, i);
            disk.runNext();
        }
        disk.runCompletions();
        assertThat(heard).hasSize(9000).doesNotContain("failed");
        assertThat(disk.content(PATH).length).isLessThan(32 * 1000);
        disk.kill();
        assertThat(loaded()).containsExactly("consumer 0=8997", "consumer 1=8998", "consumer 2=8999");
        assertThat(events).isEmpty();
    }

    @Test
    void storesGoOnWhileTheFileIsRewritten() {
        ConsumerOffsetsFile file = open();
        fill(file, 8193);
        assertThat(disk.files()).as("the rewrite has begun").contains(PATH + ".tmp");
        heard.clear();
        // The rewrite's write and sync are the oldest operation all the time.
        for (int i = 0; i < 10; i++) {
            store(file, 1, 100 + i);
            disk.run(1);
            assertThat(heard).as("done before the rewrite is").hasSize(i + 1);
        }
        disk.runCompletions();
        assertThat(disk.files()).containsExactly(PATH);
        disk.kill();
        assertThat(loaded()).containsExactly("consumer 0=8192", "consumer 1=109");
    }

    @Test
    void aRewriteThatFailsIsPutOff() {
        for (Operation operation : List.of(Operation.OPEN, Operation.WRITE, Operation.SYNC, Operation.RENAME)) {
            MemoryDisk own = new MemoryDisk(2);
            ConsumerOffsetsFile file = ConsumerOffsetsFile.open(own, PATH, CREATED, 0, _ -> {}, events::add);
            events.clear();
            heard.clear();
            own.failNext(operation, DiskFault.Kind.NO_SPACE, ".tmp");
            for (int i = 0; i < 9000; i++) {
                file.store(false, 0, i, false, heard("" + i));
                own.runCompletions();
            }
            assertThat(heard).as("%s fails", operation).hasSize(9000).allMatch(text -> text.endsWith(" done"));
            assertThat(events)
                    .as("%s fails", operation)
                    .singleElement()
                    .asString()
                    .contains("rewritten");
            own.kill();
            List<String> found = new ArrayList<>();
            ConsumerOffsetsFile.open(own, PATH, CREATED, 0, entry -> found.add(describe(entry)), events::add);
            assertThat(found).containsExactly("consumer 0=8999");
            assertThat(own.openFiles()).isZero();
        }
    }

    // ------------------------------------------------------------------------------------ faults

    @Test
    void aFailedStoreIsHeardAndTheNextOneMakesTheFileCertainAgain() {
        for (Operation operation : List.of(Operation.WRITE, Operation.SYNC)) {
            MemoryDisk own = new MemoryDisk(2);
            ConsumerOffsetsFile file = ConsumerOffsetsFile.open(own, PATH, CREATED, 0, _ -> {}, events::add);
            heard.clear();
            file.store(false, 1, 10, true, heard("first"));
            own.runCompletions();
            own.failNext(operation, DiskFault.Kind.NO_SPACE);
            file.store(false, 1, 99, true, heard("second"));
            own.runCompletions();
            file.store(false, 2, 20, true, heard("third"));
            own.runCompletions();
            assertThat(heard).containsExactly("first done", "second failed NO_SPACE", "third done");
            own.powerLoss(PowerLoss.CLEAN);
            List<String> found = new ArrayList<>();
            ConsumerOffsetsFile.open(own, PATH, CREATED, 0, entry -> found.add(describe(entry)), events::add);
            assertThat(found).containsExactlyInAnyOrder("consumer 1=10", "consumer 2=20");
        }
    }

    @Test
    void whileTheDiskStaysFullEveryStoreFails() {
        ConsumerOffsetsFile file = open();
        store(file, 1, 10);
        disk.runCompletions();
        disk.failAll(Operation.WRITE, DiskFault.Kind.NO_SPACE, "");
        store(file, 1, 11);
        disk.runCompletions();
        store(file, 1, 12);
        disk.runCompletions();
        disk.heal();
        store(file, 1, 13);
        disk.runCompletions();
        assertThat(heard).containsExactly("1=10 done", "1=11 failed NO_SPACE", "1=12 failed NO_SPACE", "1=13 done");
        disk.kill();
        assertThat(loaded()).containsExactly("consumer 1=13");
    }

    @Test
    void withoutAHandleAStoreFailsAndTheFileIsAsItWas() {
        ConsumerOffsetsFile file = open();
        store(file, 1, 10);
        disk.runCompletions();
        ConsumerOffsetsFile other = open(PATH + "2");
        disk.handlesMax(disk.openFiles());
        store(other, 1, 11);
        assertThat(heard).hasSize(1);
        disk.runCompletions();
        assertThat(heard).last().isEqualTo("1=11 failed TOO_MANY_FILES");
        disk.handlesMax(100);
        store(other, 1, 12);
        disk.runCompletions();
        assertThat(heard).last().isEqualTo("1=12 done");
    }

    // ------------------------------------------------------------------------------------ handles

    @Test
    void idleFilesShareFewHandles() {
        List<ConsumerOffsetsFile> files = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            files.add(open("streams/" + i));
            store(files.get(i), 1, 10);
            disk.runCompletions();
            assertThat(disk.openFiles()).isLessThanOrEqualTo(2);
        }
        for (ConsumerOffsetsFile file : files) {
            store(file, 1, 11);
            disk.runCompletions();
            file.close((_, _) -> {});
        }
        disk.runCompletions();
        assertThat(heard).hasSize(40).allMatch(text -> text.endsWith("done"));
        assertThat(disk.openFiles()).isZero();
    }

    @Test
    void closingWaitsForWhatIsOnItsWay() {
        ConsumerOffsetsFile file = open();
        file.store(false, 1, 10, true, heard("first"));
        store(file, 2, 20);
        file.close(heard("closed"));
        disk.runCompletions();
        assertThat(heard).containsExactly("first done", "2=20 done", "closed done");
        assertThat(disk.openFiles()).isZero();
        assertThatThrownBy(() -> store(file, 3, 30)).isInstanceOf(Invariant.Violation.class);
    }

    // ------------------------------------------------------------------------------------ damage

    @Test
    void aTornEndIsLeftOut() {
        ConsumerOffsetsFile file = open();
        store(file, 1, 10);
        store(file, 2, 20);
        disk.runCompletions();
        disk.kill();
        byte[] whole = disk.content(PATH);
        disk.content(PATH, Arrays.copyOf(whole, whole.length - 1));
        assertThat(loaded()).containsExactly("consumer 1=10");
        assertThat(events).singleElement().asString().contains("torn", PATH);
        store(open(), 3, 30);
        disk.runCompletions();
        disk.kill();
        events.clear();
        assertThat(loaded()).containsExactly("consumer 1=10", "consumer 3=30");
        assertThat(events).isEmpty();
    }

    @Test
    void aDamagedRecordIsSkippedAndReported() {
        ConsumerOffsetsFile file = open();
        store(file, 1, 10);
        store(file, 2, 20);
        store(file, 3, 30);
        disk.runCompletions();
        disk.kill();
        disk.flipBit(PATH, OffsetsFormat.position(1) + 9, 2);
        assertThat(loaded()).containsExactly("consumer 1=10", "consumer 3=30");
        assertThat(events).singleElement().asString().contains("1 records", "position 96", PATH);
    }

    @Test
    void aDamagedHeaderLosesNothing() {
        ConsumerOffsetsFile file = open();
        store(file, 1, 10);
        disk.runCompletions();
        disk.kill();
        disk.flipBit(PATH, 17, 2);
        assertThat(loaded()).containsExactly("consumer 1=10");
        assertThat(events).singleElement().asString().contains("header", PATH);
    }

    @Test
    void aLaterFormatIsRefused() {
        store(open(), 1, 10);
        disk.runCompletions();
        disk.kill();
        ByteBuffer bytes = ByteBuffer.wrap(disk.content(PATH)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(8, 2).putLong(56, Checksum.xxh3(bytes, 0, 56));
        disk.content(PATH, bytes.array());
        assertThatThrownBy(this::open)
                .isInstanceOf(Unreadable.class)
                .hasMessageContainingAll(PATH, "format version 2", "version 1");
        assertThat(disk.openFiles()).isZero();
    }

    @Test
    void aTemporaryFileThatACrashLeftIsRemoved() {
        disk.content(PATH + ".tmp", new byte[100]);
        ConsumerOffsetsFile file = open();
        disk.runCompletions();
        assertThat(disk.files()).isEmpty();
        store(file, 1, 10);
        disk.runCompletions();
        assertThat(disk.files()).containsExactly(PATH);
    }

    @Test
    void discardedOffsetsLeaveTheirNameToOthersWhateverIsOnItsWay() {
        byte[] other = "another partition's offsets".getBytes(StandardCharsets.UTF_8);
        for (int steps = 0; steps < 40; steps++) {
            MemoryDisk used = new MemoryDisk(steps);
            ConsumerOffsetsFile file = ConsumerOffsetsFile.open(
                    new OffsetsStorage(used, 2, 4), PATH, CREATED, generation, _ -> {}, events::add);
            heard.clear();
            int stored = 0;
            for (int i = 0; i < steps; i++) {
                if (i % 2 == 0) {
                    file.store(false, i % 3, i, i % 4 == 0, heard("store"));
                    stored++;
                }
                used.runNext();
            }
            file.store(false, 1, 100, true, heard("store"));
            file.store(false, 2, 100, false, heard("store"));
            file.discard();
            used.content(PATH, other);
            used.runCompletions();
            assertThat(used.content(PATH)).as("after %s steps", steps).isEqualTo(other);
            assertThat(used.openFiles()).as("after %s steps", steps).isZero();
            assertThat(heard).as("after %s steps", steps).hasSize(stored + 2);
        }
    }

    // ------------------------------------------------------------------------------------ parts

    private ConsumerOffsetsFile open() {
        return open(PATH);
    }

    private ConsumerOffsetsFile open(String path) {
        return ConsumerOffsetsFile.open(storage, path, CREATED, generation, _ -> {}, events::add);
    }

    /// What a new process finds.
    private Set<String> loaded() {
        Set<String> found = new TreeSet<>();
        ConsumerOffsetsFile.open(
                disk,
                PATH,
                CREATED,
                generation,
                entry -> assertThat(found.add(describe(entry)))
                        .as("each key once")
                        .isTrue(),
                events::add);
        return found;
    }

    private static String describe(ConsumerOffsetsFile.Entry entry) {
        return (entry.group() ? "group " : "consumer ") + entry.key() + "=" + entry.offset();
    }

    private void store(ConsumerOffsetsFile file, int key, long offset) {
        file.store(false, key, offset, false, heard(key + "=" + offset));
    }

    /// Stores offsets of one key, one write each, until there are so many records.
    private void fill(ConsumerOffsetsFile file, int recordsCount) {
        for (int i = 0; i < recordsCount; i++) {
            store(file, 0, i);
            disk.runNext();
        }
    }

    private io.galgo.storage.disk.Completion heard(String what) {
        return (_, fault) -> heard.add(what + (fault == null ? " done" : " failed " + fault.kind()));
    }
}
