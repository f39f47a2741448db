package io.galgo.storage.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.galgo.storage.Unreadable;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk;
import io.galgo.storage.disk.MemoryDisk.Operation;
import io.galgo.storage.disk.MemoryDisk.PowerLoss;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Random stores, deletions, purges, faults and crashes against the history of each key.
class ConsumerOffsetsModelTest {
    private static final int SEEDS = Integer.getInteger("galgo.seeds", 600);
    private static final int STEPS = 200;
    private static final int KEYS = 5;
    private static final long NONE = -1;

    @Test
    void whatWasAcknowledgedIsThereAfterEveryCrash() {
        run(false);
    }

    @Test
    void whatWasAcknowledgedIsThereAlsoWhenTheDiskFails() {
        run(true);
    }

    private static void run(boolean hasFaults) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            try {
                new Run(seed, hasFaults).go();
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    private enum State {
        RUNNING,
        DONE,
        SYNCED,
        FAILED
    }

    /// One value that a key was given.
    private static final class Value {
        final long offset;
        State state;

        /// A later write of any key was acknowledged, so what failed before can only come back with an older file.
        boolean isReplaced;

        Value(long offset, State state) {
            this.offset = offset;
            this.state = state;
        }

        @Override
        public String toString() {
            return offset + " " + state + (isReplaced ? " replaced" : "");
        }
    }

    private static final class Run {
        private static final String PATH = "data/streams/3/offsets";

        private final SplittableRandom random;
        private final MemoryDisk disk;
        private final boolean hasFaults;
        private final List<List<Value>> histories = new ArrayList<>();
        private long generation;
        private long nextOffset;
        private long process;
        private long lastCompleted;
        private long lastIssued;
        private boolean isInsideCall;
        private @Nullable ConsumerOffsetsFile file;

        Run(long seed, boolean hasFaults) {
            this.random = new SplittableRandom(seed);
            this.disk = new MemoryDisk(seed);
            this.hasFaults = hasFaults;
            beginAgain();
        }

        private void beginAgain() {
            histories.clear();
            for (int key = 0; key < KEYS; key++) {
                histories.add(new ArrayList<>(List.of(new Value(NONE, State.SYNCED))));
            }
        }

        void go() {
            open(true);
            for (int step = 0; step < STEPS; step++) {
                ConsumerOffsetsFile open = file;
                if (open == null) {
                    open(true);
                    continue;
                }
                switch (random.nextInt(40)) {
                    case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 -> change(open);
                    case 10 -> disk.runCompletions();
                    case 11 -> crash();
                    case 12 -> purgeSometimes(open);
                    case 13, 14 -> failSomething();
                    case 15 -> closeSometimes(open);
                    default -> disk.runAny();
                }
            }
            disk.heal();
            crash();
            open(true);
        }

        private void change(ConsumerOffsetsFile open) {
            int count = 1 + random.nextInt(3);
            for (int i = 0; i < count; i++) {
                int key = random.nextInt(KEYS);
                boolean sync = random.nextInt(3) == 0;
                boolean isDelete = random.nextInt(6) == 0;
                Value value = new Value(isDelete ? NONE : nextOffset++, State.RUNNING);
                histories.get(key).add(value);
                long number = ++lastIssued;
                long at = process;
                long purge = generation;
                isInsideCall = true;
                if (isDelete) {
                    open.delete(isGroup(key), key, sync, (_, fault) -> onDone(value, number, sync, at, purge, fault));
                } else {
                    open.store(
                            isGroup(key),
                            key,
                            value.offset,
                            sync,
                            (_, fault) -> onDone(value, number, sync, at, purge, fault));
                }
                isInsideCall = false;
            }
        }

        private static boolean isGroup(int key) {
            return key % 2 == 0;
        }

        private void onDone(Value value, long number, boolean sync, long at, long purge, @Nullable DiskFault fault) {
            assertThat(isInsideCall).as("completes inside the call").isFalse();
            assertThat(at).as("completes in its process").isEqualTo(process);
            assertThat(value.state).as("completes once").isEqualTo(State.RUNNING);
            if (purge != generation) {
                assertThat(fault).as("fault of a change before a purge").isNull();
                return;
            }
            assertThat(number).as("completions come in order").isGreaterThan(lastCompleted);
            lastCompleted = number;
            if (fault != null) {
                assertThat(hasFaults).as("failed: %s", fault).isTrue();
                value.state = State.FAILED;
                return;
            }
            value.state = sync ? State.SYNCED : State.DONE;
            for (List<Value> history : histories) {
                for (Value other : history) {
                    other.isReplaced |= other.state == State.FAILED;
                }
            }
        }

        private void purgeSometimes(ConsumerOffsetsFile open) {
            if (random.nextInt(4) == 0) {
                generation++;
                isInsideCall = true;
                open.purge(generation);
                isInsideCall = false;
                beginAgain();
            }
        }

        private void failSomething() {
            if (hasFaults) {
                Operation[] operations = Operation.values();
                DiskFault.Kind kind = random.nextBoolean() ? DiskFault.Kind.IO : DiskFault.Kind.NO_SPACE;
                disk.failNext(operations[random.nextInt(operations.length)], kind);
            }
        }

        private void closeSometimes(ConsumerOffsetsFile open) {
            if (random.nextInt(4) != 0) {
                return;
            }
            boolean[] isClosed = new boolean[1];
            open.close((_, _) -> isClosed[0] = true);
            assertThat(isClosed[0]).as("closed inside the call").isFalse();
            disk.runCompletions();
            assertThat(isClosed[0]).as("closed").isTrue();
            assertThat(disk.openFiles()).as("open files").isZero();
            crash();
        }

        private void crash() {
            file = null;
            process++;
            switch (random.nextInt(5)) {
                case 0 -> losePower(PowerLoss.CLEAN);
                case 1 -> losePower(PowerLoss.TORN);
                case 2 -> losePower(PowerLoss.SCATTERED);
                default -> {
                    disk.kill();
                    open(false);
                }
            }
        }

        private void losePower(PowerLoss extent) {
            disk.powerLoss(extent);
            for (List<Value> history : histories) {
                for (Value value : history) {
                    value.state = value.state == State.DONE ? State.RUNNING : value.state;
                    value.isReplaced = false;
                }
            }
            open(false);
            // What survived is on the disk for good.
            for (List<Value> history : histories) {
                history.getLast().state = State.SYNCED;
            }
        }

        private void open(boolean isRetry) {
            if (isRetry && file != null) {
                return;
            }
            long[] found = new long[KEYS];
            Arrays.fill(found, NONE);
            while (true) {
                try {
                    OffsetsStorage storage = new OffsetsStorage(disk, random.nextInt(2), 20);
                    file = ConsumerOffsetsFile.open(
                            storage,
                            PATH,
                            1,
                            generation,
                            entry -> {
                                assertThat(entry.group()).isEqualTo(isGroup(entry.key()));
                                assertThat(found[entry.key()])
                                        .as("each key once")
                                        .isEqualTo(NONE);
                                found[entry.key()] = entry.offset();
                            },
                            _ -> {});
                    break;
                } catch (DiskException e) {
                    assertThat(hasFaults).as("opening failed: %s", e.fault()).isTrue();
                    assertThat(disk.openFiles())
                            .as("open files after a failed start")
                            .isZero();
                } catch (Unreadable e) {
                    fail("a crash is not damage: " + e.getMessage());
                }
            }
            for (int key = 0; key < KEYS; key++) {
                check(key, found[key]);
            }
        }

        /// A key stands where the last acknowledged write put it, or where a later one did that was not.
        private void check(int key, long found) {
            List<Value> history = histories.get(key);
            int last = history.size() - 1;
            while (history.get(last).state == State.RUNNING || history.get(last).state == State.FAILED) {
                last--;
            }
            List<Value> candidates = history.subList(last, history.size()).stream()
                    .filter(value -> !value.isReplaced)
                    .collect(Collectors.toList());
            assertThat(candidates.stream().map(value -> value.offset).toList())
                    .as("offset of key %d, which was given %s", key, history)
                    .contains(found);
            // Without the power lost, older values may come back when it is.
            histories.set(key, new ArrayList<>(history));
            histories.get(key).add(new Value(found, State.DONE));
        }
    }
}
