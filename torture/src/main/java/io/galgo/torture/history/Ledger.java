package io.galgo.torture.history;

import io.galgo.torture.wire.PolledMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/// What was acknowledged or read, and so has to be there for ever.
///
/// It judges what is found after a restart: nothing known may be missing or different, no offset may have been
/// issued twice, nothing may be there that nobody sent, a batch is there as a whole or not at all, and offsets are
/// dense. A batch whose acknowledgement did not arrive may be there or not, but once it is decided it stays so.
///
/// A power cut weakens this, for the partitions that are told so: offsets may have gaps from then on, and what was
/// not promised to survive may be gone; its offsets stay taken.
///
/// Shared by the threads of a round; every method locks.
public final class Ledger {
    private static final int VIOLATIONS_TOLD = 20;

    /// One partition.
    public record Place(String topic, long partition) {}

    private final Map<Place, TreeMap<Long, Long>> known = new HashMap<>();
    private final Map<Long, long[]> unacknowledged = new HashMap<>();
    /// Where segments were deleted: below which offset nothing is there any more.
    private final Map<Place, Long> trimmed = new HashMap<>();
    /// Where the power was cut: below which offset nothing new may appear.
    private final Map<Place, Long> taken = new HashMap<>();
    private final Set<Place> unsafe = new HashSet<>();
    private final Set<Place> refusedByDisk = new HashSet<>();
    private final List<String> violations = new ArrayList<>();
    private long acknowledged;
    private long lost;
    private long forgone;
    private long changed;
    private long reissued;
    private long foreign;
    private long torn;
    private long gaps;
    private long unavailable;
    private long unanswered;

    /// Nothing was sent yet.
    public Ledger() {}

    /// A batch is about to be sent.
    public synchronized void sending(long[] ids) {
        unacknowledged.put(ids[0], ids);
    }

    /// The batch was confirmed.
    public synchronized void acknowledged(Place place, long baseOffset, long[] ids) {
        for (int i = 0; i < ids.length; i++) {
            remember(place, baseOffset + i, ids[i], "acknowledged");
        }
        unacknowledged.remove(ids[0]);
        acknowledged += ids.length;
    }

    /// The batch was refused, so it must never appear.
    public synchronized void refused(long[] ids) {
        unacknowledged.remove(ids[0]);
    }

    /// A consumer read these while the server ran. What was read was committed, so it counts as known.
    public synchronized void read(Place place, List<PolledMessage> messages) {
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
        } else if (before == null && offset < taken.getOrDefault(place, 0L)) {
            reissued++;
            tell(place + " offset " + offset + " was " + how + " as " + id
                    + " and had been given before the power cut");
        }
    }

    /// The oldest segments of a partition may go from now on.
    public synchronized void trimming(Place place) {
        trimmed.putIfAbsent(place, 0L);
    }

    /// Nothing before this offset is there, or ever again.
    public synchronized void trimmed(Place place, long first) {
        trimmed.merge(place, first, Math::max);
    }

    /// The power went. Offsets of the partition may have gaps from now on.
    ///
    /// @param isSafe whether its acknowledgements were promised to survive that; otherwise they may be missing once
    public synchronized void powerCut(Place place, boolean isSafe) {
        taken.put(place, nextOffset(place));
        if (!isSafe) {
            unsafe.add(place);
        }
    }

    /// Whether offsets of the partition may be missing because the power was cut.
    public synchronized boolean mayHaveGaps(Place place) {
        return taken.containsKey(place);
    }

    /// The disk refused an append of the partition: its offsets need not be used again.
    public synchronized void mayLackOffsets(Place place) {
        refusedByDisk.add(place);
    }

    /// Where to look when an offset cannot be read, the last of several: soon at the next offset, later in wider
    /// steps, but never past a message that is known.
    public synchronized long nextToTry(Place place, long offset, int refusals) {
        long step = 1L << Math.min(20, refusals / 16);
        Long nextKnown = known.getOrDefault(place, new TreeMap<>()).higherKey(offset);
        return nextKnown == null ? offset + step : Math.min(nextKnown, offset + step);
    }

    /// The highest offset of a partition that is known to be there.
    public synchronized OptionalLong lastKnown(Place place) {
        TreeMap<Long, Long> offsets = known.get(place);
        return offsets == null || offsets.isEmpty() ? OptionalLong.empty() : OptionalLong.of(offsets.lastKey());
    }

    /// One past the highest offset known of a partition.
    public synchronized long nextOffset(Place place) {
        TreeMap<Long, Long> offsets = known.get(place);
        long next = offsets == null || offsets.isEmpty() ? 0 : offsets.lastKey() + 1;
        return Math.max(next, taken.getOrDefault(place, 0L));
    }

    /// Judges the whole content of a partition after a restart.
    public synchronized void check(Place place, List<PolledMessage> found) {
        TreeMap<Long, Long> expected = known.computeIfAbsent(place, _ -> new TreeMap<>());
        Map<Long, long[]> unconfirmed = new HashMap<>();
        for (long[] ids : unacknowledged.values()) {
            for (long id : ids) {
                unconfirmed.put(id, ids);
            }
        }
        boolean mayHaveGaps = taken.containsKey(place) || refusedByDisk.contains(place);
        IdentityHashMap<long[], Integer> foundOf = new IdentityHashMap<>();
        Map<Long, Long> contents = new HashMap<>();
        long next = first(place, found, expected.isEmpty() ? 0 : expected.lastKey() + 1);
        for (PolledMessage message : found) {
            long offset = message.offset();
            if (offset != next && (!mayHaveGaps || offset < next)) {
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
            } else if (batch != null) {
                // A part of it may have been read while the server ran; all of it has to be here.
                foundOf.merge(batch, 1, Integer::sum);
            } else if (before == null) {
                foreign++;
                tell(place + " offset " + offset + " holds " + id + ", which nobody sent or which was gone before");
            }
        }
        missing(place, expected, contents);
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

    private void missing(Place place, NavigableMap<Long, Long> expected, Map<Long, Long> contents) {
        long beginning = trimmed.getOrDefault(place, 0L);
        boolean mayBeGone = unsafe.remove(place);
        List<Long> gone = new ArrayList<>();
        for (long offset : expected.tailMap(beginning, true).keySet()) {
            if (contents.containsKey(offset)) {
                continue;
            }
            if (mayBeGone) {
                forgone++;
                gone.add(offset);
            } else {
                lost++;
                tell(place + " offset " + offset + " is lost");
            }
        }
        // It must not come back either: from now on it is a message that nobody sent.
        gone.forEach(expected::remove);
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

    /// Judges the content of a partition, some of whose files may have been damaged: what is there has to be right,
    /// and only damage may be a reason for not being there. Nothing is remembered: the next look is at another
    /// copy.
    ///
    /// @param mayMiss whether a file of the partition was damaged
    /// @return how many of the known messages are not there
    public synchronized long inspect(Place place, List<PolledMessage> found, boolean mayMiss) {
        TreeMap<Long, Long> expected = known.getOrDefault(place, new TreeMap<>());
        Set<Long> offsets = new HashSet<>();
        for (PolledMessage message : found) {
            Long id = expected.get(message.offset());
            if (!offsets.add(message.offset())) {
                foreign++;
                tell(place + " serves offset " + message.offset() + " twice");
            }
            if (!Payload.isWhole(message.payload()) || id == null || id != Payload.idOf(message.payload())) {
                changed++;
                tell(place + " offset " + message.offset() + " is served with other bytes than were acknowledged");
            }
        }
        long missing = expected.tailMap(trimmed.getOrDefault(place, 0L)).size() - (long) offsets.size();
        if (missing > 0 && !mayMiss) {
            lost += missing;
            tell(place + " misses " + missing + " messages, and its files were left alone");
        } else {
            unavailable += Math.max(0, missing);
        }
        return missing;
    }

    /// All partitions have been checked: what was not found of the unacknowledged batches is gone for good.
    public synchronized void endRound() {
        unacknowledged.clear();
    }

    /// A request got no answer in time, and its connection was not closed either.
    public synchronized void unanswered(String text) {
        unanswered++;
        tell(text);
    }

    public synchronized void complain(String text) {
        tell(text);
    }

    private void tell(String text) {
        if (violations.size() < VIOLATIONS_TOLD) {
            violations.add(text);
        } else if (violations.size() == VIOLATIONS_TOLD) {
            violations.add("… and more");
        }
    }

    public synchronized List<String> violations() {
        return List.copyOf(violations);
    }

    public synchronized Tally tally() {
        return new Tally(acknowledged, lost, forgone, changed, reissued, foreign, torn, gaps, unavailable, unanswered);
    }
}
