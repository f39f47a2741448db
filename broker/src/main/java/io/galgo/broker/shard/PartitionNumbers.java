package io.galgo.broker.shard;

import io.galgo.broker.metadata.PartitionStatistics;
import io.galgo.broker.metadata.Topic;
import io.galgo.broker.partition.PartitionDirectory;
import io.galgo.broker.table.LongTable;
import org.jspecify.annotations.Nullable;

/// The numbers of partitions as their owners told them, for one reply.
final class PartitionNumbers implements PartitionStatistics {
    /// The numbers of one partition.
    ///
    /// @param key see [PartitionDirectory#key]
    /// @param created the op that created the partition: another one under its ids is another partition
    record Row(long key, long created, int segmentsCount, long currentOffset, long sizeBytes, long messagesCount) {}

    private final LongTable<Row> rows = new LongTable<>();

    void add(Row row) {
        rows.put(row.key(), row);
    }

    @Override
    public int segmentsCount(Topic topic, int partition) {
        Row row = row(topic, partition);
        return row == null ? 1 : row.segmentsCount();
    }

    @Override
    public long currentOffset(Topic topic, int partition) {
        Row row = row(topic, partition);
        return row == null ? 0 : row.currentOffset();
    }

    @Override
    public long sizeBytes(Topic topic, int partition) {
        Row row = row(topic, partition);
        return row == null ? 0 : row.sizeBytes();
    }

    @Override
    public long messagesCount(Topic topic, int partition) {
        Row row = row(topic, partition);
        return row == null ? 0 : row.messagesCount();
    }

    private @Nullable Row row(Topic topic, int partition) {
        Row row = rows.get(PartitionDirectory.key(topic.streamId(), topic.id(), partition));
        return row == null || row.created != topic.created(partition) ? null : row;
    }
}
