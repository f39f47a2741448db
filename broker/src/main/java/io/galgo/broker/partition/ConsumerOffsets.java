package io.galgo.broker.partition;

import io.galgo.broker.table.LongTable;
import io.galgo.storage.Incident;
import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.offsets.ConsumerOffsetsFile;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// Where the consumers of one partition stand.
///
/// An explicit store or deletion is seen once its file write has completed, in the order of arrival; an automatic
/// commit is seen at once and reaches the file later. At most `offsetsMax` keys of each kind are accepted.
final class ConsumerOffsets {
    // The file is a log: of two records of a key the later one counts. `issued` is what the key's last record says.
    // When no explicit write of the key is on its way and `visible` says something else, an automatic commit has
    // not been written yet. One record a key is on its way for automatic commits; more would only pile up.

    /// No offset is stored. Offsets are unsigned and never that large: each is below the number of messages.
    static final long NONE = -1;

    /// Nobody knows what the file says of a key. Stands in [Entry#issued] only.
    private static final long UNKNOWN = -2;

    private static final class Entry {
        final boolean group;
        final int key;
        long visible = NONE;
        long issued = NONE;
        int explicitCount;
        boolean isSettling;

        Entry(boolean group, int key) {
            this.group = group;
            this.key = key;
        }
    }

    private final int offsetsMax;
    private final PartitionHost host;
    private final String name;
    private final LongTable<Entry> consumers = new LongTable<>();
    private final LongTable<Entry> groups = new LongTable<>();
    private final ConsumerOffsetsFile file;
    private int onTheirWay;
    private boolean isDiscarded;
    private @Nullable Completion closing;

    /// Opens the file and takes over what it holds.
    ///
    /// @param name the partition, for log lines
    /// @param lastOffset offset of the last message of the partition, [#NONE] when there was none ever: what stands
    ///     beyond is put back to it
    /// @param hasGroup whether there is a group with an id: what others left behind is forgotten
    ConsumerOffsets(
            PartitionHost host,
            String name,
            String path,
            long created,
            long purgeGeneration,
            int offsetsMax,
            long lastOffset,
            IntPredicate hasGroup) {
        this.host = host;
        this.name = name;
        this.offsetsMax = offsetsMax;
        List<Integer> gone = new ArrayList<>();
        this.file = ConsumerOffsetsFile.open(
                host.offsets(),
                path,
                created,
                purgeGeneration,
                found -> {
                    if (found.group() && !hasGroup.test(found.key())) {
                        gone.add(found.key());
                    } else if (lastOffset != NONE) {
                        Entry entry = entry(found.group(), found.key());
                        entry.issued = found.offset();
                        entry.visible = Math.min(found.offset(), lastOffset);
                    }
                },
                host::info);
        for (int groupId : gone) {
            file.delete(true, groupId, false, (bytes, fault) -> {});
        }
        for (LongTable<Entry> table : List.of(consumers, groups)) {
            if (table.size() > offsetsMax) {
                host.warn("partition " + name + " holds " + table.size() + " stored offsets of one kind, more than"
                        + " [partition] consumer_offsets_max = " + offsetsMax + "; new keys are refused");
            }
        }
    }

    /// The offset that readers see, or [#NONE].
    long stored(boolean group, int key) {
        Entry entry = table(group).get(key);
        return entry == null ? NONE : entry.visible;
    }

    /// Whether an offset of this key can be stored: it has one, or there is room for one more.
    boolean hasRoomFor(boolean group, int key) {
        LongTable<Entry> table = table(group);
        return table.size() < offsetsMax || table.get(key) != null;
    }

    /// Whether there will be an offset once the writes on their way have completed.
    boolean isStoredOrBeing(boolean group, int key) {
        Entry entry = table(group).get(key);
        return entry != null && (entry.explicitCount > 0 ? entry.issued != NONE : entry.visible != NONE);
    }

    /// Hands an explicit store or deletion to the disk; [#onWritten] hears of its end.
    void write(OffsetWriteRequest request, boolean sync) {
        Entry entry = entry(request.group, request.consumerKey);
        entry.explicitCount++;
        onTheirWay++;
        if (request.isDelete) {
            entry.issued = NONE;
            file.delete(request.group, request.consumerKey, sync, request);
        } else {
            entry.issued = request.offset;
            file.store(request.group, request.consumerKey, request.offset, sync, request);
        }
    }

    /// An explicit write has ended. It takes effect now, or never.
    void onWritten(OffsetWriteRequest request, boolean isGood) {
        onTheirWay--;
        Entry entry = table(request.group).get(request.consumerKey);
        if (entry == null) {
            // Its group is gone, and a group id is not given again.
            closeIfSettled();
            return;
        }
        entry.explicitCount--;
        if (isGood) {
            entry.visible = request.isDelete ? NONE : request.offset;
        } else if (entry.explicitCount == 0) {
            // Whether the record is in the file cannot be known. Writing what readers see makes it certain again.
            entry.issued = UNKNOWN;
        }
        settle(entry);
        closeIfSettled();
    }

    /// An explicit write has ended that began before the last purge, and changes nothing.
    void onWrittenBeforePurge() {
        onTheirWay--;
        closeIfSettled();
    }

    /// Raises an offset to what was just delivered; never lowers it.
    void raise(boolean group, int key, long offset) {
        Entry entry = entry(group, key);
        if (entry.visible == NONE || offset > entry.visible) {
            entry.visible = offset;
            settle(entry);
        }
    }

    /// The lowest offset at which any consumer or group stands, or may stand after a crash; [#NONE] when none is
    /// stored.
    long lowest() {
        long[] lowest = {NONE};
        LongTable.Visitor<Entry> visitor = (_, entry) -> {
            lowest[0] = lower(lowest[0], entry.visible);
            lowest[0] = lower(lowest[0], entry.issued);
        };
        consumers.forEach(visitor);
        groups.forEach(visitor);
        return lowest[0];
    }

    private static long lower(long lowest, long offset) {
        return offset < 0 ? lowest : lowest == NONE ? offset : Math.min(lowest, offset);
    }

    /// A consumer group is gone.
    void removeGroup(int groupId) {
        Entry entry = groups.get(groupId);
        if (entry != null) {
            groups.remove(groupId);
            file.delete(true, groupId, false, (bytes, fault) -> {});
        }
    }

    /// Everything stored is gone.
    void purge(long generation) {
        consumers.clear();
        groups.clear();
        file.purge(generation);
    }

    /// Stops for good once everything that readers see is in the file.
    void close(Completion done) {
        closing = done;
        // What could not be written when it changed is tried once more.
        consumers.forEach((_, entry) -> settleIfUnsure(entry));
        groups.forEach((_, entry) -> settleIfUnsure(entry));
        closeIfSettled();
    }

    private void settleIfUnsure(Entry entry) {
        if (entry.issued == UNKNOWN && entry.visible != NONE) {
            settle(entry);
        }
    }

    /// Stops for good and forgets what was stored: the partition is gone.
    void discard() {
        isDiscarded = true;
        file.discard();
    }

    private void closeIfSettled() {
        Completion done = closing;
        if (done != null && onTheirWay == 0 && !isDiscarded) {
            closing = null;
            file.close(done);
        }
    }

    private void settle(Entry entry) {
        if (entry.explicitCount > 0 || entry.isSettling || isDiscarded) {
            return;
        }
        LongTable<Entry> table = table(entry.group);
        if (entry.visible == NONE) {
            if (table.get(entry.key) == entry) {
                table.remove(entry.key);
                if (entry.issued == UNKNOWN) {
                    file.delete(entry.group, entry.key, false, (bytes, fault) -> {});
                }
            }
            return;
        }
        if (entry.visible != entry.issued && table.get(entry.key) == entry) {
            entry.issued = entry.visible;
            entry.isSettling = true;
            onTheirWay++;
            file.store(entry.group, entry.key, entry.visible, false, (bytes, fault) -> onSettled(entry, fault));
        }
    }

    private void onSettled(Entry entry, @Nullable DiskFault fault) {
        entry.isSettling = false;
        onTheirWay--;
        if (fault == null) {
            settle(entry);
        } else {
            entry.issued = UNKNOWN;
            host.logs().incidents().count(Incident.AUTOMATIC_OFFSET_LOST);
            host.warn("an automatic offset of partition " + name + " was not written, after a crash messages are"
                    + " delivered again: " + fault);
        }
        closeIfSettled();
    }

    private Entry entry(boolean group, int key) {
        LongTable<Entry> table = table(group);
        Entry entry = table.get(key);
        if (entry == null) {
            entry = new Entry(group, key);
            table.put(key, entry);
        }
        return entry;
    }

    private LongTable<Entry> table(boolean group) {
        return group ? groups : consumers;
    }
}
