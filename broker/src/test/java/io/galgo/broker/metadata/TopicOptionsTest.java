package io.galgo.broker.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.TypedValue;
import io.galgo.protocol.ValueKind;
import io.galgo.protocol.reply.CompressionAlgorithm;
import io.galgo.protocol.reply.OptionDescription;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.OptionScope;
import io.galgo.protocol.request.UpdateStream;
import io.galgo.protocol.request.UpdateTopic;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TopicOptionsTest {
    private static final long MIB = 1_048_576;
    private static final long GIB = 1_073_741_824;

    private final Metadata metadata = new Metadata();
    private final Metadata.Login root = metadata.loginRoot();

    @BeforeEach
    void makeAStream() {
        root.succeed(new CreateStream("s", Options.NONE));
    }

    private static Options options(Object... keysAndValues) {
        List<Options.Entry> entries = new ArrayList<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            TypedValue value = keysAndValues[i + 1] instanceof TypedValue given
                    ? given
                    : TypedValue.string((String) keysAndValues[i + 1]);
            entries.add(new Options.Entry((String) keysAndValues[i], value));
        }
        return new Options(entries);
    }

    private static TypedValue u64(long value) {
        return TypedValue.uint64(value);
    }

    private static TypedValue u32(int value) {
        return TypedValue.uint32(value);
    }

    private static TypedValue kind(ValueKind kind, int... data) {
        byte[] bytes = new byte[data.length];
        for (int i = 0; i < data.length; i++) {
            bytes[i] = (byte) data[i];
        }
        return TypedValue.of(kind.value(), bytes);
    }

    private @Nullable ErrorCode createError(Options options) {
        return createError(1, options);
    }

    private @Nullable ErrorCode createError(int partitionsCount, Options options) {
        return metadata.catalog.check(new CreateTopic(Identifier.of(0), partitionsCount, "t", options));
    }

    private @Nullable ErrorCode updateError(Options options) {
        return root.error(new UpdateTopic(Identifier.of(0), Identifier.of(0), "t", options));
    }

    private Topic create(Options options) {
        root.succeed(new CreateTopic(Identifier.of(0), 1, "t", options));
        return Objects.requireNonNull(metadata.catalog.topic(0, 0));
    }

    private static String hex(Options options) {
        ByteBuffer block = ByteBuffer.allocate(options.encodedBytes()).order(ByteOrder.LITTLE_ENDIAN);
        options.put(block);
        return HexFormat.of().formatHex(block.array());
    }

    @Test
    void aTopicWithoutOptionsDerivesTheBlockOfTheSpec() {
        Topic topic = create(Options.NONE);

        assertThat(topic.options().explicit().isEmpty()).isTrue();
        assertThat(hex(topic.options().derived()))
                .isEqualTo(String.join(
                        "",
                        "0215000000636f6d7072657373696f6e5f616c676f726974686d02040000006e6f6e65",
                        "021a000000636f6e73756d65725f6f66667365745f6475726162696c697479020a0000007265706c696361746564",
                        "020a0000006475726162696c697479020a0000007265706c696361746564",
                        "020e0000006d61785f746f7069635f73697a650c08000000ffffffffffffffff",
                        "020e0000006d6573736167655f6578706972790c08000000ffffffffffffffff",
                        "02190000006d657373616765735f72657175697265645f746f5f736176650b0400000000040000",
                        "0214000000707265616c6c6f636174655f7365676d656e7473030100000000",
                        "020c0000007365676d656e745f73697a650c080000000000004000000000",
                        "022100000073697a655f6f665f6d657373616765735f72657175697265645f746f5f736176650c08000000",
                        "0000100000000000"));
        assertThat(topic.settings())
                .isEqualTo(new TopicSettings(
                        TopicSettings.NEVER,
                        CompressionAlgorithm.NONE,
                        TopicSettings.UNLIMITED,
                        GIB,
                        false,
                        false,
                        1_024,
                        MIB,
                        false));
    }

    @Test
    void whatWasGivenIsExplicitInItsCanonicalKindAndSortedByKey() {
        Topic topic = create(options(
                "preallocate_segments", "true",
                "size_of_messages_required_to_save", "2 MiB",
                "messages_required_to_save", "10",
                "consumer_offset_durability", "PERSISTED",
                "durability", "Replicated",
                "segment_size", "128MiB",
                "max_topic_size", "1 GiB",
                "message_expiry", "1h",
                "compression_algorithm", TypedValue.uint8(2)));

        assertThat(topic.options().derived().isEmpty()).isTrue();
        assertThat(topic.options().explicit())
                .isEqualTo(options(
                        "compression_algorithm", "gzip",
                        "consumer_offset_durability", "persisted",
                        "durability", "replicated",
                        "max_topic_size", u64(GIB),
                        "message_expiry", u64(3_600_000_000L),
                        "messages_required_to_save", u32(10),
                        "preallocate_segments", TypedValue.bool(true),
                        "segment_size", u64(128 * MIB),
                        "size_of_messages_required_to_save", u64(2 * MIB)));
        assertThat(topic.settings())
                .isEqualTo(new TopicSettings(
                        3_600_000_000L, CompressionAlgorithm.GZIP, GIB, 128 * MIB, false, true, 10, 2 * MIB, true));
    }

    @Test
    void aZeroMeansThatTheKeyIsNotThere() {
        Topic topic = create(options(
                "message_expiry", u64(0),
                "max_topic_size", "server_default",
                "segment_size", "unlimited",
                "size_of_messages_required_to_save", "0"));

        assertThat(topic.options().explicit().isEmpty()).isTrue();
        assertThat(topic.settings().messageExpiryMicros()).isEqualTo(TopicSettings.NEVER);
        assertThat(topic.settings().topicBytesMax()).isEqualTo(TopicSettings.UNLIMITED);
        assertThat(topic.settings().segmentBytesMax()).isEqualTo(GIB);
        assertThat(topic.settings().flushBytes()).isEqualTo(MIB);
    }

    @Test
    void aDefaultThatIsGivenIsExplicit() {
        Topic topic = create(options("message_expiry", u64(-1), "durability", "replicated"));

        assertThat(topic.options().explicit())
                .isEqualTo(options("durability", "replicated", "message_expiry", u64(-1)));
    }

    @Test
    void whichValuesAnOptionTakes() {
        Object[][] accepted = {
            {"compression_algorithm", "none"},
            {"compression_algorithm", "GZip"},
            {"compression_algorithm", TypedValue.uint8(1)},
            {"message_expiry", u64(1)},
            {"message_expiry", "never_expire"},
            {"max_topic_size", u64(GIB)},
            {"max_topic_size", u64(-1)},
            {"max_topic_size", "unlimited"},
            {"segment_size", u64(MIB)},
            {"segment_size", u64(MIB + 512)},
            {"segment_size", u64(GIB)},
            {"durability", "persisted"},
            {"durability", "REPLICATED"},
            {"consumer_offset_durability", "Persisted"},
            {"messages_required_to_save", u32(1)},
            {"messages_required_to_save", u32(16_777_216)},
            {"messages_required_to_save", "16777216"},
            {"size_of_messages_required_to_save", u64(1)},
            {"size_of_messages_required_to_save", u64(GIB)},
            {"preallocate_segments", TypedValue.bool(true)},
            {"preallocate_segments", "false"},
            {"enforce_fsync", TypedValue.bool(true)},
            {"enforce_fsync", "false"},
        };
        for (Object[] row : accepted) {
            assertThat(createError(options(row))).as("%s = %s", row).isNull();
        }
    }

    @Test
    void whichValuesAnOptionRefuses() {
        Object[][] refused = {
            {"compression_algorithm", "zstd"},
            {"compression_algorithm", TypedValue.uint8(0)},
            {"compression_algorithm", TypedValue.uint8(3)},
            {"compression_algorithm", kind(ValueKind.UINT8, 1, 0)},
            {"compression_algorithm", u32(1)},
            {"message_expiry", "60"},
            {"message_expiry", u32(60)},
            {"message_expiry", kind(ValueKind.UINT64, 1, 2, 3, 4)},
            {"message_expiry", kind(ValueKind.RAW, '1', 's')},
            {"message_expiry", kind(ValueKind.STRING, 0xFF, 0xFE)},
            {"max_topic_size", "much"},
            {"max_topic_size", u32(5)},
            {"segment_size", u64(MIB - 512)},
            {"segment_size", u64(1_024)},
            {"segment_size", u64(GIB + 512)},
            {"segment_size", u64(MIB + 1)},
            {"segment_size", u64(-1)},
            {"segment_size", "1 KiB"},
            {"durability", "fast"},
            {"durability", "none"},
            {"durability", TypedValue.bool(true)},
            {"durability", TypedValue.uint8(1)},
            {"consumer_offset_durability", TypedValue.bool(false)},
            {"messages_required_to_save", u32(0)},
            {"messages_required_to_save", "0"},
            {"messages_required_to_save", u32(16_777_217)},
            {"messages_required_to_save", u32(-1)},
            {"messages_required_to_save", u64(5)},
            {"messages_required_to_save", "1 KB"},
            {"size_of_messages_required_to_save", u64(GIB + 1)},
            {"size_of_messages_required_to_save", u64(-1)},
            {"preallocate_segments", "yes"},
            {"preallocate_segments", "True"},
            {"preallocate_segments", kind(ValueKind.BOOL, 2)},
            {"preallocate_segments", kind(ValueKind.BOOL, 1, 0)},
            {"preallocate_segments", TypedValue.uint8(1)},
            {"enforce_fsync", "on"},
            {"enforce_fsync", TypedValue.uint8(1)},
            {"enforce_fsync", kind(ValueKind.BOOL, 2)},
        };
        for (Object[] row : refused) {
            assertThat(createError(options(row))).as("%s = %s", row).isEqualTo(ErrorCode.INVALID_OPTION_VALUE);
        }
    }

    @Test
    void unknownKeysAreRefused() {
        for (String key : List.of("partitions_count", "replication_factor", "Durability", "x")) {
            assertThat(createError(options(key, u32(1)))).as(key).isEqualTo(ErrorCode.UNSUPPORTED_OPTION_KEY);
        }
        assertThat(root.error(new CreateStream("t", options("durability", "replicated"))))
                .isEqualTo(ErrorCode.UNSUPPORTED_OPTION_KEY);
        assertThat(root.error(new UpdateStream(Identifier.of(0), "t", options("x", "y"))))
                .isEqualTo(ErrorCode.UNSUPPORTED_OPTION_KEY);
    }

    @Test
    void theFirstProblemInTheOrderSentIsReported() {
        assertThat(createError(options("durability", "fast", "x", "y"))).isEqualTo(ErrorCode.INVALID_OPTION_VALUE);
        assertThat(createError(options("x", "y", "durability", "fast"))).isEqualTo(ErrorCode.UNSUPPORTED_OPTION_KEY);
    }

    @Test
    void boundsComeInTheirOrderBehindTheValues() {
        Options all = options(
                "segment_size", u64(MIB + 1), "preallocate_segments", "true", "max_topic_size", u64(1), "x", "y");
        assertThat(createError(1_001, all)).isEqualTo(ErrorCode.UNSUPPORTED_OPTION_KEY);

        Options badSegment = options("segment_size", u64(MIB + 1), "max_topic_size", u64(1));
        assertThat(createError(1_001, badSegment)).isEqualTo(ErrorCode.INVALID_OPTION_VALUE);

        Options tooMuchRoom = options("preallocate_segments", "true", "max_topic_size", u64(1));
        assertThat(createError(1_001, tooMuchRoom)).isEqualTo(ErrorCode.INVALID_OPTION_VALUE);

        Options tooSmall = options("max_topic_size", u64(1));
        assertThat(createError(1_001, tooSmall)).isEqualTo(ErrorCode.TOO_MANY_PARTITIONS);
        assertThat(createError(1_000, tooSmall)).isEqualTo(ErrorCode.INVALID_TOPIC_SIZE);
    }

    @Test
    void preallocationHasABoundForAllPartitionsOfTheRequest() {
        assertThat(createError(64, options("preallocate_segments", "true"))).isNull();
        assertThat(createError(65, options("preallocate_segments", "true"))).isEqualTo(ErrorCode.INVALID_OPTION_VALUE);
        assertThat(createError(65, options("preallocate_segments", "false"))).isNull();
        assertThat(createError(128, options("preallocate_segments", "true", "segment_size", "512 MiB")))
                .isNull();
        assertThat(createError(129, options("preallocate_segments", "true", "segment_size", "512 MiB")))
                .isEqualTo(ErrorCode.INVALID_OPTION_VALUE);
    }

    @Test
    void aTopicMustHaveRoomForASegment() {
        assertThat(createError(options("max_topic_size", "10 KiB"))).isEqualTo(ErrorCode.INVALID_TOPIC_SIZE);
        assertThat(createError(options("max_topic_size", u64(GIB - 1)))).isEqualTo(ErrorCode.INVALID_TOPIC_SIZE);
        assertThat(createError(options("max_topic_size", u64(GIB)))).isNull();
        assertThat(createError(options("max_topic_size", u64(MIB), "segment_size", u64(MIB))))
                .isNull();
        assertThat(createError(options("max_topic_size", "unlimited"))).isNull();
    }

    @Test
    void enforceFsyncIsAnOldNameOfDurability() {
        Topic topic = create(options("enforce_fsync", TypedValue.bool(true)));
        assertThat(topic.options().explicit()).isEqualTo(options("durability", "persisted"));
        assertThat(topic.settings().persisted()).isTrue();
        assertThat(topic.settings().offsetsPersisted()).isFalse();

        root.succeed(new CreateTopic(Identifier.of(0), 1, "no", options("enforce_fsync", "false")));
        assertThat(Objects.requireNonNull(metadata.catalog.topic(0, 1))
                        .options()
                        .explicit())
                .isEqualTo(options("durability", "replicated"));
    }

    @Test
    void durabilityWinsOverItsOldName() {
        Topic topic = create(options("enforce_fsync", "true", "durability", "replicated"));

        assertThat(topic.options().explicit()).isEqualTo(options("durability", "replicated"));
        assertThat(topic.settings().persisted()).isFalse();
        assertThat(createError(options("durability", "replicated", "enforce_fsync", "on")))
                .isEqualTo(ErrorCode.INVALID_OPTION_VALUE);
    }

    @Test
    void anUpdateReplacesWhatItNamesInTheKindSentAndNothingElse() {
        create(options("message_expiry", u64(5_000_000), "durability", "persisted"));

        assertThat(updateError(options("max_topic_size", "2 GB", "compression_algorithm", TypedValue.uint8(2))))
                .isNull();

        Topic topic = Objects.requireNonNull(metadata.catalog.topic(0, 0));
        assertThat(topic.options().explicit())
                .isEqualTo(options(
                        "compression_algorithm",
                        TypedValue.uint8(2),
                        "durability",
                        "persisted",
                        "max_topic_size",
                        "2 GB",
                        "message_expiry",
                        u64(5_000_000)));
        assertThat(topic.settings().topicBytesMax()).isEqualTo(2_000_000_000L);
        assertThat(topic.settings().compression()).isEqualTo(CompressionAlgorithm.GZIP);
        assertThat(topic.settings().messageExpiryMicros()).isEqualTo(5_000_000);
        assertThat(topic.settings().persisted()).isTrue();
    }

    @Test
    void aZeroInAnUpdateIsShownAndLeavesWhatIsInForce() {
        create(options("message_expiry", u64(5_000_000), "max_topic_size", u64(2 * GIB)));

        assertThat(updateError(options("message_expiry", "server_default", "max_topic_size", u64(0))))
                .isNull();
        metadata.restart();

        Topic topic = Objects.requireNonNull(metadata.catalog.topic(0, 0));
        assertThat(topic.settings().messageExpiryMicros()).isEqualTo(5_000_000);
        assertThat(topic.settings().topicBytesMax()).isEqualTo(2 * GIB);
        assertThat(topic.options().explicit())
                .isEqualTo(options("max_topic_size", u64(0), "message_expiry", "server_default"));
    }

    @Test
    void anUpdateThatChangesNoSettingTellsNobody() {
        create(Options.NONE);
        Options before =
                Objects.requireNonNull(metadata.catalog.topic(0, 0)).options().derived();

        assertThat(root.succeed(new UpdateTopic(Identifier.of(0), Identifier.of(0), "renamed", Options.NONE)))
                .isEmpty();
        assertThat(Objects.requireNonNull(metadata.catalog.topic(0, 0))
                        .options()
                        .derived())
                .isEqualTo(before);
        assertThat(root.succeed(
                        new UpdateTopic(Identifier.of(0), Identifier.of(0), "t", options("message_expiry", u64(7)))))
                .singleElement()
                .isInstanceOfSatisfying(
                        Change.TopicUpdated.class,
                        updated -> assertThat(updated.settings().messageExpiryMicros())
                                .isEqualTo(7));
    }

    @Test
    void onlyThreeOptionsCanBeUpdated() {
        create(Options.NONE);
        for (String key : List.of(
                "segment_size",
                "durability",
                "consumer_offset_durability",
                "messages_required_to_save",
                "size_of_messages_required_to_save",
                "preallocate_segments",
                "enforce_fsync",
                "partitions_count")) {
            assertThat(updateError(options(key, "persisted"))).as(key).isEqualTo(ErrorCode.UNSUPPORTED_OPTION_KEY);
        }
        assertThat(updateError(options("message_expiry", "soon"))).isEqualTo(ErrorCode.INVALID_OPTION_VALUE);
    }

    @Test
    void anUpdateIsHeldAgainstTheTopicsOwnSegmentSize() {
        create(options("segment_size", "2 MiB"));

        assertThat(updateError(options("max_topic_size", "1 MiB"))).isEqualTo(ErrorCode.INVALID_TOPIC_SIZE);
        assertThat(Objects.requireNonNull(metadata.catalog.topic(0, 0))
                        .settings()
                        .topicBytesMax())
                .isEqualTo(TopicSettings.UNLIMITED);
        assertThat(updateError(options("max_topic_size", "2 MiB"))).isNull();
    }

    @Test
    void anUpdateThatFitAnotherTopicIsRejectedInItsTurn() {
        create(options("segment_size", "1 MiB"));
        UpdateTopic update =
                new UpdateTopic(Identifier.of(0), Identifier.of("t"), "t", options("max_topic_size", "1 MiB"));
        assertThat(metadata.catalog.check(update)).isNull();

        root.succeed(new UpdateTopic(Identifier.of(0), Identifier.of(0), "old", Options.NONE));
        root.succeed(new CreateTopic(Identifier.of(0), 1, "t", Options.NONE));

        assertThat(root.commit(update, ++root.request, 0).reply().error()).isEqualTo(ErrorCode.INVALID_TOPIC_SIZE);
    }

    @Test
    void clientsAreToldOfNineTopicOptionsAndNoOthers() {
        List<OptionDescription> topic = MetadataReads.options(OptionScope.TOPIC).options();

        assertThat(topic)
                .extracting(OptionDescription::key)
                .containsExactly(
                        "compression_algorithm",
                        "message_expiry",
                        "max_topic_size",
                        "segment_size",
                        "durability",
                        "consumer_offset_durability",
                        "messages_required_to_save",
                        "size_of_messages_required_to_save",
                        "preallocate_segments");
        assertThat(topic).extracting(OptionDescription::kind).containsExactly(2, 12, 12, 12, 2, 2, 11, 12, 3);
        assertThat(topic)
                .extracting(OptionDescription::defaultValue)
                .containsExactly(
                        TypedValue.string("none"),
                        u64(-1),
                        u64(-1),
                        u64(GIB),
                        TypedValue.string("replicated"),
                        TypedValue.string("replicated"),
                        u32(1_024),
                        u64(MIB),
                        TypedValue.bool(false));
        assertThat(topic).allSatisfy(option -> assertThat(option.description()).isNotBlank());
        assertThat(MetadataReads.options(OptionScope.STREAM).options()).isEmpty();
        assertThat(MetadataReads.options(OptionScope.USER).options()).isEmpty();
    }
}
