package io.galgo.torture.campaign;

import io.galgo.torture.history.Ledger;
import io.galgo.torture.history.Tally;
import io.galgo.torture.server.DiskBackend;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.server.ServerProgram;
import io.galgo.torture.server.ServerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// One run of a campaign: what it may use, when it ends, and what it found out.
///
/// Confined to the thread that runs it; histories collect what other threads see.
public final class Trial {
    private static final int VIOLATIONS_MAX = 30;

    /// When to stop: after so many rounds or so long, whichever comes first.
    ///
    /// @param isThorough whether single rounds may take minutes
    public record Limit(int rounds, Duration time, boolean isThorough) {}

    private final ServerProgram program;
    private final DiskBackend disk;
    private final Path folder;
    private final Limit limit;
    private final Consumer<String> progress;
    private final long seed;
    private final Random random;
    private final long started = System.nanoTime();
    private final List<Duration> recoveries = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private Tally tally = Tally.NONE;
    private int rounds;
    private int directories;

    private Trial(
            ServerProgram program, DiskBackend disk, Path folder, Limit limit, long seed, Consumer<String> progress) {
        this.program = program;
        this.disk = disk;
        this.folder = folder;
        this.limit = limit;
        this.seed = seed;
        this.random = new Random(seed);
        this.progress = progress;
    }

    /// Runs a campaign to its end. Whatever it throws is something that did not hold.
    ///
    /// @param folder for its files; what is in it afterwards is left only when something did not hold
    public static Result run(
            Campaign campaign,
            ServerProgram program,
            DiskBackend disk,
            Path folder,
            Limit limit,
            long seed,
            Consumer<String> progress)
            throws InterruptedException {
        Trial trial = new Trial(program, disk, folder, limit, seed, progress);
        String skipped = null;
        try {
            campaign.run(trial);
        } catch (SkippedException e) {
            skipped = e.getMessage();
        } catch (IOException | RuntimeException | AssertionError e) {
            trial.complain("round " + trial.rounds + ": " + textOf(e));
        }
        return trial.result(campaign, skipped);
    }

    private static String textOf(Throwable e) {
        StringBuilder text = new StringBuilder(e.toString());
        for (StackTraceElement element : e.getStackTrace()) {
            if (element.getClassName().startsWith("io.galgo.torture.campaign")) {
                text.append(" at ").append(element);
                break;
            }
        }
        return text.toString();
    }

    private Result result(Campaign campaign, @Nullable String skipped) {
        List<Duration> sorted = recoveries.stream().sorted().toList();
        Duration taken = Duration.ofNanos(System.nanoTime() - started);
        if (violations.isEmpty()) {
            deleteTree(folder);
        }
        return new Result(
                campaign,
                program.isGalgo() ? disk.setting() : "own",
                seed,
                rounds,
                taken,
                skipped,
                tally,
                sorted,
                List.copyOf(notes),
                List.copyOf(violations),
                folder);
    }

    ServerProgram program() {
        return program;
    }

    boolean isGalgo() {
        return program.isGalgo();
    }

    DiskBackend disk() {
        return disk;
    }

    boolean isThorough() {
        return limit.isThorough;
    }

    Random random() {
        return random;
    }

    /// The number of the round that runs.
    int round() {
        return rounds;
    }

    /// Begins another round, if there is to be one. Never after something did not hold.
    boolean goesOn() {
        long nanos = System.nanoTime() - started;
        boolean isTime = rounds == 0 || nanos < limit.time.toNanos();
        if (rounds >= limit.rounds || !isTime || !violations.isEmpty()) {
            return false;
        }
        rounds++;
        progress.accept("round " + rounds + (limit.rounds < Integer.MAX_VALUE ? " of " + limit.rounds : ""));
        return true;
    }

    /// A path in the folder of this trial that nothing is at yet.
    Path newPath(String name) throws IOException {
        Path path;
        do {
            directories++;
            path = Files.createDirectories(folder).resolve(name + "-" + directories);
        } while (Files.exists(path));
        return path;
    }

    /// How to start the server on a directory of its own.
    ServerSettings settings() throws IOException {
        return settings(newPath("data"));
    }

    ServerSettings settings(Path data) {
        return ServerSettings.of(program, data).withDisk(program.isGalgo() ? disk : DiskBackend.AUTOMATIC);
    }

    /// A server came back after it was harmed.
    ServerProcess recovered(ServerProcess server) {
        recovered(server.startToAccept());
        return server;
    }

    /// A server served again, so long after the harm was over.
    void recovered(Duration taken) {
        recoveries.add(taken);
    }

    void note(String text) {
        notes.add(text);
    }

    void complain(String text) {
        if (violations.size() < VIOLATIONS_MAX) {
            violations.add(text);
        }
    }

    /// Takes over what a history counted and complains about. Once for each history.
    void close(Ledger ledger) {
        tally = tally.plus(ledger.tally());
        ledger.violations().forEach(this::complain);
    }

    /// Deletes a data directory that is not needed any more, unless it is evidence.
    void discard(Path data) {
        if (violations.isEmpty()) {
            deleteTree(data);
        }
    }

    static void deleteTree(Path tree) {
        if (!Files.exists(tree)) {
            return;
        }
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            System.err.println("cannot delete " + tree + ": " + e);
        }
    }
}
