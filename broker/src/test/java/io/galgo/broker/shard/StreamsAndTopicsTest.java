package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.broker.partition.PartitionDirectory;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.Options;
import io.galgo.protocol.TypedValue;
import io.galgo.protocol.reply.GroupRecord;
import io.galgo.protocol.reply.PartitionRecord;
import io.galgo.protocol.reply.Stats;
import io.galgo.protocol.reply.StreamDetails;
import io.galgo.protocol.reply.StreamRecord;
import io.galgo.protocol.reply.StreamRecords;
import io.galgo.protocol.reply.TokenSecret;
import io.galgo.protocol.reply.TopicDetails;
import io.galgo.protocol.reply.TopicRecord;
import io.galgo.protocol.reply.TopicRecords;
import io.galgo.protocol.reply.UserDetails;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.CreateConsumerGroup;
import io.galgo.protocol.request.CreatePartitions;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeletePartitions;
import io.galgo.protocol.request.DeleteStream;
import io.galgo.protocol.request.DeleteTopic;
import io.galgo.protocol.request.GetStream;
import io.galgo.protocol.request.GetTopic;
import io.galgo.protocol.request.GetTopics;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.UpdateStream;
import io.galgo.protocol.request.UpdateTopic;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {1, 2, 3})
class StreamsAndTopicsTest {
    private static final Identifier S = Identifier.of("s");
    private static final Identifier T = Identifier.of("t");

    private final TestNode node;
    private final TestClient client;
    /// On another shard where there is one.
    private final TestClient observer;

    StreamsAndTopicsTest(int shardsCount) {
        node = new TestNode(shardsCount);
        client = node.root(shardsCount - 1);
        observer = node.root(0);
    }

    private String outcome(Request request) {
        return client.ask(request).outcome();
    }

    private static List<StreamRecord> streams(TestClient asking) {
        Answer answer = asking.ask(new BodilessRequest(CommandCode.GET_STREAMS));
        assertThat(answer.outcome()).isEqualTo("ok");
        return Objects.requireNonNull(StreamRecords.decode(answer.body())).streams();
    }

    @Test
    void aFreshServerHasNoStreamsAndCountsFromZero() {
        assertThat(streams(observer)).isEmpty();
        Answer created = client.createStream("s");
        StreamRecord stream = Objects.requireNonNull(StreamRecord.decode(created.payload()));
        assertThat(stream.id()).isZero();
        assertThat(stream.name()).isEqualTo("s");
        Answer topic = client.createTopic("s", "t", 3);
        assertThat(topic.operation()).isEqualTo(Operation.CREATE_TOPIC_WITH_ASSIGNMENTS.value());
        TopicDetails details = Objects.requireNonNull(TopicDetails.decode(topic.payload()));
        assertThat(details.topic().id()).isZero();
        assertThat(details.partitions()).extracting(PartitionRecord::id).containsExactly(0, 1, 2);
        assertThat(details.partitions())
                .extracting(PartitionRecord::segmentsCount)
                .containsOnly(0);
    }

    @Test
    void aNewTopicIsSeenEverywhereAtOnce() {
        client.createTopic(3);
        TopicDetails seen = observer.topic();
        assertThat(seen.partitions()).hasSize(3);
        assertThat(seen.partitions())
                .allMatch(partition -> partition.segmentsCount() == 1
                        && partition.sizeBytes() == 0
                        && partition.messagesCount() == 0
                        && partition.currentOffset() == 0);
        assertThat(observer.sendOk(0, "at once")).isZero();
        assertThat(observer.sendOk(2, "at once")).isZero();
    }

    @Test
    void takenNamesAreRefusedAndChangeNothing() {
        client.createTopic(1);
        assertThat(client.createStream("s").outcome()).isEqualTo("reject 1012");
        assertThat(client.createTopic("s", "t", 1).outcome()).isEqualTo("reject 2013");
        assertThat(client.createTopic("none", "t", 1).outcome()).isEqualTo("reject 1009");
        assertThat(streams(observer)).hasSize(1);
    }

    @Test
    void missingTargetsOfReadsAreEmpty() {
        for (Request request : List.<Request>of(new GetStream(S), new GetTopic(S, T))) {
            Answer answer = observer.ask(request);
            assertThat(answer.outcome()).isEqualTo("ok");
            assertThat(answer.body().remaining()).isZero();
        }
        Answer topics = observer.ask(new GetTopics(S));
        assertThat(Objects.requireNonNull(TopicRecords.decode(topics.body())).topics())
                .isEmpty();
    }

    @Test
    void renamesAreSeenEverywhereAtOnce() {
        client.createTopic(1);
        assertThat(outcome(new UpdateTopic(S, T, "t2", Options.NONE))).isEqualTo("ok");
        assertThat(outcome(new UpdateStream(S, "s2", Options.NONE))).isEqualTo("ok");
        assertThat(observer.ask(new GetStream(S)).body().remaining()).isZero();
        Answer answer = observer.ask(new GetTopic(Identifier.of("s2"), Identifier.of("t2")));
        assertThat(Objects.requireNonNull(TopicDetails.decode(answer.body()))
                        .topic()
                        .name())
                .isEqualTo("t2");
        assertThat(outcome(new UpdateStream(S, "s3", Options.NONE))).isEqualTo("reject 1009");
        assertThat(outcome(new UpdateTopic(Identifier.of("s2"), T, "t3", Options.NONE)))
                .isEqualTo("reject 2010");
    }

    @Test
    void partitionsComeAndGoAtTheEnd() {
        client.createTopic(1);
        assertThat(client.sendOk(0, "stays")).isZero();
        Answer added = client.ask(new CreatePartitions(S, T, 2));
        assertThat(added.outcome()).isEqualTo("ok");
        assertThat(added.operation()).isEqualTo(Operation.CREATE_PARTITIONS_WITH_ASSIGNMENTS.value());
        assertThat(observer.topic().partitions()).hasSize(3);
        assertThat(observer.sendOk(2, "goes")).isZero();
        assertThat(outcome(new DeletePartitions(S, T, 2))).isEqualTo("ok");
        assertThat(observer.topic().partitions()).hasSize(1);
        assertThat(observer.topic().topic().messagesCount()).isEqualTo(1);
        assertThat(observer.ask(TestClient.send(2, "late")).outcome()).isEqualTo("deny 20");
        assertThat(outcome(new CreatePartitions(S, T, 2))).isEqualTo("ok");
        assertThat(observer.sendOk(2, "a new partition under the old id")).isZero();
        assertThat(outcome(new DeletePartitions(S, T, 4))).isEqualTo("reject 2019");
        assertThat(outcome(new DeletePartitions(S, T, 3))).isEqualTo("ok");
        assertThat(outcome(new DeletePartitions(S, T, 1))).isEqualTo("reject 2019");
        for (long count : new long[] {0, 1001}) {
            assertThat(outcome(new CreatePartitions(S, T, count))).isEqualTo("deny 2015");
            assertThat(outcome(new DeletePartitions(S, T, count))).isEqualTo("deny 2015");
        }
    }

    @Test
    void aTopicOfAThousandPartitionsWorks() {
        assertThat(client.createStream("s").outcome()).isEqualTo("ok");
        assertThat(client.createTopic("s", "t", 1001).outcome()).isEqualTo("deny 2015");
        assertThat(client.createTopic("s", "t", 1000).outcome()).isEqualTo("ok");
        assertThat(observer.sendOk(999, "x")).isZero();
        assertThat(observer.topic().partitions()).hasSize(1000);
        assertThat(outcome(new DeleteTopic(S, T))).isEqualTo("ok");
        assertThat(client.createTopic("s", "t", 1000).outcome()).isEqualTo("ok");
        assertThat(observer.sendOk(999, "x")).isZero();
        node.assertNoMemoryIsHeld();
    }

    @Test
    void whatIsDeletedLeavesTheCountsOfItsParentsBeforeTheAnswer() {
        client.createTopic(3);
        assertThat(client.createTopic("s", "other", 1).outcome()).isEqualTo("ok");
        for (int partition = 0; partition < 3; partition++) {
            client.sendOk(partition, "abc");
        }
        assertTold(3, 4, 2);
        assertThat(outcome(new DeletePartitions(S, T, 1))).isEqualTo("ok");
        assertTold(2, 3, 2);
        assertThat(observer.topic().topic().messagesCount()).isEqualTo(2);
        assertThat(observer.topic().topic().sizeBytes()).isEqualTo(2 * 307);
        assertThat(outcome(new DeleteTopic(S, T))).isEqualTo("ok");
        assertTold(0, 1, 1);
    }

    /// What stream `s` and the statistics say of messages of 307 bytes each.
    private void assertTold(int messages, int partitions, int topics) {
        assertThat(stream().stream().messagesCount()).isEqualTo(messages);
        assertThat(stream().stream().sizeBytes()).isEqualTo(messages * 307L);
        assertThat(stream().topics()).hasSize(topics);
        Answer answer = observer.ask(new BodilessRequest(CommandCode.GET_STATS));
        Stats stats = Objects.requireNonNull(Stats.decode(answer.body()));
        assertThat(stats.messagesCount()).isEqualTo(messages);
        assertThat(stats.messagesSizeBytes()).isEqualTo(messages * 307L);
        assertThat(stats.partitionsCount()).isEqualTo(partitions);
        assertThat(stats.topicsCount()).isEqualTo(topics);
    }

    private StreamDetails stream() {
        return Objects.requireNonNull(
                StreamDetails.decode(observer.ask(new GetStream(S)).body()));
    }

    @Test
    void aTopicMadeAnewUnderItsOldIdIsEmpty() {
        client.createTopic(2);
        client.sendOk(0, "old");
        client.sendOk(1, "old");
        assertThat(outcome(TestClient.store(TestClient.CONSUMER, 0, 0))).isEqualTo("ok");
        assertThat(outcome(new DeleteTopic(S, T))).isEqualTo("ok");
        assertThat(client.createTopic("s", "t", 2).outcome()).isEqualTo("ok");
        assertThat(observer.stored(TestClient.CONSUMER, 0)).isEqualTo(-1);
        assertThat(observer.sendOk(0, "new")).isZero();
        assertThat(TestClient.payloads(observer.pollOk(0, io.galgo.protocol.PollingStrategy.FIRST, 10)))
                .containsExactly("new");
        node.killAndRestart();
        TestClient later = node.root(0);
        assertThat(TestClient.payloads(later.pollOk(0, io.galgo.protocol.PollingStrategy.FIRST, 10)))
                .containsExactly("new");
        assertThat(later.pollOk(1, io.galgo.protocol.PollingStrategy.FIRST, 10)).isEmpty();
    }

    @Test
    void deletedStreamsFreeTheirNamesAndLeaveNoFiles() {
        client.createTopic(3);
        for (int partition = 0; partition < 3; partition++) {
            client.sendOk(partition, "x");
        }
        assertThat(outcome(new DeleteStream(S))).isEqualTo("ok");
        assertThat(streams(observer)).isEmpty();
        assertThat(outcome(new DeleteStream(S))).isEqualTo("reject 1009");
        node.run();
        assertThat(node.disk.list(PartitionDirectory.STREAMS)).isEmpty();
        assertThat(client.createStream("s").outcome()).isEqualTo("ok");
        assertThat(client.createTopic("s", "t", 1).outcome()).isEqualTo("ok");
        client.sendOk(0, "y");
        assertThat(outcome(new DeleteTopic(S, T))).isEqualTo("ok");
        node.run();
        assertThat(node.disk.list(PartitionDirectory.path(0) + "/topics")).isEmpty();
        node.killAndRestart();
        node.run();
        assertThat(node.disk.files()).noneMatch(path -> path.endsWith(".log"));
    }

    @Test
    void optionsAreCheckedAndKept() {
        assertThat(client.createStream("s").outcome()).isEqualTo("ok");
        assertThat(create("a", "durability", TypedValue.string("fast"))).isEqualTo("deny 4042");
        assertThat(create("a", "durability", TypedValue.bool(true))).isEqualTo("deny 4042");
        assertThat(create("a", "colour", TypedValue.string("red"))).isEqualTo("deny 4041");
        assertThat(create("a", "messages_required_to_save", TypedValue.uint32(0)))
                .isEqualTo("deny 4042");
        assertThat(create("a", "segment_size", TypedValue.uint64(1024))).isEqualTo("deny 4042");
        assertThat(create("a", "max_topic_size", TypedValue.uint64(10 << 10))).isEqualTo("deny 1019");
        assertThat(create("a", "enforce_fsync", TypedValue.bool(true))).isEqualTo("ok");
        Answer answer = observer.ask(new GetTopic(S, Identifier.of("a")));
        TopicDetails details = Objects.requireNonNull(TopicDetails.decode(answer.body()));
        assertThat(details.topic().explicitOptions().entries())
                .containsExactly(new Options.Entry("durability", TypedValue.string("persisted")));
        assertThat(outcome(new UpdateTopic(
                        S,
                        Identifier.of("a"),
                        "a",
                        new Options(List.of(new Options.Entry("durability", TypedValue.string("replicated")))))))
                .isEqualTo("deny 4041");
    }

    @Test
    void optionsOfATopicAreToldAlikeOfItAloneOfItsStreamAndInTheList() {
        client.createTopic(
                1,
                new Options.Entry("message_expiry", TypedValue.uint64(5_000_000)),
                new Options.Entry("segment_size", TypedValue.uint64(1 << 20)));

        TopicRecord alone = observer.topic().topic();
        assertThat(alone.explicitOptions().entries())
                .containsExactly(
                        new Options.Entry("message_expiry", TypedValue.uint64(5_000_000)),
                        new Options.Entry("segment_size", TypedValue.uint64(1 << 20)));
        assertThat(stream().topics()).containsExactly(alone);
        Answer list = observer.ask(new GetTopics(S));
        assertThat(Objects.requireNonNull(TopicRecords.decode(list.body())).topics())
                .containsExactly(alone);
    }

    private String create(String topic, String key, TypedValue value) {
        return client.createTopic("s", topic, 1, new Options.Entry(key, value)).outcome();
    }

    @Test
    void manyClientsCreateThingsOfAllKindsAtOnceAndAllIdsDiffer() {
        client.createTopic(1);
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            clients.add(node.root(i % node.shardsCount()));
        }
        TreeSet<String> ids = new TreeSet<>();
        for (int round = 0; round < 10; round++) {
            List<Request> requests = new ArrayList<>();
            List<ByteBuffer> frames = new ArrayList<>();
            for (int i = 0; i < clients.size(); i++) {
                requests.add(creations("name " + round + " " + i).get((round + i) % 5));
                frames.add(clients.get(i).frame(requests.get(i)));
                clients.get(i).deliver(frames.get(i));
            }
            node.run();
            for (int i = 0; i < clients.size(); i++) {
                Answer answer = clients.get(i).next();
                while (answer.outcome().equals("reject 58")) {
                    answer = clients.get(i).ask(frames.get(i));
                }
                assertThat(answer.outcome()).as("%s", requests.get(i)).isEqualTo("ok");
                ids.add(identity(requests.get(i), answer.payload()));
            }
        }
        assertThat(ids).hasSize(120);
        assertThat(streams(observer)).hasSize(1 + 24);
        assertThat(stream().topics()).hasSize(1 + 24);
    }

    /// A creation of each kind of thing that has a name.
    private static List<Request> creations(String name) {
        return List.of(
                new CreateStream(name, Options.NONE),
                new CreateTopic(S, 1, name, Options.NONE),
                new CreateConsumerGroup(S, T, name),
                new CreateUser(name, "password", 1, null, Options.NONE),
                new CreatePersonalAccessToken(name, 0));
    }

    /// What tells the thing that was made from all others.
    private static String identity(Request request, ByteBuffer payload) {
        return switch (request) {
            case CreateStream _ ->
                "stream " + Objects.requireNonNull(StreamRecord.decode(payload)).id();
            case CreateTopic _ ->
                "topic "
                        + Objects.requireNonNull(TopicDetails.decode(payload))
                                .topic()
                                .id();
            case CreateConsumerGroup _ ->
                "group " + Objects.requireNonNull(GroupRecord.decode(payload)).id();
            case CreateUser _ ->
                "user "
                        + Objects.requireNonNull(UserDetails.decode(payload))
                                .user()
                                .id();
            default ->
                "token " + Objects.requireNonNull(TokenSecret.decode(payload)).text();
        };
    }

    @Test
    void ofConcurrentCreatesOfOneNameExactlyOneSucceeds() {
        client.createTopic(1);
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            clients.add(node.root(i % node.shardsCount()));
        }
        List<String> taken = List.of("reject 1012", "reject 2013", "reject 5004", "reject 46", "reject 51");
        for (int kind = 0; kind < taken.size(); kind++) {
            Request creation = creations("one").get(kind);
            for (TestClient racing : clients) {
                racing.post(creation);
            }
            node.run();
            List<String> outcomes =
                    clients.stream().map(racing -> racing.next().outcome()).toList();
            assertThat(outcomes)
                    .as("%s", creation)
                    .containsOnly("ok", taken.get(kind))
                    .containsOnlyOnce("ok");
        }
    }

    @Test
    void theMetadataPlaneRefusesWhatDoesNotFitItsQueues() {
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            clients.add(node.root(i % node.shardsCount()));
        }
        for (int i = 0; i < 20; i++) {
            clients.get(i).post(new CreateStream("stream " + i, Options.NONE));
        }
        while (node.runParcels()) {}
        node.run();
        List<String> outcomes =
                clients.stream().map(asking -> asking.next().outcome()).toList();
        // 4 are journalled at a time, 8 wait.
        assertThat(outcomes.stream().filter("ok"::equals)).hasSize(12);
        assertThat(outcomes.stream().filter("reject 58"::equals)).hasSize(8);
        assertThat(streams(observer)).hasSize(12);
    }

    @Test
    void aRepeatedCommandIsAnsweredAndNotExecutedAgainAlsoAfterARestart() {
        ByteBuffer create = client.frame(new CreateStream("s", Options.NONE));
        Answer first = client.ask(create);
        assertThat(first.outcome()).isEqualTo("ok");
        assertThat(client.ask(create).frame()).as("the same bytes").isEqualTo(first.frame());
        long number = client.number;
        node.killAndRestart();
        TestClient again = node.connect(0);
        again.id = client.id;
        again.login();
        create.putLong(184, again.session);
        assertThat(again.ask(create).frame())
                .as("the same bytes after a restart")
                .isEqualTo(first.frame());
        again.number = number;
        assertThat(again.createStream("next").outcome()).isEqualTo("ok");
        assertThat(streams(again)).hasSize(2);
    }

    @Test
    void manyOperationsAreFoldedIntoSnapshots() {
        for (int i = 0; i < 300; i++) {
            assertThat(client.createStream("stream " + i).outcome()).isEqualTo("ok");
            if (i % 3 == 0) {
                assertThat(outcome(new DeleteStream(Identifier.of("stream " + i))))
                        .isEqualTo("ok");
            }
        }
        node.killAndRestart();
        assertThat(streams(node.root(0))).hasSize(200);
    }
}
