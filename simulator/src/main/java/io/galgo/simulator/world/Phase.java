package io.galgo.simulator.world;

/// The parts of a run, in order.
public enum Phase {
    /// Nothing breaks; clients make what they work with.
    WARM_UP,
    /// Everything breaks that the run has drawn.
    SAFETY,
    /// Nothing breaks any more, the node is up, clients go on.
    HEAL,
    /// Clients finish what they have begun and start nothing.
    QUIESCE,
    /// What can be read through the protocol is read. Happens again after a restart.
    AUDIT
}
