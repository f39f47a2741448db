package io.galgo.acceptance.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.SharedServer;
import io.galgo.acceptance.harness.Target;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Code;
import io.galgo.torture.wire.Fields;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.ReplyFrame;
import io.galgo.torture.wire.Strategy;
import io.galgo.torture.wire.StreamDescription;
import io.galgo.torture.wire.TopicDescription;
import io.galgo.torture.wire.TopicDescription.PartitionDescription;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Streams, topics, partitions and their options.
@ExtendWith(ServerLogs.class)
class TopicsTest {
    private static final long NEVER = -1;
    private static final List<String> OPTIONS = List.of(
            "compression_algorithm",
            "message_expiry",
            "max_topic_size",
            "segment_size",
            "durability",
            "consumer_offset_durability",
            "messages_required_to_save",
            "size_of_messages_required_to_save",
            "preallocate_segments");

    private ServerProcess server;
    private RawClient client;
    private String stream;

    @BeforeEach
    void connect() throws Exception {
        server = server();
        client = server.client();
        stream = SharedServer.newName("topics");
        client.createStream(stream);
    }

    /// The server to test. Another class runs the same tests on one whose logs are always on the move.
    ServerProcess server() throws IOException, InterruptedException {
        return SharedServer.running();
    }

    @AfterEach
    void disconnect() {
        client.close();
    }

    @Test
    void aNewTopicIsEmptyInEveryPartition() throws IOException {
        TopicDescription created = client.createTopic(stream, "events", 3);
        assertThat(created.partitions()).extracting(PartitionDescription::id).containsExactly(0L, 1L, 2L);
        TopicDescription topic = client.topic(stream, "events").orElseThrow();
        assertThat(topic.id()).isZero();
        assertThat(topic.messageExpiry()).isEqualTo(NEVER);
        assertThat(topic.maxTopicSize()).isEqualTo(NEVER);
        assertThat(topic.compression()).isEqualTo(1);
        for (PartitionDescription partition : topic.partitions()) {
            assertThat(partition.segmentsCount()).isEqualTo(1);
            assertThat(partition.currentOffset()).isZero();
            assertThat(partition.sizeBytes()).isZero();
            assertThat(partition.messagesCount()).isZero();
        }
    }

    @Test
    void aTopicMayHaveNoPartitionOrAThousand() throws IOException {
        assertThat(client.createTopic(stream, "none", 0).partitions()).isEmpty();
        assertThat(client.createTopic(stream, "many", 1000).partitions()).hasSize(1000);
        client.succeed(Operation.DELETE_TOPIC, Body.of().id(stream).id("many"));
    }

    @Test
    void sizesAndCountsAreThoseOfTheBatches() throws IOException {
        client.createTopic(stream, "events", 2);
        client.send(stream, "events", Partitioning.to(1), "x".repeat(57), "y".repeat(57), "z".repeat(57));
        client.send(stream, "events", Partitioning.to(1), "x".repeat(57));
        long size = 256 + 3 * 105 + 256 + 105;
        TopicDescription topic = client.topic(stream, "events").orElseThrow();
        assertThat(topic.messagesCount()).isEqualTo(4);
        assertThat(topic.sizeBytes()).isEqualTo(size);
        assertThat(topic.partitions().get(1).sizeBytes()).isEqualTo(size);
        assertThat(topic.partitions().get(1).currentOffset()).isEqualTo(3);
        assertThat(topic.partitions().get(0).messagesCount()).isZero();
        StreamDescription whole = client.stream(stream).orElseThrow();
        assertThat(whole.messagesCount()).isEqualTo(4);
        assertThat(whole.sizeBytes()).isEqualTo(size);
        assertThat(whole.topics()).singleElement().satisfies(one -> {
            assertThat(one.name()).isEqualTo("events");
            assertThat(one.messagesCount()).isEqualTo(4);
        });
    }

    @Test
    void createdPartitionsFollowTheHighestAndDeletedOnesAreTheHighest() throws IOException {
        client.createTopic(stream, "events", 2);
        client.send(stream, "events", Partitioning.to(0), "kept");
        client.send(stream, "events", Partitioning.to(1), "lost");
        client.succeed(
                Operation.CREATE_PARTITIONS, Body.of().id(stream).id("events").u32(2));
        client.send(stream, "events", Partitioning.to(3), "lost too");
        client.succeed(
                Operation.DELETE_PARTITIONS, Body.of().id(stream).id("events").u32(3));
        TopicDescription topic = client.topic(stream, "events").orElseThrow();
        assertThat(topic.partitions()).extracting(PartitionDescription::id).containsExactly(0L);
        if (!Target.current().isReference()) {
            assertThat(topic.messagesCount()).isEqualTo(1);
        }
        client.succeed(
                Operation.CREATE_PARTITIONS, Body.of().id(stream).id("events").u32(1));
        assertThat(client.poll(stream, "events", 1, Strategy.first(), 10).messages())
                .as("messages of a partition that came back")
                .isEmpty();
        assertThat(client.poll(stream, "events", 0, Strategy.first(), 10).texts())
                .containsExactly("kept");
        client.succeed(
                Operation.DELETE_PARTITIONS, Body.of().id(stream).id("events").u32(2));
        assertThat(client.topic(stream, "events").orElseThrow().partitions()).isEmpty();
    }

    @Test
    void aPurgeEmptiesAndOffsetsBeginAgain() throws IOException {
        Body consumer = Body.of().consumer("reader");
        client.createTopic(stream, "events", 1);
        client.createTopic(stream, "other", 1);
        client.send(stream, "events", Partitioning.to(0), "one", "two");
        client.send(stream, "other", Partitioning.to(0), "three");
        assertThat(client.storeOffset(consumer, stream, "events", 0, 1).outcome())
                .isEqualTo("OK");
        client.succeed(Operation.PURGE_TOPIC, Body.of().id(stream).id("events"));
        TopicDescription purged = client.topic(stream, "events").orElseThrow();
        assertThat(purged.messagesCount()).isZero();
        assertThat(purged.sizeBytes()).isZero();
        assertThat(client.stream(stream).orElseThrow().messagesCount()).isEqualTo(1);
        assertThat(client.storedOffset(consumer, stream, "events", 0)).isEmpty();
        assertThat(client.poll(stream, "events", 0, Strategy.first(), 10).messages())
                .isEmpty();
        assertThat(client.send(stream, "events", Partitioning.to(0), "four").baseOffset())
                .isZero();
        assertThat(client.poll(consumer, stream, "events", 0, Strategy.next(), 10, false)
                        .texts())
                .containsExactly("four");
        client.succeed(Operation.PURGE_STREAM, Body.of().id(stream));
        assertThat(client.stream(stream).orElseThrow().messagesCount()).isZero();
        assertThat(client.stream(stream).orElseThrow().topicsCount()).isEqualTo(2);
    }

    @Test
    void aTopicThatIsMadeAgainHasOnlyNewMessages() throws IOException {
        TopicDescription first = client.createTopic(stream, "events", 1);
        client.send(stream, "events", Partitioning.to(0), "old");
        client.succeed(Operation.DELETE_TOPIC, Body.of().id(stream).id("events"));
        assertThat(client.topic(stream, "events")).isEmpty();
        assertThat(client.createTopic(stream, "events", 1).id()).isEqualTo(first.id());
        assertThat(client.send(stream, "events", Partitioning.to(0), "new").baseOffset())
                .isZero();
        assertThat(client.poll(stream, "events", 0, Strategy.first(), 10).texts())
                .containsExactly("new");
    }

    @Test
    void aRenamedTopicIsTheSameTopic() throws IOException {
        client.createTopic(
                stream, "before", 1, Body.of().option("segment_size", 1 << 20).toBytes());
        client.send(stream, "before", Partitioning.to(0), "kept");
        client.succeed(Operation.UPDATE_TOPIC, Body.of().id(stream).id("before").name("after"));
        assertThat(client.topic(stream, "before")).isEmpty();
        TopicDescription topic = client.topic(stream, "after").orElseThrow();
        assertThat(topic.explicit()).containsOnlyKeys("segment_size");
        assertThat(client.poll(stream, "after", 0, Strategy.first(), 10).texts())
                .containsExactly("kept");
    }

    @Test
    void optionsAreStoredInTheirKindsAndTheOthersAreDerived() throws IOException {
        TopicDescription topic = client.createTopic(
                stream,
                "events",
                1,
                Body.of()
                        .option("segment_size", "128 MiB")
                        .option("message_expiry", "1 h")
                        .option("messages_required_to_save", "77")
                        .option("preallocate_segments", "false")
                        .option("compression_algorithm", "GZIP")
                        .toBytes());
        assertThat(topic.explicit().keySet())
                .containsExactly(
                        "compression_algorithm",
                        "message_expiry",
                        "messages_required_to_save",
                        "preallocate_segments",
                        "segment_size");
        assertThat(topic.explicit("segment_size").number()).isEqualTo(128 << 20);
        assertThat(topic.explicit("segment_size").kind()).isEqualTo(12);
        assertThat(topic.explicit("message_expiry").number()).isEqualTo(3_600_000_000L);
        assertThat(topic.explicit("messages_required_to_save").kind()).isEqualTo(11);
        assertThat(topic.explicit("messages_required_to_save").number()).isEqualTo(77);
        assertThat(topic.explicit("preallocate_segments").bytes()).containsExactly(0);
        assertThat(topic.explicit("compression_algorithm").text()).isEqualTo("gzip");
        assertThat(topic.messageExpiry()).isEqualTo(3_600_000_000L);
        assertThat(topic.compression()).isEqualTo(2);
        assertThat(topic.derived("max_topic_size").number()).isEqualTo(NEVER);
        assertThat(client.topic(stream, "events").orElseThrow().explicit().keySet())
                .isEqualTo(topic.explicit().keySet());
    }

    @Test
    void durabilityIsAnOptionLikeTheOthers() throws IOException {
        Assumptions.assumeFalse(Target.current().isReference(), "the reference server predates these options");
        TopicDescription plain = client.createTopic(stream, "plain", 1);
        assertThat(plain.derived().keySet())
                .containsExactlyElementsOf(OPTIONS.stream().sorted().toList());
        assertThat(plain.derived("durability").text()).isEqualTo("replicated");
        TopicDescription persisted = client.createTopic(
                stream,
                "persisted",
                1,
                Body.of().option("durability", "PERSISTED").toBytes());
        assertThat(persisted.explicit()).containsOnlyKeys("durability");
        assertThat(persisted.explicit("durability").text()).isEqualTo("persisted");
        assertThat(persisted.derived("consumer_offset_durability").text()).isEqualTo("replicated");
        TopicDescription alias = client.createTopic(
                stream,
                "alias",
                1,
                Body.of().option("enforce_fsync", 3, new byte[] {1}).toBytes());
        assertThat(alias.explicit()).containsOnlyKeys("durability");
        assertThat(alias.explicit("durability").text()).isEqualTo("persisted");
        assertThat(client.send(stream, "persisted", Partitioning.to(0), "synced")
                        .baseOffset())
                .isZero();
    }

    @Test
    void anUpdateChangesWhatItNamesAndNothingElse() throws IOException {
        client.createTopic(
                stream,
                "events",
                1,
                Body.of()
                        .option("message_expiry", 5_000_000)
                        .option("max_topic_size", 4L << 30)
                        .toBytes());
        client.succeed(
                Operation.UPDATE_TOPIC,
                Body.of().id(stream).id("events").name("events").option("message_expiry", 7_000_000));
        TopicDescription topic = client.topic(stream, "events").orElseThrow();
        assertThat(topic.messageExpiry()).isEqualTo(7_000_000);
        assertThat(topic.maxTopicSize()).isEqualTo(4L << 30);
        client.succeed(
                Operation.UPDATE_TOPIC,
                Body.of().id(stream).id("events").name("events").option("max_topic_size", 0));
        assertThat(client.topic(stream, "events").orElseThrow().maxTopicSize())
                .as("0 keeps what is in force")
                .isEqualTo(4L << 30);
        assertThat(client.change(
                                Operation.UPDATE_TOPIC,
                                Body.of().id(stream).id("events").name("events").option("max_topic_size", 1 << 20))
                        .outcome())
                .isEqualTo("DENY 1019");
    }

    @Test
    void theDescribedTopicOptionsAreTheNine() throws IOException {
        Assumptions.assumeFalse(Target.current().isReference(), "the reference server describes other options");
        Fields fields =
                new Fields(client.ask(Code.DESCRIBE_OPTIONS, Body.of().u8(1)).body());
        assertThat(fields.u32()).isEqualTo(9);
        List<String> keys = new ArrayList<>();
        while (fields.hasMore()) {
            keys.add(fields.name());
            assertThat(fields.u8()).as("kind of %s", keys.getLast()).isBetween(1, 15);
            assertThat(fields.raw(fields.u32()).length)
                    .as("default of %s", keys.getLast())
                    .isPositive();
            assertThat(fields.longString())
                    .as("description of %s", keys.getLast())
                    .isNotBlank();
        }
        assertThat(keys).isEqualTo(OPTIONS);
        assertThat(client.ask(Code.DESCRIBE_OPTIONS, Body.of().u8(2)).body()).containsExactly(0, 0, 0, 0);
        assertThat(client.ask(Code.DESCRIBE_OPTIONS, Body.of().u8(3)).body()).containsExactly(0, 0, 0, 0);
    }

    @Test
    void clientsThatCreateAtOnceGetDifferentNumbers() throws Exception {
        int clients = 4;
        int each = 40;
        long all = 160;
        Set<Long> ids = new HashSet<>();
        for (List<Long> some : together(clients, number -> {
            try (RawClient own = server.client()) {
                List<Long> created = new ArrayList<>();
                for (int i = 0; i < each; i++) {
                    created.add(own.createTopic(stream, "topic-" + number + "-" + i, 1)
                            .id());
                }
                return created;
            }
        })) {
            ids.addAll(some);
        }
        assertThat(ids).hasSize((int) all).contains(0L, all - 1);
        assertThat(client.stream(stream).orElseThrow().topicsCount()).isEqualTo(all);
    }

    @Test
    void ofClientsThatCreateOneNameOneSucceeds() throws Exception {
        String name = SharedServer.newName("contended");
        List<String> outcomes = together(6, _ -> {
            try (RawClient own = server.client()) {
                return own.persist(Operation.CREATE_STREAM, Body.of().name(name).toBytes())
                        .outcome();
            }
        });
        assertThat(outcomes)
                .containsOnlyOnce("OK")
                .filteredOn("REJECT 1012"::equals)
                .hasSize(5);
    }

    @Test
    void aRepeatedCommandIsExecutedOnceAndAnsweredAlike() throws IOException {
        String name = SharedServer.newName("repeated");
        var frame = client.write(Operation.CREATE_STREAM, Body.of().name(name).toBytes())
                .stamped();
        ReplyFrame first = client.exchange(frame);
        ReplyFrame second = client.exchange(frame);
        assertThat(first.outcome()).isEqualTo("OK");
        assertThat(second.header()).isEqualTo(first.header());
        assertThat(second.body()).isEqualTo(first.body());
    }

    @Test
    void aRejectedCommandIsRememberedAsRejected() throws IOException {
        String name = SharedServer.newName("remembered");
        var deletion = client.write(Operation.DELETE_STREAM, Body.of().id(name).toBytes())
                .stamped();
        assertThat(client.exchange(deletion).outcome()).isEqualTo("REJECT 1009");
        client.createStream(name);
        assertThat(client.exchange(deletion).outcome()).isEqualTo("REJECT 1009");
        assertThat(client.stream(name)).isPresent();
    }

    @Test
    void aCommandFromLongAgoIsNotExecutedAgain() throws IOException {
        String name = SharedServer.newName("long-ago");
        var creation = client.write(
                        Operation.CREATE_STREAM, Body.of().name(name).toBytes())
                .stamped();
        assertThat(client.exchange(creation).outcome()).isEqualTo("OK");
        for (int i = 0; i < 8; i++) {
            client.createTopic(name, "topic-" + i, 1);
        }
        assertThat(client.exchange(creation).outcome()).isEqualTo("REJECT 59");
    }

    @Test
    void statisticsCountWhatThereIs() throws IOException {
        client.createTopic(stream, "events", 3);
        client.send(stream, "events", Partitioning.to(0), "one", "two");
        Fields stats = new Fields(client.ask(Code.STATS, new byte[0]).body());
        assertThat(stats.u32()).as("process id").isEqualTo(server.pid());
        stats.raw(64);
        assertThat(stats.u64()).as("size of messages").isPositive();
        assertThat(stats.u32()).as("streams").isEqualTo(client.streams().size());
        assertThat(stats.u32()).as("topics").isPositive();
        assertThat(stats.u32()).as("partitions").isGreaterThanOrEqualTo(3);
        assertThat(stats.u32()).as("segments").isGreaterThanOrEqualTo(3);
        assertThat(stats.u64()).as("messages").isGreaterThanOrEqualTo(2);
        assertThat(stats.u32()).as("clients").isPositive();
        stats.u32();
        assertThat(stats.longString()).as("host name").isNotBlank();
        assertThat(stats.longString()).as("system").isNotBlank();
    }

    @Test
    void aClientIsListedWithItsAddress() throws IOException {
        Fields me = new Fields(client.ask(Code.ME, new byte[0]).body());
        long id = me.u32();
        assertThat(me.u32()).as("user").isZero();
        assertThat(me.u8()).as("transport").isEqualTo(1);
        assertThat(me.longString()).isEqualTo("127.0.0.1:" + client.localPort());
        assertThat(me.u32()).as("groups").isZero();
        me.mustEnd();
        Fields all = new Fields(client.ask(Code.CLIENTS, new byte[0]).body());
        List<Long> ids = new ArrayList<>();
        while (all.hasMore()) {
            ids.add(all.u32());
            all.u32();
            all.u8();
            all.longString();
            all.u32();
        }
        assertThat(ids).contains(id).doesNotHaveDuplicates();
        assertThat(client.ask(Code.CLIENT, Body.of().u32(id)).body()).isNotEmpty();
        assertThat(client.ask(Code.CLIENT, Body.of().u32(0xFFFF_FFF0L)).body()).isEmpty();
    }

    private interface Part<T> {
        T run(int number) throws IOException;
    }

    private static <T> List<T> together(int count, Part<T> part) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(count)) {
            List<Callable<T>> parts = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int number = i;
                parts.add(() -> part.run(number));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : threads.invokeAll(parts)) {
                results.add(future.get());
            }
            return results;
        }
    }
}
