package io.galgo.broker.metadata;

import io.galgo.protocol.BodyReader;
import java.util.Arrays;

/// One topic of the catalog: its name, options and partitions. Read-only outside the catalog.
///
/// Partition ids are dense from 0: new ones follow the highest, and the highest go first.
public final class Topic {
    private static final long[] NONE = {};

    private final int streamId;
    private final int id;
    private final long createdAtMicros;
    private String name;
    private TopicOptions options;
    private int partitionsCount;

    // One entry a partition. The last array stays empty until segments of the topic are deleted.
    private long[] created = NONE;
    private long[] partitionCreatedAtMicros = NONE;
    private long[] truncatedBelow = NONE;

    // The op of the topic's last purge. It concerns the partitions that were there then.
    private long purged;

    Topic(int streamId, int id, long createdAtMicros, String name, TopicOptions options) {
        this.streamId = streamId;
        this.id = id;
        this.createdAtMicros = createdAtMicros;
        this.name = name;
        this.options = options;
    }

    public int streamId() {
        return streamId;
    }

    public int id() {
        return id;
    }

    public long createdAtMicros() {
        return createdAtMicros;
    }

    /// 1..255 bytes of UTF-8.
    public String name() {
        return name;
    }

    public TopicSettings settings() {
        return options.settings();
    }

    TopicOptions options() {
        return options;
    }

    /// Partition ids are `[0, partitionsCount())`.
    public int partitionsCount() {
        return partitionsCount;
    }

    /// The op that created a partition. With stream, topic and partition id it names the partition for ever.
    public long created(int partition) {
        return created[checkPartition(partition)];
    }

    public long partitionCreatedAtMicros(int partition) {
        return partitionCreatedAtMicros[checkPartition(partition)];
    }

    /// The op of the last purge of a partition, 0 when it was never purged.
    public long purgeGeneration(int partition) {
        return purged > created(partition) ? purged : 0;
    }

    /// First offset that deleted segments leave behind: closed segments that end below it may go. 0 when none may.
    public long truncatedBelow(int partition) {
        return checkPartition(partition) < truncatedBelow.length ? truncatedBelow[partition] : 0;
    }

    private int checkPartition(int partition) {
        if (partition < 0 || partition >= partitionsCount) {
            throw new IndexOutOfBoundsException(
                    "partition " + partition + " of " + this + " with " + partitionsCount + " partitions");
        }
        return partition;
    }

    void rename(String newName) {
        name = newName;
    }

    void update(TopicOptions newOptions) {
        options = newOptions;
    }

    void addPartitions(int count, long op, long createdAt) {
        int end = partitionsCount + count;
        if (end > created.length) {
            int capacity = Math.max(end, partitionsCount + (partitionsCount >> 1));
            created = Arrays.copyOf(created, capacity);
            partitionCreatedAtMicros = Arrays.copyOf(partitionCreatedAtMicros, capacity);
        }
        Arrays.fill(created, partitionsCount, end, op);
        Arrays.fill(partitionCreatedAtMicros, partitionsCount, end, createdAt);
        partitionsCount = end;
    }

    void removePartitions(int count) {
        int end = partitionsCount - count;
        if (end < truncatedBelow.length) {
            truncatedBelow = Arrays.copyOf(truncatedBelow, end);
        }
        partitionsCount = end;
    }

    void purge(long op) {
        purged = op;
        truncatedBelow = NONE;
    }

    /// Moves the bound of deleted segments forward, never back.
    void truncate(int partition, long offset) {
        if (Long.compareUnsigned(offset, truncatedBelow(partition)) <= 0) {
            return;
        }
        if (partition >= truncatedBelow.length) {
            truncatedBelow = Arrays.copyOf(truncatedBelow, partition + 1);
        }
        truncatedBelow[partition] = offset;
    }

    /// | size | field |
    /// |---|---|
    /// | 4, 8 | id, creation time |
    /// | | name behind 8 bits of length |
    /// | | options, see [TopicOptions#write] |
    /// | 8 | op of the last purge |
    /// | 4 | runs of partitions made together, then for each, in the order of ids: |
    /// | 4, 8, 8 | how many, the op that made them, the time |
    /// | 4 | bounds of deleted segments, then for each, in the order of ids: |
    /// | 8 | first offset to keep |
    void write(ByteWriter out) {
        out.u32(id).u64(createdAtMicros).name(name);
        options.write(out);
        out.u64(purged);
        int runsAt = out.length();
        out.u32(0);
        int runs = 0;
        int first = 0;
        while (first < partitionsCount) {
            int end = first + 1;
            while (end < partitionsCount && created[end] == created[first]) {
                end++;
            }
            out.u32(end - first).u64(created[first]).u64(partitionCreatedAtMicros[first]);
            runs++;
            first = end;
        }
        out.patchU32(runsAt, runs);
        out.u32(truncatedBelow.length);
        for (long offset : truncatedBelow) {
            out.u64(offset);
        }
    }

    /// Reads what [#write] wrote. Fails the reader on anything else.
    static Topic read(int streamId, BodyReader in) {
        int id = in.u32();
        long createdAtMicros = in.u64();
        String name = in.name();
        Topic topic = new Topic(streamId, id, createdAtMicros, name, TopicOptions.read(in));
        topic.purged = in.u64();
        int runs = in.count(4 + 8 + 8);
        for (int i = 0; i < runs && !in.isFailed(); i++) {
            int count = in.u32();
            long op = in.u64();
            long at = in.u64();
            in.require(count > 0 && count <= StreamTable.PARTITIONS_MAX - topic.partitionsCount);
            if (!in.isFailed()) {
                topic.addPartitions(count, op, at);
            }
        }
        int bounds = in.count(8);
        in.require(bounds <= topic.partitionsCount);
        if (!in.isFailed()) {
            topic.truncatedBelow = new long[bounds];
            for (int i = 0; i < bounds; i++) {
                topic.truncatedBelow[i] = in.u64();
            }
        }
        return topic;
    }

    @Override
    public String toString() {
        return "topic " + streamId + "/" + id + " " + name;
    }
}
