package io.galgo.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.simulator.world.Swarm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Whether a run is a function of its seed, and whether anything happens in it.
class SimulationTest {
    private static final int SEEDS = 6;

    @Test
    void aSeedGivesTheSameRunTwice() {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertThat(digest(seed)).as("digest of seed %s", seed).isEqualTo(digest(seed));
        }
    }

    @Test
    void anotherSeedGivesAnotherRun() {
        List<Long> digests = new ArrayList<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            digests.add(digest(seed));
        }
        assertThat(digests).doesNotHaveDuplicates();
    }

    @Test
    void aSeedGivesTheSameRunInAnotherProcess() throws IOException, InterruptedException {
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        SimulationTest.class.getName())
                .redirectErrorStream(true)
                .start();
        List<String> lines = other.inputReader().lines().toList();
        assertThat(other.waitFor()).as("%s", lines).isZero();
        assertThat(lines).isEqualTo(digests());
    }

    /// Prints the digests of some seeds, for the process that asks.
    public static void main(String[] arguments) {
        digests().forEach(System.out::println);
    }

    private static List<String> digests() {
        List<String> digests = new ArrayList<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            digests.add(seed + " " + digest(seed));
        }
        return digests;
    }

    @Test
    void clientsAreServedAlthoughEverythingBreaks() {
        for (long seed = 10; seed < 10 + SEEDS; seed++) {
            PlainCast[] cast = new PlainCast[1];
            Verdict verdict = Simulation.run(Swarm.of(seed), world -> cast[0] = new PlainCast(world));
            assertThat(verdict.violation()).as("seed %s", seed).isNull();
            assertThat(cast[0].sent).as("messages sent in seed %s", seed).isPositive();
            assertThat(cast[0].polled).as("messages polled in seed %s", seed).isPositive();
        }
    }

    private static long digest(long seed) {
        return Simulation.run(Swarm.of(seed), PlainCast::new).digest();
    }
}
