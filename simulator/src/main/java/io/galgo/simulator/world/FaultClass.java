package io.galgo.simulator.world;

/// What may go wrong in a run, each drawn on or off by the seed, and switched off one at a time when a failure is
/// shrunk.
public enum FaultClass {
    /// The process dies at any event, also inside one at a disk call that does not wait, also during recovery.
    KILL(0.6),
    /// The machine loses power; what was not synced is lost clean, torn or scattered: bytes, and names whose
    /// directory was not synced.
    POWER_LOSS(0.5),
    /// The process is stopped in good order and started again.
    STOP(0.3),
    /// The process stands still for a while and knows nothing of it.
    PAUSE(0.3),
    /// All disk operations take a hundred times as long for a while.
    SLOW_DISK(0.3),
    /// A sync fails; what it covered is lost to later syncs.
    SYNC_FAILURE(0.2),
    /// A write fails after a part of it.
    WRITE_FAILURE(0.2),
    /// A call that does not wait fails: open, rename, truncate, sync of a directory.
    CALL_FAILURE(0.15),
    /// A read fails and the next one works.
    READ_FAILURE(0.15),
    /// The disk is full for a while.
    NO_SPACE(0.2),
    /// The process has no handle left for a while.
    HANDLE_LIMIT(0.15),
    /// Stored sectors cannot be read until they are written again.
    LATENT_ERROR(0.12),
    /// A stored bit is turned round, or some KiB are garbled.
    BIT_ROT(0.12),
    /// A write goes to another place of its file and is reported as done.
    MISDIRECTED_WRITE(0.06),
    /// A write is reported as done and never happens.
    LOST_WRITE(0.06),
    /// The machine's clock runs too fast or too slow, and starts off by minutes.
    CLOCK_DRIFT(0.5),
    /// The wall clock jumps, either way.
    CLOCK_JUMP(0.3),
    /// Segments on the network are lost and sent again, which delays what is behind them.
    SEGMENT_LOSS(0.5),
    /// A connection carries nothing for a while.
    STALLED_CONNECTION(0.4),
    /// A connection breaks, and its two ends hear of it at different times, or one never does.
    BROKEN_CONNECTION(0.5),
    /// A bit is turned round on the way. Clients and checkers can rely on less in such a run.
    BIT_FLIP(0.03),
    /// Clients leave replies unread for a while.
    SLOW_READER(0.3),
    /// Clients send half frames, garbage, or vanish without a word.
    RUDE_CLIENT(0.3),
    /// The process dies at a [CrashPoint], or the machine loses power there.
    CRASH_POINT(0.35),
    /// Most of the memory is taken for a while.
    MEMORY_SHORTAGE(0.15);

    private final double odds;

    FaultClass(double odds) {
        this.odds = odds;
    }

    /// How likely a run has it.
    double odds() {
        return odds;
    }

    /// Whether it damages stored bytes behind the server's back.
    public boolean isDamage() {
        return switch (this) {
            case LATENT_ERROR, BIT_ROT, MISDIRECTED_WRITE, LOST_WRITE -> true;
            default -> false;
        };
    }
}
