package io.galgo.broker.shard;

import io.galgo.broker.metadata.Catalog;
import io.galgo.broker.partition.Writer;
import java.util.ArrayList;
import java.util.List;

/// Takes partitions away from members of consumer groups that are not heard of any more (spec semantics 13).
///
/// A connection whose client is a member and that sent nothing for 1.2 times `heartbeat.interval` is evicted. Idle
/// connections of others stay. A connection whose request is being carried out is not idle.
///
/// Members that an earlier run of the node left behind have as long to come back after the start.
final class Heartbeats {
    /// A check is not worth it more often than that; so much later than due an eviction may be.
    private static final int CHECKS_PER_INTERVAL_MAX = 20;

    /// How long clients have to come back after a start when there is no interval.
    private static final long RETURN_NANOS_MIN = 1_000_000_000L;

    private final Shard shard;
    private final Catalog catalog;
    private final Timers timers;
    private final boolean isEnabled;
    private final long intervalNanos;
    private final long patienceNanos;
    private boolean isStarted;

    Heartbeats(Shard shard, Catalog catalog, Timers timers, boolean isEnabled, long intervalNanos) {
        this.shard = shard;
        this.catalog = catalog;
        this.timers = timers;
        this.isEnabled = isEnabled;
        this.intervalNanos = intervalNanos;
        this.patienceNanos = intervalNanos + intervalNanos / 5;
    }

    /// Clients may come now. On the shard's thread; a second call changes nothing.
    void start() {
        if (isStarted) {
            return;
        }
        isStarted = true;
        if (isEnabled) {
            checkAfter(intervalNanos);
        }
        if (shard.index() == 0) {
            awaitReturn();
        }
    }

    private void awaitReturn() {
        List<Session> members = new ArrayList<>();
        catalog.clients().forEach((client, session, userId) -> {
            if (!catalog.groups(client).isEmpty()) {
                members.add(new Session(new Writer(client, userId), session));
            }
        });
        if (!members.isEmpty()) {
            timers.after(Math.max(patienceNanos, RETURN_NANOS_MIN), () -> dropThoseNotBack(members));
        }
    }

    /// A client that came back has a newer session.
    private void dropThoseNotBack(List<Session> members) {
        for (Session member : members) {
            if (catalog.clients().session(member.client()) == member.number()) {
                shard.endSession(member);
            }
        }
    }

    private void checkAfter(long nanos) {
        timers.after(nanos, this::check);
    }

    private void check() {
        if (shard.isStopping()) {
            return;
        }
        long now = shard.monotonicNanos();
        long nextNanos = intervalNanos;
        List<Connection> stale = new ArrayList<>();
        for (Connection connection : shard.connections()) {
            Session session = connection.session();
            if (session != null && catalog.isMember(session.client()) && !connection.isServing()) {
                long leftNanos = patienceNanos - (now - connection.heardNanos());
                if (leftNanos < 0) {
                    stale.add(connection);
                } else {
                    nextNanos = Math.min(nextNanos, leftNanos + 1);
                }
            }
        }
        for (Connection connection : stale) {
            shard.evictStale(connection);
        }
        checkAfter(Math.max(nextNanos, intervalNanos / CHECKS_PER_INTERVAL_MAX));
    }
}
