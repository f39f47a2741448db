package io.galgo.broker.partition;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The consumer groups that a client is about to join, as far as this shard was asked what the group has in flight.
///
/// What was told stays true until the join is decided, because polls that would change it wait here for that long.
final class PendingJoins {
    // Without it a partition could be told to be untouched, then be served to its owner, and then move at once with
    // the join: its new owner would be served the same messages.

    /// Polls that wait at a time; more are refused.
    static final int HELD_MAX = 1024;

    private record Group(int streamId, int topicId, int groupId) {}

    private static final class Joins {
        final Set<PollRequest> held = new LinkedHashSet<>();
        int count;
    }

    private final Map<Group, Joins> joins = new LinkedHashMap<>();
    private int heldCount;

    void begin(int streamId, int topicId, int groupId) {
        joins.computeIfAbsent(new Group(streamId, topicId, groupId), _ -> new Joins()).count++;
    }

    /// One join is decided.
    ///
    /// @return the polls that may go on, in the order in which they came
    List<PollRequest> end(int streamId, int topicId, int groupId) {
        Group group = new Group(streamId, topicId, groupId);
        Joins pending = joins.get(group);
        if (pending == null) {
            throw new IllegalStateException("no join of " + group + " is pending");
        }
        pending.count--;
        if (pending.count > 0) {
            return List.of();
        }
        joins.remove(group);
        heldCount -= pending.held.size();
        return List.copyOf(pending.held);
    }

    /// Whether a join of the group that a poll is for is pending.
    boolean isPending(PollRequest poll) {
        return !joins.isEmpty() && joins.containsKey(group(poll));
    }

    /// Keeps a poll until the joins of its group are decided.
    ///
    /// @return false when too many wait already
    boolean hold(PollRequest poll) {
        Joins pending = joins.get(group(poll));
        if (pending == null || heldCount >= HELD_MAX) {
            return false;
        }
        pending.held.add(poll);
        heldCount++;
        return true;
    }

    /// Forgets a poll whose client is gone.
    ///
    /// @return whether it waited here
    boolean drop(PollRequest poll) {
        Joins pending = heldCount == 0 ? null : joins.get(group(poll));
        if (pending == null || !pending.held.remove(poll)) {
            return false;
        }
        heldCount--;
        return true;
    }

    /// Lets go of every poll that waits.
    List<PollRequest> drain() {
        List<PollRequest> drained = new ArrayList<>(heldCount);
        for (Joins pending : joins.values()) {
            drained.addAll(pending.held);
            pending.held.clear();
        }
        heldCount = 0;
        return drained;
    }

    int heldCount() {
        return heldCount;
    }

    private static Group group(PollRequest poll) {
        Target target = poll.target();
        return new Group(target.streamId(), target.topicId(), poll.consumerKey);
    }
}
