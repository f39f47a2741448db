package io.galgo.simulator;

import io.galgo.simulator.client.Workload;
import io.galgo.simulator.world.Cast;
import io.galgo.simulator.world.Swarm;
import io.galgo.simulator.world.Tally;
import io.galgo.simulator.world.World;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;

/// The command line of the simulator.
public final class Main {
    private static final long PROGRESS_NANOS = 10_000_000_000L;
    private static final int SHRUNK_MAX = 3;

    private final PrintStream out;

    private Main(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] arguments) throws InterruptedException {
        System.exit(run(System.out, arguments));
    }

    /// Clients of every kind and all checkers.
    static Cast cast(World world) {
        return new Workload(world);
    }

    /// @return the exit code
    static int run(PrintStream out, String... arguments) throws InterruptedException {
        Options options;
        try {
            options = Options.parse(arguments);
        } catch (Options.Wrong wrong) {
            out.println("galgo simulate: " + wrong.getMessage() + "; ./galgo simulate --help lists the options");
            return 2;
        }
        if (options.isHelp()) {
            out.print(Options.USAGE);
            return 0;
        }
        Main main = new Main(out);
        return options.seed() >= 0 ? main.runOne(options) : main.runMany(options);
    }

    private int runOne(Options options) {
        Swarm swarm = Swarm.of(options.seed()).without(options.without());
        if (options.clients() > 0) {
            swarm = swarm.withClients(options.clients());
        }
        long began = System.nanoTime();
        Verdict verdict = Simulation.run(swarm, Main::cast);
        if (verdict.violation() != null) {
            out.print(Report.failure(verdict));
            return 1;
        }
        out.println(verdict.swarm());
        out.println(String.format(Locale.ROOT, "digest %016x", verdict.digest()));
        out.print(Report.figures(verdict.tally(), verdict.marks(), 0, (System.nanoTime() - began) / 1e9));
        return 0;
    }

    private int runMany(Options options) throws InterruptedException {
        long first = options.firstSeed() >= 0
                ? options.firstSeed()
                : ThreadLocalRandom.current().nextLong(1_000_000_000_000L);
        out.println("seeds from " + first + " on, " + options.threads() + " threads");
        Campaign campaign = new Campaign(Main::cast);
        long began = System.nanoTime();
        Thread progress = Thread.ofPlatform().daemon().start(() -> tellProgress(campaign, began));
        campaign.run(seeds(options, first, began), options.threads());
        progress.interrupt();
        double seconds = (System.nanoTime() - began) / 1e9;
        List<Verdict> failures = campaign.failures();
        for (int i = 0; i < failures.size(); i++) {
            tellFailure(campaign, failures.get(i), i < SHRUNK_MAX);
        }
        out.println();
        out.print(Report.figures(campaign.tally(), campaign.marks(), failures.size(), seconds));
        for (Verdict failure : failures) {
            out.println("FAILED: " + failure.violation() + "\n  " + Report.command(failure.swarm()));
        }
        if (campaign.tally().runs() == 0) {
            out.println("No run ended, so nothing is known.");
            return 1;
        }
        out.println(failures.isEmpty() ? "Every promise held." : "NOT every promise held.");
        return failures.isEmpty() ? 0 : 1;
    }

    private static LongSupplier seeds(Options options, long first, long began) {
        long endNanos = options.minutes() > 0 ? (long) (options.minutes() * 60e9) : Long.MAX_VALUE;
        long count = options.seeds() > 0 ? options.seeds() : Long.MAX_VALUE;
        long[] next = {0};
        return () -> {
            if (next[0] >= count || System.nanoTime() - began > endNanos) {
                return -1;
            }
            next[0]++;
            return first + next[0] - 1;
        };
    }

    private void tellFailure(Campaign campaign, Verdict failure, boolean isShrunk) {
        out.println();
        Verdict told = isShrunk ? campaign.shrink(failure) : failure;
        out.print(Report.failure(told));
        if (isShrunk) {
            out.println("as it was drawn: " + Report.command(failure.swarm()));
        }
    }

    private void tellProgress(Campaign campaign, long began) {
        try {
            while (true) {
                // A pause between two lines for people: nothing is awaited, and the end of the runs interrupts it.
                Thread.sleep(PROGRESS_NANOS / 1_000_000);
                Tally tally = campaign.tally();
                out.println(String.format(
                        Locale.ROOT,
                        "%5.0f s: %,d runs, %.2f virtual hours, %,d events, %d broken promises",
                        (System.nanoTime() - began) / 1e9,
                        tally.runs(),
                        tally.virtualNanos() / 3.6e12,
                        tally.events(),
                        campaign.failures().size()));
            }
        } catch (InterruptedException _) {
            // The runs are over.
        }
    }
}
