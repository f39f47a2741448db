package io.galgo.broker.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class AssignmentTest {
    private static final int[] NOTHING = {};

    private static Assignment joined(int partitionsCount, int membersCount) {
        Assignment assignment = new Assignment(partitionsCount);
        for (int member = 0; member < membersCount; member++) {
            assignment.join(member, member + 1, 0, NOTHING);
        }
        return assignment;
    }

    private static List<Integer> sizes(Assignment assignment, int membersCount) {
        List<Integer> sizes = new ArrayList<>();
        for (int member = 0; member < membersCount; member++) {
            sizes.add(assignment.partitions(member).size());
        }
        return sizes;
    }

    private static int[] all(int partitionsCount) {
        int[] partitions = new int[partitionsCount];
        for (int i = 0; i < partitionsCount; i++) {
            partitions[i] = i;
        }
        return partitions;
    }

    @Test
    void membersThatJoinOneByOneShareEvenly() {
        assertThat(sizes(joined(3, 1), 1)).containsExactly(3);
        assertThat(sizes(joined(3, 2), 2)).containsExactly(2, 1);
        assertThat(sizes(joined(3, 3), 3)).containsExactly(1, 1, 1);
        assertThat(sizes(joined(10, 4), 4)).containsExactly(3, 3, 2, 2);
        assertThat(sizes(joined(12, 4), 4)).containsOnly(3);
        assertThat(sizes(joined(16, 8), 8)).containsOnly(2);
        assertThat(sizes(joined(16, 16), 16)).containsOnly(1);
        assertThat(sizes(joined(24, 8), 8)).containsOnly(3);
        assertThat(sizes(joined(6, 6), 6)).containsOnly(1);
    }

    @Test
    void moreMembersThanPartitionsLeaveSomeIdle() {
        assertThat(sizes(joined(2, 4), 4)).containsExactly(1, 1, 0, 0);
        assertThat(sizes(joined(0, 2), 2)).containsExactly(0, 0);
    }

    @Test
    void aJoinTakesFromTheEndAndLeavesTheRestWhereItIs() {
        Assignment assignment = joined(6, 1);

        assignment.join(1, 2, 0, NOTHING);

        assertThat(assignment.partitions(0)).containsExactly(0, 1, 2);
        assertThat(assignment.partitions(1)).containsExactly(5, 4, 3);
    }

    /// Recorded from Iggy, partition by partition.
    @Test
    void joinsAndLeavesDealAsClientsOfIggyKnowIt() {
        Assignment assignment = joined(10, 5);
        assertThat(told(assignment, 5)).isEqualTo("[[0, 1], [9, 8], [4, 5], [3, 6], [2, 7]]");

        assignment.leave(1);
        assertThat(told(assignment, 5)).isEqualTo("[[0, 4, 8], [], [1, 5, 9], [2, 6], [3, 7]]");
        assignment.join(1, 7, 0, NOTHING);
        assertThat(told(assignment, 5)).isEqualTo("[[0, 4], [8, 9], [1, 5], [2, 6], [3, 7]]");

        assignment.leave(0);
        assertThat(told(assignment, 5)).isEqualTo("[[], [0, 4, 8], [1, 5, 9], [2, 6], [3, 7]]");
        assignment.join(0, 9, 0, NOTHING);
        assertThat(told(assignment, 5)).isEqualTo("[[8, 9], [0, 4], [1, 5], [2, 6], [3, 7]]");

        assignment.onPartitionsCount(12);
        assertThat(told(assignment, 5)).isEqualTo("[[0, 5, 10], [1, 6, 11], [2, 7], [3, 8], [4, 9]]");
        assignment.onPartitionsCount(7);
        assertThat(told(assignment, 5)).isEqualTo("[[0, 5], [1, 6], [2], [3], [4]]");
    }

    @Test
    void aNewMemberUnderALowIdTakesNoMoreThanIsTooMuchForOthers() {
        Assignment assignment = new Assignment(3);
        assignment.join(1, 1, 0, NOTHING);
        assignment.join(0, 2, 0, NOTHING);
        assertThat(told(assignment, 2)).isEqualTo("[[2], [0, 1]]");

        Assignment four = joined(4, 3);
        four.leave(0);
        assertThat(told(four, 3)).isEqualTo("[[], [0, 2], [1, 3]]");
        four.join(0, 5, 0, NOTHING);
        assertThat(told(four, 3)).isEqualTo("[[3], [0, 2], [1]]");
    }

    private static String told(Assignment assignment, int membersCount) {
        List<List<Integer>> partitions = new ArrayList<>();
        for (int member = 0; member < membersCount; member++) {
            partitions.add(assignment.partitions(member));
        }
        return partitions.toString();
    }

    @Test
    void whatIsInFlightStaysWithItsOwnerUntilItIsDone() {
        Assignment assignment = joined(4, 1);

        assignment.join(1, 9, 77, new int[] {0, 3});

        assertThat(assignment.partitions(0)).containsExactly(0, 1, 3);
        assertThat(assignment.partitions(1)).containsExactly(2);
        assertThat(assignment.isPending(3)).isTrue();
        assertThat(assignment.isPending(0)).as("in flight and not to be moved").isFalse();
        assertThat(assignment.pendingSinceOp(3)).isEqualTo(9);
        assertThat(assignment.pendingSinceMicros(3)).isEqualTo(77);

        assignment.complete(3);

        assertThat(assignment.partitions(0)).containsExactly(0, 1);
        assertThat(assignment.partitions(1)).containsExactly(2, 3);
        assertThat(assignment.pendingCount()).isZero();
        assertThat(assignment.pendingSinceOp(3)).isZero();
    }

    @Test
    void aThirdMemberTakesOverWhatTheSecondOnlyWaitsFor() {
        Assignment assignment = joined(4, 1);
        assignment.join(1, 2, 10, all(4));
        assertThat(assignment.partitions(1)).isEmpty();

        assignment.join(2, 3, 20, all(4));

        assertThat(assignment.pendingSinceOp(3))
                .as("the move itself is the old one")
                .isEqualTo(2);
        assignment.complete(3);
        assignment.complete(2);
        assertThat(sizes(assignment, 3)).containsExactly(2, 1, 1);
    }

    @Test
    void aLeaveDealsEverythingAnew() {
        Assignment assignment = joined(5, 3);
        assignment.join(3, 4, 0, all(5));

        assignment.leave(1);

        assertThat(assignment.pendingCount()).isZero();
        assertThat(assignment.partitions(0)).containsExactly(0, 3);
        assertThat(assignment.partitions(2)).containsExactly(1, 4);
        assertThat(assignment.partitions(3)).containsExactly(2);
        assertThat(assignment.isOwner(1, 1)).isFalse();
    }

    @Test
    void theLastMemberLeavesPartitionsToNobody() {
        Assignment assignment = joined(2, 1);

        assignment.leave(0);
        assertThat(assignment.isOwner(0, 0)).isFalse();

        assignment.join(0, 5, 0, NOTHING);
        assertThat(assignment.partitions(0)).containsExactly(0, 1);
    }

    @Test
    void anotherNumberOfPartitionsDealsEverythingAnew() {
        Assignment assignment = joined(2, 2);

        assignment.onPartitionsCount(5);
        assertThat(assignment.partitions(0)).containsExactly(0, 2, 4);
        assertThat(assignment.partitions(1)).containsExactly(1, 3);

        assignment.onPartitionsCount(1);
        assertThat(assignment.partitions(0)).containsExactly(0);
        assertThat(assignment.partitions(1)).isEmpty();

        assignment.onPartitionsCount(0);
        assertThat(assignment.partitions(0)).isEmpty();
    }

    @Test
    void aPartitionHasOneOwnerAndNobodyStarvesWhateverHappens() {
        for (int seed = 0; seed < 400; seed++) {
            Random random = new Random(seed);
            int partitionsCount = random.nextInt(20);
            Assignment assignment = new Assignment(partitionsCount);
            TreeSet<Integer> members = new TreeSet<>();
            for (int step = 1; step < 60; step++) {
                int dice = random.nextInt(10);
                if (dice < 4) {
                    int member = 0;
                    while (members.contains(member)) {
                        member++;
                    }
                    members.add(member);
                    int[] inFlight = random.ints(random.nextInt(partitionsCount + 1), 0, partitionsCount + 2)
                            .toArray();
                    assignment.join(member, step, step, inFlight);
                } else if (dice < 5 && !members.isEmpty()) {
                    Integer member = members.toArray(Integer[]::new)[random.nextInt(members.size())];
                    members.remove(member);
                    assignment.leave(member);
                } else if (dice < 6) {
                    partitionsCount = random.nextInt(20);
                    assignment.onPartitionsCount(partitionsCount);
                } else {
                    for (int partition = 0; partition < partitionsCount; partition++) {
                        if (assignment.isPending(partition) && random.nextInt(3) == 0) {
                            assignment.complete(partition);
                        }
                    }
                }
                checkWhole(assignment, partitionsCount, members, "seed " + seed + ", step " + step);
                checkRestored(assignment, partitionsCount, "seed " + seed + ", step " + step);
            }
            for (int partition = 0; partition < partitionsCount; partition++) {
                if (assignment.isPending(partition)) {
                    assignment.complete(partition);
                }
            }
            for (int member : members) {
                assertThat(assignment.partitions(member).size())
                        .as(
                                "seed %d: partitions of member %d of %s, %d partitions",
                                seed, member, members, partitionsCount)
                        .isBetween(
                                partitionsCount / members.size(),
                                (partitionsCount + members.size() - 1) / members.size());
            }
        }
    }

    private static void checkWhole(Assignment assignment, int partitionsCount, Set<Integer> members, String when) {
        List<Integer> dealt = new ArrayList<>();
        for (int member : members) {
            for (int partition : assignment.partitions(member)) {
                dealt.add(partition);
                assertThat(assignment.isOwner(member, partition)).as(when).isTrue();
            }
        }
        if (members.isEmpty()) {
            assertThat(dealt).as(when).isEmpty();
        } else {
            assertThat(dealt).as(when).doesNotHaveDuplicates().hasSize(partitionsCount);
        }
    }

    private static void checkRestored(Assignment assignment, int partitionsCount, String when) {
        ByteWriter out = new ByteWriter(16);
        assignment.write(out);
        ByteBuffer bytes = out.toBuffer();
        BodyReader in = new BodyReader(bytes);
        Assignment restored = Assignment.read(partitionsCount, in);
        assertThat(in.isFailed() || in.remaining() > 0)
                .as("%s: unreadable", when)
                .isFalse();
        ByteWriter again = new ByteWriter(16);
        restored.write(again);
        assertThat(again.toBuffer()).as(when).isEqualTo(bytes);
        assertThat(restored.pendingCount()).as(when).isEqualTo(assignment.pendingCount());
    }
}
