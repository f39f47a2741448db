package io.galgo.simulator.world;

import io.galgo.broker.shard.BrokerSettings;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;

/// Everything that the seed decides for a run before it begins. Each run has other faults on, and other sizes.
///
/// Immutable. What is switched off by hand, to shrink a failure, leaves everything else as it was drawn.
///
/// @param seed of the run
/// @param strengths the faults that may happen, and how eagerly: 0 seldom, 1 often
/// @param shards threads of a node
/// @param settings of a node
/// @param memoryBytesMax `memory_pool.size`
/// @param isEncrypted whether messages are stored encrypted
/// @param clients how many clients work at a time, at least 1
/// @param inFlightMax requests that a client that pipelines leaves unanswered
/// @param safetyNanos how long the part of the run lasts in which things break
/// @param network how connections behave while nothing breaks
/// @param disk how long disks take while nothing breaks
/// @param eventsMax the run ends without a verdict after so many events
public record Swarm(
        long seed,
        EnumMap<FaultClass, Double> strengths,
        int shards,
        BrokerSettings settings,
        long memoryBytesMax,
        boolean isEncrypted,
        int clients,
        int inFlightMax,
        long safetyNanos,
        NetworkSettings network,
        DiskSettings disk,
        long eventsMax) {
    private static final long MILLISECOND = 1_000_000L;
    private static final long SECOND = 1_000_000_000L;

    /// @param delayNanosMin the shortest way from one end to the other
    /// @param delayNanosMean what is added on average, distributed exponentially
    /// @param fragmentBytesMax what arrives at once at most
    /// @param windowBytes what one end takes before the other has read
    public record NetworkSettings(long delayNanosMin, long delayNanosMean, int fragmentBytesMax, int windowBytes) {}

    /// @param readNanosMean of one read on average, distributed exponentially; the others likewise
    /// @param reserves whether room can be reserved ahead
    public record DiskSettings(long readNanosMean, long writeNanosMean, long syncNanosMean, boolean reserves) {}

    /// A run that ends by itself has fewer events than this.
    public static final long EVENTS_MAX = 2_000_000L;

    /// Draws the run of a seed.
    public static Swarm of(long seed) {
        SplittableRandom random = new SplittableRandom(seed * 0x9e37_79b9_7f4a_7c15L + 1);
        SplittableRandom faultsRandom = random.split();
        EnumMap<FaultClass, Double> strengths = new EnumMap<>(FaultClass.class);
        // One run in ten is without any fault: what fails there is nobody else's fault.
        boolean isQuiet = faultsRandom.nextInt(10) == 0;
        for (FaultClass fault : FaultClass.values()) {
            boolean isOn = faultsRandom.nextDouble() < fault.odds() && !isQuiet;
            double strength = faultsRandom.nextDouble();
            if (isOn) {
                strengths.put(fault, strength);
            }
        }
        SplittableRandom sizes = random.split();
        int clients = 1 + (int) Math.floor(20 * Math.pow(sizes.nextDouble(), 1.5));
        return new Swarm(
                seed,
                strengths,
                1 + sizes.nextInt(3),
                settings(sizes, clients, strengths),
                1L << (22 + sizes.nextInt(4)),
                sizes.nextInt(5) == 0,
                clients,
                1 + sizes.nextInt(8),
                (2 + sizes.nextInt(12)) * SECOND,
                new NetworkSettings(
                        logarithmic(sizes, MILLISECOND / 50, 5 * MILLISECOND),
                        logarithmic(sizes, MILLISECOND / 20, 50 * MILLISECOND),
                        (int) logarithmic(sizes, 100, 64 << 10),
                        (int) logarithmic(sizes, 4 << 10, 1 << 20)),
                new DiskSettings(
                        logarithmic(sizes, MILLISECOND / 50, 10 * MILLISECOND),
                        logarithmic(sizes, MILLISECOND / 50, 10 * MILLISECOND),
                        logarithmic(sizes, MILLISECOND / 10, 50 * MILLISECOND),
                        sizes.nextInt(3) != 0),
                EVENTS_MAX);
    }

    private static long logarithmic(SplittableRandom random, long min, long max) {
        return (long) (min * Math.pow((double) max / min, random.nextDouble()));
    }

    /// Small everywhere, so that what is bounded is often full and what is rotated is rotated often.
    private static BrokerSettings settings(SplittableRandom sizes, int clients, EnumMap<FaultClass, Double> strengths) {
        // Whoever switches the check off has chosen to be served what the disk gives.
        boolean isDamaged = false;
        for (FaultClass fault : strengths.keySet()) {
            isDamaged |= fault.isDamage();
        }
        int frameBytesMax = (int) logarithmic(sizes, 16 << 10, 256 << 10);
        return new BrokerSettings(
                "galgo-simulated",
                "simulated",
                frameBytesMax,
                1 + sizes.nextInt(16),
                (int) logarithmic(sizes, 16, 1024),
                1 + sizes.nextInt(8),
                (int) logarithmic(sizes, 16, 256),
                sizes.nextInt(4) == 0 ? clients + 1 + sizes.nextInt(8) : 200,
                1 + sizes.nextInt(8),
                (int) logarithmic(sizes, 2, 100),
                (int) logarithmic(sizes, 8, 200),
                (int) logarithmic(sizes, 8, 1000),
                (int) logarithmic(sizes, 8, 100),
                logarithmic(sizes, 64 << 10, 1 << 20),
                logarithmic(sizes, 4 << 10, 64 << 10),
                1 + sizes.nextInt(20),
                1 + sizes.nextInt(20),
                sizes.nextInt(4) != 0 || isDamaged,
                sizes.nextBoolean(),
                (2 + sizes.nextInt(10)) * SECOND,
                (1 + sizes.nextInt(5)) * SECOND,
                (1 + sizes.nextInt(5)) * SECOND,
                1 + sizes.nextInt(10),
                2 + sizes.nextInt(10),
                true,
                (1 + sizes.nextInt(5)) * SECOND,
                sizes.nextBoolean(),
                (1 + sizes.nextInt(5)) * SECOND,
                logarithmic(sizes, 16 << 10, 256 << 10));
    }

    public boolean isOn(FaultClass fault) {
        return strengths.containsKey(fault);
    }

    /// How eagerly a fault that is on happens, 0..1.
    double strength(FaultClass fault) {
        return strengths.getOrDefault(fault, 0.0);
    }

    /// The same run without some faults.
    public Swarm without(Set<FaultClass> faults) {
        EnumMap<FaultClass, Double> left = new EnumMap<>(strengths);
        left.keySet().removeAll(faults);
        return with(left, clients, eventsMax);
    }

    /// The same run with another number of clients.
    public Swarm withClients(int count) {
        return with(strengths, count, eventsMax);
    }

    /// The same run, cut off after so many events.
    public Swarm withEventsMax(long count) {
        return with(strengths, clients, count);
    }

    private Swarm with(EnumMap<FaultClass, Double> otherStrengths, int otherClients, long otherEventsMax) {
        return new Swarm(
                seed,
                otherStrengths,
                shards,
                settings,
                memoryBytesMax,
                isEncrypted,
                otherClients,
                inFlightMax,
                safetyNanos,
                network,
                disk,
                otherEventsMax);
    }

    /// The faults that may happen.
    public Set<FaultClass> faults() {
        return strengths.isEmpty() ? EnumSet.noneOf(FaultClass.class) : EnumSet.copyOf(strengths.keySet());
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "seed %d: %d shards, %d clients, %d in flight, %d s, memory %d KiB%s%n  network %s%n  disk %s%n  %s%n"
                        + "  faults",
                seed,
                shards,
                clients,
                inFlightMax,
                safetyNanos / SECOND,
                memoryBytesMax >> 10,
                isEncrypted ? ", encrypted" : "",
                network,
                disk,
                settings));
        strengths.forEach((fault, strength) -> text.append(String.format(Locale.ROOT, " %s %.2f", fault, strength)));
        return text.toString();
    }
}
