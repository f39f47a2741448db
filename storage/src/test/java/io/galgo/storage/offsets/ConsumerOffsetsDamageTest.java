package io.galgo.storage.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.storage.disk.MemoryDisk;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// A small file, cut at every length and with every bit flipped: damage costs the record that it hits, no other.
class ConsumerOffsetsDamageTest {
    private static final String PATH = "p/offsets";

    /// Key and offset of each record; offset -1 deletes.
    private static final long[][] RECORDS = {{1, 10}, {2, 20}, {1, 11}, {3, 30}, {2, -1}, {3, 31}, {1, 12}};

    @Test
    void aCutFileHoldsWhatItsWholeRecordsSay() {
        byte[] whole = file();
        for (int length = 0; length < whole.length; length++) {
            int records = Math.max(0, length - OffsetsFormat.HEADER_BYTES) / OffsetsFormat.RECORD_BYTES;
            check(Arrays.copyOf(whole, length), expected(records, -1), "cut to " + length);
        }
    }

    @Test
    void aFlippedBitCostsItsRecord() {
        byte[] whole = file();
        for (int bit = 0; bit < whole.length * 8; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            int hit = bit / 8 < OffsetsFormat.HEADER_BYTES
                    ? -1
                    : (bit / 8 - OffsetsFormat.HEADER_BYTES) / OffsetsFormat.RECORD_BYTES;
            check(flipped, expected(RECORDS.length, hit), "bit " + bit % 8 + " flipped at " + bit / 8);
        }
    }

    @Test
    void aRecordAtAnotherPlaceDoesNotCount() {
        byte[] moved = file();
        byte[] record = Arrays.copyOfRange(moved, (int) OffsetsFormat.position(0), (int) OffsetsFormat.position(1));
        System.arraycopy(record, 0, moved, (int) OffsetsFormat.position(6), record.length);
        check(moved, expected(RECORDS.length, 6), "the first record copied over the last");
    }

    @Test
    void whatFollowsTheRecordsDoesNotCount() {
        byte[] longer = Arrays.copyOf(file(), 4096);
        check(longer, expected(RECORDS.length, -1), "with zeros behind");
    }

    private static byte[] file() {
        MemoryDisk disk = new MemoryDisk(1);
        ConsumerOffsetsFile file = open(disk, new TreeMap<>(), new ArrayList<>());
        for (long[] record : RECORDS) {
            if (record[1] < 0) {
                file.delete(
                        false,
                        (int) record[0],
                        false,
                        (_, fault) -> assertThat(fault).isNull());
            } else {
                file.store(
                        false,
                        (int) record[0],
                        record[1],
                        false,
                        (_, fault) -> assertThat(fault).isNull());
            }
        }
        disk.runCompletions();
        return disk.content(PATH);
    }

    /// What the first `count` records say without the one that is hit.
    private static Map<Integer, Long> expected(int count, int hit) {
        Map<Integer, Long> offsets = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            if (i != hit && RECORDS[i][1] < 0) {
                offsets.remove((int) RECORDS[i][0]);
            } else if (i != hit) {
                offsets.put((int) RECORDS[i][0], RECORDS[i][1]);
            }
        }
        return offsets;
    }

    private static void check(byte[] content, Map<Integer, Long> expected, String what) {
        MemoryDisk disk = new MemoryDisk(2);
        disk.content(PATH, content);
        Map<Integer, Long> found = new TreeMap<>();
        List<String> events = new ArrayList<>();
        ConsumerOffsetsFile file;
        try {
            file = open(disk, found, events);
        } catch (RuntimeException | Error e) {
            throw new AssertionError(what + ": " + e, e);
        }
        assertThat(found).as(what).isEqualTo(expected);
        boolean isAsBefore = content.length == 0 || (content.length - OffsetsFormat.HEADER_BYTES) % 32 == 0;
        if (!isAsBefore || what.startsWith("bit")) {
            assertThat(events).as("events, %s", what).isNotEmpty().allMatch(event -> event.contains(PATH));
        }
        // The next store makes the file whole again.
        file.store(true, 9, 90, true, (_, fault) -> assertThat(fault).isNull());
        disk.runCompletions();
        disk.powerLoss(MemoryDisk.PowerLoss.CLEAN);
        Map<Integer, Long> again = new TreeMap<>();
        events.clear();
        open(disk, again, events);
        Map<Integer, Long> more = new TreeMap<>(expected);
        more.put(9, 90L);
        assertThat(again).as("after one more, %s", what).isEqualTo(more);
        assertThat(events).as("events after one more, %s", what).isEmpty();
    }

    private static ConsumerOffsetsFile open(MemoryDisk disk, Map<Integer, Long> found, List<String> events) {
        return ConsumerOffsetsFile.open(disk, PATH, 5, 3, entry -> found.put(entry.key(), entry.offset()), events::add);
    }
}
