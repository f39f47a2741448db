package io.galgo.storage.journal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.storage.Unreadable;
import io.galgo.storage.disk.MemoryDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// Every file of small journals, cut at every length, with every bit flipped, and missing: a start refuses, or
/// finds a beginning of what was acknowledged and nothing else.
class MetadataJournalDamageTest {
    /// A journal as a process leaves it.
    ///
    /// @param files contents by path
    /// @param lastOp its last op; the body of an op is `body` and the op
    /// @param isMarked whether nothing was appended since the last mark
    private record Shape(String name, Map<String, byte[]> files, long lastOp, boolean isMarked) {}

    @Test
    void aCutFileIsRefusedOrABeginningIsFound() {
        for (Shape shape : shapes()) {
            shape.files.forEach((path, whole) -> {
                for (int length = 0; length < whole.length; length++) {
                    check(shape, path, Arrays.copyOf(whole, length), 0, "cut to " + length);
                }
            });
        }
    }

    @Test
    void aFlippedBitIsRefusedOrCostsTheLastWriteAtMost() {
        for (Shape shape : shapes()) {
            long least = shape.isMarked ? shape.lastOp : shape.lastOp - 1;
            shape.files.forEach((path, whole) -> {
                for (int bit = 0; bit < whole.length * 8; bit++) {
                    byte[] flipped = whole.clone();
                    flipped[bit / 8] ^= (byte) (1 << (bit % 8));
                    check(shape, path, flipped, least, "bit " + bit % 8 + " flipped at " + bit / 8);
                }
            });
        }
    }

    @Test
    void aMissingFileIsRefusedOrNothingIsLost() {
        for (Shape shape : shapes()) {
            for (String path : shape.files.keySet()) {
                check(shape, path, null, shape.lastOp, "missing");
            }
        }
    }

    @Test
    void whatFollowsTheLastRecordIsDropped() {
        for (Shape shape : shapes()) {
            for (Map.Entry<String, byte[]> file : shape.files.entrySet()) {
                if (file.getKey().endsWith(".journal")) {
                    byte[] longer = Arrays.copyOf(file.getValue(), file.getValue().length + 1000);
                    check(shape, file.getKey(), longer, shape.lastOp, "with zeros behind");
                    Arrays.fill(longer, file.getValue().length, longer.length, (byte) -1);
                    check(shape, file.getKey(), longer, shape.lastOp, "with ones behind");
                }
            }
        }
    }

    @Test
    void aTornOperationThatQuotesAJournalIsDropped() {
        MemoryDisk disk = new MemoryDisk(1);
        String path = "metadata/" + JournalFile.name(1);
        MetadataJournal journal = open(disk, new ArrayList<>());
        append(journal, disk, 1, 2);
        // Records that claim that all before them was synced: of this file, and of a longer one.
        byte[] own = disk.content(path);
        ByteBuffer quote = ByteBuffer.allocate(own.length + 128).order(ByteOrder.LITTLE_ENDIAN);
        quote.put(0, own).position((own.length + 7) / 8 * 8);
        int at = quote.position();
        JournalFile.put(quote, JournalFile.KIND_MARK, 9, ByteBuffer.allocate(0));
        JournalFile.seal(quote, at, 10_000, 10_000);
        journal.append(3, quote.flip(), (_, _) -> {});
        disk.runCompletions();
        disk.kill();
        disk.flipBit(path, JournalFile.HEADER_BYTES + 2L * JournalFile.recordBytes(6), 0);
        List<String> found = new ArrayList<>();
        open(disk, found);
        assertThat(found).containsExactly("1=body 1", "2=body 2");
    }

    // ------------------------------------------------------------------------------------ parts

    private static List<Shape> shapes() {
        List<Shape> shapes = new ArrayList<>();
        shapes.add(shape("empty", true, 0, (_, _) -> {}));
        shapes.add(shape("killed", false, 3, (journal, disk) -> append(journal, disk, 1, 3)));
        shapes.add(shape("closed", true, 3, (journal, disk) -> {
            append(journal, disk, 1, 3);
            close(journal, disk);
        }));
        shapes.add(shape("snapshot alone", true, 3, (journal, disk) -> {
            append(journal, disk, 1, 3);
            snapshot(journal, disk, 3);
        }));
        shapes.add(shape("snapshot and operations", false, 6, (journal, disk) -> {
            append(journal, disk, 1, 4);
            snapshot(journal, disk, 2);
            append(journal, disk, 5, 6);
        }));
        shapes.add(shape("two snapshots, closed", true, 7, (journal, disk) -> {
            append(journal, disk, 1, 3);
            snapshot(journal, disk, 3);
            append(journal, disk, 4, 5);
            snapshot(journal, disk, 4);
            append(journal, disk, 6, 7);
            close(journal, disk);
        }));
        return shapes;
    }

    private interface History {
        void live(MetadataJournal journal, MemoryDisk disk);
    }

    private static Shape shape(String name, boolean isMarked, long lastOp, History history) {
        MemoryDisk disk = new MemoryDisk(1);
        history.live(open(disk, new ArrayList<>()), disk);
        disk.runCompletions();
        Map<String, byte[]> files = new TreeMap<>();
        for (String path : disk.files()) {
            files.put(path, disk.content(path));
        }
        return new Shape(name, files, lastOp, isMarked);
    }

    private static void append(MetadataJournal journal, MemoryDisk disk, long first, long last) {
        for (long op = first; op <= last; op++) {
            journal.append(op, ByteBuffer.wrap(("body " + op).getBytes(UTF_8)), (_, _) -> {});
            disk.runCompletions();
        }
    }

    private static void snapshot(MetadataJournal journal, MemoryDisk disk, long op) {
        journal.snapshot(
                op,
                ByteBuffer.wrap(("state " + op).getBytes(UTF_8)),
                (_, fault) -> assertThat(fault).isNull());
        disk.runCompletions();
    }

    private static void close(MetadataJournal journal, MemoryDisk disk) {
        journal.close((_, fault) -> assertThat(fault).isNull());
        disk.runCompletions();
    }

    private static MetadataJournal open(MemoryDisk disk, List<String> found) {
        MetadataJournal.Replay replay = new MetadataJournal.Replay() {
            @Override
            public void onSnapshot(long op, ByteBuffer state) {
                found.add("snapshot " + op + "=" + UTF_8.decode(state));
            }

            @Override
            public void onOperation(long op, ByteBuffer body) {
                found.add(op + "=" + UTF_8.decode(body));
            }
        };
        Consumer<String> events = event -> assertThat(event).contains("metadata/");
        return MetadataJournal.open(disk, "metadata", replay, events);
    }

    /// @param content instead of that of the shape, null for none
    private static void check(
            Shape shape,
            String path,
            byte @org.jspecify.annotations.Nullable [] content,
            long lastOpMin,
            String damage) {
        String what = shape.name + ": " + path + " " + damage;
        MemoryDisk disk = new MemoryDisk(2);
        shape.files.forEach((name, bytes) -> {
            if (!name.equals(path)) {
                disk.content(name, bytes);
            }
        });
        if (content != null) {
            disk.content(path, content);
        }
        List<String> found = new ArrayList<>();
        MetadataJournal journal;
        try {
            journal = open(disk, found);
        } catch (Unreadable e) {
            assertThat(e.getMessage()).as(what).contains("metadata/").contains("; ");
            assertThat(disk.openFiles()).as("open files, %s", what).isZero();
            return;
        } catch (RuntimeException | Error e) {
            throw new AssertionError(what + ": " + e, e);
        }
        long last = checkHistory(found, what);
        assertThat(last).as("last op, %s", what).isBetween(lastOpMin, shape.lastOp);
        assertThat(journal.lastOp()).as(what).isEqualTo(last);
        checkGoesOn(disk, journal, last, what);
    }

    private static long checkHistory(List<String> found, String what) {
        long last = 0;
        for (int i = 0; i < found.size(); i++) {
            if (i == 0 && found.getFirst().startsWith("snapshot ")) {
                last = Long.parseLong(
                        found.getFirst().substring(9, found.getFirst().indexOf('=')));
                assertThat(found.getFirst()).as(what).isEqualTo("snapshot " + last + "=state " + last);
            } else {
                last++;
                assertThat(found.get(i)).as(what).isEqualTo(last + "=body " + last);
            }
        }
        return last;
    }

    /// What was found can be added to, and is found again.
    private static void checkGoesOn(MemoryDisk disk, MetadataJournal journal, long last, String what) {
        append(journal, disk, last + 1, last + 1);
        disk.powerLoss(MemoryDisk.PowerLoss.CLEAN);
        List<String> again = new ArrayList<>();
        assertThat(open(disk, again).lastOp()).as("after one more, %s", what).isEqualTo(last + 1);
        checkHistory(again, what);
    }
}
