package io.galgo.broker.metadata;

import io.galgo.protocol.BodyReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/// Which member of a consumer group owns which partition of the topic (spec semantics 10.2).
///
/// While there are members every partition has one owner. A partition may be *pending*: its owner shall give it up
/// to another member and keeps it until what it polled is committed; it may still store offsets there and no longer
/// poll. Members are known by their ids; lower ids come first wherever an order is needed.
final class Assignment {
    // A member that waits for a pending partition counts as having it, and its owner as not having it any more. So
    // a third member that joins meanwhile takes over the expectation of one that has enough, rather than nothing.

    /// Ids are the lowest free ones, and there are never more members than sessions.
    static final int MEMBER_IDS_MAX = 1 << 20;

    private static final int NOBODY = -1;

    private int[] owners;
    private int[] targets;
    private long[] pendingSinceOps;
    private long[] pendingSinceMicros;
    private int pendingCount;
    private final TreeMap<Integer, List<Integer>> partitionsByMember = new TreeMap<>();

    Assignment(int partitionsCount) {
        owners = new int[0];
        targets = new int[0];
        pendingSinceOps = new long[0];
        pendingSinceMicros = new long[0];
        resize(partitionsCount);
    }

    int partitionsCount() {
        return owners.length;
    }

    boolean isOwner(int member, int partition) {
        return partition >= 0 && partition < owners.length && owners[partition] == member;
    }

    int membersCount() {
        return partitionsByMember.size();
    }

    boolean hasMember(int member) {
        return partitionsByMember.containsKey(member);
    }

    int pendingCount() {
        return pendingCount;
    }

    boolean isPending(int partition) {
        return targets[partition] != NOBODY;
    }

    /// The op that made a partition pending, 0 when it is not.
    long pendingSinceOp(int partition) {
        return pendingSinceOps[partition];
    }

    long pendingSinceMicros(int partition) {
        return pendingSinceMicros[partition];
    }

    /// The partitions of a member, pending ones included, in the order in which it got them.
    List<Integer> partitions(int member) {
        List<Integer> partitions = partitionsByMember.get(member);
        return partitions == null ? List.of() : partitions;
    }

    /// A member joins, and takes from others what is too much for them: at once what nobody polled, and what was
    /// polled and not committed when that is done.
    ///
    /// @param inFlight partitions from which the group was served messages whose offsets are not stored yet
    void join(int member, long op, long nowMicros, int[] inFlight) {
        partitionsByMember.put(member, new ArrayList<>());
        dealUnassigned();
        int[] holdings = holdings();
        List<Integer> receivers = new ArrayList<>();
        for (int each : partitionsByMember.keySet()) {
            if (holdings[each] == 0) {
                receivers.add(each);
            }
        }
        if (receivers.isEmpty()) {
            return;
        }
        boolean[] isInFlight = marked(inFlight);
        int next = 0;
        for (int partition : surplus(holdings)) {
            int receiver = receivers.get(next++ % receivers.size());
            if (isPending(partition)) {
                targets[partition] = receiver;
            } else if (isInFlight[partition]) {
                targets[partition] = receiver;
                pendingSinceOps[partition] = op;
                pendingSinceMicros[partition] = nowMicros;
                pendingCount++;
            } else {
                move(partition, receiver);
            }
        }
    }

    private void dealUnassigned() {
        List<Integer> idle = new ArrayList<>();
        partitionsByMember.forEach((each, partitions) -> {
            if (partitions.isEmpty()) {
                idle.add(each);
            }
        });
        int next = 0;
        for (int partition = 0; partition < owners.length; partition++) {
            if (owners[partition] == NOBODY) {
                give(partition, idle.get(next++ % idle.size()));
            }
        }
    }

    /// What members have beyond their fair share. The first who have too much keep one more where the partitions do
    /// not divide evenly.
    private List<Integer> surplus(int[] holdings) {
        int fair = owners.length / partitionsByMember.size();
        int remainder = owners.length % partitionsByMember.size();
        List<Integer> surplus = new ArrayList<>();
        for (int member : partitionsByMember.keySet()) {
            int excess = holdings[member] - fair;
            if (excess > 0 && remainder > 0) {
                remainder--;
                excess--;
            }
            if (excess > 0) {
                takeFromEnd(member, excess, surplus);
            }
        }
        return surplus;
    }

    /// What a member only waits for comes last in its list, so it goes first.
    private void takeFromEnd(int member, int count, List<Integer> surplus) {
        int missing = count;
        if (pendingCount > 0) {
            for (int partition = owners.length - 1; partition >= 0 && missing > 0; partition--) {
                if (targets[partition] == member) {
                    surplus.add(partition);
                    missing--;
                }
            }
        }
        List<Integer> own = partitions(member);
        for (int i = own.size() - 1; i >= 0 && missing > 0; i--) {
            if (!isPending(own.get(i))) {
                surplus.add(own.get(i));
                missing--;
            }
        }
    }

    /// How many partitions each member will have when nothing is pending any more, by member id.
    private int[] holdings() {
        int[] holdings = new int[partitionsByMember.lastKey() + 1];
        for (int partition = 0; partition < owners.length; partition++) {
            holdings[isPending(partition) ? targets[partition] : owners[partition]]++;
        }
        return holdings;
    }

    /// A pending partition goes to the member that waits for it.
    void complete(int partition) {
        move(partition, targets[partition]);
    }

    /// A member is gone: everything is dealt anew.
    void leave(int member) {
        partitionsByMember.remove(member);
        dealAll();
    }

    /// The topic has more or fewer partitions now: everything is dealt anew.
    void onPartitionsCount(int partitionsCount) {
        resize(partitionsCount);
        dealAll();
    }

    /// Partition i goes to member i modulo their number. What was pending is forgotten.
    private void dealAll() {
        Arrays.fill(owners, NOBODY);
        Arrays.fill(targets, NOBODY);
        Arrays.fill(pendingSinceOps, 0);
        Arrays.fill(pendingSinceMicros, 0);
        pendingCount = 0;
        partitionsByMember.values().forEach(List::clear);
        if (partitionsByMember.isEmpty()) {
            return;
        }
        Integer[] members = partitionsByMember.keySet().toArray(Integer[]::new);
        for (int partition = 0; partition < owners.length; partition++) {
            give(partition, members[partition % members.length]);
        }
    }

    private void resize(int partitionsCount) {
        int before = owners.length;
        owners = Arrays.copyOf(owners, partitionsCount);
        targets = Arrays.copyOf(targets, partitionsCount);
        pendingSinceOps = Arrays.copyOf(pendingSinceOps, partitionsCount);
        pendingSinceMicros = Arrays.copyOf(pendingSinceMicros, partitionsCount);
        if (partitionsCount > before) {
            Arrays.fill(owners, before, partitionsCount, NOBODY);
            Arrays.fill(targets, before, partitionsCount, NOBODY);
        }
    }

    private void move(int partition, int receiver) {
        List<Integer> before = partitions(owners[partition]);
        int at = before.lastIndexOf(partition);
        before.remove(/* index */ at);
        if (isPending(partition)) {
            pendingCount--;
        }
        targets[partition] = NOBODY;
        pendingSinceOps[partition] = 0;
        pendingSinceMicros[partition] = 0;
        give(partition, receiver);
    }

    private void give(int partition, int receiver) {
        owners[partition] = receiver;
        partitions(receiver).add(partition);
    }

    /// Which of the partitions are named. What is none of them is overlooked.
    private boolean[] marked(int[] named) {
        boolean[] marked = new boolean[owners.length];
        for (int partition : named) {
            if (partition >= 0 && partition < marked.length) {
                marked[partition] = true;
            }
        }
        return marked;
    }

    /// | size | field |
    /// |---|---|
    /// | 4 | members, then for each, in the order of ids: |
    /// | 4, 4 | id, partitions, then each partition in the order in which it got them: |
    /// | 4 | partition id |
    /// | 4 | pending partitions, then for each, in the order of ids: |
    /// | 4, 4 | partition id, the member that waits |
    /// | 8, 8 | since when: op, time |
    void write(ByteWriter out) {
        out.u32(partitionsByMember.size());
        partitionsByMember.forEach((member, partitions) -> {
            out.u32(member).u32(partitions.size());
            partitions.forEach(out::u32);
        });
        int pendingAt = out.length();
        out.u32(0);
        int pending = 0;
        for (int partition = 0; partition < owners.length; partition++) {
            if (isPending(partition)) {
                out.u32(partition).u32(targets[partition]);
                out.u64(pendingSinceOps[partition]).u64(pendingSinceMicros[partition]);
                pending++;
            }
        }
        out.patchU32(pendingAt, pending);
    }

    /// Reads what [#write] wrote. Fails the reader on anything else.
    static Assignment read(int partitionsCount, BodyReader in) {
        Assignment assignment = new Assignment(partitionsCount);
        int members = in.count(4 + 4);
        int dealt = 0;
        for (int i = 0; i < members && !in.isFailed(); i++) {
            int member = in.u32();
            in.require(member >= 0
                    && member < MEMBER_IDS_MAX
                    && assignment.partitionsByMember.put(member, new ArrayList<>()) == null);
            int count = in.count(4);
            for (int j = 0; j < count && !in.isFailed(); j++) {
                int partition = in.u32();
                in.require(partition >= 0 && partition < partitionsCount && assignment.owners[partition] == NOBODY);
                if (!in.isFailed()) {
                    assignment.give(partition, member);
                    dealt++;
                }
            }
        }
        in.require(dealt == (members == 0 ? 0 : partitionsCount));
        int pending = in.count(4 + 4 + 8 + 8);
        for (int i = 0; i < pending && !in.isFailed(); i++) {
            int partition = in.u32();
            int target = in.u32();
            long sinceOp = in.u64();
            long sinceMicros = in.u64();
            in.require(partition >= 0
                    && partition < partitionsCount
                    && assignment.partitionsByMember.containsKey(target)
                    && assignment.owners[partition] != target
                    && !assignment.isPending(partition));
            if (!in.isFailed()) {
                assignment.targets[partition] = target;
                assignment.pendingSinceOps[partition] = sinceOp;
                assignment.pendingSinceMicros[partition] = sinceMicros;
                assignment.pendingCount++;
            }
        }
        return assignment;
    }
}
