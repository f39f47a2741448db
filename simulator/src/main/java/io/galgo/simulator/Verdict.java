package io.galgo.simulator;

import io.galgo.simulator.world.Marks;
import io.galgo.simulator.world.Swarm;
import io.galgo.simulator.world.Tally;
import io.galgo.simulator.world.Violation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What came of one run.
///
/// @param violation the promise that was broken, or null
/// @param digest of everything that happened, in order
/// @param events that ran
/// @param trace the last lines of what happened
public record Verdict(
        Swarm swarm,
        @Nullable Violation violation,
        long digest,
        long events,
        Tally tally,
        Marks marks,
        List<String> trace) {}
