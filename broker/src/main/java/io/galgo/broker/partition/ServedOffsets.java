package io.galgo.broker.partition;

import io.galgo.broker.table.LongTable;
import io.galgo.protocol.ClientId;
import org.jspecify.annotations.Nullable;

/// How far one partition has served each consumer group, and whom last. Kept in memory only: after a restart
/// nothing was served.
///
/// At most one entry for each group of the topic.
final class ServedOffsets {
    // What a former owner was served counts no more: only the owner can store the offset of what it was served. If
    // it did count, a partition would wait the whole timeout for one who is gone.

    private static final class Entry {
        ClientId client;
        long offset;

        Entry(ClientId client, long offset) {
            this.client = client;
            this.offset = offset;
        }
    }

    private final LongTable<Entry> entries = new LongTable<>();

    /// Messages up to `offset` were delivered to a member of a group.
    void raise(GroupClaim claim, long offset) {
        Entry entry = entries.get(claim.groupId());
        if (entry == null) {
            entries.put(claim.groupId(), new Entry(claim.client(), offset));
        } else if (!entry.client.equals(claim.client())) {
            entry.client = claim.client();
            entry.offset = offset;
        } else if (offset > entry.offset) {
            entry.offset = offset;
        }
    }

    /// The member that was served last, if that was beyond the offset that the group stored; else null.
    ///
    /// @param stored [ConsumerOffsets#NONE] for none, which is below every offset
    @Nullable GroupClaim servedBeyond(int groupId, long stored) {
        Entry entry = entries.get(groupId);
        return entry != null && stored < entry.offset ? new GroupClaim(groupId, entry.client) : null;
    }

    /// The member that was served last, or null.
    @Nullable GroupClaim last(int groupId) {
        Entry entry = entries.get(groupId);
        return entry == null ? null : new GroupClaim(groupId, entry.client);
    }

    void remove(int groupId) {
        entries.remove(groupId);
    }

    void clear() {
        entries.clear();
    }
}
