package io.galgo.server.loop;

import io.galgo.broker.shard.Clock;
import io.galgo.broker.shard.Timers;
import io.netty.channel.IoEventLoop;
import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/// The thread of one shard: its clock, its timers, and the way in for other threads.
///
/// What runs here and throws has a bug, and the shard has missed a step. Netty would log that and go on; this tells
/// [#bugs], which stops the process.
public final class ShardLoop implements Executor, Timers, Clock {
    private final int index;
    private final IoEventLoop loop;
    private final Consumer<Throwable> bugs;

    ShardLoop(int index, IoEventLoop loop, Consumer<Throwable> bugs) {
        this.index = index;
        this.loop = loop;
        this.bugs = bugs;
    }

    /// The number of the shard, from 0.
    public int index() {
        return index;
    }

    /// The event loop, for channels and rings.
    public IoEventLoop eventLoop() {
        return loop;
    }

    /// Hears what must never happen.
    public Consumer<Throwable> bugs() {
        return bugs;
    }

    /// Runs a task on the shard's thread, soon. Any thread may call. After the thread has ended the task is
    /// forgotten: what it would have gone on with is gone too.
    @Override
    public void execute(Runnable task) {
        enter(new Guarded(task, bugs));
    }

    private void enter(Runnable guarded) {
        try {
            loop.execute(guarded);
        } catch (RejectedExecutionException rejected) {
            if (!loop.isShuttingDown()) {
                throw rejected;
            }
        }
    }

    /// A task whose failure stops the process.
    private record Guarded(Runnable task, Consumer<Throwable> bugs) implements Runnable {
        @Override
        public void run() {
            try {
                task.run();
            } catch (Throwable thrown) {
                bugs.accept(thrown);
            }
        }
    }

    @Override
    public Timer after(long delayNanos, Runnable task) {
        Future<?> future = loop.schedule(new Guarded(task, bugs), delayNanos, TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    @Override
    public long wallMicros() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }

    @Override
    public long monotonicNanos() {
        return System.nanoTime();
    }

    /// A signal for this thread that may be given by any thread and as often as they like: `task` runs once for all
    /// signals given before it starts.
    public Runnable signal(Runnable task) {
        return new Signal(this, task);
    }

    private static final class Signal implements Runnable {
        private final ShardLoop shard;
        private final AtomicBoolean isGiven = new AtomicBoolean();
        private final Runnable onLoop;

        Signal(ShardLoop shard, Runnable task) {
            this.shard = shard;
            this.onLoop = new Guarded(
                    () -> {
                        // Taken back before the task looks, so that what comes after its look signals again.
                        isGiven.set(false);
                        task.run();
                    },
                    shard.bugs);
        }

        @Override
        public void run() {
            if (!isGiven.getAndSet(true)) {
                shard.enter(onLoop);
            }
        }
    }

    /// Runs a task every so often until the loop ends.
    public void every(long periodNanos, Runnable task) {
        Future<?> _ = loop.scheduleAtFixedRate(new Guarded(task, bugs), periodNanos, periodNanos, TimeUnit.NANOSECONDS);
    }
}
