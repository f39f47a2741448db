package io.galgo.consensus;

/// One member of a replica group: which operations were prepared, which are committed, and who acknowledged what.
///
/// A pure state machine: inputs are the methods, effects go to [Effects], in the caller's thread. Today a group has
/// one replica, so an op is decided by this replica's own journal; the interface is that of the whole.
public final class Replica {
    /// What a replica asks for.
    @FunctionalInterface
    public interface Effects {
        /// An op is decided, and so are all before it. Called once per op, in order, and never from inside another
        /// call of itself: an input that arrives meanwhile is taken in, and its commits follow.
        void commit(long op);
    }

    private final int replicaIndex;
    private final int replicasCount;
    private final long view;
    private final Quorum quorum;
    private final Effects effects;
    private long commit;
    private boolean committing;

    private Replica(int replicaIndex, int replicasCount, long view, long commit, Effects effects) {
        this.replicaIndex = replicaIndex;
        this.replicasCount = replicasCount;
        this.view = view;
        this.quorum = new Quorum(replicasCount, commit);
        this.effects = effects;
        this.commit = commit;
    }

    /// @param replicaIndex this replica in its group, from 0
    /// @param replicasCount members of the group; 1 for now
    /// @param view the view found in the superblock
    /// @param commit the last committed op found at start
    public static Replica restore(int replicaIndex, int replicasCount, long view, long commit, Effects effects) {
        if (replicasCount != 1) {
            throw new IllegalArgumentException("a group of one replica is supported, not of " + replicasCount);
        }
        if (replicaIndex < 0 || replicaIndex >= replicasCount) {
            throw new IllegalArgumentException("no replica " + replicaIndex + " in a group of " + replicasCount);
        }
        if (view < 0 || commit < 0) {
            throw new IllegalArgumentException("view and commit count from 0: " + view + ", " + commit);
        }
        return new Replica(replicaIndex, replicasCount, view, commit, effects);
    }

    /// Gives the next request its place in the order. The caller hands it to its journal and reports back with
    /// [#onJournaled] or [#onJournalFault].
    ///
    /// @return the op
    public long prepare() {
        return quorum.extend();
    }

    /// The op is as safe in this replica's journal as its policy asks. Ops may come out of order; they commit in
    /// order. One that is committed or abandoned already changes nothing.
    public void onJournaled(long op) {
        checkPrepared(op);
        quorum.add(op, replicaIndex);
        commitDecided();
    }

    /// The op will never be in the journal. It and every later op that is not committed are abandoned; the caller
    /// answers their requests. The next [#prepare] continues behind the last abandoned op.
    public void onJournalFault(long op) {
        checkPrepared(op);
        if (op <= quorum.decided()) {
            // Abandoned before, with an earlier op that failed; or journalled after all, and then committed.
            return;
        }
        quorum.abandonFrom(op);
        commitDecided();
    }

    /// The last prepared op.
    public long op() {
        return quorum.head();
    }

    /// The last committed op.
    public long commit() {
        return commit;
    }

    public long view() {
        return view;
    }

    /// Whether this replica orders requests now.
    public boolean isPrimary() {
        return view % replicasCount == replicaIndex;
    }

    private void commitDecided() {
        if (committing) {
            return;
        }
        committing = true;
        try {
            while (true) {
                long next = quorum.decideNext();
                if (next == 0) {
                    return;
                }
                if (next > 0) {
                    commit = next;
                    effects.commit(next);
                }
            }
        } finally {
            committing = false;
        }
    }

    private void checkPrepared(long op) {
        if (op > quorum.head()) {
            throw new IllegalStateException("op " + op + " was never prepared; the last one is " + quorum.head());
        }
    }
}
