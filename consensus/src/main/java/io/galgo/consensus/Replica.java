package io.galgo.consensus;

/// One member of a replica group: which operations were prepared, which are committed, and who acknowledged what.
///
/// A pure state machine: inputs are the methods, effects go to [Effects], in the caller's thread. Today a group has
/// one replica, so an op is decided by this replica's own journal; the interface is that of the whole.
public final class Replica {
    /// What a replica asks for.
    public interface Effects {
        /// An op is decided, and so are all before it. Called once per op, in order.
        void commit(long op);
    }

    private Replica() {}

    /// @param replicaIndex this replica in its group, from 0
    /// @param replicasCount members of the group
    /// @param view the view found in the superblock
    /// @param commit the last committed op found at start
    public static Replica restore(int replicaIndex, int replicasCount, long view, long commit, Effects effects) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Gives the next request its place in the order. The caller hands it to its journal and reports back with
    /// [#onJournaled] or [#onJournalFault].
    ///
    /// @return the op
    public long prepare() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// The op is as safe in this replica's journal as its policy asks. Ops may come out of order; they commit in
    /// order.
    public void onJournaled(long op) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// The op will never be in the journal. It and every later op that is not committed are abandoned; the caller
    /// answers
    /// their requests. The next [#prepare] continues behind the last abandoned op.
    public void onJournalFault(long op) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// The last prepared op.
    public long op() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// The last committed op.
    public long commit() {
        throw new UnsupportedOperationException("not written yet");
    }

    public long view() {
        throw new UnsupportedOperationException("not written yet");
    }

    /// Whether this replica orders requests now.
    public boolean isPrimary() {
        throw new UnsupportedOperationException("not written yet");
    }
}
