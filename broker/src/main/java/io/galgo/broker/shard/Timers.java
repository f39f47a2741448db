package io.galgo.broker.shard;

/// Wakes the shard later, on its own thread.
public interface Timers {
    /// Runs `task` once, not before `delayNanos` have passed.
    Timer after(long delayNanos, Runnable task);

    /// A task that waits.
    interface Timer {
        /// Forgets the task; nothing happens when it has run.
        void cancel();
    }
}
