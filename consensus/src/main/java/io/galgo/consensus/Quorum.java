package io.galgo.consensus;

/// Which replicas hold each op that is prepared and not yet decided, and how many of them it takes.
///
/// Counts a set of replicas, never messages: saying yes twice changes nothing. The ops are a window that moves
/// forward; no op is counted outside it. Allocates only when the window grows beyond all before.
final class Quorum {
    // A ring of bit sets, one an op: bit r says that replica r holds the op. The highest bit marks an op that nobody
    // will ever hold; it stays in the window so that the ops around it keep their order.

    /// As many replicas as a group can have: the vote arrays of the wire protocol hold no more.
    static final int REPLICAS_MAX = 32;

    private static final long ABANDONED = Long.MIN_VALUE;

    private final int size;
    private long[] holders = new long[32];
    private long decided;
    private long head;

    /// @param replicasCount members of the group
    /// @param op the last op that is decided already; the window begins behind it
    Quorum(int replicasCount, long op) {
        this.size = replicationSize(replicasCount);
        this.decided = op;
        this.head = op;
    }

    /// How many replicas must hold an op before it is committed. Any election hears from one of them, because it
    /// needs [#electionSize] replicas, and the two sum to more than the group.
    static int replicationSize(int replicasCount) {
        if (replicasCount < 1 || replicasCount > REPLICAS_MAX) {
            throw new IllegalArgumentException("a group has 1 to " + REPLICAS_MAX + " replicas, not " + replicasCount);
        }
        // A group of two stops at the first failure: it protects data, not availability.
        return replicasCount == 2 ? 2 : Math.min((replicasCount + 1) / 2, 3);
    }

    /// How many replicas must take part in an election.
    static int electionSize(int replicasCount) {
        return replicasCount == 2 ? 2 : replicasCount - replicationSize(replicasCount) + 1;
    }

    /// The last op of the window.
    long head() {
        return head;
    }

    /// The last op before the window: it and all before it are decided.
    long decided() {
        return decided;
    }

    /// Takes one more op into the window.
    ///
    /// @return the op
    long extend() {
        if (head - decided == holders.length) {
            grow();
        }
        head++;
        holders[slot(head)] = 0;
        return head;
    }

    /// Replica `replica` holds an op. Ops that are decided or abandoned stay so.
    void add(long op, int replica) {
        if (isOpen(op)) {
            holders[slot(op)] |= 1L << replica;
        }
    }

    /// Nobody will ever hold these ops.
    ///
    /// @param first the first of them; all later ones of the window are meant too
    void abandonFrom(long first) {
        for (long op = Math.max(first, decided + 1); op <= head; op++) {
            holders[slot(op)] = ABANDONED;
        }
    }

    /// Moves the window behind the next op when that one is decided.
    ///
    /// @return the op when enough replicas hold it, its negation when it is abandoned, 0 when it must wait
    long decideNext() {
        if (decided == head) {
            return 0;
        }
        long next = decided + 1;
        long set = holders[slot(next)];
        if (set == ABANDONED) {
            decided = next;
            return -next;
        }
        if (Long.bitCount(set) < size) {
            return 0;
        }
        decided = next;
        return next;
    }

    private boolean isOpen(long op) {
        return op > decided && op <= head && holders[slot(op)] != ABANDONED;
    }

    private int slot(long op) {
        return (int) (op & (holders.length - 1));
    }

    private void grow() {
        long[] wider = new long[holders.length * 2];
        for (long op = decided + 1; op <= head; op++) {
            wider[(int) (op & (wider.length - 1))] = holders[slot(op)];
        }
        holders = wider;
    }
}
