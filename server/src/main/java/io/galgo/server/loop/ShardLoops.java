package io.galgo.server.loop;

import io.galgo.server.machine.Posix;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoHandlerConfig;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/// The threads of a node, one for each shard, named and on their cores.
///
/// They start held back: what is handed to a loop waits until [#letLoose]. So the thread that starts the node may
/// use what belongs to the shards until then.
public final class ShardLoops {
    private static final long QUIET_MILLIS = 0;

    private final MultiThreadIoEventLoopGroup group;
    private final List<ShardLoop> loops = new ArrayList<>();
    private final CountDownLatch held = new CountDownLatch(1);

    /// @param ring whether the loops are rings; otherwise they are NIO selectors
    /// @param ringEntries submission entries of each ring
    /// @param cores one processor a shard
    /// @param pinned whether each thread stays on its processor
    /// @param warnings hears once if pinning failed
    /// @param bugs hears what a task threw
    public ShardLoops(
            boolean ring,
            int ringEntries,
            List<Integer> cores,
            boolean pinned,
            Consumer<String> warnings,
            Consumer<Throwable> bugs) {
        IoHandlerFactory handlers = ring
                ? IoUringIoHandler.newFactory(
                        new IoUringIoHandlerConfig().setRingSize(ringEntries).setSingleIssuer(true))
                : NioIoHandler.newFactory();
        ThreadFactory threads = task -> new FastThreadLocalThread(task, "shard");
        this.group = new MultiThreadIoEventLoopGroup(cores.size(), threads, handlers);
        AtomicBoolean isWarned = new AtomicBoolean();
        for (EventExecutor executor : group) {
            int index = loops.size();
            ShardLoop shard = new ShardLoop(index, (IoEventLoop) executor, bugs);
            loops.add(shard);
            shard.execute(() -> {
                Thread.currentThread().setName("shard-" + index);
                if (pinned) {
                    pin(cores.get(index), isWarned, warnings);
                }
            });
        }
    }

    private static void pin(int core, AtomicBoolean isWarned, Consumer<String> warnings) {
        String failure = null;
        if (!System.getProperty("os.name", "").equals("Linux")) {
            failure = "this system does not offer it";
        } else {
            int result = Posix.setAffinity(List.of(core));
            if (result < 0) {
                failure = Posix.describe(-result);
            }
        }
        if (failure != null && !isWarned.getAndSet(true)) {
            warnings.accept("shards are not pinned to their cores: " + failure);
        }
    }

    /// The loops in the order of the shards.
    public List<ShardLoop> loops() {
        return loops;
    }

    /// All loops, as what accepted channels are spread over.
    public MultiThreadIoEventLoopGroup group() {
        return group;
    }

    /// Makes every loop wait for [#letLoose] from now on. What was handed to them before is done first.
    public void hold() {
        for (ShardLoop loop : loops) {
            loop.execute(() -> {
                try {
                    held.await();
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                }
            });
        }
    }

    /// Ends the wait. What was handed to the loops since [#hold] runs now, each on its thread.
    public void letLoose() {
        held.countDown();
    }

    /// Ends the threads.
    public void stop(long timeoutNanos) {
        letLoose();
        group.shutdownGracefully(QUIET_MILLIS, Math.max(1, timeoutNanos), TimeUnit.NANOSECONDS)
                .awaitUninterruptibly(timeoutNanos, TimeUnit.NANOSECONDS);
    }
}
