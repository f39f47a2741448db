package io.galgo.torture.wire;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A topic as `get_topic` tells it.
///
/// @param explicit the options that the creating client set, in the order of the reply
/// @param derived the others
/// @param partitions empty where only topic headers are listed
public record TopicDescription(
        long id,
        long createdAt,
        long partitionsCount,
        long messageExpiry,
        int compression,
        long maxTopicSize,
        long sizeBytes,
        long messagesCount,
        String name,
        Map<String, OptionValue> explicit,
        Map<String, OptionValue> derived,
        List<PartitionDescription> partitions) {

    /// An option's value with its kind.
    @SuppressWarnings("ArrayRecordComponent") // The bytes are looked at; records are never compared.
    public record OptionValue(int kind, byte[] bytes) {
        public String text() {
            return new String(bytes, StandardCharsets.UTF_8);
        }

        public long number() {
            long value = 0;
            for (int i = bytes.length - 1; i >= 0; i--) {
                value = (value << 8) | (bytes[i] & 0xFF);
            }
            return value;
        }
    }

    public record PartitionDescription(
            long id, long createdAt, long segmentsCount, long currentOffset, long sizeBytes, long messagesCount) {}

    public OptionValue explicit(String key) {
        return given(explicit, key);
    }

    public OptionValue derived(String key) {
        return given(derived, key);
    }

    private static OptionValue given(Map<String, OptionValue> options, String key) {
        OptionValue value = options.get(key);
        if (value == null) {
            throw new AssertionError("there is no " + key + " among the options " + options.keySet());
        }
        return value;
    }

    static TopicDescription readHeader(Fields fields) {
        return new TopicDescription(
                fields.u32(),
                fields.u64(),
                fields.u32(),
                fields.u64(),
                fields.u8(),
                fields.u64(),
                fields.u64(),
                fields.u64(),
                fields.name(),
                options(fields.raw(fields.u32())),
                options(fields.raw(fields.u32())),
                List.of());
    }

    static TopicDescription readWithPartitions(Fields fields) {
        TopicDescription topic = readHeader(fields);
        List<PartitionDescription> partitions = new ArrayList<>();
        for (long i = 0; i < topic.partitionsCount; i++) {
            partitions.add(new PartitionDescription(
                    fields.u32(), fields.u64(), fields.u32(), fields.u64(), fields.u64(), fields.u64()));
        }
        fields.mustEnd();
        return new TopicDescription(
                topic.id,
                topic.createdAt,
                topic.partitionsCount,
                topic.messageExpiry,
                topic.compression,
                topic.maxTopicSize,
                topic.sizeBytes,
                topic.messagesCount,
                topic.name,
                topic.explicit,
                topic.derived,
                partitions);
    }

    private static Map<String, OptionValue> options(byte[] block) {
        Map<String, OptionValue> options = new LinkedHashMap<>();
        Fields fields = new Fields(block);
        while (fields.hasMore()) {
            int keyKind = fields.u8();
            String key = new String(fields.raw(fields.u32()), StandardCharsets.UTF_8);
            if (keyKind != 2) {
                throw new AssertionError("the key " + key + " of an options block has kind " + keyKind);
            }
            options.put(key, new OptionValue(fields.u8(), fields.raw(fields.u32())));
        }
        return options;
    }
}
