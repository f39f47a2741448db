package io.galgo.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HeadersTest {
    private static final int POSITION = 24;
    private static final ClientId CLIENT = new ClientId(0x1122_3344_5566_7788L, 0x99AA_BBCC_DDEE_FF00L);

    @Test
    void eachFieldOfARequestIsReadWhereTheSpecificationPutsIt() {
        ByteBuffer frame = noise(1);
        assertThat(FrameHeader.size(frame, POSITION)).isEqualTo(frame.getInt(POSITION + 48) & 0xFFFF_FFFFL);
        assertThat(FrameHeader.command(frame, POSITION)).isEqualTo(frame.get(POSITION + 60) & 0xFF);
        assertThat(RequestHeader.clientLow(frame, POSITION)).isEqualTo(frame.getLong(POSITION + 128));
        assertThat(RequestHeader.clientHigh(frame, POSITION)).isEqualTo(frame.getLong(POSITION + 136));
        assertThat(RequestHeader.requestChecksumLow(frame, POSITION)).isEqualTo(frame.getLong(POSITION + 144));
        assertThat(RequestHeader.requestChecksumHigh(frame, POSITION)).isEqualTo(frame.getLong(POSITION + 152));
        assertThat(RequestHeader.timestamp(frame, POSITION)).isEqualTo(frame.getLong(POSITION + 160));
        assertThat(RequestHeader.request(frame, POSITION)).isEqualTo(frame.getLong(POSITION + 168));
        assertThat(RequestHeader.operation(frame, POSITION)).isEqualTo(frame.get(POSITION + 176) & 0xFF);
        assertThat(RequestHeader.session(frame, POSITION)).isEqualTo(frame.getLong(POSITION + 184));
        assertThat(RequestHeader.userId(frame, POSITION)).isEqualTo(frame.getInt(POSITION + 192));
        assertThat(RequestHeader.commandCode(frame, POSITION)).isEqualTo(frame.getInt(POSITION + 196));
    }

    @Test
    void eachFieldOfAReplyIsReadWhereTheSpecificationPutsIt() {
        ByteBuffer frame = noise(2);
        assertThat(ReplyHeader.requestChecksumLow(frame, POSITION)).isEqualTo(frame.getLong(POSITION + 128));
        assertThat(ReplyHeader.requestChecksumHigh(frame, POSITION)).isEqualTo(frame.getLong(POSITION + 136));
        assertThat(ReplyHeader.clientLow(frame, POSITION)).isEqualTo(frame.getLong(POSITION + 160));
        assertThat(ReplyHeader.clientHigh(frame, POSITION)).isEqualTo(frame.getLong(POSITION + 168));
        assertThat(ReplyHeader.op(frame, POSITION)).isEqualTo(frame.getLong(POSITION + 176));
        assertThat(ReplyHeader.commit(frame, POSITION)).isEqualTo(frame.getLong(POSITION + 184));
        assertThat(ReplyHeader.timestamp(frame, POSITION)).isEqualTo(frame.getLong(POSITION + 192));
        assertThat(ReplyHeader.request(frame, POSITION)).isEqualTo(frame.getLong(POSITION + 200));
        assertThat(ReplyHeader.operation(frame, POSITION)).isEqualTo(frame.get(POSITION + 208) & 0xFF);
        assertThat(ReplyHeader.status(frame, POSITION)).isEqualTo(frame.getInt(POSITION + 216));
    }

    @Test
    void eachFieldOfAnEvictionIsReadWhereTheSpecificationPutsIt() {
        ByteBuffer frame = noise(3);
        assertThat(EvictionHeader.clientLow(frame, POSITION)).isEqualTo(frame.getLong(POSITION + 128));
        assertThat(EvictionHeader.clientHigh(frame, POSITION)).isEqualTo(frame.getLong(POSITION + 136));
        assertThat(EvictionHeader.versionNewest(frame, POSITION)).isEqualTo(frame.getInt(POSITION + 144));
        assertThat(EvictionHeader.versionOldest(frame, POSITION)).isEqualTo(frame.getInt(POSITION + 148));
        assertThat(EvictionHeader.reason(frame, POSITION)).isEqualTo(frame.get(POSITION + 255) & 0xFF);
    }

    @Test
    void anAnswerEchoesTheRequestAndLeavesTheRestZero() {
        ByteBuffer request = request(Operation.CREATE_TOPIC, 5, 9);
        request.putLong(POSITION + 144, 1234).putLong(POSITION + 152, 5678).putLong(POSITION + 160, 99);
        ByteBuffer reply = noise(4);
        ReplyHeader.answer(reply, POSITION, 300, request, POSITION);
        assertThat(FrameHeader.size(reply, POSITION)).isEqualTo(300);
        assertThat(FrameHeader.command(reply, POSITION)).isEqualTo(FrameHeader.COMMAND_REPLY);
        assertThat(ReplyHeader.requestChecksumLow(reply, POSITION)).isEqualTo(1234);
        assertThat(ReplyHeader.requestChecksumHigh(reply, POSITION)).isEqualTo(5678);
        assertThat(ReplyHeader.clientLow(reply, POSITION)).isEqualTo(CLIENT.low());
        assertThat(ReplyHeader.clientHigh(reply, POSITION)).isEqualTo(CLIENT.high());
        assertThat(ReplyHeader.timestamp(reply, POSITION)).isEqualTo(99);
        assertThat(ReplyHeader.request(reply, POSITION)).isEqualTo(9);
        assertThat(ReplyHeader.operation(reply, POSITION)).isEqualTo(Operation.CREATE_TOPIC.value());
        assertThat(ReplyHeader.op(reply, POSITION)).isZero();
        assertThat(ReplyHeader.commit(reply, POSITION)).isZero();
        assertThat(ReplyHeader.status(reply, POSITION)).isZero();
        assertZero(reply, 0, 48);
        assertZero(reply, 52, 60);
        assertZero(reply, 61, 128);
        assertZero(reply, 144, 160);
        assertZero(reply, 209, 256);
        assertNoiseAround(reply, 4, 256);
    }

    @Test
    void aWrittenRequestIsZeroWhereClientsLeaveItZero() {
        ByteBuffer frame = noise(5);
        RequestHeader.write(frame, POSITION, 256, Operation.NON_REPLICATED, CLIENT, 7, 8, 600);
        assertThat(RequestHeader.commandCode(frame, POSITION)).isEqualTo(600);
        assertThat(RequestHeader.client(frame, POSITION)).isEqualTo(CLIENT);
        assertZero(frame, 0, 48);
        assertZero(frame, 52, 60);
        assertZero(frame, 61, 128);
        assertZero(frame, 144, 168);
        assertZero(frame, 177, 184);
        assertZero(frame, 192, 196);
        assertZero(frame, 200, 256);
        assertNoiseAround(frame, 5, 256);
    }

    @Test
    void aRejectionCarriesTheExecutedOperation() {
        ByteBuffer reply = noise(6);
        ByteBuffer request = request(Operation.DELETE_SEGMENTS, 5, 9);
        ReplyHeader.reject(reply, POSITION, request, POSITION, ErrorCode.PARTITION_NOT_FOUND);
        assertThat(ReplyHeader.operation(reply, POSITION)).isEqualTo(Operation.TRUNCATE_PARTITION.value());
        assertThat(FrameHeader.size(reply, POSITION)).isEqualTo(268);
        assertThat(ResultSection.error(reply, POSITION + 256, 12)).isEqualTo(3007);
        assertNoiseAround(reply, 6, 268);
    }

    @Test
    void eachReservedByteOfAnEvictionIsLookedAt() {
        ByteBuffer frame = noise(7);
        EvictionHeader.write(frame, POSITION, CLIENT, EvictionReason.INCOMPATIBLE_PROTOCOL);
        assertThat(EvictionHeader.isReservedZero(frame, POSITION)).isTrue();
        for (int i = 62; i < 255; i++) {
            frame.put(POSITION + i, (byte) (frame.get(POSITION + i) ^ 0x80));
            boolean isReserved = i < 128 || i >= 152;
            assertThat(EvictionHeader.isReservedZero(frame, POSITION))
                    .as("byte %d", i)
                    .isEqualTo(!isReserved);
            frame.put(POSITION + i, (byte) (frame.get(POSITION + i) ^ 0x80));
        }
        assertNoiseAround(frame, 7, 256);
    }

    @Test
    void aFrameHasAPossibleSizeAndCommand() {
        ByteBuffer frame = request(Operation.REGISTER, 0, 0);
        for (int size : new int[] {0, 255, 1001, -1, Integer.MIN_VALUE}) {
            frame.putInt(POSITION + 48, size);
            assertThat(RequestHeader.isFrame(frame, POSITION, 1000))
                    .as("size %d", size)
                    .isFalse();
        }
        for (int size : new int[] {256, 1000}) {
            frame.putInt(POSITION + 48, size);
            assertThat(RequestHeader.isFrame(frame, POSITION, 1000))
                    .as("size %d", size)
                    .isTrue();
        }
        for (int command = 0; command < 256; command++) {
            frame.put(POSITION + 60, (byte) command);
            assertThat(RequestHeader.isFrame(frame, POSITION, 1000))
                    .as("command %d", command)
                    .isEqualTo(command <= 29);
            assertThat(RequestHeader.isRequest(frame, POSITION))
                    .as("command %d", command)
                    .isEqualTo(command == 5);
        }
    }

    @Test
    void unknownOperationsAreRefused() {
        for (int value = 0; value < 256; value++) {
            ByteBuffer frame = request(Operation.CREATE_STREAM, 1, 1);
            frame.put(POSITION + 176, (byte) value);
            if (Operation.of(value) == null) {
                assertThat(RequestHeader.refusal(frame, POSITION))
                        .as("operation %d", value)
                        .isEqualTo(ErrorCode.INVALID_COMMAND);
            } else if (value != Operation.REGISTER.value()) {
                assertThat(RequestHeader.refusal(frame, POSITION))
                        .as("operation %d", value)
                        .isNull();
            }
        }
    }

    @Test
    void aRequestNeedsAClientAndTheNumbersOfItsKind() {
        ByteBuffer anonymous = request(Operation.NON_REPLICATED, 1, 1);
        anonymous.putLong(POSITION + 128, 0).putLong(POSITION + 136, 0);
        assertThat(RequestHeader.refusal(anonymous, POSITION)).isEqualTo(ErrorCode.INVALID_COMMAND);
        assertThat(refusal(Operation.REGISTER, 0, 0)).isNull();
        assertThat(refusal(Operation.REGISTER, 1, 0)).isEqualTo(ErrorCode.INVALID_FORMAT);
        assertThat(refusal(Operation.REGISTER, 0, 1)).isEqualTo(ErrorCode.INVALID_FORMAT);
        assertThat(refusal(Operation.NON_REPLICATED, 0, 0)).isNull();
        assertThat(refusal(Operation.LOGOUT, 0, 1)).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(refusal(Operation.SEND_MESSAGES, 0, 0)).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(refusal(Operation.SEND_MESSAGES, 1, 0)).isEqualTo(ErrorCode.INVALID_COMMAND);
        assertThat(refusal(Operation.SEND_MESSAGES, 1, 1)).isNull();
    }

    @Test
    void aChecksumIsVerifiedOnlyWhenItWasSent() {
        ByteBuffer frame = request(Operation.CREATE_STREAM, 1, 1);
        frame.putInt(POSITION + 48, 256 + 10);
        assertThat(RequestHeader.isBodyIntact(frame, POSITION)).as("none sent").isTrue();
        RequestHeader.stampChecksum(frame, POSITION);
        assertThat(RequestHeader.isBodyIntact(frame, POSITION)).as("right one").isTrue();
        frame.put(POSITION + 256 + 9, (byte) (frame.get(POSITION + 256 + 9) + 1));
        assertThat(RequestHeader.isBodyIntact(frame, POSITION))
                .as("body changed")
                .isFalse();
        RequestHeader.stampChecksum(frame, POSITION);
        frame.putLong(POSITION + 152, 1);
        assertThat(RequestHeader.isBodyIntact(frame, POSITION))
                .as("high half not zero")
                .isFalse();
    }

    @Test
    void bytesThatAreNoResultSectionAreMalformed() {
        ByteBuffer body = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(ResultSection.error(body, 0, 3)).isEqualTo(ResultSection.MALFORMED);
        assertThat(ResultSection.error(body, 0, 4)).isZero();
        ResultSection.writeRejection(body, 0, ErrorCode.UNAUTHORIZED);
        assertThat(ResultSection.error(body, 0, 12)).isEqualTo(41);
        assertThat(ResultSection.error(body, 0, 11)).isEqualTo(ResultSection.MALFORMED);
        body.putInt(0, 2);
        assertThat(ResultSection.error(body, 0, 12)).isEqualTo(ResultSection.MALFORMED);
        body.putInt(0, 1).putInt(8, 0);
        assertThat(ResultSection.error(body, 0, 12)).as("rejected with code 0").isEqualTo(ResultSection.MALFORMED);
    }

    private static ErrorCode refusal(Operation operation, long session, long request) {
        return RequestHeader.refusal(request(operation, session, request), POSITION);
    }

    private static ByteBuffer request(Operation operation, long session, long request) {
        ByteBuffer frame = noise(8);
        RequestHeader.write(frame, POSITION, 256, operation, CLIENT, session, request, 0);
        return frame;
    }

    private static ByteBuffer noise(long seed) {
        byte[] bytes = new byte[POSITION + 400];
        new Random(seed).nextBytes(bytes);
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void assertZero(ByteBuffer frame, int from, int to) {
        for (int i = from; i < to; i++) {
            assertThat(frame.get(POSITION + i)).as("byte %d", i).isZero();
        }
    }

    private static void assertNoiseAround(ByteBuffer frame, long seed, int length) {
        ByteBuffer noise = noise(seed);
        assertThat(frame.slice(0, POSITION)).as("bytes before").isEqualTo(noise.slice(0, POSITION));
        int end = POSITION + length;
        assertThat(frame.slice(end, frame.limit() - end))
                .as("bytes behind")
                .isEqualTo(noise.slice(end, noise.limit() - end));
    }
}
