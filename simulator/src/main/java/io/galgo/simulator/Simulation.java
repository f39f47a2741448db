package io.galgo.simulator;

import io.galgo.simulator.world.Cast;
import io.galgo.simulator.world.Concern;
import io.galgo.simulator.world.End;
import io.galgo.simulator.world.FaultClass;
import io.galgo.simulator.world.Phase;
import io.galgo.simulator.world.Swarm;
import io.galgo.simulator.world.Universe;
import io.galgo.simulator.world.Violation;
import io.galgo.simulator.world.World;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/// One run: a node, its clients and its checkers, from the first start to the last stop.
public final class Simulation {
    // Warm-up, then everything that the run has drawn goes wrong, then nothing does any more: the node comes up,
    // clients finish and read what there is, the whole is compared, and compared again after a restart. At the end
    // the node is stopped and may hold nothing any more.

    private static final long SECOND = 1_000_000_000L;
    private static final long WARM_UP_NANOS = SECOND;
    private static final long HEAL_NANOS = SECOND;
    private static final long REST_NANOS_MAX = 180 * SECOND;
    private static final long UP_NANOS_MAX = 30 * SECOND;

    private final Universe universe;
    private final Cast cast;
    private final SplittableRandom random;

    private Simulation(Universe universe, Function<World, Cast> casting) {
        this.universe = universe;
        this.random = universe.random(Concern.FAULTS).split();
        this.cast = casting.apply(universe);
    }

    /// Carries out the run that a seed has drawn. Whatever goes wrong in it, the simulation itself included, is in
    /// the verdict and not thrown.
    ///
    /// @param casting makes clients and checkers for the world of this run
    public static Verdict run(Swarm swarm, Function<World, Cast> casting) {
        Universe universe = new Universe(swarm);
        Violation broken = null;
        try {
            new Simulation(universe, casting).play();
        } catch (Violation violation) {
            broken = violation;
        } catch (CutOff _) {
            universe.tally().count("runs cut off", 1);
        } catch (RuntimeException | Error bug) {
            broken = bugOf(swarm, bug);
        }
        try {
            universe.restart(End.KILL, false);
        } catch (RuntimeException | Error bug) {
            // What came first explains more.
            if (broken == null) {
                broken = bug instanceof Violation violation ? violation : bugOf(swarm, bug);
            }
        }
        universe.tally().onRunEnd(universe.nowNanos());
        return new Verdict(
                universe.swarm(),
                broken,
                universe.digestValue(),
                universe.eventsRan(),
                universe.tally(),
                universe.marks(),
                universe.trace());
    }

    /// A checker, a client or the world itself failed: what the run was to show is unknown, and that is no success.
    private static Violation bugOf(Swarm swarm, Throwable bug) {
        return new Violation("no bug stops the simulation", bug + " in seed " + swarm.seed(), bug);
    }

    private void play() {
        universe.begin(cast.observers());
        stepUntil(universe::isUp, UP_NANOS_MAX, "a node starts");
        enter(Phase.WARM_UP);
        stepFor(WARM_UP_NANOS);
        enter(Phase.SAFETY);
        stepFor(universe.swarm().safetyNanos());
        enter(Phase.HEAL);
        stepUntil(() -> universe.isUp() || universe.isHopeless(), UP_NANOS_MAX, "a healed node starts");
        if (endIfHopeless()) {
            return;
        }
        stepFor(HEAL_NANOS);
        rest(Phase.QUIESCE);
        rest(Phase.AUDIT);
        universe.tellQuiescence();
        End end = drawEnd();
        universe.restart(end, true);
        stepUntil(universe::isDown, UP_NANOS_MAX, "a node ends");
        stepUntil(() -> universe.isUp() || universe.isHopeless(), UP_NANOS_MAX, "a node starts again");
        if (endIfHopeless()) {
            return;
        }
        rest(Phase.AUDIT);
        universe.tellQuiescence();
        universe.restart(End.STOP, false);
        stepUntil(universe::isDown, UP_NANOS_MAX, "a node stops");
        universe.tally().count("runs compared to the end", 1);
    }

    private End drawEnd() {
        boolean mayLosePower = universe.swarm().isOn(FaultClass.POWER_LOSS);
        End end = switch (random.nextInt(3)) {
            case 0 -> End.STOP;
            case 1 -> End.KILL;
            default -> End.POWER_LOSS;
        };
        return end == End.POWER_LOSS && !mayLosePower ? End.KILL : end;
    }

    private boolean endIfHopeless() {
        if (universe.isHopeless()) {
            universe.tally().count("runs ended by damage to metadata", 1);
            return true;
        }
        return false;
    }

    private void enter(Phase phase) {
        universe.enter(phase);
        cast.enter(phase);
    }

    private void rest(Phase phase) {
        enter(phase);
        stepUntil(cast::isAtRest, REST_NANOS_MAX, "clients come to rest in phase " + phase, cast::toString);
    }

    private void stepFor(long nanos) {
        long end = universe.nowNanos() + nanos;
        // An event of its own, so that time passes exactly so far.
        boolean[] isOver = {false};
        universe.after(end - universe.nowNanos(), () -> isOver[0] = true);
        while (!isOver[0]) {
            step();
        }
    }

    private void stepUntil(BooleanSupplier isReached, long nanosMax, String promise) {
        stepUntil(isReached, nanosMax, promise, () -> "");
    }

    private void stepUntil(BooleanSupplier isReached, long nanosMax, String promise, Supplier<String> who) {
        long limit = universe.nowNanos() + nanosMax;
        while (!isReached.getAsBoolean()) {
            if (universe.nowNanos() > limit) {
                throw new Violation(promise, "not within " + nanosMax / SECOND + " s " + who.get());
            }
            step();
        }
    }

    private void step() {
        if (universe.eventsRan() >= universe.swarm().eventsMax()) {
            if (universe.swarm().eventsMax() == Swarm.EVENTS_MAX) {
                throw new Violation("a run ends", universe.eventsRan() + " events are not enough");
            }
            throw new CutOff();
        }
        universe.step();
    }

    /// The run was to end here.
    private static final class CutOff extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
