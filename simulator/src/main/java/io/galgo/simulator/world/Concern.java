package io.galgo.simulator.world;

/// What draws from a stream of chance of its own, so that more draws of one leave the others as they were.
public enum Concern {
    /// The order of events of the same moment, wake-ups, how long passwords take.
    SCHEDULE,
    /// Delays, losses and cuts of connections.
    NETWORK,
    /// Times of disk operations and what a crash leaves.
    DISK,
    /// When something breaks, and what.
    FAULTS,
    /// What the server draws itself.
    ENTROPY,
    /// What is asked of the server.
    WORKLOAD,
    /// How clients behave.
    CLIENTS,
    /// What checkers look at.
    CHECKS
}
