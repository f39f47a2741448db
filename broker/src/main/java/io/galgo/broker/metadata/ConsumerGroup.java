package io.galgo.broker.metadata;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.ClientId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One consumer group of a topic: its members and who owns which partition. Read-only outside the catalog.
public final class ConsumerGroup {
    /// By stream, topic and id.
    static final Comparator<ConsumerGroup> BY_IDS = Comparator.comparingInt(ConsumerGroup::streamId)
            .thenComparingInt(ConsumerGroup::topicId)
            .thenComparing(ConsumerGroup::id, Integer::compareUnsigned);

    private record Member(int id, ClientId client) {}

    /// Hears of partitions that wait to change hands.
    @FunctionalInterface
    public interface PendingVisitor {
        /// @param sinceOp the op that made the partition pending: together they name the move
        /// @param sinceMicros its commit time
        void onPending(int partition, long sinceOp, long sinceMicros);
    }

    private final int streamId;
    private final int topicId;
    private final int id;
    private final String name;
    private final Slots<Member> members = new Slots<>();
    private final Map<ClientId, Member> membersByClient = new HashMap<>();
    private final Assignment assignment;
    private long generation;

    ConsumerGroup(int streamId, int topicId, int id, String name, int partitionsCount) {
        this(streamId, topicId, id, name, new Assignment(partitionsCount));
    }

    private ConsumerGroup(int streamId, int topicId, int id, String name, Assignment assignment) {
        this.streamId = streamId;
        this.topicId = topicId;
        this.id = id;
        this.name = name;
        this.assignment = assignment;
    }

    public int streamId() {
        return streamId;
    }

    public int topicId() {
        return topicId;
    }

    /// Never given to another group of the topic. Unsigned.
    public int id() {
        return id;
    }

    /// 1..255 bytes of UTF-8.
    public String name() {
        return name;
    }

    /// Grows with every change of members or owners.
    public long generation() {
        return generation;
    }

    public int membersCount() {
        return members.count();
    }

    public boolean hasMember(ClientId client) {
        return membersByClient.containsKey(client);
    }

    /// Whether a client owns a partition, be it pending: it may store and delete the group's offset there.
    public boolean isAssigned(ClientId client, int partition) {
        Member member = membersByClient.get(client);
        return member != null && assignment.isOwner(member.id, partition);
    }

    /// Whether a client may poll a partition: it owns it, and need not give it up.
    public boolean isPollable(ClientId client, int partition) {
        return isAssigned(client, partition) && !assignment.isPending(partition);
    }

    /// One more than the highest member id in use.
    int memberIdsEnd() {
        return members.end();
    }

    boolean isMember(int memberId) {
        return members.get(memberId) != null;
    }

    /// The partitions of a member, pending ones included.
    List<Integer> partitions(int memberId) {
        return assignment.partitions(memberId);
    }

    /// The partitions that a client may poll; null when it is no member.
    @Nullable List<Integer> pollable(ClientId client) {
        Member member = membersByClient.get(client);
        return member == null
                ? null
                : assignment.partitions(member.id).stream()
                        .filter(partition -> !assignment.isPending(partition))
                        .toList();
    }

    /// Whether a move of a partition that began with an op is pending.
    public boolean isPendingSince(int partition, long sinceOp) {
        return partition >= 0
                && partition < assignment.partitionsCount()
                && assignment.isPending(partition)
                && assignment.pendingSinceOp(partition) == sinceOp;
    }

    /// Visits the partitions that wait to change hands, in the order of ids.
    public void forEachPending(PendingVisitor visitor) {
        if (assignment.pendingCount() == 0) {
            return;
        }
        for (int partition = 0; partition < assignment.partitionsCount(); partition++) {
            if (assignment.isPending(partition)) {
                visitor.onPending(
                        partition, assignment.pendingSinceOp(partition), assignment.pendingSinceMicros(partition));
            }
        }
    }

    /// The clients that are members, in the order of member ids.
    List<ClientId> clients() {
        List<ClientId> clients = new ArrayList<>(members.count());
        for (int memberId = 0; memberId < members.end(); memberId++) {
            Member member = members.get(memberId);
            if (member != null) {
                clients.add(member.client);
            }
        }
        return clients;
    }

    /// @return false when the client is a member already; nothing changed then
    boolean join(ClientId client, long op, long nowMicros, int[] inFlight) {
        if (membersByClient.containsKey(client)) {
            return false;
        }
        Member member = new Member(members.lowestFree(), client);
        add(member);
        generation++;
        assignment.join(member.id, op, nowMicros, inFlight);
        return true;
    }

    /// @return false when the client is no member; nothing changed then
    boolean leave(ClientId client) {
        Member member = membersByClient.remove(client);
        if (member == null) {
            return false;
        }
        members.remove(member.id);
        generation++;
        assignment.leave(member.id);
        return true;
    }

    /// @return false when no such move is pending; nothing changed then
    boolean complete(int partition, long sinceOp) {
        boolean isPending = isPendingSince(partition, sinceOp);
        if (isPending) {
            generation++;
            assignment.complete(partition);
        }
        return isPending;
    }

    void onPartitionsCount(int partitionsCount) {
        generation++;
        assignment.onPartitionsCount(partitionsCount);
    }

    private void add(Member member) {
        members.put(member.id, member);
        membersByClient.put(member.client, member);
    }

    /// | size | field |
    /// |---|---|
    /// | 4 | id |
    /// | | name behind 8 bits of length |
    /// | 8 | generation |
    /// | 4 | members, then for each, in the order of ids: |
    /// | 4, 16 | id, client id |
    /// | | assignment, see [Assignment#write] |
    void write(ByteWriter out) {
        out.u32(id).name(name).u64(generation);
        out.u32(members.count());
        for (int memberId = 0; memberId < members.end(); memberId++) {
            Member member = members.get(memberId);
            if (member != null) {
                out.u32(memberId).client(member.client);
            }
        }
        assignment.write(out);
    }

    /// Reads what [#write] wrote. Fails the reader on anything else.
    static ConsumerGroup read(Topic topic, BodyReader in) {
        int id = in.u32();
        String name = in.name();
        long generation = in.u64();
        int count = in.count(4 + 16);
        Slots<Member> members = new Slots<>();
        int lastId = -1;
        for (int i = 0; i < count && !in.isFailed(); i++) {
            Member member = new Member(in.u32(), in.clientId());
            in.require(member.id > lastId && member.id < Assignment.MEMBER_IDS_MAX);
            lastId = member.id;
            if (!in.isFailed()) {
                members.put(member.id, member);
            }
        }
        ConsumerGroup group =
                new ConsumerGroup(topic.streamId(), topic.id(), id, name, Assignment.read(topic.partitionsCount(), in));
        group.generation = generation;
        for (int memberId = 0; memberId < members.end(); memberId++) {
            Member member = members.get(memberId);
            if (member != null) {
                in.require(!group.hasMember(member.client) && group.assignment.hasMember(memberId));
                group.add(member);
            }
        }
        in.require(group.assignment.membersCount() == group.membersCount());
        return group;
    }

    @Override
    public String toString() {
        return "consumer group " + streamId + "/" + topicId + "/" + Integer.toUnsignedString(id) + " " + name;
    }
}
