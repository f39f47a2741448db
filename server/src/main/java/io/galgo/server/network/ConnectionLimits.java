package io.galgo.server.network;

/// What one connection may cost the others.
///
/// @param frameBytesMax of one frame (`message_bus.max_message_size`)
/// @param memoryWaitNanos how long a frame waits for memory before it is refused with 58 (spec semantics 20)
/// @param stallNanos how long a connection may stop inside a frame, or leave its replies unread, before it is
///     closed
/// @param closeGraceNanos how long a closing connection may take (`message_bus.close_peer_timeout`)
public record ConnectionLimits(int frameBytesMax, long memoryWaitNanos, long stallNanos, long closeGraceNanos) {
    private static final long MEMORY_WAIT_NANOS = 5_000_000_000L;
    private static final long STALL_NANOS = 30_000_000_000L;

    /// Those that have no setting are ours.
    public static ConnectionLimits of(int frameBytesMax, long closeGraceNanos) {
        return new ConnectionLimits(frameBytesMax, MEMORY_WAIT_NANOS, STALL_NANOS, closeGraceNanos);
    }
}
