package io.galgo.simulator.check;

import io.galgo.model.CommittedMetadata;
import io.galgo.model.CommittedMetadata.Place;
import io.galgo.protocol.Identifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Which partitions there have been, and which of them a request can have met.
///
/// A partition that was deleted and made anew, or purged, is another one, under the same ids. While a change has
/// not reached all shards, a request may meet either.
public final class Incarnations {
    /// A partition from its creation or purge to its end.
    ///
    /// @param sinceOp the metadata operation that made it
    /// @param sinceNanos when that was applied first
    public record Incarnation(
            Place place, long sinceOp, long sinceNanos, boolean isPersisted, boolean areOffsetsPersisted) {
        @Override
        public String toString() {
            return "partition " + place + " since op " + sinceOp;
        }
    }

    private record Unsettled(long op, List<Place> places) {}

    private static final long NEVER = Long.MIN_VALUE;

    private final CommittedMetadata metadata;
    private final TreeMap<Place, Incarnation> current = new TreeMap<>();
    private final List<Incarnation> all = new ArrayList<>();
    private final Map<Place, Long> settledNanos = new HashMap<>();
    private final ArrayDeque<Unsettled> unsettled = new ArrayDeque<>();

    public Incarnations(CommittedMetadata metadata) {
        this.metadata = metadata;
    }

    /// An operation that may have changed partitions or names was applied somewhere for the first time.
    void onChanged(long op, long nowNanos) {
        Map<Place, CommittedMetadata.Partition> now = metadata.partitions();
        List<Place> changed = new ArrayList<>();
        for (Place place : List.copyOf(current.keySet())) {
            if (!now.containsKey(place)) {
                current.remove(place);
                changed.add(place);
            }
        }
        now.forEach((place, partition) -> {
            Incarnation known = current.get(place);
            if (known == null || known.sinceOp != partition.sinceOp()) {
                Incarnation incarnation = new Incarnation(
                        place, partition.sinceOp(), nowNanos, partition.isPersisted(), partition.areOffsetsPersisted());
                current.put(place, incarnation);
                all.add(incarnation);
                changed.add(place);
            }
        });
        if (!changed.isEmpty()) {
            unsettled.add(new Unsettled(op, changed));
        }
    }

    /// All shards have applied everything up to an operation.
    void onSettled(long op, long nowNanos) {
        while (!unsettled.isEmpty() && unsettled.element().op <= op) {
            Unsettled change = unsettled.remove();
            change.places.forEach(place -> settledNanos.put(place, nowNanos));
        }
    }

    /// The partition that a request can only have met, or null when it may have been more than one, or none. Names
    /// must mean the same all the time.
    ///
    /// @param begunNanos when the request was sent first; it ended now
    public @Nullable Incarnation met(Identifier stream, Identifier topic, int partition, long begunNanos) {
        Place place = metadata.place(stream, topic, partition);
        return place == null ? null : met(place, begunNanos);
    }

    @Nullable Incarnation met(Place place, long begunNanos) {
        boolean isUnsettled = settledNanos.getOrDefault(place, NEVER) >= begunNanos
                || unsettled.stream().anyMatch(change -> change.places.contains(place));
        return isUnsettled ? null : current.get(place);
    }

    /// The partition that a request would meet if everything was applied everywhere, or null.
    @Nullable Incarnation now(Identifier stream, Identifier topic, int partition) {
        Place place = metadata.place(stream, topic, partition);
        return place == null ? null : now(place);
    }

    @Nullable Incarnation now(Place place) {
        return current.get(place);
    }

    /// The partitions that are there now.
    public Collection<Incarnation> current() {
        return current.values();
    }

    /// All that have ever been under these ids.
    List<Incarnation> ever(int stream, int topic) {
        return all.stream()
                .filter(incarnation -> incarnation.place.stream() == stream && incarnation.place.topic() == topic)
                .toList();
    }
}
