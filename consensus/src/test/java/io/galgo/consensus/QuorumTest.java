package io.galgo.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class QuorumTest {
    @Test
    void sizesAreThoseOfTheClusterTable() {
        int[][] rows = {{1, 1, 1}, {2, 2, 2}, {3, 2, 2}, {4, 2, 3}, {5, 3, 3}, {6, 3, 4}, {7, 3, 5}};
        for (int[] row : rows) {
            assertThat(Quorum.replicationSize(row[0]))
                    .as("replication, n = %d", row[0])
                    .isEqualTo(row[1]);
            assertThat(Quorum.electionSize(row[0]))
                    .as("election, n = %d", row[0])
                    .isEqualTo(row[2]);
        }
    }

    @Test
    void everyElectionMeetsEveryCommit() {
        for (int count = 1; count <= Quorum.REPLICAS_MAX; count++) {
            assertThat(Quorum.replicationSize(count) + Quorum.electionSize(count))
                    .as("n = %d", count)
                    .isGreaterThan(count);
        }
    }

    @Test
    void aGroupHasABoundedNumberOfReplicas() {
        assertThatThrownBy(() -> Quorum.replicationSize(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Quorum.replicationSize(33)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void oneReplicaSayingYesTwiceIsOneReplica() {
        Quorum quorum = new Quorum(3, 0);
        long op = quorum.extend();
        quorum.add(op, 1);
        quorum.add(op, 1);

        assertThat(quorum.decideNext()).isZero();

        quorum.add(op, 2);
        assertThat(quorum.decideNext()).isEqualTo(op);
    }

    @Test
    void anOpWithItsQuorumWaitsForTheOneBefore() {
        Quorum quorum = new Quorum(3, 0);
        long first = quorum.extend();
        long second = quorum.extend();
        quorum.add(second, 0);
        quorum.add(second, 1);

        assertThat(quorum.decideNext()).isZero();

        quorum.add(first, 0);
        quorum.add(first, 2);
        assertThat(quorum.decideNext()).isEqualTo(first);
        assertThat(quorum.decideNext()).isEqualTo(second);
        assertThat(quorum.decideNext()).isZero();
    }

    @Test
    void aLateVoteForADecidedOpIsNotCountedForAnother() {
        Quorum quorum = new Quorum(1, 0);
        for (int i = 0; i < 32; i++) {
            long op = quorum.extend();
            quorum.add(op, 0);
            assertThat(quorum.decideNext()).isEqualTo(op);
        }
        long next = quorum.extend();

        // Op 1 shares its place in the ring with op 33.
        quorum.add(next - 32, 0);

        assertThat(quorum.decideNext()).isZero();
    }

    @Test
    void theWindowGrowsAndForgetsNothing() {
        Quorum quorum = new Quorum(1, 1_000);
        for (int i = 0; i < 20; i++) {
            quorum.add(quorum.extend(), 0);
            quorum.decideNext();
        }
        for (int i = 0; i < 500; i++) {
            long op = quorum.extend();
            if (i % 2 == 0) {
                quorum.add(op, 0);
            }
        }
        for (int i = 0; i < 500; i++) {
            long op = 1_021L + i;
            assertThat(quorum.decideNext()).as("op %d", op).isEqualTo(i % 2 == 0 ? op : 0);
            if (i % 2 == 1) {
                quorum.add(op, 0);
                assertThat(quorum.decideNext()).isEqualTo(op);
            }
        }
        assertThat(quorum.decided()).isEqualTo(quorum.head());
    }

    @Test
    void anAbandonedOpIsSteppedOverOnceAndCannotBeHeldAgain() {
        Quorum quorum = new Quorum(1, 0);
        quorum.extend();
        long second = quorum.extend();
        quorum.abandonFrom(second);
        quorum.add(second, 0);
        quorum.add(1, 0);

        assertThat(quorum.decideNext()).isEqualTo(1);
        assertThat(quorum.decideNext()).isEqualTo(-second);
        assertThat(quorum.decideNext()).isZero();
    }
}
