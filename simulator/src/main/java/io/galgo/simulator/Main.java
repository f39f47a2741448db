package io.galgo.simulator;

import io.galgo.simulator.client.Workload;
import io.galgo.simulator.world.Cast;
import io.galgo.simulator.world.Swarm;
import io.galgo.simulator.world.Tally;
import io.galgo.simulator.world.World;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;

/// The command line of the simulator.
public final class Main {
    private static final long PROGRESS_NANOS = 10_000_000_000L;
    private static final int SHRUNK_MAX = 3;

    private final PrintStream out;
    private final Options options;
    private final long began = System.nanoTime();
    private String runs = "";

    private Main(PrintStream out, Options options) {
        this.out = out;
        this.options = options;
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
        Main main = new Main(out, options);
        return options.seed() >= 0 ? main.runOne() : main.runMany();
    }

    private double seconds() {
        return (System.nanoTime() - began) / 1e9;
    }

    private int runOne() {
        Swarm swarm = Swarm.of(options.seed()).without(options.without());
        if (options.clients() > 0) {
            swarm = swarm.withClients(options.clients());
        }
        runs = "Seed " + options.seed() + ".";
        Verdict verdict = Simulation.run(swarm, Main::cast);
        List<Verdict> failures = verdict.violation() == null ? List.of() : List.of(verdict);
        List<Table> tables = Report.tables(verdict.tally(), verdict.marks(), failures, seconds());
        boolean isWritten = write(tables);
        if (verdict.violation() != null) {
            out.print(Report.failure(verdict));
            return 1;
        }
        out.println(verdict.swarm());
        out.println(String.format(Locale.ROOT, "digest %016x", verdict.digest()));
        out.print(Report.text(tables));
        return isWritten ? 0 : 1;
    }

    private int runMany() throws InterruptedException {
        long first = options.firstSeed() >= 0
                ? options.firstSeed()
                : ThreadLocalRandom.current().nextLong(1_000_000_000_000L);
        runs = "Seeds from " + first + " on, " + options.threads() + " threads.";
        out.println(runs);
        Campaign campaign = new Campaign(Main::cast);
        if (!write(tables(campaign))) {
            // Better told now than after hours.
            return 2;
        }
        Thread progress = Thread.ofPlatform().daemon().start(() -> tellProgress(campaign));
        campaign.run(seeds(options, first, began), options.threads());
        progress.interrupt();
        progress.join();
        double seconds = seconds();
        List<Verdict> failures = campaign.failures();
        for (int i = 0; i < failures.size(); i++) {
            tellFailure(campaign, failures.get(i), i < SHRUNK_MAX);
        }
        out.println();
        List<Table> tables = Report.tables(campaign.tally(), campaign.marks(), failures, seconds);
        out.print(Report.text(tables));
        boolean isWritten = write(tables);
        for (Verdict failure : failures) {
            out.println("FAILED: " + failure.violation() + "\n  " + Report.command(failure.swarm()));
        }
        if (campaign.tally().runs() == 0) {
            out.println("No run ended, so nothing is known.");
            return 1;
        }
        out.println(failures.isEmpty() ? "Every promise held." : "NOT every promise held.");
        return failures.isEmpty() && isWritten ? 0 : 1;
    }

    private List<Table> tables(Campaign campaign) {
        return Report.tables(campaign.tally(), campaign.marks(), campaign.failures(), seconds());
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

    private void tellProgress(Campaign campaign) {
        try {
            while (true) {
                // A pause between two lines for people: nothing is awaited, and the end of the runs interrupts it.
                Thread.sleep(PROGRESS_NANOS / 1_000_000);
                Tally tally = campaign.tally();
                out.println(String.format(
                        Locale.ROOT,
                        "%5.0f s: %,d runs, %.2f virtual hours, %,d events, %d of %d marks, %d broken promises",
                        seconds(),
                        tally.runs(),
                        tally.virtualNanos() / 3.6e12,
                        tally.events(),
                        campaign.marks().hitCount(),
                        campaign.marks().counts().size(),
                        campaign.failures().size()));
                write(tables(campaign));
            }
        } catch (InterruptedException _) {
            // The runs are over.
        }
    }

    /// Replaces the report, so that there is always a whole one.
    ///
    /// @return false when that failed, which was told
    private boolean write(List<Table> tables) {
        if (options.report().isEmpty()) {
            return true;
        }
        Path target = Path.of(options.report());
        Path written = target.resolveSibling(target.getFileName() + ".new");
        try {
            Files.writeString(written, Report.markdown(runs, tables));
            Files.move(written, target, StandardCopyOption.REPLACE_EXISTING);
            return true;
        } catch (IOException failed) {
            out.println("galgo simulate: the report " + target + " cannot be written: " + failed);
            return false;
        }
    }
}
