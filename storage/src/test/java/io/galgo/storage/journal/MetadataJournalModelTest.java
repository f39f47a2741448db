package io.galgo.storage.journal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.galgo.storage.Unreadable;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk;
import io.galgo.storage.disk.MemoryDisk.Operation;
import io.galgo.storage.disk.MemoryDisk.PowerLoss;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Random appends, snapshots, faults and crashes against a list of what was appended.
class MetadataJournalModelTest {
    private static final int SEEDS = Integer.getInteger("galgo.seeds", 300);
    private static final int STEPS = 120;

    @Test
    void whatWasDoneIsThereAfterEveryCrash() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            try {
                new Run(seed, false).go();
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    @Test
    void whatWasDoneIsThereAlsoWhenTheDiskFails() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            try {
                new Run(seed, true).go();
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    private static final class Run {
        private final SplittableRandom random;
        private final MemoryDisk disk;
        private final boolean hasFaults;

        /// Bodies of the ops from 1 on, of this history: those that a crash took were cut off.
        private final List<String> bodies = new ArrayList<>();

        private @Nullable MetadataJournal journal;
        private long doneOp;
        private long completedOp;
        private boolean isSnapshotRunning;
        private boolean isInsideCall;
        private long process;

        Run(long seed, boolean hasFaults) {
            this.random = new SplittableRandom(seed);
            this.disk = new MemoryDisk(seed);
            this.hasFaults = hasFaults;
        }

        void go() {
            open();
            for (int step = 0; step < STEPS; step++) {
                MetadataJournal open = journal;
                if (open == null) {
                    open();
                    continue;
                }
                switch (random.nextInt(20)) {
                    case 0, 1, 2, 3, 4 -> append(open);
                    case 5, 6, 7, 8, 9, 10, 11, 12, 13 -> disk.runAny();
                    case 14 -> disk.runCompletions();
                    case 15, 16 -> snapshot(open);
                    case 17 -> failSomething();
                    case 18 -> crash();
                    default -> {
                        if (random.nextInt(3) == 0) {
                            close(open);
                        }
                    }
                }
            }
            disk.heal();
            crash();
            open();
        }

        private void append(MetadataJournal open) {
            if (open.fault() != null) {
                disk.runCompletions();
                open.probe();
                disk.runCompletions();
                if (open.fault() != null) {
                    return;
                }
                // What failed is gone: the same ops come again.
                bodies.subList((int) open.lastOp(), bodies.size()).clear();
                completedOp = open.lastOp();
                assertThat(doneOp).as("what was done is there").isEqualTo(open.lastOp());
            }
            int count = 1 + random.nextInt(3);
            for (int i = 0; i < count; i++) {
                bodies.add(body());
                long op = bodies.size();
                long at = process;
                isInsideCall = true;
                open.append(op, ByteBuffer.wrap(bodies.getLast().getBytes(UTF_8)), (_, fault) -> {
                    assertThat(isInsideCall)
                            .as("op %d completes inside the call", op)
                            .isFalse();
                    assertThat(at).as("op %d completes in its process", op).isEqualTo(process);
                    assertThat(op).as("completions come in order").isEqualTo(completedOp + 1);
                    completedOp = op;
                    if (fault == null) {
                        assertThat(doneOp).as("nothing before op %d failed", op).isEqualTo(op - 1);
                        doneOp = op;
                        assertThat(open.lastOp()).isGreaterThanOrEqualTo(op);
                    }
                });
                isInsideCall = false;
            }
        }

        private String body() {
            String text = "body " + random.nextLong();
            return switch (random.nextInt(8)) {
                case 0 -> "";
                case 1 -> text.repeat(60 + random.nextInt(200));
                default -> text;
            };
        }

        private void snapshot(MetadataJournal open) {
            if (isSnapshotRunning || open.fault() != null) {
                return;
            }
            long oldest = open.lastOp() - open.operationsCount();
            long op = oldest + random.nextLong(open.lastOp() - oldest + 1);
            if (op == 0) {
                return;
            }
            isSnapshotRunning = true;
            isInsideCall = true;
            long at = process;
            open.snapshot(op, ByteBuffer.wrap(state(op).getBytes(UTF_8)), (_, fault) -> {
                assertThat(isInsideCall)
                        .as("a snapshot completes inside the call")
                        .isFalse();
                assertThat(at).isEqualTo(process);
                isSnapshotRunning = false;
                if (fault == null) {
                    assertThat(open.operationsCount()).isEqualTo((int) (open.lastOp() - op));
                } else {
                    assertThat(hasFaults).as("a snapshot failed: %s", fault).isTrue();
                }
            });
            isInsideCall = false;
        }

        /// Depends on every operation up to `op`, and is sometimes long.
        private String state(long op) {
            StringBuilder state = new StringBuilder();
            for (int i = 0; i < op; i++) {
                state.append(bodies.get(i).hashCode()).append(' ');
            }
            return state.toString();
        }

        private void failSomething() {
            if (hasFaults) {
                Operation[] operations = {
                    Operation.OPEN,
                    Operation.WRITE,
                    Operation.SYNC,
                    Operation.RENAME,
                    Operation.SYNC_DIRECTORY,
                    Operation.READ,
                    Operation.TRUNCATE
                };
                DiskFault.Kind kind = random.nextBoolean() ? DiskFault.Kind.IO : DiskFault.Kind.NO_SPACE;
                disk.failNext(operations[random.nextInt(operations.length)], kind);
            }
        }

        private void close(MetadataJournal open) {
            boolean[] isClosed = new boolean[1];
            open.close((_, _) -> isClosed[0] = true);
            assertThat(isClosed[0]).as("closed inside the call").isFalse();
            disk.runCompletions();
            assertThat(isClosed[0]).as("closed").isTrue();
            assertThat(disk.openFiles()).as("open files").isZero();
            if (random.nextBoolean()) {
                crash();
            } else {
                forget();
            }
        }

        private void crash() {
            switch (random.nextInt(4)) {
                case 0 -> disk.powerLoss(PowerLoss.CLEAN);
                case 1 -> disk.powerLoss(PowerLoss.TORN);
                case 2 -> disk.powerLoss(PowerLoss.SCATTERED);
                default -> disk.kill();
            }
            forget();
        }

        private void forget() {
            journal = null;
            isSnapshotRunning = false;
            process++;
        }

        private void open() {
            Check check = new Check();
            try {
                journal = MetadataJournal.open(disk, "data/metadata", check, _ -> {});
            } catch (DiskException e) {
                assertThat(hasFaults).as("opening failed: %s", e.fault()).isTrue();
                assertThat(disk.openFiles())
                        .as("open files after a failed start")
                        .isZero();
                crash();
                return;
            } catch (Unreadable e) {
                fail("a crash is not damage: " + e.getMessage());
                return;
            }
            assertThat(check.op).as("last op").isEqualTo(journal.lastOp());
            assertThat(check.op).as("what was done is there").isGreaterThanOrEqualTo(doneOp);
            bodies.subList((int) check.op, bodies.size()).clear();
            doneOp = check.op;
            completedOp = check.op;
        }

        private final class Check implements MetadataJournal.Replay {
            private long op;

            @Override
            public void onSnapshot(long snapshotOp, ByteBuffer state) {
                assertThat(op).as("the snapshot comes first").isZero();
                assertThat(UTF_8.decode(state).toString()).isEqualTo(state(snapshotOp));
                op = snapshotOp;
            }

            @Override
            public void onOperation(long next, ByteBuffer body) {
                assertThat(next).as("ops are consecutive").isEqualTo(op + 1);
                assertThat(next).as("op was appended").isLessThanOrEqualTo(bodies.size());
                assertThat(UTF_8.decode(body).toString())
                        .as("body of op %d", next)
                        .isEqualTo(bodies.get((int) next - 1));
                op = next;
            }
        }
    }
}
