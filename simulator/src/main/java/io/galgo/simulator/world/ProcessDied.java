package io.galgo.simulator.world;

/// The process dies in the middle of what it is doing. Unwinds to the event that it was in.
///
/// An error, so that no code that handles failures mistakes it for one.
final class ProcessDied extends Error {
    private static final long serialVersionUID = 1L;

    ProcessDied() {
        super("the simulated process dies here", null, false, false);
    }
}
