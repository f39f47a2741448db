package io.galgo.broker.partition;

import io.galgo.broker.table.LongTable;

/// How far one partition has served each consumer group. Kept in memory only: after a restart nothing was served.
///
/// At most one entry for each group of the topic.
final class ServedOffsets {
    private final LongTable<long[]> offsets = new LongTable<>();

    /// Messages up to `offset` were delivered to a member of a group.
    void raise(int groupId, long offset) {
        long[] served = offsets.get(groupId);
        if (served == null) {
            offsets.put(groupId, new long[] {offset});
        } else if (offset > served[0]) {
            served[0] = offset;
        }
    }

    /// Whether a group was served beyond the offset that it stored.
    ///
    /// @param stored [ConsumerOffsets#NONE] for none, which is below every offset
    boolean isBeyond(int groupId, long stored) {
        long[] served = offsets.get(groupId);
        return served != null && stored < served[0];
    }

    void remove(int groupId) {
        offsets.remove(groupId);
    }

    void clear() {
        offsets.clear();
    }
}
