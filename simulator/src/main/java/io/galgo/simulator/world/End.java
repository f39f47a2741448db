package io.galgo.simulator.world;

/// How a process ended.
public enum End {
    /// In good order.
    STOP,
    /// At once; what it had written stays.
    KILL,
    /// With the machine; what was not synced may be gone.
    POWER_LOSS
}
