package io.galgo.protocol;

import static io.galgo.protocol.Examples.hex;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.galgo.protocol.batch.BatchCheck;
import io.galgo.protocol.batch.BatchChecksum;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.batch.MessageCursor;
import io.galgo.protocol.batch.MessageFrame;
import io.galgo.protocol.reply.ClientDetails;
import io.galgo.protocol.reply.ClientRecords;
import io.galgo.protocol.reply.ClusterMetadata;
import io.galgo.protocol.reply.GroupAssignment;
import io.galgo.protocol.reply.GroupDetails;
import io.galgo.protocol.reply.GroupRecord;
import io.galgo.protocol.reply.GroupRecords;
import io.galgo.protocol.reply.LoginReply;
import io.galgo.protocol.reply.OptionDescriptions;
import io.galgo.protocol.reply.PollHeader;
import io.galgo.protocol.reply.SendConfirmations;
import io.galgo.protocol.reply.Stats;
import io.galgo.protocol.reply.StreamDetails;
import io.galgo.protocol.reply.StreamRecord;
import io.galgo.protocol.reply.StreamRecords;
import io.galgo.protocol.reply.TopicDetails;
import io.galgo.protocol.reply.TopicRecords;
import io.galgo.protocol.reply.UserDetails;
import io.galgo.protocol.reply.UserRecords;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.SendMessages;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Frames recorded between the published Python client and the reference server: each decodes, and encodes to the
/// very bytes again.
class RecordedFramesTest {
    private static final Map<CommandCode, Function<ByteBuffer, ? extends @Nullable Body>> REPLIES =
            new EnumMap<>(CommandCode.class);

    static {
        REPLIES.put(CommandCode.LOGIN, LoginReply::decode);
        REPLIES.put(CommandCode.GET_STATS, Stats::decode);
        REPLIES.put(CommandCode.GET_CLUSTER_METADATA, ClusterMetadata::decode);
        REPLIES.put(CommandCode.DESCRIBE_OPTIONS, OptionDescriptions::decode);
        REPLIES.put(CommandCode.GET_ME, ClientDetails::decode);
        REPLIES.put(CommandCode.GET_CLIENTS, ClientRecords::decode);
        REPLIES.put(CommandCode.GET_USER, UserDetails::decode);
        REPLIES.put(CommandCode.GET_USERS, UserRecords::decode);
        REPLIES.put(CommandCode.CREATE_USER, UserDetails::decode);
        REPLIES.put(CommandCode.GET_STREAM, StreamDetails::decode);
        REPLIES.put(CommandCode.GET_STREAMS, StreamRecords::decode);
        REPLIES.put(CommandCode.CREATE_STREAM, StreamRecord::decode);
        REPLIES.put(CommandCode.GET_TOPIC, TopicDetails::decode);
        REPLIES.put(CommandCode.GET_TOPICS, TopicRecords::decode);
        REPLIES.put(CommandCode.CREATE_TOPIC, TopicDetails::decode);
        REPLIES.put(CommandCode.GET_CONSUMER_GROUP, GroupDetails::decode);
        REPLIES.put(CommandCode.GET_CONSUMER_GROUPS, GroupRecords::decode);
        REPLIES.put(CommandCode.CREATE_CONSUMER_GROUP, GroupRecord::decode);
        REPLIES.put(CommandCode.SYNC_CONSUMER_GROUP, GroupAssignment::decode);
        REPLIES.put(CommandCode.SEND_MESSAGES, SendConfirmations::decode);
    }

    private static final List<Recorded> FRAMES = new ArrayList<>();

    /// @param bodyBytes length of the body as it was on the wire, of which the recording may hold less
    private record Recorded(int index, int connection, boolean isRequest, ByteBuffer frame, int bodyBytes) {
        ByteBuffer body() {
            return frame.slice(FrameHeader.BYTES, frame.limit() - FrameHeader.BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN);
        }

        boolean isCut() {
            return frame.limit() - FrameHeader.BYTES < bodyBytes;
        }

        @Override
        public String toString() {
            return "frame " + index;
        }
    }

    @BeforeAll
    static void readFrames() throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        InputStream file = Objects.requireNonNull(
                RecordedFramesTest.class.getResourceAsStream("/wire/published-python-client.jsonl"));
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                JsonNode node = mapper.readTree(line);
                String hex = node.get("header").asText() + node.get("body").asText();
                FRAMES.add(new Recorded(
                        node.get("seq").asInt(),
                        node.get("conn").asInt(),
                        node.get("dir").asText().equals("c2s"),
                        ByteBuffer.wrap(HexFormat.of().parseHex(hex)).order(ByteOrder.LITTLE_ENDIAN),
                        node.get("body_len").asInt()));
            }
        }
    }

    @Test
    void theRecordingIsWholeAndWorthTesting() {
        assertThat(FRAMES).hasSize(130).noneMatch(Recorded::isCut);
        assertThat(FRAMES).filteredOn(Recorded::isRequest).hasSize(65);
        for (Recorded recorded : FRAMES) {
            assertThat(FrameHeader.size(recorded.frame(), 0))
                    .as("%s: size", recorded)
                    .isEqualTo(recorded.frame().limit());
        }
    }

    @Test
    void everyRequestIsValidAndEncodesToTheSameBytes() {
        Set<CommandCode> commands = EnumSet.noneOf(CommandCode.class);
        for (Recorded recorded : FRAMES) {
            if (!recorded.isRequest()) {
                continue;
            }
            ByteBuffer frame = recorded.frame();
            CommandCode command = command(frame);
            commands.add(command);
            assertThat(RequestHeader.refusal(frame, 0))
                    .as("%s, header", recorded)
                    .isNull();
            assertThat(RequestHeader.isBodyIntact(frame, 0))
                    .as("%s, checksum", recorded)
                    .isTrue();
            Request request = Request.decode(command, recorded.body());
            assertThat(request).as("%s, body of %s", recorded, command).isNotNull();
            assertThat(hex(encoded(frame, Objects.requireNonNull(request))))
                    .as("%s, encoded again as %s", recorded, request)
                    .isEqualTo(hex(frame));
            if (request instanceof SendMessages send) {
                assertThat(send.refusal(new BatchChecksum()))
                        .as("%s, batch", recorded)
                        .isNull();
            }
        }
        assertThat(commands).hasSizeGreaterThan(30).contains(CommandCode.SEND_MESSAGES, CommandCode.POLL_MESSAGES);
    }

    @Test
    void everyReplyBodyEncodesToTheSameBytes() {
        Map<Integer, ByteBuffer> lastRequests = new HashMap<>();
        Set<CommandCode> decodedCommands = EnumSet.noneOf(CommandCode.class);
        int decoded = 0;
        int polled = 0;
        int bare = 0;
        int denied = 0;
        int rejected = 0;
        int evicted = 0;
        for (Recorded recorded : FRAMES) {
            ByteBuffer frame = recorded.frame();
            if (recorded.isRequest()) {
                lastRequests.put(recorded.connection(), frame);
                continue;
            }
            if (FrameHeader.command(frame, 0) == FrameHeader.COMMAND_EVICTION) {
                assertThat(EvictionReason.of(EvictionHeader.reason(frame, 0)))
                        .isEqualTo(EvictionReason.INVALID_CREDENTIALS);
                assertThat(EvictionHeader.isReservedZero(frame, 0)).isTrue();
                evicted++;
                continue;
            }
            ByteBuffer request = Objects.requireNonNull(lastRequests.get(recorded.connection()));
            CommandCode command = command(request);
            Operation operation = Objects.requireNonNull(Operation.of(ReplyHeader.operation(frame, 0)));
            ByteBuffer body = recorded.body();
            if (ReplyHeader.status(frame, 0) != 0) {
                assertThat(ErrorCode.of(ReplyHeader.status(frame, 0)))
                        .as("%s, status", recorded)
                        .isNotNull();
                assertThat(body.remaining()).isZero();
                denied++;
                continue;
            }
            assertThat(operation)
                    .as("%s, operation", recorded)
                    .isEqualTo(command.operation().executed());
            if (operation.isResultFramed()) {
                int error = ResultSection.error(body, 0, body.limit());
                assertThat(error).as("%s, result of %s", recorded, command).isNotEqualTo(ResultSection.MALFORMED);
                if (error != 0) {
                    ByteBuffer again = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
                    ResultSection.writeRejection(again, 0, Objects.requireNonNull(ErrorCode.of(error)));
                    assertThat(hex(again)).as("%s, rejection", recorded).isEqualTo(hex(body));
                    rejected++;
                    continue;
                }
                body.position(ResultSection.SUCCESS_BYTES);
            }
            if (!body.hasRemaining()) {
                bare++;
            } else if (command == CommandCode.POLL_MESSAGES) {
                checkPoll(recorded, body);
                polled++;
            } else {
                Function<ByteBuffer, ? extends @Nullable Body> decoder = REPLIES.get(command);
                assertThat(decoder).as("%s, decoder of %s", recorded, command).isNotNull();
                Body reply = Objects.requireNonNull(decoder).apply(body);
                assertThat(reply).as("%s, body of %s", recorded, command).isNotNull();
                assertThat(hex(Objects.requireNonNull(reply).toBuffer()))
                        .as("%s, encoded again as %s", recorded, reply)
                        .isEqualTo(hex(body));
                decodedCommands.add(command);
                decoded++;
            }
        }
        assertThat(decodedCommands).hasSize(REPLIES.size());
        assertThat(List.of(decoded, polled, bare, denied, rejected, evicted))
                .as("replies decoded, polled, without payload, denied, rejected; evictions")
                .containsExactly(30, 9, 20, 4, 1, 1);
    }

    /// Takes a polled body apart down to the fields of each message and puts it together again.
    private static void checkPoll(Recorded recorded, ByteBuffer body) {
        BatchChecksum checksum = new BatchChecksum();
        ByteBuffer again = ByteBuffer.allocate(body.limit()).order(ByteOrder.LITTLE_ENDIAN);
        PollHeader.write(
                again,
                0,
                PollHeader.partitionId(body, 0),
                PollHeader.currentOffset(body, 0),
                PollHeader.messagesCount(body, 0));
        MessageCursor cursor = new MessageCursor();
        cursor.reset(body, PollHeader.BYTES, body.limit() - PollHeader.BYTES);
        int messages = 0;
        int lastBatch = -1;
        while (cursor.next()) {
            int batch = cursor.batchPosition();
            int frame = cursor.framePosition();
            if (batch != lastBatch) {
                int length = (int) BatchHeader.length(body, batch);
                assertThat(BatchCheck.isIntact(body, batch, length, checksum))
                        .as("%s, batch", recorded)
                        .isTrue();
                BatchHeader.write(
                        again,
                        batch,
                        BatchHeader.partitionId(body, batch),
                        BatchHeader.baseOffset(body, batch),
                        BatchHeader.baseTimestamp(body, batch),
                        BatchHeader.originTimestamp(body, batch),
                        length,
                        BatchHeader.messageCount(body, batch));
                BatchHeader.checksum(again, batch, checksum.of(body, batch));
                lastBatch = batch;
            }
            MessageFrame.write(
                    again,
                    frame,
                    MessageFrame.idHigh(body, frame),
                    MessageFrame.idLow(body, frame),
                    MessageFrame.offsetDelta(body, frame),
                    MessageFrame.timestampDelta(body, frame),
                    MessageFrame.userHeadersLength(body, frame),
                    MessageFrame.payloadLength(body, frame));
            int payload = MessageFrame.payloadPosition(frame);
            again.put(payload, body, payload, cursor.frameLength() - MessageFrame.HEADER_BYTES);
            MessageFrame.stampChecksum(again, frame);
            messages++;
        }
        assertThat(cursor.isIntact()).as("%s, frames", recorded).isTrue();
        assertThat(messages).as("%s, messages", recorded).isEqualTo(PollHeader.messagesCount(body, 0));
        assertThat(hex(again)).as("%s, encoded again", recorded).isEqualTo(hex(body));
    }

    private static ByteBuffer encoded(ByteBuffer frame, Request request) {
        ByteBuffer again =
                ByteBuffer.allocate(FrameHeader.BYTES + request.encodedBytes()).order(ByteOrder.LITTLE_ENDIAN);
        RequestHeader.write(
                again,
                0,
                again.limit(),
                request.command().operation(),
                RequestHeader.client(frame, 0),
                RequestHeader.session(frame, 0),
                RequestHeader.request(frame, 0),
                request.command().operation() == Operation.NON_REPLICATED
                        ? request.command().code()
                        : 0);
        again.position(FrameHeader.BYTES);
        request.encode(again);
        if (RequestHeader.requestChecksumLow(frame, 0) != 0) {
            RequestHeader.stampChecksum(again, 0);
        }
        return again.flip();
    }

    private static CommandCode command(ByteBuffer frame) {
        Operation operation = Objects.requireNonNull(Operation.of(RequestHeader.operation(frame, 0)));
        CommandCode command = operation == Operation.NON_REPLICATED
                ? CommandCode.of(RequestHeader.commandCode(frame, 0))
                : CommandCode.of(operation);
        return Objects.requireNonNull(command);
    }
}
