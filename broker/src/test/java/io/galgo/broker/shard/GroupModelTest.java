package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.reply.GroupAssignment;
import io.galgo.protocol.reply.GroupMember;
import io.galgo.protocol.reply.PollHeader;
import io.galgo.protocol.request.Request;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Members of a group that come and go while they consume, with every step of the node drawn from a seed.
///
/// A run of one seed: the number in [#SEEDS_FROM] with a count of 1.
class GroupModelTest {
    private static final long SEEDS_FROM = Long.getLong("galgo.groups.seed", 1);
    private static final int SEEDS = Integer.getInteger("galgo.groups.seeds", 100);
    private static final int PARTITIONS = 4;
    private static final int MESSAGES = 12;
    private static final ConsumerRef G = TestClient.group("g");

    /// What the members do.
    private enum Way {
        /// Members only come. They store what they got before they poll on.
        JOINS,
        /// Members come and leave, and the offsets move with the polls.
        AUTOMATIC,
        /// Members come, leave and lose their connections. They store what they got.
        MANUAL
    }

    @Test
    void membersThatOnlyComeNeverReceiveAMessageTwice() {
        run(Way.JOINS);
    }

    @Test
    void membersWithAutomaticOffsetsNeverReceiveAMessageTwice() {
        run(Way.AUTOMATIC);
    }

    @Test
    void whatIsStoredIsNotDeliveredAgainAndNothingIsSkipped() {
        run(Way.MANUAL);
    }

    private static void run(Way way) {
        for (long seed = SEEDS_FROM; seed < SEEDS_FROM + SEEDS; seed++) {
            try {
                new Run(way, seed).run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(way + ", seed " + seed + " (-Dgalgo.groups.seed=" + seed + "): " + e, e);
            }
        }
    }

    /// One consumer, which asks one thing at a time as published clients do.
    private static final class Member {
        final TestClient client;
        boolean isJoined;
        List<Integer> pollable = List.of();
        // Of each partition the last offset received and not stored yet.
        final TreeMap<Integer, Long> unstored = new TreeMap<>();

        @Nullable Request asked;

        int partition;
        long offset;
        // What was stored for sure when the poll was sent.
        long storedBefore;

        Member(TestClient client) {
            this.client = client;
        }
    }

    private static final class Run {
        private final Way way;
        private final SplittableRandom random;
        private final TestNode node;
        private final TestClient root;
        private final List<Member> members = new ArrayList<>();
        private final int[][] deliveries = new int[PARTITIONS][MESSAGES];
        private final long[] stored = new long[PARTITIONS];
        private int membersMade;
        private int changes;

        Run(Way way, long seed) {
            this.way = way;
            this.random = new SplittableRandom(seed);
            this.node = new TestNode(1 + random.nextInt(3), TestNode.SETTINGS, seed);
            this.root = node.root(0);
            root.createTopic(PARTITIONS);
            root.createGroup("g");
            for (int i = 0; i < MESSAGES; i++) {
                for (int partition = 0; partition < PARTITIONS; partition++) {
                    root.sendOk(partition, "m" + i);
                }
            }
            for (int shard = 0; shard < node.shardsCount(); shard++) {
                // Some polls are to wait for the disk.
                node.shard(shard).makeRoom(random.nextInt(2) << 20);
            }
            Arrays.fill(stored, -1);
            addMember();
            addMember();
        }

        private void addMember() {
            members.add(new Member(node.root(membersMade++ % node.shardsCount())));
        }

        void run() {
            for (int i = 0; i < 600; i++) {
                if (random.nextInt(4) == 0) {
                    act();
                } else {
                    node.step(random);
                }
                listen();
            }
            settle();
            drain();
            judge();
        }

        private void act() {
            if (way != Way.AUTOMATIC && changes < 20 && members.size() < 7 && random.nextInt(25) == 0) {
                changes++;
                addMember();
                return;
            }
            Member member = members.get(random.nextInt(members.size()));
            if (way == Way.MANUAL && changes < 20 && random.nextInt(40) == 0) {
                changes++;
                member.client.link.cut();
                members.remove(member);
                addMember();
                return;
            }
            if (member.asked == null) {
                decide(member);
            }
        }

        private void decide(Member member) {
            if (!member.isJoined) {
                if (random.nextInt(6) == 0) {
                    ask(member, TestClient.join("g"));
                }
            } else if (way != Way.JOINS && changes < 20 && random.nextInt(30) == 0) {
                changes++;
                ask(member, TestClient.leave("g"));
            } else if (!member.unstored.isEmpty() && random.nextInt(3) != 0) {
                store(member, member.unstored.firstKey());
            } else if (member.pollable.isEmpty() || random.nextInt(8) == 0) {
                ask(member, TestClient.sync("g"));
            } else {
                poll(member, member.pollable.get(random.nextInt(member.pollable.size())));
            }
        }

        private void store(Member member, int partition) {
            member.partition = partition;
            member.offset = Objects.requireNonNull(member.unstored.get(partition));
            ask(member, TestClient.store(G, partition, member.offset));
        }

        private void poll(Member member, int partition) {
            if (member.unstored.containsKey(partition)) {
                store(member, partition);
                return;
            }
            member.partition = partition;
            member.storedBefore = stored[partition];
            ask(member, TestClient.groupPoll("g", partition, 1 + random.nextInt(3), way == Way.AUTOMATIC));
        }

        private void ask(Member member, Request request) {
            member.asked = request;
            member.client.post(request);
        }

        private void listen() {
            for (Member member : members) {
                if (member.asked != null && !member.client.hasNothing()) {
                    Request asked = member.asked;
                    member.asked = null;
                    hear(member, asked, member.client.next());
                }
            }
        }

        private void hear(Member member, Request asked, Answer answer) {
            switch (asked.command()) {
                case JOIN_CONSUMER_GROUP -> {
                    assertThat(answer.outcome()).as("a join").isEqualTo("ok");
                    member.isJoined = true;
                    member.pollable = List.of();
                }
                case LEAVE_CONSUMER_GROUP -> {
                    assertThat(answer.outcome()).as("leaving").isEqualTo("ok");
                    member.isJoined = false;
                    member.pollable = List.of();
                    member.unstored.clear();
                }
                case SYNC_CONSUMER_GROUP ->
                    member.pollable = Objects.requireNonNull(GroupAssignment.decode(answer.body()))
                            .partitionIds();
                case STORE_CONSUMER_OFFSET -> onStored(member, answer.outcome());
                case POLL_MESSAGES -> onPolled(member, answer);
                default -> throw new AssertionError("nobody asked for " + asked);
            }
        }

        private void onStored(Member member, String outcome) {
            member.unstored.remove(member.partition);
            if (outcome.equals("ok")) {
                stored[member.partition] = Math.max(stored[member.partition], member.offset);
            } else {
                assertThat(outcome).as("a store").isEqualTo("deny 5009");
                assertThat(way)
                        .as("the owner of a partition in flight may store its offset")
                        .isNotEqualTo(Way.JOINS);
            }
        }

        private void onPolled(Member member, Answer answer) {
            assertThat(answer.outcome()).as("a poll").isEqualTo("ok");
            if (TestClient.isNotOwned(answer)) {
                member.pollable = List.of();
                return;
            }
            assertThat(PollHeader.partitionId(answer.body(), 0)).isEqualTo(member.partition);
            for (Batches.Message message : TestClient.messages(answer)) {
                int count = ++deliveries[member.partition][(int) message.offset()];
                if (way != Way.MANUAL) {
                    assertThat(count)
                            .as("deliveries of message %s of partition %s", message.offset(), member.partition)
                            .isEqualTo(1);
                }
                assertThat(message.offset())
                        .as("delivered of partition %s, where this was stored before", member.partition)
                        .isGreaterThan(member.storedBefore);
                if (way != Way.AUTOMATIC) {
                    member.unstored.put(member.partition, message.offset());
                }
            }
        }

        /// Lets everything that was asked be answered.
        private void settle() {
            node.run();
            listen();
            for (Member member : members) {
                assertThat(member.asked).as("a request without an answer").isNull();
            }
        }

        /// All that are left join, store what they have and consume the rest.
        private void drain() {
            for (int round = 0; round < 3 * MESSAGES; round++) {
                for (Member member : members) {
                    if (!member.isJoined) {
                        ask(member, TestClient.join("g"));
                        settle();
                    }
                    ask(member, TestClient.sync("g"));
                    settle();
                    for (int partition : List.copyOf(member.unstored.keySet())) {
                        store(member, partition);
                        settle();
                    }
                    for (int partition : member.pollable) {
                        poll(member, partition);
                        settle();
                    }
                }
            }
        }

        private void judge() {
            List<Integer> owned = new ArrayList<>();
            List<Integer> told = new ArrayList<>();
            for (GroupMember member : root.groupDetails("g").members()) {
                owned.addAll(member.partitionIds());
            }
            for (Member member : members) {
                told.addAll(member.client.pollable("g"));
            }
            Collections.sort(owned);
            Collections.sort(told);
            assertThat(owned).as("partitions that are owned").containsExactly(0, 1, 2, 3);
            assertThat(told).as("partitions that members may poll").containsExactly(0, 1, 2, 3);
            for (int partition = 0; partition < PARTITIONS; partition++) {
                assertThat(root.stored(G, partition))
                        .as("stored of partition %s", partition)
                        .isEqualTo(MESSAGES - 1);
                for (int offset = 0; offset < MESSAGES; offset++) {
                    assertThat(deliveries[partition][offset])
                            .as("deliveries of message %s of partition %s", offset, partition)
                            .isPositive();
                }
            }
            node.assertNoMemoryIsHeld();
        }
    }
}
