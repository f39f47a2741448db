package io.galgo.simulator;

import io.galgo.simulator.world.FaultClass;
import io.galgo.simulator.world.Swarm;
import io.galgo.simulator.world.Violation;
import java.util.EnumSet;
import java.util.function.Function;

/// Makes a failure smaller: fewer events, fewer kinds of faults, fewer clients, and still the same broken promise.
final class Shrinker {
    private static final int RUNS_MAX = 60;

    private final Function<Swarm, Verdict> runs;
    private final String promise;
    private Verdict smallest;
    private int runsMade;

    private Shrinker(Function<Swarm, Verdict> runs, Verdict failed, Violation violation) {
        this.runs = runs;
        this.promise = violation.promise();
        this.smallest = failed;
    }

    /// @param runs carries out a run
    /// @param failed whose violation is kept
    /// @return the smallest run that was found to break the same promise, perhaps the same one
    static Verdict shrink(Function<Swarm, Verdict> runs, Verdict failed) {
        Violation violation = failed.violation();
        return violation == null ? failed : new Shrinker(runs, failed, violation).shrink();
    }

    private Verdict shrink() {
        // What is left off may make the run longer or shorter, so the events come last: they are cut where it fails.
        leaveFaultsOff();
        takeClientsAway();
        cutOff();
        return smallest;
    }

    /// First all but one half, then one at a time.
    private void leaveFaultsOff() {
        EnumSet<FaultClass> all = EnumSet.noneOf(FaultClass.class);
        all.addAll(smallest.swarm().faults());
        if (!all.isEmpty()) {
            accept(smallest.swarm().without(all));
        }
        boolean isSmaller = true;
        while (isSmaller && runsMade < RUNS_MAX) {
            isSmaller = false;
            for (FaultClass fault : smallest.swarm().faults()) {
                isSmaller |= accept(smallest.swarm().without(EnumSet.of(fault)));
            }
        }
    }

    private void takeClientsAway() {
        int least = 1;
        while (least < smallest.swarm().clients() && runsMade < RUNS_MAX) {
            int fewer = (least + smallest.swarm().clients()) / 2;
            if (!accept(smallest.swarm().withClients(fewer))) {
                least = fewer + 1;
            }
        }
    }

    /// A run that is cut off right behind its failure is the same run.
    private void cutOff() {
        accept(smallest.swarm().withEventsMax(smallest.events() + 1));
    }

    private boolean accept(Swarm swarm) {
        if (runsMade >= RUNS_MAX) {
            return false;
        }
        runsMade++;
        Verdict verdict = runs.apply(swarm);
        Violation violation = verdict.violation();
        boolean isSame = violation != null && violation.promise().equals(promise);
        if (isSame) {
            smallest = verdict;
        }
        return isSame;
    }
}
