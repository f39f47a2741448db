package io.galgo.broker.partition;

import io.galgo.storage.disk.MemoryDisk;
import io.galgo.storage.log.LogStorage;
import io.galgo.storage.memory.BufferPool;
import io.galgo.storage.memory.MemoryBudget;
import io.galgo.storage.offsets.OffsetsStorage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// A shard with a disk in memory that remembers the answers.
final class TestHost implements PartitionHost, Requester {
    final List<PartitionRequest> answered = new ArrayList<>();
    final List<PollRequest> waiting = new ArrayList<>();
    final List<Runnable> timers = new ArrayList<>();
    final List<String> warnings = new ArrayList<>();
    long nanos = 1;

    /// What an answer leads to.
    Consumer<PartitionRequest> onAnswer = _ -> {};

    /// How much later it is after a warning: an opening that fails warns when it is over.
    long warningNanos;

    final MemoryDisk disk = new MemoryDisk(1);
    private final OffsetsStorage offsets = new OffsetsStorage(disk, 10);
    private final LogStorage logs =
            new LogStorage(disk, new BufferPool(new MemoryBudget(1 << 24)), 10, 1 << 20, 1 << 20);

    @Override
    public OffsetsStorage offsets() {
        return offsets;
    }

    @Override
    public LogStorage logs() {
        return logs;
    }

    @Override
    public long wallMicros() {
        return 1;
    }

    @Override
    public long monotonicNanos() {
        return nanos;
    }

    @Override
    public void after(long delayNanos, Runnable task) {}

    @Override
    public int partitionsCount(int streamId, int topicId) {
        return 1;
    }

    @Override
    public void onAnswered(PartitionRequest request) {
        answered.add(request);
        onAnswer.accept(request);
    }

    @Override
    public boolean isPollable(Target target, GroupClaim claim) {
        return true;
    }

    @Override
    public boolean isAssigned(Target target, GroupClaim claim) {
        return true;
    }

    @Override
    public boolean hasGroup(int streamId, int topicId, int groupId) {
        return true;
    }

    @Override
    public void onGroupOffset(Target target, int groupId) {}

    @Override
    public boolean mayPoll(Target target, PollWait wait) {
        return true;
    }

    @Override
    public Runnable timer(long delayNanos, Runnable task) {
        timers.add(task);
        return () -> timers.remove(task);
    }

    @Override
    public void onWaiting(PollRequest request) {
        waiting.add(request);
    }

    @Override
    public boolean makeRoom(long bytes) {
        return false;
    }

    @Override
    public void discard(String directory) {}

    @Override
    public void info(String line) {}

    @Override
    public void warn(String line) {
        warnings.add(line);
        nanos += warningNanos;
    }
}
