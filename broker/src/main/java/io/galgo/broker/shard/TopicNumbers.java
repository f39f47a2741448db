package io.galgo.broker.shard;

import io.galgo.broker.metadata.Topic;
import io.galgo.broker.metadata.TopicStatistics;
import io.galgo.broker.partition.PartitionDirectory;
import io.galgo.broker.table.LongTable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The sums of topics as the owners of their partitions told them, for one reply.
final class TopicNumbers implements TopicStatistics {
    /// What one shard has of one topic.
    ///
    /// @param key see [PartitionDirectory#key]
    /// @param createdAtMicros when the topic was created: another one under its ids is another topic
    record Row(long key, long createdAtMicros, long sizeBytes, long messagesCount) {}

    private final LongTable<Row> rows = new LongTable<>();

    void add(List<Row> more) {
        for (Row row : more) {
            add(row);
        }
    }

    /// A topic that is made anew under its ids while shards answer is another one; of two the later one stays.
    private void add(Row row) {
        Row before = rows.get(row.key);
        if (before == null || before.createdAtMicros < row.createdAtMicros) {
            rows.put(row.key, row);
        } else if (before.createdAtMicros == row.createdAtMicros) {
            rows.put(
                    row.key,
                    new Row(
                            row.key,
                            row.createdAtMicros,
                            before.sizeBytes + row.sizeBytes,
                            before.messagesCount + row.messagesCount));
        }
    }

    @Override
    public long sizeBytes(Topic topic) {
        Row row = row(topic);
        return row == null ? 0 : row.sizeBytes;
    }

    @Override
    public long messagesCount(Topic topic) {
        Row row = row(topic);
        return row == null ? 0 : row.messagesCount;
    }

    private @Nullable Row row(Topic topic) {
        Row row = rows.get(PartitionDirectory.key(topic.streamId(), topic.id(), 0));
        return row == null || row.createdAtMicros != topic.createdAtMicros() ? null : row;
    }
}
