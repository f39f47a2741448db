package io.galgo.simulator.world;

/// A fault that the world injected into a disk and what it may excuse.
///
/// Damage in a region excuses that the region cannot be read: an error, or a jump where recovery had to leave it
/// out. It never excuses that other bytes are served in its place.
///
/// @param machine whose disk it is
/// @param fault what was done
/// @param path of the file at that moment
/// @param position the first byte concerned
/// @param bytes how many; 0 for an operation that failed without changing anything
/// @param atNanos when
public record DamageRecord(
        SimulatedMachine machine, FaultClass fault, String path, long position, long bytes, long atNanos) {}
