package io.galgo.simulator.world;

import io.galgo.broker.shard.Clock;

/// The clock of one machine, which is not the true time.
///
/// The monotonic time runs at the machine's own rate, begins anywhere when the machine is switched on, and never goes
/// back. The wall clock runs at the same rate, is off, and jumps when somebody sets it.
final class VirtualClock implements Clock {
    private static final long EPOCH_NANOS = 1_700_000_000_000_000_000L;

    private final Schedule schedule;
    private final double rate;
    private long switchedOnAt;
    private long monotonicBase;
    private long wallOffsetNanos;

    /// @param rate seconds of this clock in a true second
    /// @param offsetNanos how far the wall clock is ahead at the beginning
    VirtualClock(Schedule schedule, double rate, long offsetNanos) {
        this.schedule = schedule;
        this.rate = rate;
        this.wallOffsetNanos = offsetNanos;
    }

    @Override
    public long wallMicros() {
        return (EPOCH_NANOS + wallOffsetNanos + (long) (schedule.nowNanos() * rate)) / 1000;
    }

    @Override
    public long monotonicNanos() {
        return monotonicBase + (long) ((schedule.nowNanos() - switchedOnAt) * rate);
    }

    /// How long it truly takes until so much has passed on this clock.
    long trueNanos(long ownNanos) {
        return (long) Math.ceil(ownNanos / rate) + 1;
    }

    void jump(long byNanos) {
        wallOffsetNanos += byNanos;
    }

    void switchOn(long base) {
        switchedOnAt = schedule.nowNanos();
        monotonicBase = base;
    }
}
