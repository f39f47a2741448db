package io.galgo.model;

import io.galgo.model.Call.Message;
import io.galgo.protocol.ClientId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// One partition: messages, stored offsets, remembered writes.
final class PartitionState {
    static final long NONE = -1;
    static final int WINDOW = 128;

    /// Messages that were sent together.
    static final class Batch {
        final long base;
        final List<Message> messages;
        /// When the server accepted it, [#NONE] until somebody saw it.
        long timestamp = NONE;
        /// Whether the server has said that it has it.
        boolean isConfirmed;

        Batch(long base, List<Message> messages) {
            this.base = base;
            this.messages = messages;
        }

        Batch copy() {
            Batch copy = new Batch(base, messages);
            copy.timestamp = timestamp;
            copy.isConfirmed = isConfirmed;
            return copy;
        }

        long last() {
            return base + messages.size() - 1;
        }

        long bytes() {
            return 256 + messages.stream().mapToLong(Message::bytes).sum();
        }
    }

    /// A message as a poll returns it.
    record Polled(long offset, long timestamp, Message message) {}

    /// A stored offset: what is told, and what the end of the process or of the power may go back to.
    static final class Stored {
        long value;
        final NavigableSet<Long> afterKill = new TreeSet<>();
        final NavigableSet<Long> afterPowerLoss = new TreeSet<>();

        Stored(long value) {
            this.value = value;
        }

        Stored copy() {
            Stored copy = new Stored(value);
            copy.afterKill.addAll(afterKill);
            copy.afterPowerLoss.addAll(afterPowerLoss);
            return copy;
        }
    }

    /// @param base the offset in the confirmation of a send
    record Remembered(String command, long content, long base) {}

    record Writer(ClientId client, int userId) {}

    /// What one client wrote here.
    static final class Window {
        long highest;
        final Map<Long, Remembered> byNumber = new HashMap<>();
    }

    long createdAt = NONE;
    /// Whether its offsets began since somebody looked: it was made or purged.
    boolean isFresh = true;
    final List<Batch> batches = new ArrayList<>();
    /// The offset of the last message there ever was, [#NONE] before the first and after a purge.
    long last = NONE;
    /// Whether offsets may be left out before the next message.
    boolean mayJump;
    /// Whether a power loss left part of a batch that nobody confirmed.
    boolean isDamaged;
    /// As told last, at least 1.
    int segments = 1;
    /// How many of the oldest segments shall go as soon as nobody needs them.
    int segmentsToGo;
    /// Whether the cleaner may take old segments by itself, after so many microseconds.
    long expiryMicros = NONE;

    final TreeMap<Long, Stored> consumers = new TreeMap<>();
    final TreeMap<Long, Stored> groups = new TreeMap<>();
    final Map<Writer, Window> windows = new HashMap<>();

    PartitionState copy() {
        PartitionState copy = new PartitionState();
        copy.createdAt = createdAt;
        copy.isFresh = isFresh;
        batches.forEach(batch -> copy.batches.add(batch.copy()));
        copy.last = last;
        copy.mayJump = mayJump;
        copy.isDamaged = isDamaged;
        copy.segments = segments;
        copy.segmentsToGo = segmentsToGo;
        copy.expiryMicros = expiryMicros;
        consumers.forEach((key, stored) -> copy.consumers.put(key, stored.copy()));
        groups.forEach((key, stored) -> copy.groups.put(key, stored.copy()));
        windows.forEach((writer, window) -> {
            Window copied = new Window();
            copied.highest = window.highest;
            copied.byNumber.putAll(window.byNumber);
            copy.windows.put(writer, copied);
        });
        return copy;
    }

    // Counters

    long currentOffset() {
        return Math.max(0, last);
    }

    long first() {
        return batches.isEmpty() ? last + 1 : batches.getFirst().base;
    }

    long messagesCount() {
        return batches.stream().mapToLong(batch -> batch.messages.size()).sum();
    }

    long bytes() {
        return batches.stream().mapToLong(Batch::bytes).sum();
    }

    // Sends

    /// Appends at the offset that the server confirmed, or at the next one when nobody knows.
    void append(long base, List<Message> messages) {
        long at = base == NONE ? last + 1 : base;
        if (at != last + 1) {
            Difference.unless(
                    mayJump && at > last, "a batch got base offset %d, the last message before it has %d", at, last);
        }
        mayJump = false;
        Batch batch = new Batch(at, messages);
        batch.isConfirmed = base != NONE;
        batches.add(batch);
        last = at + messages.size() - 1;
    }

    @Nullable Remembered remembered(Writer writer, long number, String command, long content) {
        Window window = windows.get(writer);
        Remembered remembered =
                window == null || number <= window.highest - WINDOW ? null : window.byNumber.get(number);
        return remembered != null && remembered.command.equals(command) && remembered.content == content
                ? remembered
                : null;
    }

    void remember(Writer writer, long number, Remembered write) {
        Window window = windows.computeIfAbsent(writer, _ -> new Window());
        window.highest = Math.max(window.highest, number);
        window.byNumber.put(number, write);
    }

    // Polls

    boolean isTimed() {
        return batches.stream().allMatch(batch -> batch.timestamp != NONE);
    }

    /// The messages from `start` on, at most `count`.
    List<Polled> from(long start, long count) {
        List<Polled> polled = new ArrayList<>();
        if (last == NONE || start > last) {
            return polled;
        }
        for (Batch batch : batches) {
            for (int i = 0; i < batch.messages.size() && polled.size() < count; i++) {
                if (batch.base + i >= start) {
                    polled.add(new Polled(batch.base + i, batch.timestamp, batch.messages.get(i)));
                }
            }
        }
        return polled;
    }

    /// The first offset that is at least as young.
    long since(long micros) {
        for (Batch batch : batches) {
            if (Long.compareUnsigned(batch.timestamp, micros) >= 0) {
                return batch.base;
            }
        }
        return last + 1;
    }

    /// A poll showed a message: all of a batch have one time, and it never goes back.
    void onSeen(long offset, long timestamp) {
        long before = NONE;
        for (Batch batch : batches) {
            if (batch.base <= offset && offset <= batch.last()) {
                if (batch.timestamp == NONE) {
                    Difference.unless(
                            timestamp >= before,
                            "offset %d has timestamp %d, and a message before it %d",
                            offset,
                            timestamp,
                            before);
                    batch.timestamp = timestamp;
                }
                Difference.unlessEqual(timestamp, batch.timestamp, "the timestamp of offset %d", offset);
                return;
            }
            before = batch.timestamp == NONE ? before : batch.timestamp;
        }
        throw new Difference("offset " + offset + " is not there");
    }

    // Stored offsets

    Map<Long, Stored> stored(boolean isGroup) {
        return isGroup ? groups : consumers;
    }

    long storedOffset(boolean isGroup, long key) {
        Stored stored = stored(isGroup).get(key);
        return stored == null ? NONE : stored.value;
    }

    boolean isFull(boolean isGroup, long key, int max) {
        return storedOffset(isGroup, key) == NONE && told(isGroup).size() >= max;
    }

    /// The offsets that a client is told about, without those that are only remembered for a crash.
    Map<Long, Long> told(boolean isGroup) {
        TreeMap<Long, Long> told = new TreeMap<>();
        stored(isGroup).forEach((key, stored) -> {
            if (stored.value != NONE) {
                told.put(key, stored.value);
            }
        });
        return told;
    }

    /// @param isConfirmed whether a client knows of it: what nobody knows of may go with the power
    void store(boolean isGroup, long key, long offset, boolean isConfirmed) {
        Stored before = stored(isGroup).get(key);
        Stored stored = new Stored(offset);
        stored.afterKill.add(offset);
        stored.afterPowerLoss.add(offset);
        if (!isConfirmed) {
            if (before == null) {
                stored.afterPowerLoss.add(NONE);
            } else {
                stored.afterPowerLoss.addAll(before.afterPowerLoss);
            }
        }
        stored(isGroup).put(key, stored);
    }

    void delete(boolean isGroup, long key, boolean isConfirmed) {
        if (isConfirmed) {
            stored(isGroup).remove(key);
        } else {
            store(isGroup, key, NONE, false);
        }
    }

    /// The next life may find what was there before, or this, or anything between.
    void storeByPoll(boolean isGroup, long key, long offset) {
        Stored stored = stored(isGroup).get(key);
        if (stored == null) {
            stored = new Stored(NONE);
            stored.afterKill.add(NONE);
            stored.afterPowerLoss.add(NONE);
            stored(isGroup).put(key, stored);
        }
        stored.value = Math.max(stored.value, offset);
        stored.afterKill.add(stored.value);
        stored.afterPowerLoss.add(stored.value);
    }

    /// What a client found after a restart is what counts from now on.
    void settle(boolean isGroup, long key, long found, Subject.End end) {
        Stored stored = stored(isGroup).get(key);
        boolean isLegal = stored == null
                ? found == NONE
                : switch (end) {
                    case STOP -> stored.value == found;
                    case KILL -> stored.afterKill.contains(found);
                    case POWER_LOSS -> stored.afterPowerLoss.contains(found);
                };
        Difference.unless(
                isLegal,
                "offset %d is stored under key %d, and after %s it may be %s",
                found,
                key,
                end,
                stored == null ? "none" : stored.afterKill + " or, without power, " + stored.afterPowerLoss);
        if (stored != null) {
            stored.value = found;
            stored.afterKill.clear();
            stored.afterKill.add(found);
            if (end == Subject.End.POWER_LOSS) {
                stored.afterPowerLoss.clear();
            }
            stored.afterPowerLoss.add(found);
        }
    }

    /// Whether a consumer may still want what is there.
    private boolean isWanted() {
        return leastStored() < last;
    }

    private long leastStored() {
        long least = Long.MAX_VALUE;
        for (boolean isGroup : new boolean[] {false, true}) {
            for (long offset : told(isGroup).values()) {
                least = Math.min(least, offset);
            }
        }
        return least;
    }

    // Deletions

    void purge() {
        isFresh = true;
        batches.clear();
        last = NONE;
        mayJump = false;
        isDamaged = false;
        segments = 1;
        segmentsToGo = 0;
        consumers.clear();
        groups.clear();
    }

    /// Whether counters may differ from what the model holds, until somebody looks.
    boolean isUncounted() {
        return mayShrink() || isDamaged;
    }

    boolean mayShrink() {
        return segmentsToGo > 0 || expiryMicros != NONE;
    }

    /// The server tells what it still keeps: whole segments may be gone, the oldest ones, that nobody needs.
    ///
    /// @param isPrompt whether what may go must be gone
    void shrink(long firstNow, int segmentsNow, long nowMicros, boolean isPrompt) {
        int gone = segments - segmentsNow;
        if (firstNow == first() && segmentsNow >= segments) {
            Difference.unless(
                    !isPrompt || segmentsToGo == 0 || segments == 1 || isWanted(),
                    "%d of %d segments were to go and nothing keeps them",
                    segmentsToGo,
                    segments);
            segments = segmentsNow;
            return;
        }
        long least = leastStored();
        boolean isAllExpired = expiryMicros != NONE;
        while (!batches.isEmpty() && batches.getFirst().base < firstNow) {
            Batch batch = batches.removeFirst();
            Difference.unless(
                    batch.last() <= least, "offset %d is gone, and a consumer stands at %d", batch.last(), least);
            Difference.unless(
                    batch.last() < firstNow,
                    "batch %d..%d is gone in part: first is %d",
                    batch.base,
                    batch.last(),
                    firstNow);
            isAllExpired &= batch.timestamp != NONE && batch.timestamp + expiryMicros <= nowMicros;
        }
        Difference.unlessEqual(firstNow, first(), "the first offset that is kept");
        Difference.unless(segmentsNow >= 1, "no segment is left");
        Difference.unless(
                isAllExpired || gone <= segmentsToGo,
                "%d segments are gone, %d were to go, and not everything in them has expired",
                gone,
                segmentsToGo);
        segments = segmentsNow;
        segmentsToGo = Math.max(0, segmentsToGo - gone);
        Difference.unless(
                !isPrompt || isWanted() || segmentsToGo == 0 || segmentsNow == 1,
                "%d more segments were to go and nothing keeps them",
                segmentsToGo);
        if (segmentsNow == 1) {
            segmentsToGo = 0;
        }
    }

    // Ends of the process

    /// Nobody can read these offsets after a power loss.
    void onDamage(Collection<Long> offsets) {
        for (Batch batch : batches) {
            if (offsets.contains(batch.base)) {
                Difference.unless(!batch.isConfirmed, "offset %d was confirmed and is damaged", batch.base);
                isDamaged = true;
            }
        }
        batches.removeIf(batch -> offsets.contains(batch.base));
        batches.forEach(batch -> batch.isConfirmed = true);
    }

    void onRestart(boolean isPowerLost) {
        windows.clear();
        mayJump |= isPowerLost;
    }
}
