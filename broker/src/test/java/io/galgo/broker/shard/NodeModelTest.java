package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.model.Driver;
import io.galgo.model.Subject.End;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Random commands of many clients against a node in memory and the model of the specification, with restarts and
/// deaths in between.
///
/// One seed again: `-Dtest=NodeModelTest -Dgalgo.model.seed=17`. A long search: `-Dgalgo.model.seeds=2000`.
class NodeModelTest {
    private static final int SEEDS = Integer.getInteger("galgo.model.seeds", 15);
    private static final @Nullable Long SEED = Long.getLong("galgo.model.seed");
    private static final int STEPS = Integer.getInteger("galgo.model.steps", 250);
    private static final boolean IS_SHORTENED = !Boolean.getBoolean("galgo.model.whole");

    private final Map<String, Integer> successes = new TreeMap<>();
    private final Map<String, Integer> outcomes = new TreeMap<>();

    @Test
    void aNodeThatIsStoppedOrKilledDoesWhatTheModelDoes() {
        search(seed -> new Driver.Plan(seed, STEPS, false, List.of(End.STOP, End.KILL, End.KILL), 30, Set.of()));
    }

    @Test
    void aNodeThatLosesItsPowerKeepsWhatIsPersisted() {
        search(seed -> new Driver.Plan(seed, STEPS, true, List.of(End.POWER_LOSS, End.KILL), 25, Set.of()));
    }

    @Test
    void aNodeThatLivesOnDoesWhatTheModelDoes() {
        search(seed -> new Driver.Plan(seed, 2 * STEPS, false, List.of(), Integer.MAX_VALUE, Set.of()));
    }

    private interface Planning {
        Driver.Plan plan(long seed);
    }

    private void search(Planning planning) {
        long first = SEED == null ? 1 : SEED;
        long last = SEED == null ? SEEDS : SEED;
        for (long seed = first; seed <= last; seed++) {
            Driver.Plan plan = planning.plan(seed);
            Driver.Failed failed = attempt(plan);
            if (failed != null) {
                throw IS_SHORTENED ? Driver.shortest(failed, plan, this::attempt) : failed;
            }
        }
        if (SEED == null && SEEDS >= 10) {
            assertThat(outcomes.size())
                    .as("different outcomes, so that the search is not empty: %s of %s", outcomes, successes)
                    .isGreaterThan(15);
        }
    }

    private Driver.@Nullable Failed attempt(Driver.Plan plan) {
        NodeSubject subject = new NodeSubject(plan.seed());
        Driver driver = new Driver(subject, plan);
        try {
            driver.run();
            subject.assertNothingIsHeld();
            driver.successes().forEach((command, count) -> successes.merge(command.label(), count, Integer::sum));
            driver.outcomes().forEach((outcome, count) -> outcomes.merge(outcome, count, Integer::sum));
            return null;
        } catch (Driver.Failed e) {
            return e;
        }
    }
}
