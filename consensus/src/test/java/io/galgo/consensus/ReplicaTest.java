package io.galgo.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReplicaTest {
    @Test
    void anOpCommitsWhenItIsJournaled() {
        assertThat(run(0, "prepare", "prepare", "journaled 1", "journaled 2")).isEqualTo("""
                        prepare -> 1
                        prepare -> 2
                        journaled 1: commit 1
                        journaled 2: commit 2
                        op 2, commit 2
                        """);
    }

    @Test
    void anOpThatIsJournaledEarlyWaitsForThoseBeforeIt() {
        assertThat(run(7, "prepare", "prepare", "prepare", "journaled 10", "journaled 9", "journaled 8"))
                .isEqualTo("""
                        prepare -> 8
                        prepare -> 9
                        prepare -> 10
                        journaled 10:
                        journaled 9:
                        journaled 8: commit 8 commit 9 commit 10
                        op 10, commit 10
                        """);
    }

    @Test
    void aRepeatedReportChangesNothing() {
        assertThat(run(0, "prepare", "journaled 1", "journaled 1", "fault 1", "prepare", "journaled 2"))
                .isEqualTo("""
                        prepare -> 1
                        journaled 1: commit 1
                        journaled 1:
                        fault 1:
                        prepare -> 2
                        journaled 2: commit 2
                        op 2, commit 2
                        """);
    }

    @Test
    void aFaultAbandonsTheOpAndAllBehindItAndNoneBeforeIt() {
        assertThat(run(
                        0,
                        "prepare",
                        "prepare",
                        "prepare",
                        "journaled 3",
                        "fault 2",
                        "journaled 1",
                        "prepare",
                        "journaled 3",
                        "journaled 4"))
                .isEqualTo("""
                        prepare -> 1
                        prepare -> 2
                        prepare -> 3
                        journaled 3:
                        fault 2:
                        journaled 1: commit 1
                        prepare -> 4
                        journaled 3:
                        journaled 4: commit 4
                        op 4, commit 4
                        """);
    }

    @Test
    void aSecondFaultFurtherBackAbandonsWhatCameAfterTheFirst() {
        assertThat(run(
                        0,
                        "prepare",
                        "prepare",
                        "fault 2",
                        "prepare",
                        "journaled 3",
                        "fault 1",
                        "prepare",
                        "journaled 4"))
                .isEqualTo("""
                        prepare -> 1
                        prepare -> 2
                        fault 2:
                        prepare -> 3
                        journaled 3:
                        fault 1:
                        prepare -> 4
                        journaled 4: commit 4
                        op 4, commit 4
                        """);
    }

    @Test
    void anInputFromInsideACommitIsTakenInAndItsCommitsFollow() {
        List<Long> commits = new ArrayList<>();
        Replica[] self = new Replica[1];
        self[0] = Replica.restore(0, 1, 0, 0, op -> {
            commits.add(op);
            if (op < 3) {
                self[0].onJournaled(self[0].prepare());
                assertThat(commits).as("commits must not nest").endsWith(op);
            }
        });

        self[0].onJournaled(self[0].prepare());

        assertThat(commits).containsExactly(1L, 2L, 3L);
    }

    @Test
    void aReportOfAnOpThatWasNeverPreparedIsABug() {
        Replica replica = Replica.restore(0, 1, 0, 5, _ -> {});

        assertThatThrownBy(() -> replica.onJournaled(6)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> replica.onJournalFault(6)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void theOnlyReplicaIsThePrimaryOfEveryView() {
        Replica replica = Replica.restore(0, 1, 3, 5, _ -> {});

        assertThat(replica.isPrimary()).isTrue();
        assertThat(replica.view()).isEqualTo(3);
        assertThat(replica.op()).isEqualTo(5);
        assertThat(replica.commit()).isEqualTo(5);
    }

    @Test
    void aGroupOfSeveralIsRefusedUntilItExists() {
        assertThatThrownBy(() -> Replica.restore(0, 3, 0, 0, _ -> {})).isInstanceOf(IllegalArgumentException.class);
    }

    /// Random reports against what must hold: commits grow, none twice, an op commits exactly when it was journaled
    /// before any fault at or before it.
    @Test
    void commitsAreThoseThatWereJournaledAndNotAbandonedInOrder() {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            List<Long> commits = new ArrayList<>();
            List<Long> open = new ArrayList<>();
            List<Long> journaled = new ArrayList<>();
            Replica replica = Replica.restore(0, 1, 0, 0, commits::add);
            for (int step = 0; step < 400; step++) {
                int dice = random.nextInt(100);
                if (dice < 50 || open.isEmpty()) {
                    open.add(replica.prepare());
                } else if (dice < 97) {
                    long op = open.remove(random.nextInt(open.size()));
                    journaled.add(op);
                    replica.onJournaled(op);
                } else {
                    long op = open.get(random.nextInt(open.size()));
                    replica.onJournalFault(op);
                    open.removeIf(later -> later >= op);
                    journaled.removeIf(later -> later >= op && !commits.contains(later));
                }
            }
            open.forEach(op -> {
                journaled.add(op);
                replica.onJournaled(op);
            });
            assertThat(commits)
                    .as("seed %d", seed)
                    .isEqualTo(journaled.stream().sorted().toList());
            assertThat(replica.commit()).as("seed %d", seed).isEqualTo(commits.isEmpty() ? 0 : commits.getLast());
        }
    }

    private static String run(long commit, String... inputs) {
        StringBuilder text = new StringBuilder();
        Replica replica =
                Replica.restore(0, 1, 0, commit, op -> text.append(" commit ").append(op));
        for (String input : inputs) {
            text.append(input);
            String[] words = input.split(" ", -1);
            switch (words[0]) {
                case "prepare" -> text.append(" -> ").append(replica.prepare());
                case "journaled" -> {
                    text.append(':');
                    replica.onJournaled(Long.parseLong(words[1]));
                }
                case "fault" -> {
                    text.append(':');
                    replica.onJournalFault(Long.parseLong(words[1]));
                }
                default -> throw new IllegalArgumentException(input);
            }
            text.append('\n');
        }
        return text + "op " + replica.op() + ", commit " + replica.commit() + "\n";
    }
}
