package io.galgo.broker.metadata;

import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.Options;
import io.galgo.protocol.TypedValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Options of a topic, and what they should come to, told by hand.
///
/// @param createError what a creation says, null for nothing wrong
/// @param created what a creation stores as explicit
/// @param segmentBytes the segment size of the topic
/// @param updateError what an update of any topic says
/// @param updateBytes the topic size that an update gives, 0 for none
record OptionCase(
        Options options,
        @Nullable ErrorCode createError,
        Map<String, TypedValue> created,
        long segmentBytes,
        @Nullable ErrorCode updateError,
        long updateBytes) {
    private static final long MIB = 1_048_576;
    private static final long GIB = 1_073_741_824;

    static final List<OptionCase> CASES = List.of(
            new OptionCase(Options.NONE, null, Map.of(), GIB, null, 0),
            new OptionCase(
                    options("message_expiry", TypedValue.string("1h")),
                    null,
                    Map.of("message_expiry", TypedValue.uint64(3_600_000_000L)),
                    GIB,
                    null,
                    0),
            new OptionCase(
                    options("message_expiry", TypedValue.uint64(0), "compression_algorithm", TypedValue.uint8(2)),
                    null,
                    Map.of("compression_algorithm", TypedValue.string("gzip")),
                    GIB,
                    null,
                    0),
            new OptionCase(
                    options("max_topic_size", TypedValue.string("1 GiB")),
                    null,
                    Map.of("max_topic_size", TypedValue.uint64(GIB)),
                    GIB,
                    null,
                    GIB),
            new OptionCase(
                    options("max_topic_size", TypedValue.uint64(MIB)),
                    ErrorCode.INVALID_TOPIC_SIZE,
                    Map.of(),
                    GIB,
                    null,
                    MIB),
            new OptionCase(
                    options("segment_size", TypedValue.string("1 MiB"), "enforce_fsync", TypedValue.bool(true)),
                    null,
                    Map.of("segment_size", TypedValue.uint64(MIB), "durability", TypedValue.string("persisted")),
                    MIB,
                    ErrorCode.UNSUPPORTED_OPTION_KEY,
                    0),
            new OptionCase(
                    options("durability", TypedValue.string("PERSISTED"), "segment_size", TypedValue.uint64(0)),
                    null,
                    Map.of("durability", TypedValue.string("persisted")),
                    GIB,
                    ErrorCode.UNSUPPORTED_OPTION_KEY,
                    0),
            new OptionCase(
                    options("message_expiry", TypedValue.string("soon")),
                    ErrorCode.INVALID_OPTION_VALUE,
                    Map.of(),
                    GIB,
                    ErrorCode.INVALID_OPTION_VALUE,
                    0),
            new OptionCase(
                    options("nonsense", TypedValue.bool(true)),
                    ErrorCode.UNSUPPORTED_OPTION_KEY,
                    Map.of(),
                    GIB,
                    ErrorCode.UNSUPPORTED_OPTION_KEY,
                    0));

    /// What an update stores as explicit: the values as they were sent.
    Map<String, TypedValue> updated() {
        Map<String, TypedValue> sent = new TreeMap<>();
        options.entries().forEach(entry -> sent.put(entry.key(), entry.value()));
        return sent;
    }

    private static Options options(Object... keysAndValues) {
        List<Options.Entry> entries = new ArrayList<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            entries.add(new Options.Entry(
                    (String) keysAndValues[i], (TypedValue) Objects.requireNonNull(keysAndValues[i + 1])));
        }
        return new Options(entries);
    }
}
