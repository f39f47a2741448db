package io.galgo.torture;

import io.galgo.torture.campaign.Campaign;
import io.galgo.torture.campaign.Campaigns;
import io.galgo.torture.campaign.Result;
import io.galgo.torture.campaign.Trial;
import io.galgo.torture.server.DiskBackend;
import io.galgo.torture.server.ServerProgram;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// `./galgo torture`: runs campaigns against server processes on this machine and reports.
///
/// Exit codes: 0 everything held, 1 something did not, 2 the command line makes no sense, 3 nothing was tested.
public final class Main {
    private static final long PROGRESS_NANOS = 5_000_000_000L;
    private static final Duration THOROUGH_MIN = Duration.ofMinutes(2);
    /// What the most important campaign gets more than each of the others.
    private static final int KILL_SHARES = 4;

    private final Options options;
    private final ServerProgram program;
    private final long seed;
    private final long started = System.nanoTime();
    private long toldAt;

    private Main(Options options, Path launcher) {
        this.options = options;
        this.seed = options.seed() != null ? options.seed() : new Random().nextInt(1, Integer.MAX_VALUE);
        Path logs = options.directory().resolve("logs");
        this.program = options.server().isEmpty()
                ? ServerProgram.galgo(launcher, logs)
                : ServerProgram.other(nameOf(options.server()), options.server(), logs);
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        System.exit(run(List.of(arguments), launcher()));
    }

    private static Path launcher() {
        String launcher = System.getProperty("galgo.launcher");
        return Path.of(launcher == null ? "./galgo" : launcher).toAbsolutePath();
    }

    private static int run(List<String> arguments, Path launcher) throws IOException, InterruptedException {
        Options options;
        try {
            options = Options.parse(arguments);
        } catch (Options.UsageException e) {
            System.err.println("galgo torture: " + e.getMessage() + "; ./galgo help torture tells what there is");
            return 2;
        }
        if (options.isHelp()) {
            System.out.print(usage());
            return 0;
        }
        if (!options.server().isEmpty()
                && !Files.isExecutable(Path.of(options.server().getFirst()))) {
            System.err.println(
                    "galgo torture: --server names " + options.server().getFirst() + ", which cannot be executed");
            return 2;
        }
        return new Main(options, launcher).torture().exitCode();
    }

    private static String nameOf(List<String> command) {
        return Path.of(command.getFirst()).getFileName().toString();
    }

    static String usage() {
        StringBuilder text = new StringBuilder("""
                usage: ./galgo torture [OPTION...]

                Starts servers on this machine, harms them while clients work, and checks that nothing that was confirmed
                is lost, changed or handed out twice. Nothing outside of its own folder is touched; ports are free ones.

                  --minutes N        how long, all campaigns together (default 15; without it when --rounds is given)
                  --rounds N         rounds of each campaign on each disk
                  --seed N           repeats what was drawn at random (the moments of kills depend on the machine too)
                  --only NAME,…      only these campaigns
                  --disk KIND        ring, file or both (default): how the server reaches its files
                  --directory DIR    where the report goes, and files while it runs (default ./torture-report)
                  --server COMMAND   tortures another server that speaks Iggy's protocol, started by this command

                campaigns: the server …
                """);
        for (Campaign campaign : Campaigns.all()) {
            text.append(String.format(Locale.ROOT, "  %-18s %s%n", campaign.name(), campaign.deed()));
        }
        return text.append("""

                        The report is DIR/report.md. Files and logs of what did not hold are left in DIR.
                        Exit code: 0 everything held, 1 something did not, 2 a mistake on the command line, 3 nothing was
                        tested, because every campaign was skipped or had no time for a round.
                        """).toString();
    }

    /// One campaign on one disk.
    private record Planned(Campaign campaign, DiskBackend disk, int shares) {}

    private Report torture() throws IOException, InterruptedException {
        Files.createDirectories(options.directory());
        List<Planned> plan = plan();
        say("seed " + seed + ", " + plan.size() + " campaigns"
                + (options.time() == null ? "" : ", about " + options.time().toMinutes() + " minutes"));
        List<Result> results = new ArrayList<>();
        int sharesLeft = plan.stream().mapToInt(Planned::shares).sum();
        for (Planned planned : plan) {
            Trial.Limit limit = limit(planned, sharesLeft);
            sharesLeft -= planned.shares;
            results.add(run(planned, limit));
            // What is known must not be lost with a machine that is switched off.
            write(new Report(facts(), results));
        }
        Report report = new Report(facts(), results);
        System.out.println();
        System.out.print(report.forTerminal());
        say("the report is " + write(report));
        if (report.held()) {
            deleteIfEmpty(options.directory().resolve("files"));
        }
        return report;
    }

    private List<Planned> plan() {
        List<Planned> plan = new ArrayList<>();
        for (Campaign campaign : options.campaigns()) {
            for (DiskBackend disk : options.disksOf(campaign)) {
                plan.add(new Planned(campaign, disk, campaign.name().equals("kill") ? KILL_SHARES : 1));
            }
        }
        return plan;
    }

    /// What is left is shared anew before each campaign, so that one that ends early leaves its time to the others.
    private Trial.Limit limit(Planned planned, int sharesLeft) {
        Integer rounds = options.rounds();
        Duration total = options.time();
        int roundsMax = rounds == null ? Integer.MAX_VALUE : rounds;
        if (total == null) {
            return new Trial.Limit(roundsMax, Duration.ofDays(365), true);
        }
        long nanosLeft = Math.max(0, total.toNanos() - (System.nanoTime() - started));
        Duration share = Duration.ofNanos(nanosLeft / sharesLeft * planned.shares);
        return new Trial.Limit(roundsMax, share, share.compareTo(THOROUGH_MIN) >= 0);
    }

    private Result run(Planned planned, Trial.Limit limit) throws InterruptedException {
        String name = planned.campaign.name() + " " + (program.isGalgo() ? planned.disk.setting() : program.name());
        say(name + ": the server " + planned.campaign.deed());
        Path folder = options.directory().resolve("files").resolve(name.replace(' ', '-'));
        Result result = Trial.run(
                planned.campaign, program, planned.disk, folder, limit, seed, text -> progress(name + ": " + text));
        say(result.figures());
        result.violations().forEach(violation -> say("DID NOT HOLD: " + violation));
        return result;
    }

    private List<String> facts() {
        List<String> facts = new ArrayList<>();
        facts.add("server: " + (program.isGalgo() ? "Galgo" : String.join(" ", program.command())));
        facts.add("when: "
                + ZonedDateTime.now(ZoneId.systemDefault())
                        .truncatedTo(ChronoUnit.SECONDS)
                        .format(DateTimeFormatter.ISO_OFFSET_DATE_TIME)
                + ", after " + Duration.ofNanos(System.nanoTime() - started).toSeconds() + " s");
        facts.add("machine: " + System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch") + ", " + Runtime.getRuntime().availableProcessors()
                + " processors, Java " + Runtime.version());
        facts.add("seed: " + seed);
        return facts;
    }

    private Path write(Report report) throws IOException {
        Path file = options.directory().resolve("report.md");
        return Files.writeString(file, report.asMarkdown(), StandardCharsets.UTF_8);
    }

    private static void deleteIfEmpty(Path folder) throws IOException {
        @Nullable String[] left = folder.toFile().list();
        if (left != null && left.length == 0) {
            Files.delete(folder);
        }
    }

    private void progress(String text) {
        long now = System.nanoTime();
        if (now - toldAt > PROGRESS_NANOS) {
            toldAt = now;
            say(text);
        }
    }

    private void say(String text) {
        Duration since = Duration.ofNanos(System.nanoTime() - started);
        System.out.printf(
                Locale.ROOT,
                "[%02d:%02d:%02d] %s%n",
                since.toHours(),
                since.toMinutesPart(),
                since.toSecondsPart(),
                text);
    }
}
