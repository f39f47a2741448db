package io.galgo.broker.metadata;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.Identifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// One topic of the catalog: its name, options, partitions and consumer groups. Read-only outside the catalog.
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

    private final TreeMap<Integer, ConsumerGroup> groups = new TreeMap<>(Integer::compareUnsigned);
    private final Map<String, ConsumerGroup> groupsByName = new HashMap<>();
    private int nextGroupId;

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

    /// The op at which the offsets of a partition began at 0: its creation or its last purge.
    public long begun(int partition) {
        return Math.max(created(partition), purged);
    }

    /// First offset that deleted segments leave behind: closed segments that end below it may go. 0 when none may.
    public long truncatedBelow(int partition) {
        return checkPartition(partition) < truncatedBelow.length ? truncatedBelow[partition] : 0;
    }

    /// The consumer group with an id, or null.
    public @Nullable ConsumerGroup group(int groupId) {
        return groups.get(groupId);
    }

    public @Nullable ConsumerGroup group(Identifier identifier) {
        return switch (identifier) {
            case Identifier.Numeric numeric -> groups.get(numeric.id());
            case Identifier.Named named -> groupsByName.get(named.name());
        };
    }

    /// The consumer groups in the order of their ids.
    public Collection<ConsumerGroup> groups() {
        return Collections.unmodifiableCollection(groups.values());
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
        dealPartitionsAnew();
    }

    void removePartitions(int count) {
        int end = partitionsCount - count;
        if (end < truncatedBelow.length) {
            truncatedBelow = Arrays.copyOf(truncatedBelow, end);
        }
        partitionsCount = end;
        dealPartitionsAnew();
    }

    private void dealPartitionsAnew() {
        for (ConsumerGroup group : groups.values()) {
            group.onPartitionsCount(partitionsCount);
        }
    }

    boolean hasGroupNamed(String groupName) {
        return groupsByName.containsKey(groupName);
    }

    /// Ids of groups count up and are never given twice, so that no group finds the offsets of another.
    ConsumerGroup createGroup(String groupName) {
        ConsumerGroup group = new ConsumerGroup(streamId, id, nextGroupId, groupName, partitionsCount);
        nextGroupId++;
        add(group);
        return group;
    }

    void remove(ConsumerGroup group) {
        groups.remove(group.id());
        groupsByName.remove(group.name());
    }

    private void add(ConsumerGroup group) {
        groups.put(group.id(), group);
        groupsByName.put(group.name(), group);
    }

    void purge(long op) {
        purged = op;
        truncatedBelow = NONE;
    }

    /// Moves the bound of deleted segments forward, never back.
    ///
    /// @return false when it is there already
    boolean truncate(int partition, long offset) {
        if (Long.compareUnsigned(offset, truncatedBelow(partition)) <= 0) {
            return false;
        }
        if (partition >= truncatedBelow.length) {
            truncatedBelow = Arrays.copyOf(truncatedBelow, partition + 1);
        }
        truncatedBelow[partition] = offset;
        return true;
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
    /// | 4 | the next group id |
    /// | 4 | groups, then each, in the order of ids, see [ConsumerGroup#write] |
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
        out.u32(nextGroupId);
        out.u32(groups.size());
        for (ConsumerGroup group : groups.values()) {
            group.write(out);
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
        topic.readGroups(in);
        return topic;
    }

    private void readGroups(BodyReader in) {
        nextGroupId = in.u32();
        int count = in.count(4 + 2 + 8 + 4);
        int lastId = -1;
        for (int i = 0; i < count && !in.isFailed(); i++) {
            ConsumerGroup group = ConsumerGroup.read(this, in);
            in.require((i == 0 || Integer.compareUnsigned(group.id(), lastId) > 0)
                    && Integer.compareUnsigned(group.id(), nextGroupId) < 0
                    && !hasGroupNamed(group.name()));
            lastId = group.id();
            if (!in.isFailed()) {
                add(group);
            }
        }
    }

    @Override
    public String toString() {
        return "topic " + streamId + "/" + id + " " + name;
    }
}
