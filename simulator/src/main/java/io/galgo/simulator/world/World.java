package io.galgo.simulator.world;

import java.util.List;
import java.util.SplittableRandom;

/// Virtual time, chance and the network, as clients and checkers see them.
///
/// Everything happens on one thread, one event after the other. Whoever draws from [#random] only, and iterates in
/// a promised order only, does the same again in the next run of the seed.
public interface World {
    /// The true time of the simulation, from 0. Machines have clocks of their own, which differ.
    long nowNanos();

    /// Runs `event` after so long. Which of two events of the same moment comes first is up to the seed.
    void after(long nanos, Runnable event);

    /// The stream of chance of one concern. What one draws changes nothing for the others.
    SplittableRandom random(Concern concern);

    /// Begins to connect to a node. The endpoint hears later whether that worked, never from inside this call.
    Channel connect(Endpoint endpoint);

    /// Notes a line in the trace, the end of which is printed with a failure. Is part of the digest.
    void say(String line);

    Marks marks();

    Tally tally();

    /// What the seed drew for this run.
    Swarm swarm();

    Phase phase();

    List<SimulatedMachine> machines();
}
