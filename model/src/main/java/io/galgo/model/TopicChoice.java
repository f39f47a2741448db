package io.galgo.model;

import io.galgo.protocol.Options;
import io.galgo.protocol.TypedValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What a client may ask a topic to be, and what becomes of it (spec semantics 4.2 to 4.5).
///
/// @param options as sent
/// @param created the error on creation, 0 for none
/// @param updated the error on update, 0 for none
/// @param explicit what is stored of it on creation
record TopicChoice(Options options, int created, int updated, Map<String, TypedValue> explicit) {
    static final int SEGMENT_BYTES = 1 << 20;
    static final long EXPIRY_MICROS = 20_000_000;

    static final TopicChoice NOTHING = choice(0, 0, Map.of());
    static final TopicChoice PERSISTED = choice(
            0,
            4041,
            Map.of("durability", text("persisted"), "consumer_offset_durability", text("persisted")),
            entry("durability", text("Persisted")),
            entry("consumer_offset_durability", text("persisted")),
            entry("segment_size", TypedValue.uint64(0)));
    static final TopicChoice PERSISTED_SMALL = choice(
            0,
            4041,
            Map.of(
                    "durability",
                    text("persisted"),
                    "consumer_offset_durability",
                    text("persisted"),
                    "segment_size",
                    TypedValue.uint64(SEGMENT_BYTES)),
            entry("consumer_offset_durability", text("PERSISTED")),
            entry("segment_size", text("1 MiB")),
            entry("enforce_fsync", TypedValue.bool(true)));
    static final TopicChoice SMALL = choice(
            0,
            4041,
            Map.of("segment_size", TypedValue.uint64(SEGMENT_BYTES), "messages_required_to_save", TypedValue.uint32(1)),
            entry("segment_size", TypedValue.uint64(SEGMENT_BYTES)),
            entry("messages_required_to_save", text("1")));
    static final TopicChoice EXPIRING = choice(
            0,
            4041,
            Map.of(
                    "segment_size",
                    TypedValue.uint64(SEGMENT_BYTES),
                    "message_expiry",
                    TypedValue.uint64(EXPIRY_MICROS)),
            entry("segment_size", TypedValue.uint64(SEGMENT_BYTES)),
            entry("message_expiry", text("20s")));

    /// Choices that hold on power loss.
    static final List<TopicChoice> DURABLE = List.of(PERSISTED, PERSISTED_SMALL);

    static final List<TopicChoice> ALL = List.of(
            NOTHING,
            NOTHING,
            SMALL,
            SMALL,
            PERSISTED,
            PERSISTED_SMALL,
            EXPIRING,
            choice(0, 0, Map.of("compression_algorithm", text("gzip")), entry("compression_algorithm", text("GZIP"))),
            choice(
                    0,
                    0,
                    Map.of("max_topic_size", TypedValue.uint64(2L << 30)),
                    entry("max_topic_size", TypedValue.uint64(2L << 30))),
            choice(1019, 1019, Map.of(), entry("max_topic_size", TypedValue.uint64(10_240))),
            choice(4041, 4041, Map.of(), entry("replication_factor", TypedValue.uint32(3))),
            choice(4042, 4041, Map.of(), entry("durability", text("fast"))),
            choice(4042, 4041, Map.of(), entry("segment_size", TypedValue.uint64(1024))),
            choice(4042, 4042, Map.of(), entry("message_expiry", TypedValue.bool(true))));

    /// The nine keys and their values when nobody gave one.
    static final Map<String, TypedValue> DEFAULTS = defaults();

    private static Map<String, TypedValue> defaults() {
        Map<String, TypedValue> defaults = new LinkedHashMap<>();
        defaults.put("compression_algorithm", text("none"));
        defaults.put("message_expiry", TypedValue.uint64(-1));
        defaults.put("max_topic_size", TypedValue.uint64(-1));
        defaults.put("segment_size", TypedValue.uint64(1 << 30));
        defaults.put("durability", text("replicated"));
        defaults.put("consumer_offset_durability", text("replicated"));
        defaults.put("messages_required_to_save", TypedValue.uint32(1024));
        defaults.put("size_of_messages_required_to_save", TypedValue.uint64(1 << 20));
        defaults.put("preallocate_segments", TypedValue.bool(false));
        return defaults;
    }

    private static TypedValue text(String text) {
        return TypedValue.string(text);
    }

    private static Options.Entry entry(String key, TypedValue value) {
        return new Options.Entry(key, value);
    }

    private static TopicChoice choice(
            int created, int updated, Map<String, TypedValue> explicit, Options.Entry... entries) {
        return new TopicChoice(new Options(List.of(entries)), created, updated, new TreeMap<>(explicit));
    }

    /// The choice whose options these are.
    static TopicChoice of(Options options) {
        for (TopicChoice choice : ALL) {
            if (choice.options.equals(options)) {
                return choice;
            }
        }
        throw new IllegalArgumentException("the model does not know the options " + options);
    }

    /// What an update stores: the values in the kind that was sent.
    void update(Map<String, TypedValue> stored) {
        for (Options.Entry entry : options.entries()) {
            stored.put(entry.key(), entry.value());
        }
    }

    /// Keys and values as replies list them.
    static Options listed(Map<String, TypedValue> values) {
        List<Options.Entry> entries = new ArrayList<>();
        new TreeMap<>(values).forEach((key, value) -> entries.add(entry(key, value)));
        return new Options(entries);
    }
}
