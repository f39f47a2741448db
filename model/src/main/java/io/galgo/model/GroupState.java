package io.galgo.model;

import io.galgo.protocol.ClientId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// One consumer group: its members, who owns which partition, and what is being handed over (spec semantics 10.2).
///
/// What an event does to the ownership is not computed in advance but judged when somebody looks, because a moment
/// may pass in between: each event leaves a note here.
final class GroupState {
    private static final long REBALANCING_MICROS = 30_000_000;
    private static final long PATIENCE_MICROS = 3_000_000;

    /// A member. One whose session nobody ended may stay a while, or not.
    static final class Member {
        final ClientId client;
        /// In the order in which it got them.
        List<Integer> owned = new ArrayList<>();
        /// Whether its session has ended without the server having to know yet.
        boolean isLimbo;

        Member(ClientId client) {
            this.client = client;
        }
    }

    /// What happened to the ownership since somebody looked.
    enum Event {
        NOTHING,
        JOIN,
        /// Everything is dealt anew.
        DEAL,
        /// More than one thing.
        SEVERAL
    }

    /// What the group was served of a partition.
    ///
    /// @param isSure false when the server may have forgotten it
    record Served(long offset, boolean isSure) {}

    final int id;
    final String name;
    final TreeMap<Integer, Member> members = new TreeMap<>();
    /// What is being handed over, and since when.
    final TreeMap<Integer, Long> pending = new TreeMap<>();
    final Map<Integer, Served> served = new TreeMap<>();
    Event event = Event.NOTHING;
    int joined = -1;
    /// The partitions that were in flight when the member joined: surely, and perhaps.
    private final Set<Integer> inFlight = new HashSet<>();
    private final Set<Integer> perhapsInFlight = new HashSet<>();
    long generation = -1;
    private int changesMin;
    private int changesMax;

    GroupState(int id, String name) {
        this.id = id;
        this.name = name;
    }

    GroupState copy() {
        GroupState copy = new GroupState(id, name);
        members.forEach((slot, member) -> {
            Member copied = new Member(member.client);
            copied.owned = new ArrayList<>(member.owned);
            copied.isLimbo = member.isLimbo;
            copy.members.put(slot, copied);
        });
        copy.pending.putAll(pending);
        copy.served.putAll(served);
        copy.event = event;
        copy.joined = joined;
        copy.inFlight.addAll(inFlight);
        copy.perhapsInFlight.addAll(perhapsInFlight);
        copy.generation = generation;
        copy.changesMin = changesMin;
        copy.changesMax = changesMax;
        return copy;
    }

    @Nullable Integer slot(ClientId client) {
        for (Map.Entry<Integer, Member> member : members.entrySet()) {
            if (member.getValue().client.equals(client)) {
                return member.getKey();
            }
        }
        return null;
    }

    boolean owns(ClientId client, int partition) {
        Integer slot = slot(client);
        return slot != null && member(slot).owned.contains(partition);
    }

    Member member(int slot) {
        Member member = members.get(slot);
        if (member == null) {
            throw new IllegalStateException("no member " + slot + " in " + name);
        }
        return member;
    }

    boolean hasLimbo() {
        return members.values().stream().anyMatch(member -> member.isLimbo);
    }

    // Events

    private void note(Event happened) {
        event = event == Event.NOTHING ? happened : Event.SEVERAL;
        changesMin++;
        changesMax += 1 + pending.size();
    }

    /// @param stored the group's stored offset by partition
    void join(ClientId client, Map<Integer, Long> stored) {
        Integer known = slot(client);
        if (known != null) {
            member(known).isLimbo = false;
            return;
        }
        int slot = 0;
        while (members.containsKey(slot)) {
            slot++;
        }
        members.put(slot, new Member(client));
        joined = slot;
        inFlight.clear();
        perhapsInFlight.clear();
        served.forEach((partition, served) -> {
            if (stored.getOrDefault(partition, -1L) < served.offset) {
                (served.isSure ? inFlight : perhapsInFlight).add(partition);
            }
        });
        note(Event.JOIN);
    }

    boolean leave(ClientId client) {
        Integer slot = slot(client);
        if (slot == null) {
            return false;
        }
        members.remove(slot);
        onDeal();
        return true;
    }

    void onDeal() {
        note(Event.DEAL);
        served.replaceAll((_, served) -> new Served(served.offset, false));
    }

    void onPartitionRemoved(int partition) {
        served.remove(partition);
    }

    /// The messages that were served are gone, or the process that remembered it is.
    void onServedForgotten() {
        served.replaceAll((_, served) -> new Served(served.offset, false));
    }

    void onServed(int partition, long offset) {
        Served before = served.get(partition);
        boolean isSure = before == null || before.isSure || before.offset <= offset;
        served.put(partition, new Served(before == null ? offset : Math.max(before.offset, offset), isSure));
    }

    // Looking

    /// Somebody asked for the group and its members for their parts.
    ///
    /// @param owned by member id, as the group is told
    /// @param pollable by member id, of the members that asked themselves
    /// @param stored the group's stored offset by partition
    /// @param isSettled whether what has to happen must have happened
    void observe(
            Map<Integer, List<Integer>> owned,
            Map<Integer, List<Integer>> pollable,
            @Nullable Long generationNow,
            int partitionsCount,
            Map<Integer, Long> stored,
            long nowMicros,
            boolean isSettled,
            boolean mayDropLimbo) {
        if (mayDropLimbo) {
            dropLimbo(owned);
        }
        Difference.unlessEqual(owned.keySet(), members.keySet(), "the members of group %s", name);
        checkOwners(owned, partitionsCount);
        switch (event) {
            case NOTHING -> checkCompletions(owned, stored, nowMicros, isSettled);
            case DEAL -> checkDeal(owned, partitionsCount);
            case JOIN -> checkJoin(owned, partitionsCount);
            case SEVERAL -> {}
        }
        adopt(owned, pollable, nowMicros);
        checkGeneration(generationNow);
        event = Event.NOTHING;
    }

    private void dropLimbo(Map<Integer, List<Integer>> owned) {
        for (int slot : List.copyOf(members.keySet())) {
            if (member(slot).isLimbo && !owned.containsKey(slot)) {
                members.remove(slot);
                onDeal();
            }
        }
    }

    private void checkOwners(Map<Integer, List<Integer>> owned, int partitionsCount) {
        List<Integer> all = new ArrayList<>();
        owned.values().forEach(all::addAll);
        Difference.unless(
                all.size() == new HashSet<>(all).size(), "group %s: a partition has two owners: %s", name, owned);
        Difference.unless(
                all.size() == (owned.isEmpty() ? 0 : partitionsCount)
                        && all.stream().allMatch(partition -> 0 <= partition && partition < partitionsCount),
                "group %s: not each of %d partitions has an owner: %s",
                name,
                partitionsCount,
                owned);
    }

    private void checkDeal(Map<Integer, List<Integer>> owned, int partitionsCount) {
        TreeMap<Integer, List<Integer>> expected = new TreeMap<>();
        List<Integer> slots = List.copyOf(members.keySet());
        slots.forEach(slot -> expected.put(slot, new ArrayList<>()));
        for (int partition = 0; partition < partitionsCount && !slots.isEmpty(); partition++) {
            expected.getOrDefault(slots.get(partition % slots.size()), new ArrayList<>())
                    .add(partition);
        }
        Difference.unlessEqual(sorted(owned), expected, "group %s after everything was dealt anew", name);
        pending.clear();
    }

    /// Nothing may have changed but that pending partitions went to others.
    private void checkCompletions(
            Map<Integer, List<Integer>> owned, Map<Integer, Long> stored, long nowMicros, boolean isSettled) {
        Set<Integer> moved = new TreeSet<>();
        owned.forEach((slot, partitions) -> {
            for (int partition : partitions) {
                if (!member(slot).owned.contains(partition)) {
                    moved.add(partition);
                }
            }
        });
        for (int partition : moved) {
            Difference.unless(
                    isPending(partition)
                            && (waitedMicros(partition, nowMicros) >= REBALANCING_MICROS
                                    || mayComplete(partition, stored)),
                    "group %s: partition %d changed hands without a reason: %s",
                    name,
                    partition,
                    owned);
        }
        for (int partition : pending.keySet()) {
            boolean must = waitedMicros(partition, nowMicros) >= REBALANCING_MICROS + PATIENCE_MICROS
                    || mustComplete(partition, stored);
            Difference.unless(
                    !isSettled || !must || moved.contains(partition),
                    "group %s: partition %d is still being handed over, though all that was served is stored",
                    name,
                    partition);
        }
        pending.keySet().removeAll(moved);
        changesMin += Math.min(1, moved.size());
        changesMax += moved.size();
    }

    private boolean isPending(int partition) {
        return pending.containsKey(partition);
    }

    private long waitedMicros(int partition, long nowMicros) {
        return nowMicros - pending.getOrDefault(partition, nowMicros);
    }

    private boolean mayComplete(int partition, Map<Integer, Long> stored) {
        Served was = served.get(partition);
        return was == null || !was.isSure || stored.getOrDefault(partition, -1L) >= was.offset;
    }

    private boolean mustComplete(int partition, Map<Integer, Long> stored) {
        Served was = served.get(partition);
        return was == null || stored.getOrDefault(partition, -1L) >= was.offset;
    }

    private void checkJoin(Map<Integer, List<Integer>> owned, int partitionsCount) {
        boolean wasEmpty = members.size() == 1;
        if (wasEmpty || !pending.isEmpty()) {
            // The one member owns all, which was checked. A hand-over under way leaves room for more than one
            // result.
            checkShrunkOnly(owned, wasEmpty);
            return;
        }
        Set<List<List<Integer>>> legal = new HashSet<>();
        for (boolean isFirstOverfull : new boolean[] {true, false}) {
            for (boolean isPerhaps : new boolean[] {true, false}) {
                Map<Integer, List<Integer>> expected = joined(partitionsCount, isFirstOverfull, isPerhaps);
                if (sorted(owned).equals(sorted(expected))) {
                    return;
                }
                legal.add(List.copyOf(sorted(expected).values()));
            }
        }
        throw new Difference("group " + name + " after member " + joined + " joined " + before() + ", in flight "
                + inFlight + " and perhaps " + perhapsInFlight + ": the server says " + owned + ", the model one of "
                + legal);
    }

    private Map<Integer, List<Integer>> before() {
        Map<Integer, List<Integer>> before = new TreeMap<>();
        members.forEach((slot, member) -> before.put(slot, new ArrayList<>(member.owned)));
        return before;
    }

    /// Who owns what when the surplus that is not in flight has moved. Two texts tell differently which members
    /// keep one more: the first ones, or the first that have too much.
    private Map<Integer, List<Integer>> joined(int partitionsCount, boolean isFirstOverfull, boolean isPerhaps) {
        Map<Integer, List<Integer>> result = before();
        int fair = partitionsCount / members.size();
        int remainder = partitionsCount % members.size();
        List<Integer> receivers = new ArrayList<>();
        List<int[]> surplus = new ArrayList<>();
        int position = 0;
        int kept = 0;
        for (Map.Entry<Integer, Member> member : members.entrySet()) {
            List<Integer> has = member.getValue().owned;
            if (has.isEmpty()) {
                receivers.add(member.getKey());
            }
            boolean isFavoured = isFirstOverfull ? has.size() > fair && kept < remainder : position < remainder;
            if (isFavoured) {
                kept++;
            }
            int keeps = fair + (isFavoured ? 1 : 0);
            for (int i = has.size() - 1; i >= keeps; i--) {
                surplus.add(new int[] {member.getKey(), has.get(i)});
            }
            position++;
        }
        int turn = 0;
        for (int[] each : surplus) {
            if (receivers.isEmpty()) {
                break;
            }
            int receiver = receivers.get(turn++ % receivers.size());
            boolean stays = inFlight.contains(each[1]) || (isPerhaps && perhapsInFlight.contains(each[1]));
            if (!stays) {
                result.getOrDefault(each[0], new ArrayList<>()).remove(Integer.valueOf(each[1]));
                result.getOrDefault(receiver, new ArrayList<>()).add(each[1]);
            }
        }
        return result;
    }

    /// Those who were members before have not got anything new, but what was pending.
    private void checkShrunkOnly(Map<Integer, List<Integer>> owned, boolean wasEmpty) {
        owned.forEach((slot, partitions) -> {
            if (slot != joined) {
                for (int partition : partitions) {
                    Difference.unless(
                            member(slot).owned.contains(partition) || isPending(partition),
                            "group %s: partition %d moved to member %d when member %d joined",
                            name,
                            partition,
                            slot,
                            joined);
                }
            } else if (!wasEmpty) {
                for (int partition : partitions) {
                    Difference.unless(
                            !inFlight.contains(partition) || isPending(partition),
                            "group %s: partition %d moved while it was in flight",
                            name,
                            partition);
                }
            }
        });
    }

    private void adopt(Map<Integer, List<Integer>> owned, Map<Integer, List<Integer>> pollable, long nowMicros) {
        owned.forEach((slot, partitions) -> member(slot).owned = new ArrayList<>(partitions));
        Set<Integer> before = new TreeSet<>(pending.keySet());
        pollable.forEach((slot, partitions) -> {
            List<Integer> has = member(slot).owned;
            Difference.unless(
                    has.containsAll(partitions),
                    "group %s: member %d may poll %s and owns %s",
                    name,
                    slot,
                    partitions,
                    has);
            for (int partition : has) {
                if (partitions.contains(partition)) {
                    Difference.unless(
                            !before.contains(partition) || event != Event.NOTHING,
                            "group %s: partition %d is no longer being handed over, and nobody got it",
                            name,
                            partition);
                    pending.remove(partition);
                } else if (pending.putIfAbsent(partition, nowMicros) == null) {
                    Difference.unless(
                            event != Event.NOTHING,
                            "group %s: member %d owns partition %d and may not poll it any more",
                            name,
                            slot,
                            partition);
                    Difference.unless(
                            event != Event.DEAL, "group %s: partition %d is handed over after a deal", name, partition);
                    if (event == Event.JOIN) {
                        Difference.unless(
                                inFlight.contains(partition) || perhapsInFlight.contains(partition),
                                "group %s: partition %d is handed over slowly, and nothing of it is in flight",
                                name,
                                partition);
                    }
                }
            }
        });
        pending.keySet()
                .removeIf(partition -> members.values().stream().noneMatch(member -> member.owned.contains(partition)));
    }

    private void checkGeneration(@Nullable Long now) {
        if (now == null) {
            return;
        }
        if (generation >= 0) {
            Difference.unless(
                    generation + changesMin <= now && now <= generation + changesMax,
                    "group %s: the generation is %d, it was %d, with %d to %d changes since",
                    name,
                    now,
                    generation,
                    changesMin,
                    changesMax);
        }
        generation = now;
        changesMin = 0;
        changesMax = 0;
    }

    static Map<Integer, List<Integer>> sorted(Map<Integer, List<Integer>> owned) {
        TreeMap<Integer, List<Integer>> sorted = new TreeMap<>();
        owned.forEach((slot, partitions) ->
                sorted.put(slot, partitions.stream().sorted().toList()));
        return sorted;
    }

    /// Whether this client may poll the partition. Null when nobody looked since something happened.
    @Nullable Boolean mayPoll(ClientId client, int partition) {
        if (event != Event.NOTHING || hasLimbo()) {
            return null;
        }
        return owns(client, partition) && !isPending(partition);
    }
}
