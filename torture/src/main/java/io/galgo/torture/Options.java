package io.galgo.torture;

import io.galgo.torture.campaign.Campaign;
import io.galgo.torture.campaign.Campaigns;
import io.galgo.torture.server.DiskBackend;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the command line says.
///
/// @param time for all campaigns together, null for no limit
/// @param rounds of each campaign on each disk, null for as many as fit
/// @param seed null for a fresh one
/// @param server the command of another server, empty for Galgo
/// @param isHelp whether only the usage is wanted
public record Options(
        @Nullable Duration time,
        @Nullable Integer rounds,
        @Nullable Long seed,
        List<Campaign> campaigns,
        List<DiskBackend> disks,
        Path directory,
        List<String> server,
        boolean isHelp) {
    private static final int MINUTES_DEFAULT = 15;

    /// Something on the command line makes no sense; the message says what.
    static final class UsageException extends Exception {
        private static final long serialVersionUID = 1;

        UsageException(String text) {
            super(text);
        }
    }

    static Options parse(List<String> arguments) throws UsageException {
        Double minutes = null;
        Integer rounds = null;
        Long seed = null;
        List<Campaign> campaigns = new ArrayList<>();
        List<DiskBackend> disks = List.of(DiskBackend.RING, DiskBackend.FALLBACK);
        Path directory = Path.of("torture-report");
        List<String> server = List.of();
        boolean isHelp = false;
        for (Iterator<String> rest = arguments.iterator(); rest.hasNext(); ) {
            String name = rest.next();
            switch (name) {
                case "-h", "--help" -> isHelp = true;
                case "--minutes" -> minutes = positive(name, value(name, rest));
                case "--rounds" -> rounds = rounds(value(name, rest));
                case "--seed" -> seed = number(name, value(name, rest));
                case "--only" -> campaigns.addAll(campaigns(value(name, rest)));
                case "--disk" -> disks = disks(value(name, rest));
                case "--directory" -> directory = Path.of(value(name, rest));
                case "--server" ->
                    server = Arrays.stream(value(name, rest).split(" ", -1))
                            .filter(word -> !word.isEmpty())
                            .toList();
                default -> throw new UsageException("there is no option " + name);
            }
        }
        if (minutes == null && rounds == null) {
            minutes = (double) MINUTES_DEFAULT;
        }
        Options options = new Options(
                minutes == null ? null : Duration.ofMillis((long) (minutes * 60_000)),
                rounds,
                seed,
                campaigns.isEmpty() ? Campaigns.all() : campaigns,
                disks,
                directory.toAbsolutePath(),
                server,
                isHelp);
        if (!isHelp
                && options.campaigns.stream()
                        .allMatch(campaign -> options.disksOf(campaign).isEmpty())) {
            throw new UsageException("--disk leaves nothing to do: "
                    + String.join(
                            ", ", options.campaigns.stream().map(Campaign::name).toList())
                    + " cannot be run on " + disks.getFirst().setting());
        }
        return options;
    }

    /// The disks that a campaign is to be run on, and can be.
    List<DiskBackend> disksOf(Campaign campaign) {
        List<DiskBackend> wanted = server.isEmpty() ? disks : List.of(DiskBackend.AUTOMATIC);
        return wanted.stream().filter(campaign::fits).toList();
    }

    private static String value(String name, Iterator<String> rest) throws UsageException {
        if (!rest.hasNext()) {
            throw new UsageException(name + " needs a value");
        }
        return rest.next();
    }

    private static double positive(String name, String text) throws UsageException {
        try {
            double value = Double.parseDouble(text);
            if (0 < value && value <= 1_000_000) {
                return value;
            }
        } catch (NumberFormatException _) {
            // The same answer.
        }
        throw new UsageException(name + " takes a number above 0, not " + text);
    }

    private static int rounds(String text) throws UsageException {
        try {
            int value = Integer.parseInt(text);
            if (value >= 1) {
                return value;
            }
        } catch (NumberFormatException _) {
            // The same answer.
        }
        throw new UsageException("--rounds takes a whole number from 1 on, not " + text);
    }

    private static long number(String name, String text) throws UsageException {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException _) {
            throw new UsageException(name + " takes a whole number, not " + text);
        }
    }

    private static List<Campaign> campaigns(String names) throws UsageException {
        List<Campaign> campaigns = new ArrayList<>();
        for (String name : names.split(",", -1)) {
            campaigns.add(Campaigns.find(name)
                    .orElseThrow(() -> new UsageException(
                            "there is no campaign " + name + "; there are " + String.join(", ", Campaigns.names()))));
        }
        return campaigns;
    }

    private static List<DiskBackend> disks(String text) throws UsageException {
        return switch (text) {
            case "ring" -> List.of(DiskBackend.RING);
            case "file" -> List.of(DiskBackend.FALLBACK);
            case "both" -> List.of(DiskBackend.RING, DiskBackend.FALLBACK);
            default -> throw new UsageException("--disk takes ring, file or both, not " + text);
        };
    }
}
