package io.galgo.broker.metadata;

import io.galgo.protocol.TypedValue;
import io.galgo.protocol.ValueKind;
import java.util.Comparator;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The options of a topic, in the order in which clients are told of them (spec protocol 6.2).
enum TopicOption {
    COMPRESSION_ALGORITHM(
            0,
            "compression_algorithm",
            TypedValue.string("none"),
            true,
            "How batches are stored: none, or gzip for batches that are packed on disk where that saves something."
                    + " Consumers receive the same bytes."),
    MESSAGE_EXPIRY(
            1,
            "message_expiry",
            TypedValue.uint64(TopicSettings.NEVER),
            true,
            "Age in microseconds after which closed segments are deleted, or a duration such as '7 days'."
                    + " The largest number, 'never_expire' or 'unlimited' keep messages for ever; 0 is the default."),
    MAX_TOPIC_SIZE(
            2,
            "max_topic_size",
            TypedValue.uint64(TopicSettings.UNLIMITED),
            true,
            "Bytes that the topic keeps before its oldest closed segments are deleted, or a size such as '10 GiB';"
                    + " at least segment_size. The largest number or 'unlimited' set no bound; 0 is the default."),
    SEGMENT_SIZE(
            3,
            "segment_size",
            TypedValue.uint64(1_073_741_824L),
            false,
            "Bytes at which a segment is closed and the next begins: a multiple of 512 from 1 MiB to 1 GiB."),
    DURABILITY(
            4,
            "durability",
            TypedValue.string("replicated"),
            false,
            "What a confirmed send has survived: 'replicated' the end of every server process,"
                    + " 'persisted' also the loss of power."),
    CONSUMER_OFFSET_DURABILITY(
            5,
            "consumer_offset_durability",
            TypedValue.string("replicated"),
            false,
            "The same promise for stored consumer offsets: 'replicated' or 'persisted'."),
    MESSAGES_REQUIRED_TO_SAVE(
            6,
            "messages_required_to_save",
            TypedValue.uint32(1_024),
            false,
            "Messages after which ordinary write-back is due, from 1 to 16777216. No promise of durability."),
    SIZE_OF_MESSAGES_REQUIRED_TO_SAVE(
            7,
            "size_of_messages_required_to_save",
            TypedValue.uint64(1_048_576),
            false,
            "Bytes after which ordinary write-back is due, at most 1 GiB. No promise of durability."),
    PREALLOCATE_SEGMENTS(
            8,
            "preallocate_segments",
            TypedValue.bool(false),
            false,
            "Whether the room of a segment is reserved on disk when it begins. All partitions of one request"
                    + " may reserve 64 GiB together.");

    /// The options in the order in which replies list them: by the bytes of their keys.
    static final TopicOption[] BY_KEY =
            Stream.of(values()).sorted(Comparator.comparing(TopicOption::key)).toArray(TopicOption[]::new);

    static final int COUNT = BY_KEY.length;

    /// What [#canonical] returns for a value that means "as if the key were not there". No option has values of its
    /// kind.
    static final TypedValue ABSENT = TypedValue.raw(new byte[1]);

    private static final int SEGMENT_BYTES_UNIT = 512;
    private static final long SEGMENT_BYTES_MIN = 1_048_576;
    private static final long SEGMENT_BYTES_MAX = 1_073_741_824;
    private static final long FLUSH_MESSAGES_MAX = 16_777_216;
    private static final long FLUSH_BYTES_MAX = 1_073_741_824;

    private final int index;
    private final String key;

    @SuppressWarnings("ImmutableEnumChecker") // a TypedValue never changes; it only cannot say so
    private final TypedValue byDefault;

    private final boolean updatable;
    private final String description;

    TopicOption(int index, String key, TypedValue byDefault, boolean updatable, String description) {
        this.index = index;
        this.key = key;
        this.byDefault = byDefault;
        this.updatable = updatable;
        this.description = description;
    }

    static @Nullable TopicOption of(String key) {
        for (TopicOption option : BY_KEY) {
            if (option.key.equals(key)) {
                return option;
            }
        }
        return null;
    }

    /// Its place in the table, from 0. Snapshots know options by it.
    int index() {
        return index;
    }

    String key() {
        return key;
    }

    /// The value of a topic that was created without the key, in its canonical kind.
    TypedValue byDefault() {
        return byDefault;
    }

    boolean isUpdatable() {
        return updatable;
    }

    String description() {
        return description;
    }

    /// A given value in the option's canonical kind, [#ABSENT], or null when the option cannot have it.
    ///
    /// A segment size is taken as it is; [#isSegmentSize] judges it.
    @Nullable TypedValue canonical(TypedValue given) {
        return switch (this) {
            case COMPRESSION_ALGORITHM -> compression(given);
            case MESSAGE_EXPIRY -> number64(given, OptionText::expiryMicros, -1);
            case MAX_TOPIC_SIZE -> number64(given, OptionText::topicBytes, -1);
            case SEGMENT_SIZE -> number64(given, OptionText::bytes, -1);
            case DURABILITY, CONSUMER_OFFSET_DURABILITY -> durability(given);
            case MESSAGES_REQUIRED_TO_SAVE -> flushMessages(given);
            case SIZE_OF_MESSAGES_REQUIRED_TO_SAVE -> number64(given, OptionText::bytes, FLUSH_BYTES_MAX);
            case PREALLOCATE_SEGMENTS -> bool(given);
        };
    }

    static boolean isSegmentSize(long bytes) {
        return Long.compareUnsigned(bytes, SEGMENT_BYTES_MIN) >= 0
                && Long.compareUnsigned(bytes, SEGMENT_BYTES_MAX) <= 0
                && bytes % SEGMENT_BYTES_UNIT == 0;
    }

    /// A Bool, or the text `true` or `false`.
    static @Nullable TypedValue bool(TypedValue given) {
        if (given.is(ValueKind.BOOL)) {
            return given.isWellFormed() ? given : null;
        }
        return switch (text(given)) {
            case "true" -> TypedValue.bool(true);
            case "false" -> TypedValue.bool(false);
            default -> null;
        };
    }

    private static @Nullable TypedValue compression(TypedValue given) {
        if (given.is(ValueKind.UINT8)) {
            return switch (given.length() == 1 ? (int) given.number() : 0) {
                case 1 -> TypedValue.string("none");
                case 2 -> TypedValue.string("gzip");
                default -> null;
            };
        }
        String text = text(given).toLowerCase(Locale.ROOT);
        return text.equals("none") || text.equals("gzip") ? TypedValue.string(text) : null;
    }

    private static @Nullable TypedValue durability(TypedValue given) {
        String text = text(given).toLowerCase(Locale.ROOT);
        return text.equals("replicated") || text.equals("persisted") ? TypedValue.string(text) : null;
    }

    private static @Nullable TypedValue flushMessages(TypedValue given) {
        OptionalLong number;
        if (given.is(ValueKind.UINT32)) {
            number = given.isWellFormed() ? OptionalLong.of(given.number()) : OptionalLong.empty();
        } else {
            number = OptionText.number32(text(given));
        }
        if (number.isEmpty() || number.getAsLong() < 1 || number.getAsLong() > FLUSH_MESSAGES_MAX) {
            return null;
        }
        return TypedValue.uint32((int) number.getAsLong());
    }

    private interface TextParser {
        OptionalLong parse(String text);
    }

    /// @param max unsigned
    private static @Nullable TypedValue number64(TypedValue given, TextParser parser, long max) {
        OptionalLong number;
        if (given.is(ValueKind.UINT64)) {
            number = given.isWellFormed() ? OptionalLong.of(given.number()) : OptionalLong.empty();
        } else {
            number = parser.parse(text(given));
        }
        if (number.isEmpty() || Long.compareUnsigned(number.getAsLong(), max) > 0) {
            return null;
        }
        return number.getAsLong() == 0 ? ABSENT : TypedValue.uint64(number.getAsLong());
    }

    /// The text of a String, else one that no option accepts.
    private static String text(TypedValue given) {
        String text = given.is(ValueKind.STRING) ? given.text() : null;
        return text == null ? "" : text;
    }
}
