package io.galgo.protocol;

import static io.galgo.protocol.Examples.hex;
import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.batch.BatchChecksum;
import io.galgo.protocol.batch.BatchCut;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.batch.BatchStamp;
import io.galgo.protocol.batch.MessageFrame;
import io.galgo.protocol.reply.ClientDetails;
import io.galgo.protocol.reply.ClientMembership;
import io.galgo.protocol.reply.ClientRecord;
import io.galgo.protocol.reply.ClusterMetadata;
import io.galgo.protocol.reply.CompressionAlgorithm;
import io.galgo.protocol.reply.GroupAssignment;
import io.galgo.protocol.reply.GroupDetails;
import io.galgo.protocol.reply.GroupMember;
import io.galgo.protocol.reply.GroupRecord;
import io.galgo.protocol.reply.LoginReply;
import io.galgo.protocol.reply.NodeRecord;
import io.galgo.protocol.reply.NodeRole;
import io.galgo.protocol.reply.NodeStatus;
import io.galgo.protocol.reply.OptionDescription;
import io.galgo.protocol.reply.OptionDescriptions;
import io.galgo.protocol.reply.PartitionRecord;
import io.galgo.protocol.reply.PollHeader;
import io.galgo.protocol.reply.Routing;
import io.galgo.protocol.reply.SendConfirmation;
import io.galgo.protocol.reply.SendConfirmations;
import io.galgo.protocol.reply.Stats;
import io.galgo.protocol.reply.StoredOffset;
import io.galgo.protocol.reply.StreamRecord;
import io.galgo.protocol.reply.TokenRecord;
import io.galgo.protocol.reply.TokenRecords;
import io.galgo.protocol.reply.TokenSecret;
import io.galgo.protocol.reply.TopicDetails;
import io.galgo.protocol.reply.TopicRecord;
import io.galgo.protocol.reply.UserDetails;
import io.galgo.protocol.reply.UserRecord;
import io.galgo.protocol.reply.UserStatus;
import io.galgo.protocol.request.Acknowledgement;
import io.galgo.protocol.request.AttachConsumerSession;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.ChangePassword;
import io.galgo.protocol.request.CreateConsumerGroup;
import io.galgo.protocol.request.CreatePartitions;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeleteConsumerOffset;
import io.galgo.protocol.request.DeletePersonalAccessToken;
import io.galgo.protocol.request.DeleteSegments;
import io.galgo.protocol.request.DescribeOptions;
import io.galgo.protocol.request.FlushUnsavedBuffer;
import io.galgo.protocol.request.GetClient;
import io.galgo.protocol.request.GetConsumerOffset;
import io.galgo.protocol.request.GetConsumerOffsetRouting;
import io.galgo.protocol.request.GetPollRouting;
import io.galgo.protocol.request.GetSnapshot;
import io.galgo.protocol.request.GetStream;
import io.galgo.protocol.request.GetTopic;
import io.galgo.protocol.request.JoinConsumerGroup;
import io.galgo.protocol.request.LoginPrefix;
import io.galgo.protocol.request.OptionScope;
import io.galgo.protocol.request.PasswordLogin;
import io.galgo.protocol.request.PollMessages;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.SendMessages;
import io.galgo.protocol.request.SnapshotCompression;
import io.galgo.protocol.request.SnapshotType;
import io.galgo.protocol.request.StoreConsumerOffset;
import io.galgo.protocol.request.TokenLogin;
import io.galgo.protocol.request.UpdatePermissions;
import io.galgo.protocol.request.UpdateStream;
import io.galgo.protocol.request.UpdateTopic;
import io.galgo.protocol.request.UpdateUser;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// Every worked example of the wire specification, byte for byte, both ways.
class ExamplesTest {
    private static final long TIME = 1_700_000_000_000_000L;
    private static final ClientId CLIENT = new ClientId(0x100F_0E0D_0C0B_0A09L, 0x0807_0605_0403_0201L);
    private static final ClientId COORDINATOR = new ClientId(0xF068_DFAC_34D1_C698L, 0x044D_A4A6_C9F8_9AD3L);
    private static final Identifier ZERO = Identifier.of(0);
    private static final Identifier ONE = Identifier.of(1);
    private static final Identifier GRP = Identifier.of("grp");
    private static final OptionalPartition PARTITION_1 = OptionalPartition.of(1);
    private static final Options.Entry OFFSETS_REPLICATED =
            new Options.Entry("consumer_offset_durability", TypedValue.string("replicated"));
    private static final Options.Entry REPLICATED = new Options.Entry("durability", TypedValue.string("replicated"));
    private static final Options.Entry SEGMENTS_128_MIB =
            new Options.Entry("segment_size", TypedValue.uint64(134_217_728));
    private static final Options DURABILITIES = new Options(List.of(OFFSETS_REPLICATED, REPLICATED));
    private static final Permissions PERMISSIONS = new Permissions(
            GlobalPermission.READ_SERVERS.mask()
                    | GlobalPermission.READ_STREAMS.mask()
                    | GlobalPermission.READ_TOPICS.mask()
                    | GlobalPermission.POLL_MESSAGES.mask(),
            List.of(new Permissions.OnStream(
                    0,
                    StreamPermission.READ_STREAM.mask()
                            | StreamPermission.READ_TOPICS.mask()
                            | StreamPermission.POLL_MESSAGES.mask(),
                    List.of(new Permissions.OnTopic(
                            3,
                            TopicPermission.READ_TOPIC.mask()
                                    | TopicPermission.POLL_MESSAGES.mask()
                                    | TopicPermission.SEND_MESSAGES.mask())))));
    private static final StreamRecord ORDERS = new StreamRecord(0, TIME, 0, 0, 0, "orders", Options.NONE);
    private static final UserRecord ALICE = new UserRecord(1, TIME, UserStatus.ACTIVE, "alice", Options.NONE);
    private static final PollMessages POLL_ROUTED = new PollMessages(
            ConsumerRef.consumer(Identifier.of(7)),
            Identifier.of("rs2"),
            Identifier.of("ev"),
            OptionalPartition.of(0),
            PollingStrategy.NEXT,
            2,
            true);
    private static final GetConsumerOffset OFFSET_ROUTED = new GetConsumerOffset(
            ConsumerRef.consumer(Identifier.of(7)), Identifier.of("rs2"), Identifier.of("ev"), OptionalPartition.of(0));

    private final List<String> used = new ArrayList<>();

    @TestFactory
    Stream<DynamicTest> everyExampleIsDecodedAndEncoded() {
        List<DynamicTest> tests = new ArrayList<>();
        requests(tests);
        replies(tests);
        values(tests);
        frames(tests);
        batches(tests);
        tests.add(DynamicTest.dynamicTest(
                "no example is left out",
                () -> assertThat(used).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(Examples.names())));
        return tests.stream();
    }

    private void requests(List<DynamicTest> tests) {
        request(
                tests,
                "body.login.password",
                new PasswordLogin(ProtocolVersion.CURRENT, "rust-sdk", "0.11.0", "iggy", "iggy", ""));
        request(
                tests,
                "body.login.token",
                new TokenLogin(ProtocolVersion.CURRENT, "rust-sdk", "0.11.0", "A".repeat(68), ""));
        request(
                tests,
                "body.get_snapshot",
                new GetSnapshot(
                        SnapshotCompression.DEFLATED,
                        List.of(SnapshotType.FILESYSTEM_OVERVIEW, SnapshotType.SERVER_LOGS)));
        request(tests, "body.describe_options", new DescribeOptions(OptionScope.TOPIC));
        request(tests, "body.get_client", new GetClient(1));
        request(tests, "body.attach_consumer_session", new AttachConsumerSession(COORDINATOR, 30, 32));
        request(tests, "body.create_user", new CreateUser("alice", "s3cret", 1, PERMISSIONS, Options.NONE));
        request(tests, "body.update_user.both", new UpdateUser(ONE, "alicia", 2, Options.NONE));
        request(tests, "body.update_user.status", new UpdateUser(ONE, null, 1, Options.NONE));
        request(tests, "body.update_permissions", new UpdatePermissions(Identifier.of("alice"), null));
        request(tests, "body.change_password", new ChangePassword(ONE, "s3cret", "n3wpass"));
        request(tests, "body.create_token", new CreatePersonalAccessToken("ci", 3_600_000_000L));
        request(tests, "body.delete_token", new DeletePersonalAccessToken("ci"));
        request(tests, "body.create_stream", new CreateStream("orders", Options.NONE));
        request(tests, "body.update_stream", new UpdateStream(ZERO, "orders2", Options.NONE));
        request(tests, "body.get_topic", new GetTopic(ZERO, ZERO));
        request(
                tests,
                "body.create_topic.segment_size",
                new CreateTopic(ZERO, 3, "events", new Options(List.of(SEGMENTS_128_MIB))));
        request(
                tests,
                "body.create_topic.durabilities",
                new CreateTopic(Identifier.of("orders"), 3, "events", DURABILITIES));
        request(
                tests,
                "body.update_topic",
                new UpdateTopic(
                        ZERO,
                        Identifier.of("events"),
                        "events-v2",
                        new Options(List.of(new Options.Entry("message_expiry", TypedValue.uint64(3_600_000_000L))))));
        request(tests, "body.create_partitions", new CreatePartitions(ZERO, ZERO, 2));
        request(tests, "body.delete_segments", new DeleteSegments(ZERO, ZERO, 1, 2));
        request(tests, "body.create_group", new CreateConsumerGroup(ZERO, ZERO, "grp"));
        request(tests, "body.join_group", new JoinConsumerGroup(ZERO, ZERO, GRP));
        request(
                tests,
                "body.poll_messages",
                new PollMessages(
                        ConsumerRef.consumer(Identifier.of("worker")),
                        ZERO,
                        ZERO,
                        PARTITION_1,
                        PollingStrategy.offset(11),
                        10,
                        false));
        request(tests, "body.flush", new FlushUnsavedBuffer(ZERO, ZERO, 1, true));
        request(tests, "body.get_poll_routing", new GetPollRouting(POLL_ROUTED));
        request(
                tests,
                "body.get_consumer_offset",
                new GetConsumerOffset(ConsumerRef.consumer(Identifier.of(5)), ZERO, ZERO, PARTITION_1));
        request(
                tests,
                "body.store_consumer_offset",
                new StoreConsumerOffset(ConsumerRef.group(GRP), ZERO, ZERO, PARTITION_1, 11, Acknowledgement.QUORUM));
        request(
                tests,
                "body.delete_consumer_offset",
                new DeleteConsumerOffset(
                        ConsumerRef.consumer(Identifier.of(5)), ZERO, ZERO, PARTITION_1, Acknowledgement.QUORUM));
        request(tests, "body.get_consumer_offset_routing", new GetConsumerOffsetRouting(OFFSET_ROUTED));
    }

    private void replies(List<DynamicTest> tests) {
        framed(tests, "reply.login", new LoginReply(0, 7, ProtocolVersion.CURRENT, "0.9.0"), LoginReply.class);
        reply(
                tests,
                "reply.stats",
                new Stats(
                        4242,
                        1.5f,
                        12.0f,
                        67_108_864,
                        8L << 30,
                        4L << 30,
                        60_000_000,
                        TIME,
                        0,
                        4096,
                        1024,
                        1,
                        1,
                        3,
                        3,
                        2,
                        1,
                        1,
                        "host1",
                        "Linux",
                        "Linux 12",
                        "6.1.0",
                        "0.9.0",
                        9000,
                        List.of(),
                        16,
                        100L << 30,
                        200L << 30));
        reply(
                tests,
                "reply.cluster_metadata",
                new ClusterMetadata(
                        "single-node",
                        List.of(new NodeRecord(
                                "iggy-node",
                                "127.0.0.1",
                                8090,
                                8080,
                                3000,
                                8092,
                                NodeRole.LEADER,
                                NodeStatus.HEALTHY))));
        reply(
                tests,
                "reply.client",
                new ClientDetails(
                        new ClientRecord(1, 0, 1, "127.0.0.1:50234", 1), List.of(new ClientMembership(0, 0, 0))));
        reply(tests, "reply.user_with_permissions", new UserDetails(ALICE, PERMISSIONS));
        reply(tests, "reply.user_without_permissions", new UserDetails(ALICE, null));
        reply(
                tests,
                "reply.tokens",
                new TokenRecords(List.of(new TokenRecord("ci", TIME + 3_600_000_000L), new TokenRecord("forever", 0))));
        framed(tests, "reply.framed.create_token", new TokenSecret("A".repeat(68)), TokenSecret.class);
        framed(tests, "reply.framed.create_stream", ORDERS, StreamRecord.class);
        reply(
                tests,
                "reply.group",
                new GroupDetails(
                        new GroupRecord(0, 3, 2, "grp"),
                        List.of(new GroupMember(0, List.of(0, 1)), new GroupMember(1, List.of(2)))));
        framed(tests, "reply.framed.create_group", new GroupRecord(0, 3, 0, "grp"), GroupRecord.class);
        reply(tests, "reply.group_assignment", new GroupAssignment(2, List.of(0, 1)));
        reply(tests, "reply.send_messages", new SendConfirmations(List.of(new SendConfirmation(0, 0, 1, 10))));
        reply(
                tests,
                "reply.routing",
                new Routing(
                        COORDINATOR,
                        30,
                        0,
                        new NodeRecord("b", "127.0.0.1", 29_095, 0, 0, 0, NodeRole.LEADER, NodeStatus.HEALTHY)));
        reply(tests, "reply.consumer_offset", new StoredOffset(1, 11, 9));
        test(tests, "reply.framed.empty", example -> {
            assertThat(ResultSection.error(example, 0, example.limit())).isZero();
            ByteBuffer written = buffer(ResultSection.SUCCESS_BYTES);
            ResultSection.writeSuccess(written, 0);
            assertThat(hex(written)).isEqualTo(hex(example));
        });
        test(tests, "reply.poll_messages.empty", example -> pollHeader(example, 0, 0, 0));
        test(
                tests,
                "reply.poll_messages.not_owned",
                example -> pollHeader(example, PollHeader.PARTITION_NOT_OWNED, 0, 0));
        test(tests, "record.stream", example -> {
            assertThat(StreamRecord.decode(example)).isEqualTo(ORDERS);
            assertThat(hex(ORDERS.toBuffer())).isEqualTo(hex(example));
        });
        test(tests, "record.user", example -> assertThat(hex(ALICE.toBuffer())).isEqualTo(hex(example)));
        test(tests, "record.topic", example -> {
            TopicRecord topic = new TopicRecord(
                    0,
                    TIME,
                    3,
                    -1,
                    CompressionAlgorithm.NONE,
                    -1,
                    0,
                    0,
                    "events",
                    new Options(List.of(SEGMENTS_128_MIB)),
                    derivedOptions("segment_size"));
            assertThat(hex(topic.toBuffer())).isEqualTo(hex(example));
        });
        test(tests, "record.partition", example -> {
            PartitionRecord partition = new PartitionRecord(0, TIME, 1, 0, 0, 0);
            assertThat(hex(partition.toBuffer())).isEqualTo(hex(example));
            TopicRecord topic = new TopicRecord(
                    0, TIME, 1, -1, CompressionAlgorithm.NONE, -1, 0, 0, "events", Options.NONE, Options.NONE);
            TopicDetails details = new TopicDetails(topic, List.of(partition));
            assertThat(TopicDetails.decode(details.toBuffer())).isEqualTo(details);
        });
        test(tests, "record.option", example -> {
            OptionDescription option = new OptionDescription(
                    "durability", ValueKind.STRING.value(), TypedValue.string("replicated"), "write durability");
            assertThat(hex(option.toBuffer())).isEqualTo(hex(example));
            OptionDescriptions options = new OptionDescriptions(List.of(option));
            assertThat(OptionDescriptions.decode(options.toBuffer())).isEqualTo(options);
        });
    }

    private void values(List<DynamicTest> tests) {
        test(tests, "value.identifiers", example -> {
            BodyReader in = new BodyReader(example);
            assertThat(List.of(Identifier.read(in), Identifier.read(in)))
                    .containsExactly(ZERO, Identifier.of("orders"));
            assertThat(in.remaining()).isZero();
        });
        test(tests, "value.consumers", example -> {
            BodyReader in = new BodyReader(example);
            assertThat(List.of(ConsumerRef.read(in), ConsumerRef.read(in)))
                    .containsExactly(ConsumerRef.consumer(Identifier.of("worker")), ConsumerRef.group(ZERO));
            assertThat(in.remaining()).isZero();
        });
        test(tests, "value.partitionings", example -> {
            BodyReader in = new BodyReader(example);
            Partitioning.Key key = (Partitioning.Key) Partitioning.key("abc".getBytes(StandardCharsets.UTF_8));
            assertThat(List.of(Partitioning.read(in), Partitioning.read(in), Partitioning.read(in)))
                    .containsExactly(Partitioning.balanced(), Partitioning.partition(2), key);
            assertThat(in.remaining()).isZero();
            assertThat(key.partitionIndex(3)).isZero();
        });
        test(tests, "value.strategies", example -> {
            BodyReader in = new BodyReader(example);
            assertThat(Stream.generate(() -> PollingStrategy.read(in)).limit(5))
                    .containsExactly(
                            PollingStrategy.offset(100),
                            PollingStrategy.timestamp(TIME),
                            PollingStrategy.FIRST,
                            PollingStrategy.LAST,
                            PollingStrategy.NEXT);
            assertThat(in.remaining()).isZero();
        });
        test(tests, "value.permissions", example -> {
            BodyReader in = new BodyReader(example);
            assertThat(in.orNull(Permissions.read(in))).isEqualTo(PERMISSIONS);
            assertThat(in.remaining()).isZero();
            ByteBuffer written = buffer(PERMISSIONS.encodedBytes());
            PERMISSIONS.put(written);
            assertThat(hex(written.flip())).isEqualTo(hex(example));
        });
        test(tests, "value.header_values", example -> {
            BodyReader in = new BodyReader(example);
            List<TypedValue> values =
                    Stream.generate(() -> TypedValue.read(in)).limit(15).toList();
            assertThat(in.isFailed()).isFalse();
            assertThat(in.remaining()).isZero();
            assertThat(values).allMatch(TypedValue::isWellFormed);
            assertThat(values.stream().map(value -> ValueKind.of(value.kind()))).containsExactly(ValueKind.values());
            assertThat(values.get(1).text()).isEqualTo("hi");
            assertThat(values.get(2)).isEqualTo(TypedValue.bool(true));
            assertThat(values.get(8)).isEqualTo(TypedValue.uint8(200));
            assertThat(values.get(10)).isEqualTo(TypedValue.uint32(100_000));
            assertThat(values.get(11)).isEqualTo(TypedValue.uint64(10_000_000_000L));
            assertThat(values.get(11).number()).isEqualTo(10_000_000_000L);
        });
        test(tests, "value.header_pair", example -> {
            MessageHeaders headers = new MessageHeaders(
                    List.of(new MessageHeaders.Entry(TypedValue.string("trace"), TypedValue.uint64(42))));
            assertThat(MessageHeaders.decode(example)).isEqualTo(headers);
            assertThat(hex(headers.toBuffer())).isEqualTo(hex(example));
        });
        options(
                tests,
                "options.three",
                new Options(List.of(
                        new Options.Entry("preallocate_segments", TypedValue.bool(true)),
                        new Options.Entry("segment_size", TypedValue.uint64(1 << 30)),
                        new Options.Entry("durability", TypedValue.string("persisted")))));
        options(tests, "options.durabilities", DURABILITIES);
        options(tests, "options.derived", derivedOptions("none is left out"));
    }

    private void frames(List<DynamicTest> tests) {
        frame(tests, "frame.request.get_stream", CommandCode.GET_STREAM, new GetStream(ZERO), 7, 1, false);
        frame(
                tests,
                "frame.request.login",
                CommandCode.LOGIN,
                new PasswordLogin(ProtocolVersion.CURRENT, "rust-sdk", "0.11.0", "iggy", "iggy", ""),
                0,
                0,
                false);
        frame(
                tests,
                "frame.request.create_stream",
                CommandCode.CREATE_STREAM,
                new CreateStream("orders", Options.NONE),
                7,
                1,
                true);
        frame(tests, "frame.request.logout", CommandCode.LOGOUT, new BodilessRequest(CommandCode.LOGOUT), 7, 4, false);
        frame(tests, "frame.request.ping", CommandCode.PING, new BodilessRequest(CommandCode.PING), 0, 1, false);
        test(tests, "checksum.request.login", example -> {
            ByteBuffer login = Examples.buffer("frame.request.login");
            RequestHeader.stampChecksum(login, 0);
            assertThat(hex(login.slice(144, 16))).isEqualTo(hex(example.slice(144, 16)));
            assertThat(RequestHeader.isBodyIntact(login, 0)).isTrue();
        });
        test(tests, "frame.reply.ping", example -> {
            ByteBuffer request = Examples.buffer("frame.request.ping");
            ByteBuffer reply = buffer(256);
            ReplyHeader.answer(reply, 0, 256, request, 0);
            ReplyHeader.position(reply, 0, 0, 12);
            assertThat(hex(reply)).isEqualTo(hex(example));
        });
        test(tests, "frame.reply.create_stream", example -> {
            ByteBuffer reply = answer(Operation.CREATE_STREAM, 1, 256 + 47);
            ReplyHeader.position(reply, 0, 8, 8);
            ReplyHeader.timestamp(reply, 0, TIME);
            ResultSection.writeSuccess(reply, 256);
            reply.position(260);
            ORDERS.encode(reply);
            assertThat(hex(reply.flip())).isEqualTo(hex(example));
        });
        test(tests, "frame.reply.rejection_1012", example -> {
            ByteBuffer reply = buffer(ReplyHeader.REJECTION_BYTES);
            ReplyHeader.reject(reply, 0, request(Operation.CREATE_STREAM, 2), 0, ErrorCode.STREAM_NAME_ALREADY_EXISTS);
            ReplyHeader.position(reply, 0, 9, 9);
            ReplyHeader.timestamp(reply, 0, TIME + 1000);
            assertThat(hex(reply)).isEqualTo(hex(example));
            assertThat(ResultSection.error(reply, 256, 12)).isEqualTo(1012);
        });
        test(tests, "frame.reply.denial_4041", example -> {
            ByteBuffer reply = buffer(256);
            ReplyHeader.deny(reply, 0, request(Operation.CREATE_TOPIC, 5), 0, ErrorCode.UNSUPPORTED_OPTION_KEY);
            ReplyHeader.position(reply, 0, 0, 9);
            assertThat(hex(reply)).isEqualTo(hex(example));
            assertThat(ReplyHeader.status(reply, 0)).isEqualTo(4041);
        });
        test(tests, "frame.reply.login", example -> {
            ByteBuffer reply = answer(Operation.REGISTER, 0, 256 + 26);
            ReplyHeader.position(reply, 0, 7, 7);
            ResultSection.writeSuccess(reply, 256);
            reply.position(260);
            new LoginReply(0, 7, ProtocolVersion.CURRENT, "0.9.0").encode(reply);
            assertThat(hex(reply.flip())).isEqualTo(hex(example));
        });
        eviction(tests, "frame.eviction.credentials", EvictionReason.INVALID_CREDENTIALS);
        eviction(tests, "frame.eviction.version", EvictionReason.INCOMPATIBLE_PROTOCOL);
    }

    private void batches(List<DynamicTest> tests) {
        test(tests, "body.send_messages", example -> {
            ByteBuffer batch = producedBatch();
            SendMessages send =
                    new SendMessages(ZERO, ZERO, Partitioning.partition(1), 2, true, batch, 0, batch.limit());
            assertThat(hex(send.toBuffer())).isEqualTo(hex(example));
            SendMessages decoded = Objects.requireNonNull(SendMessages.decode(example));
            assertThat(decoded).isEqualTo(send);
            assertThat(decoded.refusal(new BatchChecksum())).isNull();
        });
        test(tests, "checksum.batch.input", example -> {
            assertThat(Checksum.xxh3(example, 0, example.limit())).isEqualTo(0xC6FA_95A0_1A01_1884L);
            assertThat(new BatchChecksum().of(producedBatch(), 0)).isEqualTo(0xC6FA_95A0_1A01_1884L);
        });
        test(
                tests,
                "batch.header.stored",
                example -> assertThat(hex(storedBatch().slice(0, 256))).isEqualTo(hex(example)));
        test(tests, "reply.poll_messages", example -> {
            ByteBuffer stored = storedBatch();
            BatchChecksum checksum = new BatchChecksum();
            BatchCut cut = new BatchCut();
            assertThat(cut.find(stored, 0, 11, 10, Integer.MAX_VALUE)).isTrue();
            ByteBuffer reply = buffer(PollHeader.BYTES + BatchHeader.BYTES + cut.framesLength());
            PollHeader.write(reply, 0, 1, 11, cut.messagesCount());
            cut.writeHeader(stored, 0, reply, PollHeader.BYTES, checksum);
            reply.put(PollHeader.BYTES + BatchHeader.BYTES, stored, cut.framesPosition(), cut.framesLength());
            assertThat(hex(reply)).isEqualTo(hex(example));
            assertThat(cut.firstOffset()).isEqualTo(11);
            assertThat(cut.lastOffset()).isEqualTo(11);
        });
    }

    private static ByteBuffer producedBatch() {
        ByteBuffer batch = buffer(383);
        BatchHeader.write(batch, 0, 0, 0, 0, TIME, 383, 2);
        message(batch, 256, 1, 0, 0, "hello", "");
        message(batch, 256 + 53, 2, 1, 250, "bye", "020500000074726163650C080000002A00000000000000");
        BatchHeader.checksum(batch, 0, new BatchChecksum().of(batch, 0));
        return batch;
    }

    private static ByteBuffer storedBatch() {
        ByteBuffer batch = producedBatch();
        BatchStamp.apply(batch, 0, 1, 10, TIME + 5000, new BatchChecksum());
        return batch;
    }

    private static void message(
            ByteBuffer batch,
            int position,
            long id,
            int offsetDelta,
            int timestampDelta,
            String payload,
            String headersHex) {
        byte[] headers = HexFormat.of().parseHex(headersHex);
        MessageFrame.write(batch, position, 0, id, offsetDelta, timestampDelta, headers.length, payload.length());
        batch.put(MessageFrame.payloadPosition(position), payload.getBytes(StandardCharsets.UTF_8));
        batch.put(MessageFrame.userHeadersPosition(batch, position), headers);
        MessageFrame.stampChecksum(batch, position);
    }

    /// The nine topic options with the values of a topic that was made without any, but one.
    private static Options derivedOptions(String left) {
        List<Options.Entry> entries = new ArrayList<>(List.of(
                new Options.Entry("compression_algorithm", TypedValue.string("none")),
                new Options.Entry("message_expiry", TypedValue.uint64(-1)),
                new Options.Entry("max_topic_size", TypedValue.uint64(-1)),
                new Options.Entry("segment_size", TypedValue.uint64(1 << 30)),
                REPLICATED,
                OFFSETS_REPLICATED,
                new Options.Entry("messages_required_to_save", TypedValue.uint32(1024)),
                new Options.Entry("size_of_messages_required_to_save", TypedValue.uint64(1 << 20)),
                new Options.Entry("preallocate_segments", TypedValue.bool(false))));
        entries.removeIf(entry -> entry.key().equals(left));
        return new Options(entries).sorted();
    }

    private void request(List<DynamicTest> tests, String name, Request expected) {
        test(tests, name, example -> {
            assertThat(Request.decode(expected.command(), example)).isEqualTo(expected);
            assertThat(hex(expected.toBuffer())).isEqualTo(hex(example));
            if (expected instanceof PasswordLogin || expected instanceof TokenLogin) {
                assertThat(LoginPrefix.decode(example))
                        .isEqualTo(new LoginPrefix(ProtocolVersion.CURRENT, "rust-sdk", "0.11.0"));
            }
        });
    }

    private void reply(List<DynamicTest> tests, String name, Body expected) {
        test(tests, name, example -> {
            assertThat(shape(expected.getClass()).decode(example)).isEqualTo(expected);
            assertThat(hex(expected.toBuffer())).isEqualTo(hex(example));
        });
    }

    private void framed(List<DynamicTest> tests, String name, Body expected, Class<? extends Body> type) {
        test(tests, name, example -> {
            assertThat(ResultSection.error(example, 0, example.limit())).isZero();
            ByteBuffer payload = example.position(ResultSection.SUCCESS_BYTES);
            assertThat(shape(type).decode(payload)).isEqualTo(expected);
            assertThat(hex(expected.toBuffer())).isEqualTo(hex(payload));
        });
    }

    private void options(List<DynamicTest> tests, String name, Options expected) {
        test(tests, name, example -> {
            BodyReader in = new BodyReader(example);
            assertThat(in.orNull(Options.readToEnd(in))).isEqualTo(expected);
            ByteBuffer written = buffer(expected.encodedBytes());
            expected.put(written);
            assertThat(hex(written.flip())).isEqualTo(hex(example));
        });
    }

    private void frame(
            List<DynamicTest> tests,
            String name,
            CommandCode command,
            Body body,
            long session,
            long request,
            boolean isStamped) {
        test(tests, name, example -> {
            ByteBuffer frame = buffer(FrameHeader.BYTES + body.encodedBytes());
            RequestHeader.write(
                    frame,
                    0,
                    frame.limit(),
                    command.operation(),
                    CLIENT,
                    session,
                    request,
                    command.operation() == Operation.NON_REPLICATED ? command.code() : 0);
            frame.position(FrameHeader.BYTES);
            body.encode(frame);
            if (isStamped) {
                RequestHeader.stampChecksum(frame, 0);
            }
            assertThat(hex(frame.flip())).isEqualTo(hex(example));
            assertThat(RequestHeader.isFrame(example, 0, FrameHeader.FRAME_BYTES_MAX_DEFAULT))
                    .isTrue();
            assertThat(RequestHeader.refusal(example, 0)).isNull();
            assertThat(RequestHeader.isBodyIntact(example, 0)).isTrue();
            assertThat(RequestHeader.client(example, 0)).isEqualTo(CLIENT);
            assertThat(RequestHeader.session(example, 0)).isEqualTo(session);
            assertThat(RequestHeader.request(example, 0)).isEqualTo(request);
            assertThat(RequestHeader.operation(example, 0))
                    .isEqualTo(command.operation().value());
        });
    }

    private void eviction(List<DynamicTest> tests, String name, EvictionReason reason) {
        test(tests, name, example -> {
            ByteBuffer frame = buffer(256);
            EvictionHeader.write(frame, 0, CLIENT, reason);
            assertThat(hex(frame)).isEqualTo(hex(example));
            assertThat(EvictionReason.of(EvictionHeader.reason(example, 0))).isEqualTo(reason);
            assertThat(EvictionHeader.isReservedZero(example, 0)).isTrue();
        });
    }

    private void test(List<DynamicTest> tests, String name, Consumer<ByteBuffer> check) {
        used.add(name);
        tests.add(DynamicTest.dynamicTest(name, () -> {
            try {
                check.accept(Examples.buffer(name));
            } catch (AssertionError e) {
                throw new AssertionError("example " + name + ": " + e.getMessage(), e);
            }
        }));
    }

    private static void pollHeader(ByteBuffer example, int partitionId, long currentOffset, int messagesCount) {
        assertThat(PollHeader.partitionId(example, 0)).isEqualTo(partitionId);
        assertThat(PollHeader.currentOffset(example, 0)).isEqualTo(currentOffset);
        assertThat(PollHeader.messagesCount(example, 0)).isEqualTo(messagesCount);
        ByteBuffer written = buffer(PollHeader.BYTES);
        PollHeader.write(written, 0, partitionId, currentOffset, messagesCount);
        assertThat(hex(written)).isEqualTo(hex(example));
    }

    private static ByteBuffer request(Operation operation, long request) {
        ByteBuffer frame = buffer(FrameHeader.BYTES);
        RequestHeader.write(frame, 0, FrameHeader.BYTES, operation, CLIENT, 7, request, 0);
        return frame;
    }

    private static ByteBuffer answer(Operation operation, long request, int size) {
        ByteBuffer reply = buffer(size);
        ReplyHeader.answer(reply, 0, size, request(operation, request), 0);
        return reply;
    }

    private static ByteBuffer buffer(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static BodyShape shape(Class<? extends Body> type) {
        return BodyShape.replies().stream()
                .filter(shape -> shape.type() == type)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theStringsOfTheSpecificationHashAsItSays() {
        assertThat(Integer.toHexString(xxh32(""))).isEqualTo("2cc5d05");
        assertThat(Integer.toHexString(xxh32("a"))).isEqualTo("550d7456");
        assertThat(Integer.toHexString(xxh32("abc"))).isEqualTo("32d153ff");
        assertThat(Integer.toHexString(xxh32("hello world"))).isEqualTo("cebb6622");
        assertThat(Integer.toHexString(xxh32("iggy-message-key"))).isEqualTo("f54b51c9");
        assertThat(Checksum.xxh3(buffer(0), 0, 0)).isEqualTo(0x2D06_8005_38D3_94C2L);
    }

    private static int xxh32(String text) {
        return Checksum.xxh32(text.getBytes(StandardCharsets.UTF_8));
    }
}
