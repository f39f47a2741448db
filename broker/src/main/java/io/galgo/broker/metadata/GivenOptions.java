package io.galgo.broker.metadata;

import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.Options;
import io.galgo.protocol.TypedValue;
import org.jspecify.annotations.Nullable;

/// The topic options of one request, understood: which keys were given, their values, and the first thing that is
/// wrong with them (spec semantics 4.4, 4.5).
final class GivenOptions {
    /// An older key for the durability of a topic.
    private static final String ENFORCE_FSYNC = "enforce_fsync";

    private static final int PARTITIONS_MAX = 1_000;
    private static final long PREALLOCATED_BYTES_MAX = 68_719_476_736L;

    private final @Nullable TypedValue[] given = new @Nullable TypedValue[TopicOption.COUNT];
    private final @Nullable TypedValue[] canonical = new @Nullable TypedValue[TopicOption.COUNT];
    private @Nullable ErrorCode error;

    private GivenOptions() {}

    static GivenOptions ofCreate(Options options) {
        GivenOptions parsed = new GivenOptions();
        TypedValue alias = null;
        for (Options.Entry entry : options.entries()) {
            if (entry.key().equals(ENFORCE_FSYNC)) {
                TypedValue enforced = TopicOption.bool(entry.value());
                if (enforced == null) {
                    parsed.fail(ErrorCode.INVALID_OPTION_VALUE);
                } else {
                    alias = TypedValue.string(enforced.number() == 1 ? "persisted" : "replicated");
                }
            } else {
                parsed.take(entry, false);
            }
        }
        if (alias != null && parsed.canonical[TopicOption.DURABILITY.index()] == null) {
            parsed.canonical[TopicOption.DURABILITY.index()] = alias;
        }
        return parsed;
    }

    static GivenOptions ofUpdate(Options options) {
        GivenOptions parsed = new GivenOptions();
        for (Options.Entry entry : options.entries()) {
            parsed.take(entry, true);
        }
        return parsed;
    }

    /// The first reason why no topic can be created with these options and so many partitions, or null.
    ///
    @Nullable ErrorCode checkCreate(long partitionsCount) {
        if (error != null) {
            return error;
        }
        TypedValue segment = canonical(TopicOption.SEGMENT_SIZE);
        if (segment != null && !TopicOption.isSegmentSize(segment.number())) {
            return ErrorCode.INVALID_OPTION_VALUE;
        }
        long segmentBytes = (segment == null ? TopicOption.SEGMENT_SIZE.byDefault() : segment).number();
        TypedValue preallocate = canonical(TopicOption.PREALLOCATE_SEGMENTS);
        if (preallocate != null
                && preallocate.number() == 1
                && segmentBytes * partitionsCount > PREALLOCATED_BYTES_MAX) {
            return ErrorCode.INVALID_OPTION_VALUE;
        }
        if (partitionsCount > PARTITIONS_MAX) {
            return ErrorCode.TOO_MANY_PARTITIONS;
        }
        return checkTopicBytes(segmentBytes);
    }

    /// The first reason why no topic whatever can be updated with these options, or null.
    @Nullable ErrorCode checkUpdate() {
        return error;
    }

    /// A topic must be able to keep a segment.
    @Nullable ErrorCode checkTopicBytes(long segmentBytes) {
        TypedValue max = canonical(TopicOption.MAX_TOPIC_SIZE);
        return max != null && Long.compareUnsigned(max.number(), segmentBytes) < 0
                ? ErrorCode.INVALID_TOPIC_SIZE
                : null;
    }

    /// What was given for an option, in the kind in which it was given, or null.
    @Nullable TypedValue given(TopicOption option) {
        return given[option.index()];
    }

    /// What was given for an option, in its canonical kind; null when the key, or its value, is absent.
    @Nullable TypedValue canonical(TopicOption option) {
        return canonical[option.index()];
    }

    private void take(Options.Entry entry, boolean update) {
        TopicOption option = TopicOption.of(entry.key());
        if (option == null || (update && !option.isUpdatable())) {
            fail(ErrorCode.UNSUPPORTED_OPTION_KEY);
            return;
        }
        TypedValue value = option.canonical(entry.value());
        if (value == null) {
            fail(ErrorCode.INVALID_OPTION_VALUE);
            return;
        }
        given[option.index()] = entry.value();
        canonical[option.index()] = value.equals(TopicOption.ABSENT) ? null : value;
    }

    private void fail(ErrorCode reason) {
        if (error == null) {
            error = reason;
        }
    }
}
