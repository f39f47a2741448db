package io.galgo.simulator;

import io.galgo.simulator.world.Cast;
import io.galgo.simulator.world.Marks;
import io.galgo.simulator.world.Swarm;
import io.galgo.simulator.world.Tally;
import io.galgo.simulator.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Many runs on several threads, each run on one, and what they came to together.
///
/// Runs share nothing, so a failure is the same on any thread.
public final class Campaign {
    private static final int FAILURES_MAX = 10;

    private final Function<World, Cast> casting;
    private final Tally tally = new Tally();
    private final Marks marks = new Marks();
    private final List<Verdict> failures = new ArrayList<>();
    private final AtomicBoolean isOver = new AtomicBoolean();
    private @Nullable Throwable bug;

    /// @param casting makes clients and checkers for the world of one run
    public Campaign(Function<World, Cast> casting) {
        this.casting = casting;
    }

    /// Runs seeds until there is none left, the campaign is told to end, or too many runs have failed.
    ///
    /// @throws IllegalStateException when a thread ended for another reason
    /// @param seeds gives the next seed, or a negative number when there is none; asked by one thread at a time
    public void run(LongSupplier seeds, int threadsCount) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < threadsCount; i++) {
            threads.add(Thread.ofPlatform().name("simulation-" + i).start(() -> workOrTell(seeds)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        synchronized (this) {
            if (bug != null) {
                throw new IllegalStateException("a thread of the simulator ended by " + bug, bug);
            }
        }
    }

    private void workOrTell(LongSupplier seeds) {
        try {
            work(seeds);
        } catch (RuntimeException | Error e) {
            synchronized (this) {
                bug = e;
            }
            end();
        }
    }

    private void work(LongSupplier seeds) {
        while (!isOver.get()) {
            long seed;
            synchronized (this) {
                seed = seeds.getAsLong();
            }
            if (seed < 0) {
                return;
            }
            add(Simulation.run(Swarm.of(seed), casting));
        }
    }

    private synchronized void add(Verdict verdict) {
        tally.add(verdict.tally());
        marks.add(verdict.marks());
        if (verdict.violation() != null) {
            failures.add(verdict);
            if (failures.size() >= FAILURES_MAX) {
                end();
            }
        }
    }

    /// Lets the runs that are under way end, and no other begin.
    public void end() {
        isOver.set(true);
    }

    /// What all runs that have ended came to.
    public synchronized Tally tally() {
        Tally copy = new Tally();
        copy.add(tally);
        return copy;
    }

    public synchronized Marks marks() {
        Marks copy = new Marks();
        copy.add(marks);
        return copy;
    }

    /// The runs that broke a promise.
    public synchronized List<Verdict> failures() {
        return List.copyOf(failures);
    }

    /// Makes a failure smaller.
    public Verdict shrink(Verdict failed) {
        return Shrinker.shrink(swarm -> Simulation.run(swarm, casting), failed);
    }
}
