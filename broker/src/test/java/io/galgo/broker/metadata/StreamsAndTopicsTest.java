package io.galgo.broker.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.Options;
import io.galgo.protocol.TypedValue;
import io.galgo.protocol.reply.PartitionRecord;
import io.galgo.protocol.reply.StreamRecord;
import io.galgo.protocol.reply.TopicDetails;
import io.galgo.protocol.request.CreateConsumerGroup;
import io.galgo.protocol.request.CreatePartitions;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeletePartitions;
import io.galgo.protocol.request.DeleteSegments;
import io.galgo.protocol.request.DeleteStream;
import io.galgo.protocol.request.DeleteTopic;
import io.galgo.protocol.request.JoinConsumerGroup;
import io.galgo.protocol.request.PurgeStream;
import io.galgo.protocol.request.PurgeTopic;
import io.galgo.protocol.request.UpdateStream;
import io.galgo.protocol.request.UpdateTopic;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class StreamsAndTopicsTest {
    private final Metadata metadata = new Metadata();
    private final Metadata.Login root = metadata.loginRoot();

    private static Identifier id(int id) {
        return Identifier.of(id);
    }

    private static Identifier named(String name) {
        return Identifier.of(name);
    }

    private static CreateStream stream(String name) {
        return new CreateStream(name, Options.NONE);
    }

    private static CreateTopic topic(int streamId, String name, int partitionsCount) {
        return new CreateTopic(id(streamId), partitionsCount, name, Options.NONE);
    }

    private Topic topicNow(int streamId, int topicId) {
        return Objects.requireNonNull(metadata.catalog.topic(streamId, topicId));
    }

    /// The user lacked the right when the partition's owner would have been asked, and has it by the command's
    /// turn.
    @Test
    void whatWasNotCompletedForWantOfARightIsRefusedInItsTurn() {
        DeleteSegments delete = new DeleteSegments(Identifier.of(0), Identifier.of(0), 0, 1);
        JoinConsumerGroup join = new JoinConsumerGroup(Identifier.of(0), Identifier.of(0), Identifier.of(0));
        CreateUser create = new CreateUser("carol", "password", 1, null, Options.NONE);
        Metadata metadata = new Metadata();
        Metadata.Login root = metadata.loginRoot();
        root.succeed(new CreateStream("s", Options.NONE));
        root.succeed(new CreateTopic(Identifier.of(0), 1, "t", Options.NONE));
        root.succeed(new CreateConsumerGroup(Identifier.of(0), Identifier.of(0), "g"));
        Map<Operation, ByteBuffer> bodies = new EnumMap<>(Operation.class);
        bodies.put(Operation.DELETE_SEGMENTS, CompletedBody.deleteSegmentsNotAllowed(delete));
        bodies.put(Operation.JOIN_CONSUMER_GROUP, CompletedBody.joinGroupNotAllowed(join));
        bodies.put(Operation.CREATE_USER, CompletedBody.createUserNotAllowed(create));
        bodies.forEach((operation, body) -> {
            Outcome outcome = metadata.apply(root.encode(operation, body, ++root.request, 0));
            assertThat(((Outcome.Decided) outcome).reply().error())
                    .as("%s", operation)
                    .isEqualTo(ErrorCode.UNAUTHORIZED);
        });
        assertThat(metadata.catalog.usersCount()).isEqualTo(1);
        assertThat(metadata.catalog.isMember(root.client)).isFalse();
    }

    @Test
    void theFirstStreamAndTheFirstTopicHaveIdZero() {
        StreamRecord created = Objects.requireNonNull(StreamRecord.decode(root.payload(stream("orders"))));

        assertThat(created.id()).isZero();
        assertThat(created.name()).isEqualTo("orders");
        assertThat(created.createdAtMicros()).isEqualTo(metadata.now - 1_000);

        TopicDetails topic = Objects.requireNonNull(TopicDetails.decode(root.payload(topic(0, "events", 3))));
        assertThat(topic.topic().id()).isZero();
        assertThat(topic.partitions()).extracting(PartitionRecord::id).containsExactly(0, 1, 2);
        assertThat(topic.partitions())
                .extracting(PartitionRecord::segmentsCount)
                .containsOnly(0);
        assertThat(topic.partitions())
                .extracting(PartitionRecord::createdAtMicros)
                .containsOnly(metadata.now - 1_000);
    }

    @Test
    void theReplyToTheCreationOfAStreamIsThatOfTheSpec() {
        metadata.now = 1_700_000_000_000_000L;

        byte[] payload = root.execute(stream("orders")).reply().payload();

        assertThat(HexFormat.of().formatHex(payload))
                .isEqualTo("00000000" + "00401e18240a0600" + "00000000" + "0000000000000000" + "0000000000000000"
                        + "066f7264657273" + "00000000");
    }

    @Test
    void theReplyToTheCreationOfATopicSaysOptionsAndPartitions() {
        root.succeed(stream("orders"));
        Options given = new Options(List.of(
                new Options.Entry("durability", TypedValue.string("replicated")),
                new Options.Entry("consumer_offset_durability", TypedValue.string("replicated"))));

        Outcome.Decided decided = root.execute(new CreateTopic(named("orders"), 3, "events", given));

        // 514 bytes with the result section, whatever the two options say (spec protocol 8.5.2).
        assertThat(decided.reply().payload()).hasSize(510);
        assertThat(decided.reply().operation()).isEqualTo(Operation.CREATE_TOPIC_WITH_ASSIGNMENTS);
    }

    @Test
    void executedOperationsAreNamedInTheReply() {
        root.succeed(stream("s"));
        root.succeed(topic(0, "t", 1));

        assertThat(root.execute(new CreatePartitions(id(0), id(0), 1)).reply().operation())
                .isEqualTo(Operation.CREATE_PARTITIONS_WITH_ASSIGNMENTS);
        assertThat(root.execute(new DeletePartitions(id(0), id(0), 1)).reply().operation())
                .isEqualTo(Operation.DELETE_PARTITIONS);
        assertThat(root.execute(new DeleteSegments(id(0), id(0), 0, 1)).reply().operation())
                .isEqualTo(Operation.TRUNCATE_PARTITION);
        assertThat(root.execute(new DeleteSegments(id(9), id(0), 0, 1)).reply().operation())
                .isEqualTo(Operation.TRUNCATE_PARTITION);
    }

    @Test
    void aNameIsTakenOnceAmongItsLike() {
        root.succeed(stream("a"));
        root.succeed(stream("b"));
        root.succeed(topic(0, "t", 0));

        assertThat(root.error(stream("a"))).isEqualTo(ErrorCode.STREAM_NAME_ALREADY_EXISTS);
        assertThat(root.error(topic(0, "t", 0))).isEqualTo(ErrorCode.TOPIC_NAME_ALREADY_EXISTS);
        assertThat(root.error(topic(1, "t", 0)))
                .as("the same name in another stream")
                .isNull();
        assertThat(root.error(stream("A"))).as("names differ by case").isNull();
        assertThat(metadata.catalog.streamsCount()).isEqualTo(3);
        assertThat(metadata.catalog.topicsCount()).isEqualTo(2);
    }

    @Test
    void renamingFreesTheOldNameAtOnce() {
        root.succeed(stream("a"));
        root.succeed(topic(0, "t", 1));

        root.succeed(new UpdateStream(named("a"), "b", Options.NONE));
        root.succeed(new UpdateTopic(named("b"), named("t"), "u", Options.NONE));

        assertThat(metadata.catalog.stream(named("a"))).isNull();
        assertThat(metadata.catalog.topic(named("b"), named("t"))).isNull();
        assertThat(metadata.catalog.topic(named("b"), named("u"))).isSameAs(topicNow(0, 0));
        assertThat(root.error(stream("a"))).isNull();
        assertThat(root.error(topic(0, "t", 1))).isNull();
    }

    @Test
    void renamingToTheOwnNameWorksAndToAnothersDoesNot() {
        root.succeed(stream("a"));
        root.succeed(stream("b"));
        root.succeed(topic(0, "t", 1));
        root.succeed(topic(0, "u", 1));

        assertThat(root.error(new UpdateStream(id(0), "a", Options.NONE))).isNull();
        assertThat(root.error(new UpdateStream(id(0), "b", Options.NONE)))
                .isEqualTo(ErrorCode.STREAM_NAME_ALREADY_EXISTS);
        assertThat(root.error(new UpdateTopic(id(0), id(0), "t", Options.NONE))).isNull();
        assertThat(root.error(new UpdateTopic(id(0), id(0), "u", Options.NONE)))
                .isEqualTo(ErrorCode.TOPIC_NAME_ALREADY_EXISTS);
        assertThat(topicNow(0, 0).name()).isEqualTo("t");
    }

    @Test
    void aNumberAsTextIsANameAndNeverAnId() {
        root.succeed(stream("7"));

        assertThat(metadata.catalog.stream(named("0"))).isNull();
        assertThat(metadata.catalog.stream(named("7"))).isNotNull();
        assertThat(metadata.catalog.stream(id(7))).isNull();
    }

    @Test
    void freedIdsAreGivenOutAgainLowestFirst() {
        for (String name : List.of("a", "b", "c", "d")) {
            root.succeed(stream(name));
        }
        root.succeed(topic(3, "t", 1));
        root.succeed(topic(3, "u", 1));
        root.succeed(new DeleteTopic(id(3), id(0)));
        root.succeed(new DeleteStream(id(2)));
        root.succeed(new DeleteStream(id(1)));
        metadata.restart();

        root.succeed(stream("e"));
        root.succeed(stream("f"));
        root.succeed(stream("g"));
        root.succeed(topic(3, "v", 1));
        root.succeed(topic(3, "w", 1));

        assertThat(Objects.requireNonNull(metadata.catalog.stream(named("e"))).id())
                .isEqualTo(1);
        assertThat(Objects.requireNonNull(metadata.catalog.stream(named("f"))).id())
                .isEqualTo(2);
        assertThat(Objects.requireNonNull(metadata.catalog.stream(named("g"))).id())
                .isEqualTo(4);
        assertThat(topicNow(3, 0).name()).isEqualTo("v");
        assertThat(topicNow(3, 1).name()).isEqualTo("u");
        assertThat(topicNow(3, 2).name()).isEqualTo("w");
    }

    @Test
    void partitionsAreAddedBehindTheHighestAndRemovedFromIt() {
        root.succeed(stream("s"));
        long createdByTopic = metadata.op + 1;
        assertThat(root.succeed(topic(0, "t", 2)))
                .containsExactly(new Change.PartitionsCreated(
                        0, 0, 0, 2, createdByTopic, topicNow(0, 0).settings()));

        long createdLater = metadata.op + 1;
        assertThat(root.succeed(new CreatePartitions(id(0), id(0), 2)))
                .containsExactly(new Change.PartitionsCreated(
                        0, 0, 2, 2, createdLater, topicNow(0, 0).settings()));
        assertThat(topicNow(0, 0).created(1)).isEqualTo(createdByTopic);
        assertThat(topicNow(0, 0).created(2)).isEqualTo(createdLater);

        assertThat(root.succeed(new DeletePartitions(id(0), id(0), 3)))
                .containsExactly(new Change.PartitionsRemoved(0, 0, 1, 3));
        assertThat(topicNow(0, 0).partitionsCount()).isEqualTo(1);

        long createdAgain = metadata.op + 1;
        root.succeed(new CreatePartitions(id(0), id(0), 1));
        assertThat(topicNow(0, 0).created(1))
                .as("a new partition under an old id")
                .isEqualTo(createdAgain);
        assertThat(metadata.catalog.partitionsCount()).isEqualTo(2);
    }

    @Test
    void allPartitionsMayGoAndNotOneMore() {
        root.succeed(stream("s"));
        root.succeed(topic(0, "t", 3));

        assertThat(root.error(new DeletePartitions(id(0), id(0), 4))).isEqualTo(ErrorCode.INVALID_PARTITIONS_COUNT);
        assertThat(topicNow(0, 0).partitionsCount()).as("nothing was removed").isEqualTo(3);
        assertThat(root.error(new DeletePartitions(id(0), id(0), 3))).isNull();
        assertThat(topicNow(0, 0).partitionsCount()).isZero();
        assertThat(root.error(new DeletePartitions(id(0), id(0), 1))).isEqualTo(ErrorCode.INVALID_PARTITIONS_COUNT);
    }

    @Test
    void requestsAskForABoundedNumberOfPartitions() {
        root.succeed(stream("s"));

        assertThat(root.error(topic(0, "t", 1_001))).isEqualTo(ErrorCode.TOO_MANY_PARTITIONS);
        assertThat(root.error(topic(0, "t", 10_000))).isEqualTo(ErrorCode.TOO_MANY_PARTITIONS);
        assertThat(root.error(topic(0, "t", 1_000))).isNull();
        assertThat(root.error(topic(0, "u", 0))).isNull();
        for (int count : new int[] {0, 1_001}) {
            assertThat(root.error(new CreatePartitions(id(0), id(0), count)))
                    .as("create %d", count)
                    .isEqualTo(ErrorCode.TOO_MANY_PARTITIONS);
            assertThat(root.error(new DeletePartitions(id(0), id(0), count)))
                    .as("delete %d", count)
                    .isEqualTo(ErrorCode.TOO_MANY_PARTITIONS);
        }
        assertThat(root.error(new CreatePartitions(id(0), id(0), 1_000))).isNull();
        assertThat(root.error(new DeletePartitions(id(0), id(0), 1_000))).isNull();
    }

    @Test
    void aTopicHasAtMostAMillionPartitions() {
        root.succeed(stream("s"));
        root.succeed(topic(0, "t", 500));
        for (int i = 0; i < 999; i++) {
            root.succeed(new CreatePartitions(id(0), id(0), 1_000));
        }

        assertThat(root.error(new CreatePartitions(id(0), id(0), 501)))
                .isEqualTo(ErrorCode.PARTITION_ID_SPACE_EXHAUSTED);
        assertThat(root.error(new CreatePartitions(id(0), id(0), 500))).isNull();
        assertThat(topicNow(0, 0).partitionsCount()).isEqualTo(1_000_000);
        metadata.restart();
        assertThat(topicNow(0, 0).partitionsCount()).isEqualTo(1_000_000);
    }

    @Test
    void aStreamHasAtMost4096Topics() {
        root.succeed(stream("s"));
        for (int i = 0; i < 4_096; i++) {
            root.succeed(topic(0, "t" + i, 0));
        }

        assertThat(root.error(topic(0, "u", 0))).isEqualTo(ErrorCode.TOO_MANY_TOPICS);
        assertThat(root.error(topic(0, "t1", 0)))
                .as("the name is looked at first")
                .isEqualTo(ErrorCode.TOPIC_NAME_ALREADY_EXISTS);
        root.succeed(new DeleteTopic(id(0), id(17)));
        root.succeed(topic(0, "u", 0));
        assertThat(topicNow(0, 17).name()).isEqualTo("u");
    }

    @Test
    void deletingATopicSaysWhatGoes() {
        root.succeed(stream("s"));
        root.succeed(topic(0, "t", 2));

        assertThat(root.succeed(new DeleteTopic(id(0), named("t"))))
                .containsExactly(new Change.PartitionsRemoved(0, 0, 0, 2), new Change.TopicRemoved(0, 0));
        assertThat(metadata.catalog.topic(0, 0)).isNull();
        assertThat(metadata.catalog.partitionsCount()).isZero();
        assertThat(metadata.catalog.topicsCount()).isZero();
    }

    @Test
    void deletingAStreamSaysWhatGoes() {
        root.succeed(stream("s"));
        root.succeed(topic(0, "t", 2));
        root.succeed(topic(0, "u", 0));
        root.succeed(stream("other"));
        root.succeed(topic(1, "t", 4));

        assertThat(root.succeed(new DeleteStream(named("s"))))
                .containsExactly(
                        new Change.PartitionsRemoved(0, 0, 0, 2),
                        new Change.TopicRemoved(0, 0),
                        new Change.TopicRemoved(0, 1),
                        new Change.StreamRemoved(0));
        assertThat(metadata.catalog.streamsCount()).isEqualTo(1);
        assertThat(metadata.catalog.topicsCount()).isEqualTo(1);
        assertThat(metadata.catalog.partitionsCount()).isEqualTo(4);
    }

    @Test
    void aPurgeConcernsThePartitionsThatAreThere() {
        root.succeed(stream("s"));
        root.succeed(topic(0, "t", 2));
        root.succeed(topic(0, "u", 1));
        long purged = metadata.op + 1;

        assertThat(root.succeed(new PurgeTopic(id(0), id(0)))).containsExactly(new Change.TopicPurged(0, 0, 2, purged));
        root.succeed(new CreatePartitions(id(0), id(0), 1));
        metadata.restart();

        assertThat(topicNow(0, 0).purgeGeneration(0)).isEqualTo(purged);
        assertThat(topicNow(0, 0).purgeGeneration(1)).isEqualTo(purged);
        assertThat(topicNow(0, 0).purgeGeneration(2))
                .as("a partition made after the purge")
                .isZero();
        assertThat(topicNow(0, 1).purgeGeneration(0)).as("another topic").isZero();
    }

    @Test
    void purgingAStreamPurgesEachOfItsTopics() {
        root.succeed(stream("s"));
        root.succeed(topic(0, "t", 2));
        root.succeed(topic(0, "empty", 0));
        root.succeed(topic(0, "u", 1));
        long purged = metadata.op + 1;

        assertThat(root.succeed(new PurgeStream(id(0))))
                .containsExactly(new Change.TopicPurged(0, 0, 2, purged), new Change.TopicPurged(0, 2, 1, purged));
        assertThat(topicNow(0, 2).purgeGeneration(0)).isEqualTo(purged);
    }

    @Test
    void deletedSegmentsLeaveABoundThatOnlyMovesForwardUntilAPurge() {
        root.succeed(stream("s"));
        root.succeed(topic(0, "t", 3));
        DeleteSegments command = new DeleteSegments(id(0), id(0), 1, 2);

        assertThat(truncate(command, 50)).containsExactly(new Change.PartitionTruncated(0, 0, 1, 50));
        assertThat(truncate(command, 40)).isEmpty();
        assertThat(truncate(command, 0)).isEmpty();
        metadata.restart();
        assertThat(topicNow(0, 0).truncatedBelow(0)).isZero();
        assertThat(topicNow(0, 0).truncatedBelow(1)).isEqualTo(50);
        assertThat(topicNow(0, 0).truncatedBelow(2)).isZero();

        root.succeed(new PurgeTopic(id(0), id(0)));
        assertThat(topicNow(0, 0).truncatedBelow(1)).isZero();
    }

    @Test
    void aDeletionOfSegmentsThatAPurgeOvertookDeletesNothing() {
        root.succeed(stream("s"));
        root.succeed(topic(0, "t", 2));
        DeleteSegments command = new DeleteSegments(id(0), id(0), 1, 2);
        long before = topicNow(0, 0).begun(1);
        root.succeed(new PurgeTopic(id(0), id(0)));
        assertThat(truncate(command, 50, before)).isEmpty();
        long purged = topicNow(0, 0).begun(1);
        root.succeed(new DeletePartitions(id(0), id(0), 1));
        root.succeed(new CreatePartitions(id(0), id(0), 1));
        assertThat(truncate(command, 50, purged)).isEmpty();
        assertThat(truncate(command, 50)).hasSize(1);
    }

    @Test
    void aPartitionThatIsMadeAgainHasNoBoundOfTheOldOne() {
        root.succeed(stream("s"));
        root.succeed(topic(0, "t", 2));
        truncate(new DeleteSegments(id(0), id(0), 1, 2), 50);

        root.succeed(new DeletePartitions(id(0), id(0), 1));
        root.succeed(new CreatePartitions(id(0), id(0), 1));

        assertThat(topicNow(0, 0).truncatedBelow(1)).isZero();
    }

    private List<Change> truncate(DeleteSegments command, long offset) {
        return truncate(command, offset, topicNow(0, 0).begun(1));
    }

    private List<Change> truncate(DeleteSegments command, long offset, long begun) {
        Outcome outcome = metadata.apply(root.encode(
                Operation.DELETE_SEGMENTS, CompletedBody.deleteSegments(command, offset, begun), ++root.request, 0));
        assertThat(outcome).isInstanceOf(Outcome.Decided.class);
        assertThat(((Outcome.Decided) outcome).reply().error()).isNull();
        return ((Outcome.Decided) outcome).changes();
    }

    @Test
    void aTopicMadeAgainUnderItsOldIdIsAnotherTopic() {
        root.succeed(stream("s"));
        root.succeed(topic(0, "t", 1));
        long before = topicNow(0, 0).created(0);
        root.succeed(new DeleteTopic(id(0), id(0)));
        root.succeed(topic(0, "t", 1));

        assertThat(topicNow(0, 0).created(0)).isGreaterThan(before);
    }
}
