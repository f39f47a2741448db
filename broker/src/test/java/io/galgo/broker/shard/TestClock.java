package io.galgo.broker.shard;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Time that stands still until a test moves it, and the timers that hang on it.
final class TestClock implements Clock, Timers {
    private record Task(long dueNanos, long number, Runnable action) {}

    private final List<Task> tasks = new ArrayList<>();
    private long nanos;
    private long wallMicros = 1_700_000_000_000_000L;
    private long tasksMade;

    @Override
    public long wallMicros() {
        return wallMicros;
    }

    @Override
    public long monotonicNanos() {
        return nanos;
    }

    /// Sets the wall clock, forwards or backwards.
    void wallMicros(long micros) {
        wallMicros = micros;
    }

    @Override
    public Timer after(long delayNanos, Runnable action) {
        Task task = new Task(nanos + delayNanos, tasksMade++, action);
        tasks.add(task);
        return () -> tasks.remove(task);
    }

    /// Moves both clocks and runs what is due, in order.
    void advance(long byNanos) {
        nanos += byNanos;
        wallMicros += byNanos / 1000;
        while (true) {
            Task next = tasks.stream()
                    .min(Comparator.comparingLong(Task::dueNanos).thenComparingLong(Task::number))
                    .orElse(null);
            if (next == null || next.dueNanos > nanos) {
                return;
            }
            tasks.remove(next);
            next.action.run();
        }
    }

    /// The process that asked is dead.
    void forget() {
        tasks.clear();
    }

    int timersCount() {
        return tasks.size();
    }
}
