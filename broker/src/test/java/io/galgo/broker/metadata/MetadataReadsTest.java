package io.galgo.broker.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.TypedValue;
import io.galgo.protocol.reply.PartitionRecord;
import io.galgo.protocol.reply.StreamDetails;
import io.galgo.protocol.reply.StreamRecord;
import io.galgo.protocol.reply.TopicDetails;
import io.galgo.protocol.reply.TopicRecord;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.DeleteStream;
import io.galgo.protocol.request.DeleteTopic;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class MetadataReadsTest {
    private final Metadata metadata = new Metadata();
    private final Metadata.Login root = metadata.loginRoot();

    /// Numbers that tell which partition they are of.
    private static final PartitionStatistics STATISTICS = new PartitionStatistics() {
        @Override
        public long sizeBytes(Topic topic, int partition) {
            return 1_000L * (topic.streamId() + 1) + 100L * topic.id() + partition;
        }

        @Override
        public long messagesCount(Topic topic, int partition) {
            return 10L * (topic.id() + 1) + partition;
        }

        @Override
        public long currentOffset(Topic topic, int partition) {
            return 7L + partition;
        }

        @Override
        public int segmentsCount(Topic topic, int partition) {
            return 1 + partition;
        }
    };

    private Stream streamNow(int streamId) {
        return Objects.requireNonNull(metadata.catalog.stream(streamId));
    }

    private Topic topicNow(int topicId) {
        return Objects.requireNonNull(metadata.catalog.topic(0, topicId));
    }

    private void makeTwoStreams() {
        root.succeed(new CreateStream("first", Options.NONE));
        root.succeed(new CreateStream("gone", Options.NONE));
        root.succeed(new CreateStream("last", Options.NONE));
        root.succeed(new CreateTopic(Identifier.of(0), 2, "a", Options.NONE));
        root.succeed(new CreateTopic(Identifier.of(0), 5, "gone", Options.NONE));
        root.succeed(new CreateTopic(Identifier.of(0), 1, "b", Options.NONE));
        root.succeed(new CreateTopic(Identifier.of(2), 1, "c", Options.NONE));
        root.succeed(new DeleteTopic(Identifier.of(0), Identifier.of("gone")));
        root.succeed(new DeleteStream(Identifier.of("gone")));
    }

    @Test
    void aTopicSumsItsPartitions() {
        makeTwoStreams();

        TopicDetails details = MetadataReads.topic(topicNow(0), STATISTICS);

        assertThat(details.topic().sizeBytes()).isEqualTo(1_000 + 1_001);
        assertThat(details.topic().messagesCount()).isEqualTo(10 + 11);
        long createdAt = topicNow(0).createdAtMicros();
        assertThat(details.partitions())
                .containsExactly(
                        new PartitionRecord(0, createdAt, 1, 7, 1_000, 10),
                        new PartitionRecord(1, createdAt, 2, 8, 1_001, 11));
    }

    @Test
    void aStreamSumsItsTopicsInTheOrderOfIds() {
        makeTwoStreams();

        StreamDetails details = MetadataReads.stream(streamNow(0), STATISTICS);

        assertThat(details.topics()).extracting(TopicRecord::id).containsExactly(0, 2);
        assertThat(details.topics()).extracting(TopicRecord::name).containsExactly("a", "b");
        assertThat(details.stream().topicsCount()).isEqualTo(2);
        assertThat(details.stream().sizeBytes()).isEqualTo(1_000 + 1_001 + 1_200);
        assertThat(details.stream().messagesCount()).isEqualTo(10 + 11 + 30);
    }

    @Test
    void listsAreInTheOrderOfIds() {
        makeTwoStreams();

        List<StreamRecord> streams =
                MetadataReads.streams(metadata.catalog, STATISTICS).streams();

        assertThat(streams).extracting(StreamRecord::id).containsExactly(0, 2);
        assertThat(streams.get(0)).isEqualTo(MetadataReads.stream(streamNow(0), STATISTICS).stream());
        assertThat(streams.get(1).sizeBytes()).isEqualTo(3_000);
        assertThat(MetadataReads.topics(streamNow(0), STATISTICS).topics())
                .isEqualTo(MetadataReads.stream(streamNow(0), STATISTICS).topics());
        assertThat(MetadataReads.topics(null, STATISTICS).topics()).isEmpty();
        assertThat(HexFormat.of()
                        .formatHex(MetadataReads.topics(null, STATISTICS)
                                .toBuffer()
                                .array()))
                .as("a count of no topics")
                .isEqualTo("00000000");
    }

    @Test
    void theTopicOfTheSpecReadsAsThere() {
        metadata.now = 1_700_000_000_000_000L - 1_000;
        root.succeed(new CreateStream("orders", Options.NONE));
        root.succeed(new CreateTopic(
                Identifier.of(0),
                3,
                "events",
                new Options(List.of(new Options.Entry("segment_size", TypedValue.uint64(134_217_728))))));

        byte[] bytes = MetadataReads.stream(streamNow(0), none()).toBuffer().array();

        assertThat(HexFormat.of().formatHex(bytes))
                .startsWith("00000000" + "183c1e18240a0600" + "01000000" + "0000000000000000" + "0000000000000000"
                        + "066f7264657273" + "00000000")
                .contains("00000000" + "00401e18240a0600" + "03000000" + "ffffffffffffffff" + "01" + "ffffffffffffffff"
                        + "0000000000000000" + "0000000000000000" + "066576656e7473" + "1e000000"
                        + "020c0000007365676d656e745f73697a650c080000000000000800000000" + "28010000");
        assertThat(bytes).hasSize(43 + 390);
    }

    private static PartitionStatistics none() {
        return new PartitionStatistics() {
            @Override
            public long sizeBytes(Topic topic, int partition) {
                return 0;
            }

            @Override
            public long messagesCount(Topic topic, int partition) {
                return 0;
            }

            @Override
            public long currentOffset(Topic topic, int partition) {
                return 0;
            }

            @Override
            public int segmentsCount(Topic topic, int partition) {
                return 1;
            }
        };
    }
}
