package io.galgo.broker.shard;

import io.galgo.broker.metadata.Catalog;
import io.galgo.broker.metadata.Change;
import io.galgo.broker.metadata.ConsumerGroup;
import io.galgo.broker.metadata.Stream;
import io.galgo.broker.metadata.Topic;
import io.galgo.broker.partition.PartitionDirectory;
import io.galgo.broker.plane.MetadataAnswer;
import io.galgo.broker.plane.MetadataRequest;
import io.galgo.broker.plane.MetadataRequester;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The partitions of this shard that wait to change hands inside a consumer group (spec semantics 10.2).
///
/// A move is proposed to be complete as soon as the group has stored the offset of what it was served, or when
/// `consumer_group.rebalancing_timeout` has passed since this shard heard of it. Bounded by the partitions of the
/// shard times the groups of their topics.
final class Revocations {
    /// A completion that finds no room is proposed again after so long, and then after twice as long each time.
    private static final long RETRY_NANOS_MIN = 20_000_000L;

    private static final long RETRY_NANOS_MAX = 2_000_000_000L;

    /// Moves that are over and still known, beyond as many as are pending.
    static final int OVER_MAX = 64;

    private record Place(int streamId, int topicId, int groupId, int partition) {}

    /// The group that changed, or all of a topic.
    private record Changed(int streamId, int topicId, long groupId) {
        static final long ALL = -1;
    }

    /// One move, named by the place and the op that made it pending.
    static final class Move implements MetadataRequester {
        private final Place place;
        private final long sinceOp;
        private final long dueNanos;
        private long retryNanos = RETRY_NANOS_MIN;
        private boolean isProposed;

        private Move(Place place, long sinceOp, long dueNanos) {
            this.place = place;
            this.sinceOp = sinceOp;
            this.dueNanos = dueNanos;
        }
    }

    private final Shard shard;
    private final Catalog catalog;
    private final PartitionDirectory directory;
    private final Timers timers;
    private final long timeoutNanos;
    private final Map<Place, Move> moves = new LinkedHashMap<>();
    // All have the same time, so the order of arrival is the order in which they are due. Moves that are over lie
    // here until they are due or outnumber the others.
    private final ArrayDeque<Move> byDue = new ArrayDeque<>();
    private final Set<Changed> changed = new LinkedHashSet<>();
    private boolean isTimerSet;

    Revocations(Shard shard, Catalog catalog, PartitionDirectory directory, Timers timers, long timeoutNanos) {
        this.shard = shard;
        this.catalog = catalog;
        this.directory = directory;
        this.timers = timers;
        this.timeoutNanos = timeoutNanos;
    }

    /// Takes up what an earlier run left pending.
    void start() {
        for (int s = 0; s < catalog.streamIdsEnd(); s++) {
            Stream stream = catalog.stream(s);
            for (int t = 0; stream != null && t < stream.topicIdsEnd(); t++) {
                if (stream.topic(t) != null) {
                    noteAll(s, t);
                }
            }
        }
        onApplied();
    }

    /// Notes what one committed operation changed.
    void apply(Change change) {
        switch (change) {
            case Change.GroupChanged group -> note(group.streamId(), group.topicId(), group.groupId());
            case Change.GroupRemoved group -> note(group.streamId(), group.topicId(), group.groupId());
            case Change.PartitionsCreated made -> noteAll(made.streamId(), made.topicId());
            case Change.PartitionsRemoved gone -> noteAll(gone.streamId(), gone.topicId());
            case Change.TopicPurged purged -> noteAll(purged.streamId(), purged.topicId());
            case Change.TopicRemoved gone -> noteAll(gone.streamId(), gone.topicId());
            default -> {}
        }
    }

    private void note(int streamId, int topicId, int groupId) {
        changed.add(new Changed(streamId, topicId, Integer.toUnsignedLong(groupId)));
    }

    private void noteAll(int streamId, int topicId) {
        changed.add(new Changed(streamId, topicId, Changed.ALL));
    }

    /// An operation was applied, with all that it changed.
    void onApplied() {
        if (changed.isEmpty()) {
            return;
        }
        List<Changed> all = List.copyOf(changed);
        changed.clear();
        for (Changed each : all) {
            refresh(each);
        }
    }

    private void refresh(Changed ids) {
        if (!moves.isEmpty()) {
            moves.values().removeIf(move -> isOf(move, ids) && !isPending(move));
            if (byDue.size() > 2 * moves.size() + OVER_MAX) {
                byDue.removeIf(move -> moves.get(move.place) != move);
            }
        }
        Topic topic = catalog.topic(ids.streamId, ids.topicId);
        if (topic == null) {
            return;
        }
        List<Move> toSettle = new ArrayList<>();
        for (ConsumerGroup group : groups(topic, ids.groupId)) {
            directory.onGroupChanged(topic, group.id());
            group.forEachPending((partition, sinceOp, _) -> {
                if (shard.isOwner(ids.streamId, ids.topicId, partition)) {
                    Place place = new Place(ids.streamId, ids.topicId, group.id(), partition);
                    Move move = moves.get(place);
                    if (move == null) {
                        move = new Move(place, sinceOp, shard.monotonicNanos() + timeoutNanos);
                        moves.put(place, move);
                        byDue.add(move);
                    }
                    toSettle.add(move);
                }
            });
        }
        setTimer();
        for (Move move : toSettle) {
            settle(move);
        }
    }

    /// Moves that are pending.
    int pendingCount() {
        return moves.size();
    }

    /// Moves that are known, with those that are over.
    int knownCount() {
        return byDue.size();
    }

    private static Collection<ConsumerGroup> groups(Topic topic, long groupId) {
        if (groupId == Changed.ALL) {
            return topic.groups();
        }
        ConsumerGroup group = topic.group((int) groupId);
        return group == null ? List.of() : List.of(group);
    }

    private static boolean isOf(Move move, Changed ids) {
        return move.place.streamId == ids.streamId
                && move.place.topicId == ids.topicId
                && (ids.groupId == Changed.ALL || Integer.toUnsignedLong(move.place.groupId) == ids.groupId);
    }

    private boolean isPending(Move move) {
        Topic topic = catalog.topic(move.place.streamId, move.place.topicId);
        ConsumerGroup group = topic == null ? null : topic.group(move.place.groupId);
        return group != null && group.isPendingSince(move.place.partition, move.sinceOp);
    }

    /// A group has stored or deleted its offset of a partition of this shard.
    void onGroupOffset(int streamId, int topicId, int groupId, int partition) {
        if (!moves.isEmpty()) {
            settle(moves.get(new Place(streamId, topicId, groupId, partition)));
        }
    }

    /// Proposes that a move is complete, if it is and that is not under way already.
    private void settle(@Nullable Move move) {
        if (move == null || move.isProposed || moves.get(move.place) != move || shard.isStopping()) {
            return;
        }
        Place place = move.place;
        boolean isInFlight = directory.isInFlight(place.streamId, place.topicId, place.partition, place.groupId);
        if (isInFlight && shard.monotonicNanos() < move.dueNanos) {
            return;
        }
        move.isProposed = true;
        boolean isTaken = shard.propose(MetadataRequest.revocation(
                place.streamId, place.topicId, place.groupId, place.partition, move.sinceOp, move, shard.index()));
        if (!isTaken) {
            retryLater(move);
        }
    }

    /// The plane has decided about a completion. One that succeeded was applied here before.
    void onDecided(Move move, MetadataRequest request) {
        if (request.answer() instanceof MetadataAnswer.Rejected) {
            retryLater(move);
        }
    }

    private void retryLater(Move move) {
        long nanos = move.retryNanos;
        move.retryNanos = Math.min(2 * nanos, RETRY_NANOS_MAX);
        timers.after(nanos, () -> {
            move.isProposed = false;
            settle(move);
        });
    }

    private void setTimer() {
        while (!byDue.isEmpty() && moves.get(byDue.element().place) != byDue.element()) {
            byDue.remove();
        }
        if (!byDue.isEmpty() && !isTimerSet) {
            isTimerSet = true;
            timers.after(Math.max(0, byDue.element().dueNanos - shard.monotonicNanos()), this::onTimer);
        }
    }

    private void onTimer() {
        isTimerSet = false;
        while (!byDue.isEmpty() && byDue.element().dueNanos <= shard.monotonicNanos()) {
            settle(byDue.remove());
        }
        setTimer();
    }
}
