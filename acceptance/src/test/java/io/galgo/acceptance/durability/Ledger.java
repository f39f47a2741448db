package io.galgo.acceptance.durability;

import io.galgo.acceptance.wire.PolledMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What was acknowledged or read, and so has to be there for ever, over all rounds of a campaign.
///
/// It judges what is found after a restart: nothing known may be missing or different, no offset may have been
/// issued twice, nothing may be there that nobody sent, a batch is there as a whole or not at all, and offsets are
/// dense. A batch whose acknowledgement did not arrive may be there or not, but once it is decided it stays so.
///
/// Shared by the threads of a round; every method locks.
final class Ledger {
    private static final int VIOLATIONS_TOLD = 20;

    /// One partition.
    record Place(String topic, long partition) {}

    private final Map<Place, TreeMap<Long, Long>> known = new HashMap<>();
    private final Map<Long, long[]> unacknowledged = new HashMap<>();
    /// Where segments were deleted: below which offset nothing is there any more.
    private final Map<Place, Long> trimmed = new HashMap<>();
    private final List<String> violations = new ArrayList<>();
    private long acknowledged;
    private long lost;
    private long changed;
    private long reissued;
    private long foreign;
    private long torn;
    private long gaps;

    /// A batch is about to be sent.
    synchronized void sending(long[] ids) {
        unacknowledged.put(ids[0], ids);
    }

    /// The batch was confirmed.
    synchronized void acknowledged(Place place, long baseOffset, long[] ids) {
        for (int i = 0; i < ids.length; i++) {
            remember(place, baseOffset + i, ids[i], "acknowledged");
        }
        unacknowledged.remove(ids[0]);
        acknowledged += ids.length;
    }

    /// The batch was refused, so it must never appear.
    synchronized void refused(long[] ids) {
        unacknowledged.remove(ids[0]);
    }

    /// A consumer read these while the server ran. What was read was committed, so it counts as known.
    synchronized void read(Place place, List<PolledMessage> messages) {
        for (PolledMessage message : messages) {
            if (!Payload.isWhole(message.payload())) {
                changed++;
                tell(place + " offset " + message.offset() + " was read damaged");
            } else {
                remember(place, message.offset(), Payload.idOf(message.payload()), "read");
            }
        }
    }

    private void remember(Place place, long offset, long id, String how) {
        Long before = known.computeIfAbsent(place, _ -> new TreeMap<>()).putIfAbsent(offset, id);
        if (before != null && before != id) {
            reissued++;
            tell(place + " offset " + offset + " was " + how + " as " + id + " and belonged to " + before);
        }
    }

    /// The oldest segments of a partition may go from now on.
    synchronized void trimming(Place place) {
        trimmed.putIfAbsent(place, 0L);
    }

    /// Nothing before this offset is there, or ever again.
    synchronized void trimmed(Place place, long first) {
        trimmed.merge(place, first, Math::max);
    }

    /// One past the highest offset known of a partition.
    synchronized long nextOffset(Place place) {
        TreeMap<Long, Long> offsets = known.get(place);
        return offsets == null || offsets.isEmpty() ? 0 : offsets.lastKey() + 1;
    }

    /// Judges the whole content of a partition after a restart.
    synchronized void check(Place place, List<PolledMessage> found) {
        TreeMap<Long, Long> expected = known.computeIfAbsent(place, _ -> new TreeMap<>());
        Map<Long, long[]> unconfirmed = new HashMap<>();
        for (long[] ids : unacknowledged.values()) {
            for (long id : ids) {
                unconfirmed.put(id, ids);
            }
        }
        IdentityHashMap<long[], Integer> foundOf = new IdentityHashMap<>();
        Map<Long, Long> contents = new HashMap<>();
        long next = first(place, found, expected.isEmpty() ? 0 : expected.lastKey() + 1);
        for (PolledMessage message : found) {
            long offset = message.offset();
            if (offset != next) {
                gaps++;
                tell(place + " has offset " + offset + " where " + next + " is expected");
            }
            next = offset + 1;
            long id = Payload.idOf(message.payload());
            Long before = expected.get(offset);
            long[] batch = unconfirmed.get(id);
            contents.put(offset, id);
            if (!Payload.isWhole(message.payload())) {
                changed++;
                tell(place + " offset " + offset + " came back damaged");
            } else if (before != null && before != id) {
                changed++;
                tell(place + " offset " + offset + " came back as " + id + " and was " + before);
            } else if (before == null && batch != null) {
                foundOf.merge(batch, 1, Integer::sum);
            } else if (before == null) {
                foreign++;
                tell(place + " offset " + offset + " holds " + id + ", which nobody sent or which was gone before");
            }
        }
        for (Map.Entry<Long, Long> entry : expected.entrySet()) {
            if (!contents.containsKey(entry.getKey()) && entry.getKey() >= trimmed.getOrDefault(place, 0L)) {
                lost++;
                tell(place + " offset " + entry.getKey() + " is lost");
            }
        }
        foundOf.forEach((batch, count) -> {
            if (count != batch.length) {
                torn++;
                tell(place + " holds " + count + " messages of an unacknowledged batch of " + batch.length);
            }
            // Found once: a second copy in another partition is one too many.
            unacknowledged.remove(batch[0]);
        });
        contents.forEach(expected::putIfAbsent);
    }

    /// The first offset that has to be there. After deletions of segments it is the first that is there, unless
    /// what was gone has come back.
    ///
    /// @param end one past the last offset known: all may be gone when the last segment was still empty
    private long first(Place place, List<PolledMessage> found, long end) {
        Long before = trimmed.get(place);
        if (before == null) {
            return 0;
        }
        long first = found.isEmpty() ? Math.max(before, end) : found.getFirst().offset();
        if (first < before) {
            foreign++;
            tell(place + " begins with offset " + first + " again, and was deleted up to " + before);
        }
        trimmed.put(place, Math.max(first, before));
        return first;
    }

    /// All partitions have been checked: what was not found of the unacknowledged batches is gone for good.
    synchronized void endRound() {
        unacknowledged.clear();
    }

    synchronized void complain(String text) {
        tell(text);
    }

    private void tell(String text) {
        if (violations.size() < VIOLATIONS_TOLD) {
            violations.add(text);
        } else if (violations.size() == VIOLATIONS_TOLD) {
            violations.add("… and more");
        }
    }

    synchronized List<String> violations() {
        return List.copyOf(violations);
    }

    synchronized long acknowledgedCount() {
        return acknowledged;
    }

    synchronized String figures() {
        return acknowledged + " messages acknowledged, " + lost + " lost, " + changed + " changed, " + reissued
                + " offsets issued twice, " + foreign + " never sent, " + torn + " batches torn, " + gaps + " gaps";
    }
}
