package io.galgo.simulator.world;

/// Everything that belongs to one machine: its disk, its clock and the process on it.
public final class SimulatedMachine {
    private final int id;

    SimulatedMachine(int id) {
        this.id = id;
    }

    /// Counted from 0.
    public int id() {
        return id;
    }
}
