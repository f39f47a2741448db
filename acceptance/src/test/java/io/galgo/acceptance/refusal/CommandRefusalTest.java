package io.galgo.acceptance.refusal;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.Bystander;
import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.SharedServer;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Code;
import io.galgo.torture.wire.Fields;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.ReplyFrame;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Commands whose body cannot be read, whose values are not allowed or whose target is missing.
@ExtendWith(ServerLogs.class)
class CommandRefusalTest {
    private static final byte[] EMPTY = {};
    private static final String MISSING = "no-such-thing";

    private ServerProcess server;
    private Bystander bystander;
    private RawClient client;
    private String stream;

    @BeforeEach
    void connect() throws Exception {
        server = SharedServer.running();
        bystander = new Bystander(server);
        client = server.client();
        stream = SharedServer.newName("refusal");
        client.createStream(stream);
        client.createTopic(stream, "events", 2);
    }

    @AfterEach
    void nobodyElseNotices() throws Exception {
        assertThat(client.topic(stream, "events").orElseThrow().partitionsCount())
                .as("partitions after the refused commands")
                .isEqualTo(2);
        client.close();
        bystander.mustBeUnharmed();
        bystander.close();
    }

    @ParameterizedTest
    @CsvSource({
        Operation.CREATE_STREAM + ", ''",
        Operation.CREATE_STREAM + ", 00",
        Operation.CREATE_STREAM + ", 0561",
        Operation.CREATE_STREAM + ", 02c328",
        Operation.CREATE_STREAM + ", 0161 02",
        Operation.UPDATE_STREAM + ", 0104",
        Operation.UPDATE_STREAM + ", 010400000000",
        Operation.UPDATE_STREAM + ", 0105 0000000000 0161",
        Operation.UPDATE_STREAM + ", 0304 00000000 0161",
        Operation.CREATE_TOPIC + ", 0104 00000000 0100",
        Operation.CREATE_TOPIC + ", 0104 00000000 01000000 00",
        Operation.CREATE_TOPIC + ", 0104 00000000 01000000 0161 0201000000610300000000",
        Operation.UPDATE_TOPIC + ", 0104 00000000 0104 00000000",
        Operation.CREATE_PARTITIONS + ", 0104 00000000 0104 00000000 0100",
        Operation.DELETE_PARTITIONS + ", 0104 00000000 0104 00000000"
    })
    void aMetadataCommandThatCannotBeReadIsDenied(int operation, String body) throws IOException {
        assertThat(client.change(operation, Body.of().hex(body)).outcome()).isEqualTo("DENY 3");
    }

    @ParameterizedTest
    @CsvSource({
        Operation.DELETE_STREAM + ", ''",
        Operation.DELETE_STREAM + ", 0200",
        Operation.DELETE_STREAM + ", 0202c328",
        Operation.DELETE_STREAM + ", 0003000000",
        Operation.PURGE_STREAM + ", 01",
        Operation.DELETE_TOPIC + ", 0104 00000000",
        Operation.DELETE_TOPIC + ", 0104 00000000 0204",
        Operation.PURGE_TOPIC + ", 0104 00000000 0103 000000"
    })
    void aDeletionThatCannotBeReadIsDeniedToo(int operation, String body) throws IOException {
        // Such a body enters the log of the reference server and stops it.
        GalgoOnly.assume();
        assertThat(client.change(operation, Body.of().hex(body)).outcome()).isEqualTo("DENY 3");
    }

    @ParameterizedTest
    @CsvSource({
        Code.STREAM + ", ''",
        Code.STREAM + ", 0304 00000000",
        Code.TOPIC + ", 0104 00000000",
        Code.TOPICS + ", 0203",
        Code.DESCRIBE_OPTIONS + ", ''",
        Code.DESCRIBE_OPTIONS + ", 00",
        Code.DESCRIBE_OPTIONS + ", 04",
        Code.POLL + ", ''",
        Code.POLL + ", 0101 0401000000 0104 00000000 0104 00000000 01 00000000 01 0000",
        Code.OFFSET + ", 0101"
    })
    void aReadThatCannotBeReadIsDenied(int code, String body) throws IOException {
        if (code == Code.POLL || code == Code.OFFSET) {
            GalgoOnly.assume();
        }
        assertThat(client.ask(code, Body.of().hex(body)).outcome()).isEqualTo("DENY 3");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 9, 99, 105, 60_000, -1})
    void anUnknownCommandIsDenied(int code) throws IOException {
        assertThat(client.ask(code, EMPTY).outcome()).isEqualTo("DENY 3");
    }

    @ParameterizedTest
    @ValueSource(ints = {33, 101, 121, 202, 302, 402, 602, Code.FLUSH})
    void aWriteInTheGuiseOfAReadIsUnavailable(int code) throws IOException {
        assertThat(client.ask(code, EMPTY).outcome()).isEqualTo("DENY 5");
    }

    @ParameterizedTest
    @ValueSource(ints = {39, 40, 45})
    void aSessionCommandInTheGuiseOfAReadDoesNothing(int code) throws IOException {
        ReplyFrame reply = client.ask(code, EMPTY);
        assertThat(reply.outcome()).isEqualTo("OK");
        assertThat(reply.body()).isEmpty();
        assertThat(client.ask(Code.STREAMS, EMPTY).outcome()).isEqualTo("OK");
    }

    @Test
    void aNameThatIsTakenIsRejected() throws IOException {
        assertThat(client.change(Operation.CREATE_STREAM, Body.of().name(stream))
                        .outcome())
                .isEqualTo("REJECT 1012");
        assertThat(client.change(
                                Operation.CREATE_TOPIC,
                                Body.of().id(stream).u32(1).name("events"))
                        .outcome())
                .isEqualTo("REJECT 2013");
        String other = SharedServer.newName("refusal");
        client.createStream(other);
        assertThat(client.change(Operation.UPDATE_STREAM, Body.of().id(other).name(stream))
                        .outcome())
                .isEqualTo("REJECT 1012");
        assertThat(client.change(Operation.UPDATE_STREAM, Body.of().id(other).name(other))
                        .outcome())
                .as("a stream may keep its name")
                .isEqualTo("OK");
    }

    @Test
    void aMissingStreamIsRejected() throws IOException {
        Body target = Body.of().id(MISSING);
        assertThat(client.change(Operation.DELETE_STREAM, target).outcome()).isEqualTo("REJECT 1009");
        assertThat(client.change(Operation.PURGE_STREAM, target).outcome()).isEqualTo("REJECT 1009");
        assertThat(client.change(Operation.UPDATE_STREAM, Body.of().id(MISSING).name("x"))
                        .outcome())
                .isEqualTo("REJECT 1009");
        assertThat(client.change(
                                Operation.CREATE_TOPIC,
                                Body.of().id(MISSING).u32(1).name("x"))
                        .outcome())
                .isEqualTo("REJECT 1009");
        assertThat(client.change(Operation.DELETE_STREAM, Body.of().id(0xFFFF_FFFFL))
                        .outcome())
                .isEqualTo("REJECT 1009");
        assertThat(client.ask(Code.STREAM, target).body()).as("get stream").isEmpty();
        assertThat(new Fields(client.ask(Code.TOPICS, target).body()).u32())
                .as("topics")
                .isZero();
    }

    @Test
    void aMissingTopicIsRejected() throws IOException {
        for (int operation : new int[] {Operation.DELETE_TOPIC, Operation.PURGE_TOPIC}) {
            assertThat(client.change(operation, Body.of().id(stream).id(MISSING))
                            .outcome())
                    .isEqualTo("REJECT 2010");
            assertThat(client.change(operation, Body.of().id(MISSING).id("events"))
                            .outcome())
                    .isEqualTo("REJECT 1009");
        }
        for (int operation : new int[] {Operation.CREATE_PARTITIONS, Operation.DELETE_PARTITIONS}) {
            assertThat(client.change(operation, Body.of().id(stream).id(MISSING).u32(1))
                            .outcome())
                    .isEqualTo("REJECT 2010");
        }
        assertThat(client.change(
                                Operation.UPDATE_TOPIC,
                                Body.of().id(stream).id(MISSING).name("x"))
                        .outcome())
                .isEqualTo("REJECT 2010");
        assertThat(client.ask(Code.TOPIC, Body.of().id(stream).id(MISSING)).body())
                .as("get topic")
                .isEmpty();
    }

    @Test
    void aNameThatLooksLikeANumberIsAName() throws IOException {
        assertThat(client.change(Operation.DELETE_STREAM, Body.of().id("0")).outcome())
                .isEqualTo("REJECT 1009");
    }

    @ParameterizedTest
    @CsvSource({"0, 2015", "1001, 2015", "4294967295, 2015"})
    void impossiblePartitionCountsAreDenied(long count, int code) throws IOException {
        for (int operation : new int[] {Operation.CREATE_PARTITIONS, Operation.DELETE_PARTITIONS}) {
            assertThat(client.change(
                                    operation, Body.of().id(stream).id("events").u32(count))
                            .outcome())
                    .isEqualTo("DENY " + code);
        }
        if (count > 0) {
            assertThat(client.change(
                                    Operation.CREATE_TOPIC,
                                    Body.of().id(stream).u32(count).name("many"))
                            .outcome())
                    .isEqualTo("DENY " + code);
        }
    }

    @Test
    void morePartitionsThanThereAreCannotBeDeleted() throws IOException {
        assertThat(client.change(
                                Operation.DELETE_PARTITIONS,
                                Body.of().id(stream).id("events").u32(3))
                        .outcome())
                .isEqualTo("REJECT 2019");
    }

    @Test
    void optionsThatAreNotAllowedAreDenied() throws IOException {
        assertThat(createWith(Body.of().option("no_such_option", "1"))).isEqualTo("DENY 4041");
        assertThat(createWith(Body.of().option("partitions_count", 3))).isEqualTo("DENY 4041");
        assertThat(createWith(Body.of().option("segment_size", 1024))).isEqualTo("DENY 4042");
        assertThat(createWith(Body.of().option("segment_size", (1 << 20) + 1))).isEqualTo("DENY 4042");
        assertThat(createWith(Body.of().option("messages_required_to_save", 11, new byte[4])))
                .isEqualTo("DENY 4042");
        assertThat(createWith(Body.of().option("preallocate_segments", 3, new byte[] {2})))
                .isEqualTo("DENY 4042");
        assertThat(createWith(Body.of().option("message_expiry", "soon"))).isEqualTo("DENY 4042");
        assertThat(createWith(Body.of().option("compression_algorithm", "zip"))).isEqualTo("DENY 4042");
        assertThat(createWith(Body.of().option("max_topic_size", 10_240))).isEqualTo("DENY 1019");
    }

    @Test
    void aDurabilityThatDoesNotExistIsDenied() throws IOException {
        GalgoOnly.assume();
        assertThat(createWith(Body.of().option("durability", "fast"))).isEqualTo("DENY 4042");
        assertThat(createWith(Body.of().option("durability", 3, new byte[] {1})))
                .isEqualTo("DENY 4042");
        assertThat(createWith(Body.of().option("consumer_offset_durability", "").option("durability", "persisted")))
                .isEqualTo("DENY 3");
        assertThat(createWith(Body.of().option("enforce_fsync", "perhaps"))).isEqualTo("DENY 4042");
    }

    @Test
    void aBrokenOptionsBlockIsDenied() throws IOException {
        byte[] option = Body.of().option("segment_size", 1 << 20).toBytes();
        assertThat(createWith(Body.of().raw(option).raw(option)))
                .as("a key twice")
                .isEqualTo("DENY 3");
        assertThat(createWith(Body.of().raw(Arrays.copyOf(option, option.length - 1))))
                .as("cut off")
                .isEqualTo("DENY 3");
        assertThat(createWith(Body.of().raw(option).u8(2)))
                .as("a byte too many")
                .isEqualTo("DENY 3");
        assertThat(createWith(Body.of()
                        .field(1, "segment_size".getBytes(StandardCharsets.UTF_8))
                        .field(12, new byte[8])))
                .as("a key that is no string")
                .isEqualTo("DENY 3");
        assertThat(createWith(Body.of().field(2, new byte[] {(byte) 0xC3, 0x28}).field(12, new byte[8])))
                .as("a key that is no UTF-8")
                .isEqualTo("DENY 3");
        assertThat(createWith(Body.of().option("segment_size", 12, EMPTY)))
                .as("an empty value")
                .isEqualTo("DENY 3");
    }

    @Test
    void streamsTakeNoOptionsAndTopicsKeepTheirDurability() throws IOException {
        byte[] option = Body.of().option("durability", "persisted").toBytes();
        assertThat(client.change(
                                Operation.CREATE_STREAM,
                                Body.of().name("optional").raw(option))
                        .outcome())
                .isEqualTo("DENY 4041");
        assertThat(client.change(
                                Operation.UPDATE_STREAM,
                                Body.of().id(stream).name(stream).raw(option))
                        .outcome())
                .isEqualTo("DENY 4041");
        assertThat(client.change(
                                Operation.UPDATE_TOPIC,
                                Body.of().id(stream).id("events").name("events").raw(option))
                        .outcome())
                .isEqualTo("DENY 4041");
    }

    @Test
    void aPollOfWhatIsNotThereIsDenied() throws IOException {
        client.send(stream, "events", Partitioning.to(0), "one");
        assertThat(poll(MISSING, "events", 0, 3, 1)).isEqualTo("DENY 1009");
        assertThat(poll(stream, MISSING, 0, 3, 1)).isEqualTo("DENY 2010");
        assertThat(poll(stream, "events", 2, 3, 1)).isEqualTo("DENY 3007");
        assertThat(poll(stream, "events", 0xFFFF_FFFFL, 3, 1)).isEqualTo("DENY 3007");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 6, 9, 255})
    void anUnknownPollingStrategyIsDenied(int kind) throws IOException {
        GalgoOnly.assume();
        assertThat(poll(stream, "events", 0, kind, 1)).isEqualTo("DENY 3");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 255})
    void anUnknownKindOfConsumerIsDenied(int kind) throws IOException {
        GalgoOnly.assume();
        Body body = Body.of()
                .u8(kind)
                .id(1)
                .id(stream)
                .id("events")
                .partition(0)
                .strategy(3, 0)
                .u32(1)
                .u8(0);
        assertThat(client.ask(Code.POLL, body).outcome()).isEqualTo("DENY 3");
    }

    @Test
    void aGroupThatIsNotThereGetsAnEmptyPollThatSaysSo() throws IOException {
        GalgoOnly.assume();
        Body group = Body.of().u8(2).id("nobody").id(stream).id("events");
        ReplyFrame withoutPartition = client.ask(
                Code.POLL,
                Body.of()
                        .raw(group.toBytes())
                        .anyPartition()
                        .strategy(3, 0)
                        .u32(1)
                        .u8(0));
        assertThat(withoutPartition.outcome()).isEqualTo("DENY 6");
        ReplyFrame reply = client.ask(
                Code.POLL,
                Body.of()
                        .raw(group.toBytes())
                        .partition(0)
                        .strategy(3, 0)
                        .u32(1)
                        .u8(0));
        assertThat(reply.outcome()).isEqualTo("OK");
        Fields fields = new Fields(reply.body());
        assertThat(fields.u32()).as("partition").isEqualTo(0xFFFF_FFFFL);
        assertThat(fields.u64()).as("current offset").isZero();
        assertThat(fields.u32()).as("messages").isZero();
        fields.mustEnd();
    }

    @Test
    void anOffsetThatCannotBeStoredIsDenied() throws IOException {
        GalgoOnly.assume();
        Body consumer = Body.of().consumer(1);
        assertThat(client.storeOffset(consumer, stream, "events", 0, 0).outcome())
                .as("in an empty partition")
                .isEqualTo("DENY 4100");
        client.send(stream, "events", Partitioning.to(0), "one", "two");
        assertThat(client.storeOffset(consumer, stream, "events", 0, 2).outcome())
                .as("beyond the end")
                .isEqualTo("DENY 4100");
        assertThat(client.storeOffset(consumer, stream, "events", 0, -1).outcome())
                .as("the largest number")
                .isEqualTo("DENY 4100");
        assertThat(client.storeOffset(consumer, MISSING, "events", 0, 0).outcome())
                .isEqualTo("DENY 1009");
        assertThat(client.storeOffset(consumer, stream, MISSING, 0, 0).outcome())
                .isEqualTo("DENY 2010");
        assertThat(client.storeOffset(consumer, stream, "events", 7, 0).outcome())
                .isEqualTo("DENY 3007");
        assertThat(client.deleteOffset(consumer, stream, "events", 0).outcome()).isEqualTo("DENY 3021");
        assertThat(client.storedOffset(consumer, stream, "events", 0)).isEmpty();
        assertThat(client.ask(
                                Code.OFFSET,
                                Body.of().consumer(1).id(MISSING).id("events").partition(0))
                        .outcome())
                .isEqualTo("DENY 1009");
        assertThat(client.ask(
                                Code.OFFSET,
                                Body.of().consumer(1).id(stream).id("events").partition(7))
                        .outcome())
                .isEqualTo("DENY 3007");
    }

    @Test
    void anOffsetCommandThatCannotBeReadIsDenied() throws IOException {
        GalgoOnly.assume();
        client.send(stream, "events", Partitioning.to(0), "one");
        Body place = Body.of().consumer(1).id(stream).id("events");
        assertThat(client.change(
                                Operation.STORE_OFFSET,
                                Body.of()
                                        .raw(place.toBytes())
                                        .partition(0)
                                        .u64(0)
                                        .u8(2))
                        .outcome())
                .as("an acknowledgement level of 2")
                .isEqualTo("DENY 3");
        assertThat(client.change(
                                Operation.STORE_OFFSET,
                                Body.of().raw(place.toBytes()).partition(0).u32(0))
                        .outcome())
                .as("cut off")
                .isEqualTo("DENY 3");
        assertThat(client.change(
                                Operation.STORE_OFFSET,
                                Body.of()
                                        .raw(place.toBytes())
                                        .anyPartition()
                                        .u64(0)
                                        .u8(1))
                        .outcome())
                .as("without a partition")
                .isEqualTo("DENY 6");
        assertThat(client.change(
                                Operation.DELETE_OFFSET,
                                Body.of().raw(place.toBytes()).anyPartition().u8(1))
                        .outcome())
                .as("without a partition")
                .isEqualTo("DENY 6");
        assertThat(client.change(Operation.DELETE_OFFSET, EMPTY).outcome()).isEqualTo("DENY 3");
    }

    private String createWith(Body options) throws IOException {
        return client.change(
                        Operation.CREATE_TOPIC,
                        Body.of().id(stream).u32(1).name("optional").raw(options.toBytes()))
                .outcome();
    }

    private String poll(String stream, String topic, long partition, int strategy, long count) throws IOException {
        return client.ask(
                        Code.POLL,
                        Body.of()
                                .consumer(1)
                                .id(stream)
                                .id(topic)
                                .partition(partition)
                                .strategy(strategy, 0)
                                .u32(count)
                                .u8(0))
                .outcome();
    }
}
