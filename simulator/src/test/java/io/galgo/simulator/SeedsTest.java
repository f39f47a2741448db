package io.galgo.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.simulator.world.Swarm;
import io.galgo.simulator.world.World;
import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/// Runs with every client, every checker and every fault. Seeds that nobody has chosen are what `./galgo simulate`
/// runs:
/// a build must give the same twice.
class SeedsTest {
    private static final int FIXED = 500;

    @Test
    void everyPromiseHoldsInRunsThatWereChosenLongAgo() throws InterruptedException {
        ArrayDeque<Long> seeds = new ArrayDeque<>();
        LongStream.range(0, FIXED).forEach(seeds::add);
        assertEveryPromiseHolds(seeds);
    }

    @Test
    void aSeedGivesTheSameRunTwiceWithEveryClient() {
        for (long seed = 500; seed < 510; seed++) {
            assertThat(run(seed).digest())
                    .as("digest of seed %s", seed)
                    .isEqualTo(run(seed).digest());
        }
    }

    private static Verdict run(long seed) {
        return Simulation.run(Swarm.of(seed), Main::cast);
    }

    private static void assertEveryPromiseHolds(ArrayDeque<Long> seeds) throws InterruptedException {
        int count = seeds.size();
        Campaign campaign = new Campaign((World world) -> Main.cast(world));
        campaign.run(
                () -> seeds.isEmpty() ? -1 : seeds.remove(),
                Runtime.getRuntime().availableProcessors());
        List<Verdict> failures = campaign.failures();
        if (!failures.isEmpty()) {
            throw new AssertionError(
                    failures.size() + " of " + count + " runs broke a promise. The first, made smaller:\n"
                            + Report.failure(campaign.shrink(failures.getFirst())) + "as it was drawn: "
                            + Report.command(failures.getFirst().swarm()));
        }
        assertThat(campaign.tally().runs()).as("runs").isEqualTo(count);
        assertThat(campaign.tally().counts().getOrDefault("runs compared to the end", 0L))
                .as("runs that were compared to the end, of %s", count)
                .isGreaterThan(count / 2);
    }
}
