package io.galgo.broker.metadata;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.Options;
import io.galgo.protocol.TypedValue;
import io.galgo.protocol.reply.CompressionAlgorithm;
import java.util.ArrayList;
import java.util.List;

/// The options of one topic: a value for every key, which of them somebody chose, and what they come to (spec
/// protocol 6.3). Immutable.
final class TopicOptions {
    // The settings are kept beside the values because an update can part them: a zero for the expiry or the size is
    // stored and shown as sent, and leaves what is in force as it was.

    private static final String GZIP = "gzip";
    private static final String PERSISTED = "persisted";

    private final TypedValue[] values;
    private final int chosen;
    private final TopicSettings settings;

    private TopicOptions(TypedValue[] values, int chosen, TopicSettings settings) {
        this.values = values;
        this.chosen = chosen;
        this.settings = settings;
    }

    /// The options of a new topic. What was not given gets its default.
    ///
    /// @param given passed [GivenOptions#checkCreate]
    static TopicOptions created(GivenOptions given) {
        TypedValue[] values = new TypedValue[TopicOption.COUNT];
        int chosen = 0;
        for (TopicOption option : TopicOption.values()) {
            TypedValue value = given.canonical(option);
            values[option.index()] = value == null ? option.byDefault() : value;
            chosen |= value == null ? 0 : mask(option);
        }
        return new TopicOptions(values, chosen, settings(values));
    }

    /// These options with those of an update in their place, byte for byte as given.
    ///
    /// @param given passed [GivenOptions#checkUpdate] and [GivenOptions#checkTopicBytes]
    TopicOptions updated(GivenOptions given) {
        TypedValue[] merged = values.clone();
        int mergedChosen = chosen;
        for (TopicOption option : TopicOption.values()) {
            TypedValue value = given.given(option);
            if (value != null) {
                merged[option.index()] = value;
                mergedChosen |= mask(option);
            }
        }
        TypedValue expiry = given.canonical(TopicOption.MESSAGE_EXPIRY);
        TypedValue compression = given.canonical(TopicOption.COMPRESSION_ALGORITHM);
        TypedValue size = given.canonical(TopicOption.MAX_TOPIC_SIZE);
        TopicSettings inForce = new TopicSettings(
                expiry == null ? settings.messageExpiryMicros() : expiry.number(),
                compression == null ? settings.compression() : algorithm(compression),
                size == null ? settings.topicBytesMax() : size.number(),
                settings.segmentBytesMax(),
                settings.persisted(),
                settings.offsetsPersisted(),
                settings.flushMessages(),
                settings.flushBytes(),
                settings.preallocate());
        return new TopicOptions(merged, mergedChosen, inForce);
    }

    TopicSettings settings() {
        return settings;
    }

    /// The options that somebody chose, sorted by key.
    Options explicit() {
        return block(true);
    }

    /// The options that have their default, sorted by key.
    Options derived() {
        return block(false);
    }

    /// | size | field |
    /// |---|---|
    /// | 2 | which options were chosen, a bit each in their order |
    /// | | the value of each option: kind, length in 8 bits, data |
    /// | 8 | message expiry in force, microseconds |
    /// | 1 | compression code in force |
    /// | 8 | topic size in force |
    void write(ByteWriter out) {
        out.u16(chosen);
        for (TypedValue value : values) {
            out.u8(value.kind()).name(value.data());
        }
        out.u64(settings.messageExpiryMicros())
                .u8(settings.compression().value())
                .u64(settings.topicBytesMax());
    }

    /// Reads what [#write] wrote. Fails the reader on anything else.
    static TopicOptions read(BodyReader in) {
        int chosen = in.u16();
        in.require(chosen >>> TopicOption.COUNT == 0);
        TypedValue[] values = new TypedValue[TopicOption.COUNT];
        for (TopicOption option : TopicOption.values()) {
            int kind = in.u8();
            byte[] data = in.bytes(in.u8());
            in.require(kind > 0 && data.length > 0);
            TypedValue value = in.isFailed() ? option.byDefault() : TypedValue.of(kind, data);
            in.require(option.canonical(value) != null);
            values[option.index()] = in.isFailed() ? option.byDefault() : value;
        }
        long expiryMicros = in.u64();
        boolean isGzip = in.u8() == CompressionAlgorithm.GZIP.value();
        long topicBytesMax = in.u64();
        TopicSettings byValues = settings(values);
        return new TopicOptions(
                values,
                chosen,
                new TopicSettings(
                        expiryMicros,
                        isGzip ? CompressionAlgorithm.GZIP : CompressionAlgorithm.NONE,
                        topicBytesMax,
                        byValues.segmentBytesMax(),
                        byValues.persisted(),
                        byValues.offsetsPersisted(),
                        byValues.flushMessages(),
                        byValues.flushBytes(),
                        byValues.preallocate()));
    }

    private Options block(boolean wantChosen) {
        List<Options.Entry> entries = new ArrayList<>();
        for (TopicOption option : TopicOption.BY_KEY) {
            if ((chosen & mask(option)) != 0 == wantChosen) {
                entries.add(new Options.Entry(option.key(), values[option.index()]));
            }
        }
        return new Options(entries);
    }

    private static TopicSettings settings(TypedValue[] values) {
        return new TopicSettings(
                value(values, TopicOption.MESSAGE_EXPIRY).number(),
                algorithm(value(values, TopicOption.COMPRESSION_ALGORITHM)),
                value(values, TopicOption.MAX_TOPIC_SIZE).number(),
                value(values, TopicOption.SEGMENT_SIZE).number(),
                PERSISTED.equals(value(values, TopicOption.DURABILITY).text()),
                PERSISTED.equals(
                        value(values, TopicOption.CONSUMER_OFFSET_DURABILITY).text()),
                (int) value(values, TopicOption.MESSAGES_REQUIRED_TO_SAVE).number(),
                value(values, TopicOption.SIZE_OF_MESSAGES_REQUIRED_TO_SAVE).number(),
                value(values, TopicOption.PREALLOCATE_SEGMENTS).number() == 1);
    }

    private static TypedValue value(TypedValue[] values, TopicOption option) {
        return values[option.index()];
    }

    private static CompressionAlgorithm algorithm(TypedValue canonical) {
        return GZIP.equals(canonical.text()) ? CompressionAlgorithm.GZIP : CompressionAlgorithm.NONE;
    }

    private static int mask(TopicOption option) {
        return 1 << option.index();
    }
}
