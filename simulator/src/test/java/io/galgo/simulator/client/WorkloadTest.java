package io.galgo.simulator.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.simulator.Simulation;
import io.galgo.simulator.Verdict;
import io.galgo.simulator.world.Swarm;
import io.galgo.simulator.world.Tally;
import org.junit.jupiter.api.Test;

/// The whole cast on a handful of seeds. How many more are run is up to the campaign.
class WorkloadTest {
    private static final int SEEDS = 12;

    @Test
    void nothingIsBrokenAndEveryCheckerHasSomethingToCheck() {
        Tally tally = new Tally();
        for (long seed = 0; seed < SEEDS; seed++) {
            Verdict verdict = Simulation.run(Swarm.of(seed), Workload::new);
            assertThat(verdict.violation()).as("seed %s", seed).isNull();
            tally.add(verdict.tally());
        }
        assertThat(tally.counts())
                .containsKeys(
                        "messages confirmed",
                        "messages polled",
                        "stored offsets read",
                        "metadata operations",
                        "metadata replies compared",
                        "repeats compared",
                        "group ownerships checked");
        tally.counts().forEach((what, count) -> assertThat(count).as(what).isPositive());
    }

    @Test
    void aSeedGivesTheSameRunTwice() {
        for (long seed = 0; seed < 4; seed++) {
            Verdict first = Simulation.run(Swarm.of(seed), Workload::new);
            Verdict second = Simulation.run(Swarm.of(seed), Workload::new);
            assertThat(second.digest()).as("seed %s", seed).isEqualTo(first.digest());
            assertThat(second.events()).as("seed %s", seed).isEqualTo(first.events());
        }
    }
}
