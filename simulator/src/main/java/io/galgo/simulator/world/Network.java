package io.galgo.simulator.world;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SplittableRandom;

/// All connections between clients and machines: streams of bytes that arrive in order, cut anyhow, late, or not at
/// all.
final class Network {
    private static final long SWEEP_NANOS = 1_000_000_000L;
    private static final double LOSS_MAX = 0.05;
    private static final long RETRANSMIT_NANOS = 200_000_000L;
    private static final double FLIP_ODDS = 0.0005;

    private final Universe universe;
    private final SplittableRandom random;
    private final Swarm.NetworkSettings settings;
    private final LinkedHashSet<Wire> wires = new LinkedHashSet<>();
    private int wiresMade;
    private boolean isHealed;

    Network(Universe universe) {
        this.universe = universe;
        this.random = universe.random(Concern.NETWORK).split();
        this.settings = universe.swarm().network();
    }

    Universe universe() {
        return universe;
    }

    SplittableRandom random() {
        return random;
    }

    Swarm.NetworkSettings settings() {
        return settings;
    }

    Channel connect(SimulatedMachine machine, Endpoint endpoint) {
        wiresMade++;
        Wire wire = new Wire(this, machine, endpoint, wiresMade);
        wires.add(wire);
        wire.begin();
        return wire;
    }

    void forget(Wire wire) {
        wires.remove(wire);
    }

    int wiresCount() {
        return wires.size();
    }

    /// How long something takes to the other end.
    long delay() {
        long nanos = settings.delayNanosMin() + Universe.exponential(random, settings.delayNanosMean());
        if (mayHappen(FaultClass.SEGMENT_LOSS)) {
            double odds = LOSS_MAX * universe.swarm().strength(FaultClass.SEGMENT_LOSS);
            long again = RETRANSMIT_NANOS;
            for (int i = 0; i < 4 && random.nextDouble() < odds; i++) {
                universe.tally().onFault(FaultClass.SEGMENT_LOSS);
                nanos += again;
                again *= 2;
            }
        }
        return nanos;
    }

    boolean mayHappen(FaultClass fault) {
        return !isHealed && universe.phase() == Phase.SAFETY && universe.swarm().isOn(fault);
    }

    /// May turn a bit of what is on its way round.
    void spoil(byte[] bytes) {
        if (bytes.length > 0 && mayHappen(FaultClass.BIT_FLIP) && random.nextDouble() < FLIP_ODDS) {
            int at = random.nextInt(bytes.length);
            bytes[at] ^= (byte) (1 << random.nextInt(8));
            universe.onFault(FaultClass.BIT_FLIP, "byte " + at + " of " + bytes.length);
        }
    }

    /// Nothing carries anything for a while, or breaks, on one connection.
    void harm(FaultClass fault) {
        if (wires.isEmpty()) {
            return;
        }
        Wire wire = new ArrayList<>(wires).get(random.nextInt(wires.size()));
        if (fault == FaultClass.STALLED_CONNECTION) {
            long nanos = Universe.exponential(random, 2_000_000_000L);
            universe.onFault(fault, "connection " + wire.number() + " for " + nanos / 1_000_000 + " ms");
            wire.stall(nanos, random.nextInt(3));
        } else {
            int ends = random.nextInt(3);
            universe.onFault(fault, "connection " + wire.number() + " " + ends);
            wire.breakDown(ends);
        }
    }

    void heal() {
        isHealed = true;
        for (Wire wire : List.copyOf(wires)) {
            wire.heal();
        }
    }

    /// Looks after the connections of a process now and then, as the real transport does.
    void sweepFrom(SimulatedProcess process) {
        process.post(SWEEP_NANOS, () -> {
            for (Wire wire : List.copyOf(wires)) {
                wire.sweep(process);
            }
            sweepFrom(process);
        });
    }

    void onProcessEnded(SimulatedProcess process, End how) {
        for (Wire wire : List.copyOf(wires)) {
            wire.onProcessEnded(process, how);
        }
    }

    /// The process is about to exit: its connections are closed by the kernel.
    void dropAll(SimulatedProcess process) {
        for (Wire wire : List.copyOf(wires)) {
            wire.drop(process);
        }
    }
}
