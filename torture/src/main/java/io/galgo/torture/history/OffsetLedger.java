package io.galgo.torture.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Where consumers stand, as far as the server confirmed it. One command is under way at a time.
public final class OffsetLedger {
    /// A consumer in a partition, or the one group, whose number does not count.
    public record Stand(boolean isGroup, long consumer, Ledger.Place place) {
        public Stand {
            consumer = isGroup ? 0 : consumer;
        }
    }

    private record Step(Stand stand, OptionalLong offset) {}

    private final Map<Stand, OptionalLong> stands = new HashMap<>();
    private final Set<Stand> unsafe = new HashSet<>();
    private @Nullable Step underWay;
    private long acknowledged;

    /// Nothing was stored yet.
    public OffsetLedger() {}

    /// A store, or a deletion when `offset` is empty, is about to be sent.
    public synchronized void sending(Stand stand, OptionalLong offset) {
        underWay = new Step(stand, offset);
    }

    public synchronized void acknowledged() {
        if (underWay == null) {
            throw new IllegalStateException("nothing was sent");
        }
        stands.put(underWay.stand, underWay.offset);
        underWay = null;
        acknowledged++;
    }

    public synchronized OptionalLong offset(Stand stand) {
        return stands.getOrDefault(stand, OptionalLong.empty());
    }

    public synchronized List<Stand> all() {
        List<Stand> all = new ArrayList<>(stands.keySet());
        if (underWay != null && !stands.containsKey(underWay.stand)) {
            all.add(underWay.stand);
        }
        return all;
    }

    /// The power went. What was stored without the promise to survive that may be an older one, or none, once.
    public synchronized void powerCut(Predicate<Stand> isSafe) {
        unsafe.addAll(stands.keySet());
        unsafe.removeIf(isSafe);
    }

    /// Judges one stored offset after a restart. Returns what is wrong, null when all is well.
    public synchronized @Nullable String check(Stand stand, OptionalLong found) {
        OptionalLong confirmed = offset(stand);
        boolean isOther = underWay != null && underWay.stand.equals(stand) && found.equals(underWay.offset);
        if (!found.equals(confirmed) && !isOther && !unsafe.remove(stand)) {
            return stand + " is stored as " + found + " and was confirmed as " + confirmed;
        }
        stands.put(stand, found);
        return null;
    }

    public synchronized void endRound() {
        unsafe.clear();
        underWay = null;
    }

    public synchronized long acknowledgedCount() {
        return acknowledged;
    }
}
