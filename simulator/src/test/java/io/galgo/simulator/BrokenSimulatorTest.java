package io.galgo.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.simulator.world.Cast;
import io.galgo.simulator.world.Observer;
import io.galgo.simulator.world.Phase;
import io.galgo.simulator.world.Swarm;
import io.galgo.simulator.world.Violation;
import io.galgo.simulator.world.World;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/// Whether a fault of the simulator itself is told and never passes for success.
class BrokenSimulatorTest {
    private static final long SEED = 7;

    @Test
    void aBugOfAClientBreaksThePromiseOfItsRun() {
        assertIsTold(world -> new BrokenCast(new IllegalStateException("a client has a bug"), Phase.WARM_UP));
    }

    @Test
    void anErrorOfACheckerBreaksThePromiseOfItsRun() {
        assertIsTold(world -> new BrokenCast(new AssertionError("a checker has a bug"), Phase.HEAL));
    }

    @Test
    void aCastThatCannotBeMadeBreaksThePromiseOfItsRun() {
        assertIsTold(world -> {
            throw new IllegalStateException(
                    "there is no cast in " + world.swarm().seed());
        });
    }

    private static void assertIsTold(Function<World, Cast> casting) {
        Verdict verdict = Simulation.run(Swarm.of(SEED), casting);
        Violation violation = Objects.requireNonNull(verdict.violation(), "a bug passed for success");
        assertThat(violation.promise()).isEqualTo("no bug stops the simulation");
        assertThat(violation).hasMessageContaining("seed " + SEED).cause().isNotNull();
    }

    @Test
    void aCampaignGoesOnBehindABugAndCountsItAsAFailure() throws InterruptedException {
        ArrayDeque<Long> seeds = new ArrayDeque<>(List.of(1L, 2L, 3L));
        Campaign campaign =
                new Campaign(world -> new BrokenCast(new IllegalStateException("a client has a bug"), Phase.WARM_UP));
        campaign.run(() -> seeds.isEmpty() ? -1 : seeds.remove(), 1);
        assertThat(campaign.failures()).hasSize(3);
        assertThat(campaign.tally().runs()).isEqualTo(3);
    }

    @Test
    void aThreadThatCannotGoOnEndsTheCampaignWithItsReason() {
        Campaign campaign = new Campaign(PlainCast::new);
        assertThatThrownBy(() -> campaign.run(
                        () -> {
                            throw new IllegalStateException("there are no seeds");
                        },
                        2))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("there are no seeds");
    }

    @Test
    void aCampaignInWhichNoRunEndedIsNoSuccess() throws InterruptedException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8);
        assertThat(Main.run(out, "--minutes", "1e-12", "--threads", "1")).isEqualTo(1);
        assertThat(text.toString(StandardCharsets.UTF_8))
                .contains("No run ended")
                .doesNotContain("Every promise held");
    }

    /// Fails when it is told of a phase.
    private static final class BrokenCast implements Cast {
        private final Throwable bug;
        private final Phase phase;

        BrokenCast(Throwable bug, Phase phase) {
            this.bug = bug;
            this.phase = phase;
        }

        @Override
        public List<Observer> observers() {
            return List.of();
        }

        @Override
        public void enter(Phase entered) {
            if (entered == phase) {
                switch (bug) {
                    case RuntimeException e -> throw e;
                    case Error e -> throw e;
                    default -> throw new IllegalStateException(bug);
                }
            }
        }

        @Override
        public boolean isAtRest() {
            return true;
        }
    }
}
