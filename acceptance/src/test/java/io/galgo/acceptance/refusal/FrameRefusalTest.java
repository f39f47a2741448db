package io.galgo.acceptance.refusal;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.Bystander;
import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.SharedServer;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Code;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.ReplyFrame;
import io.galgo.torture.wire.RequestFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Frames whose header is wrong.
@ExtendWith(ServerLogs.class)
class FrameRefusalTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration SILENCE = Duration.ofMillis(300);
    private static final byte[] EMPTY = {};

    private ServerProcess server;
    private Bystander bystander;
    private RawClient client;

    @BeforeEach
    void connect() throws Exception {
        server = SharedServer.running();
        bystander = new Bystander(server);
        client = server.client();
    }

    @AfterEach
    void nobodyElseNotices() throws Exception {
        bystander.mustBeUnharmed();
        bystander.close();
        client.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 255, 67_108_865, 0x7FFF_FFFFL, 0x8000_0000L, 0xFFFF_FFFFL})
    void aFrameOfImpossibleSizeClosesTheConnection(long size) throws IOException {
        byte[] frame = ping().toBytes();
        putInt(frame, 48, (int) size);
        client.transmit(frame);
        assertThat(client.isClosedByServer(PATIENCE))
                .as("closed after a frame of size %s", size)
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {30, 77, 128, 255})
    void anUnknownFrameKindClosesTheConnection(int command) throws IOException {
        byte[] frame = ping().toBytes();
        frame[60] = (byte) command;
        client.transmit(frame);
        assertThat(client.isClosedByServer(PATIENCE))
                .as("closed after frame kind %s", command)
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4, 6, 8, 13, 29})
    void aFrameOfAnotherKindIsPassedOver(int command) throws IOException {
        byte[] frame = ping().toBytes();
        frame[60] = (byte) command;
        client.transmit(frame);
        assertThat(client.isSilent(SILENCE))
                .as("no answer to frame kind %s", command)
                .isTrue();
        assertThat(client.exchange(ping()).outcome()).isEqualTo("OK");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 63, 69, 127, 150, 159, 163, 200, 255})
    void anUnknownOperationIsDenied(int operation) throws IOException {
        GalgoOnly.assume();
        ReplyFrame reply = client.exchange(client.write(operation, EMPTY));
        assertThat(reply.outcome()).isEqualTo("DENY 3");
        assertThat(reply.operation()).isEqualTo(operation);
        assertThat(client.exchange(ping()).outcome()).isEqualTo("OK");
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 65, 66, 67, 68})
    void anInternalOperationIsEvicted(int operation) throws IOException {
        GalgoOnly.assume();
        assertThat(client.exchange(client.write(operation, EMPTY)).outcome()).isEqualTo("EVICT 4");
    }

    @Test
    void aClientIdOfZeroIsDenied() throws IOException {
        GalgoOnly.assume();
        RequestFrame frame = client.read(Code.PING, EMPTY);
        RequestFrame anonymous = new RequestFrame(
                new byte[16], 0, frame.request(), frame.operation(), frame.session(), frame.code(), EMPTY);
        assertThat(client.exchange(anonymous).outcome()).isEqualTo("DENY 3");
        assertThat(client.exchange(ping()).outcome()).isEqualTo("OK");
    }

    @Test
    void aLoginWithASessionOrANumberIsDenied() throws IOException {
        GalgoOnly.assume();
        byte[] body = RawClient.loginBody("iggy", "iggy");
        byte[] id = client.clientId();
        assertThat(client.exchange(new RequestFrame(id, 0, 0, Operation.REGISTER, 1, 0, body))
                        .outcome())
                .isEqualTo("DENY 4");
        assertThat(client.exchange(new RequestFrame(id, 0, 1, Operation.REGISTER, 0, 0, body))
                        .outcome())
                .isEqualTo("DENY 4");
    }

    @ParameterizedTest
    @ValueSource(ints = {Operation.CREATE_STREAM, Operation.SEND, Operation.STORE_OFFSET, Operation.LOGOUT})
    void aWriteWithoutSessionOrNumberIsDenied(int operation) throws IOException {
        GalgoOnly.assume();
        byte[] id = client.clientId();
        RequestFrame withoutSession = new RequestFrame(id, 0, 1, operation, 0, 0, EMPTY);
        RequestFrame withoutNumber = new RequestFrame(id, 0, 0, operation, client.session(), 0, EMPTY);
        assertThat(client.exchange(withoutSession).outcome()).isEqualTo("DENY 40");
        assertThat(client.exchange(withoutNumber).outcome()).isEqualTo("DENY 3");
        assertThat(client.exchange(ping()).outcome()).isEqualTo("OK");
    }

    @Test
    void aWrongChecksumIsDeniedForEveryKindOfRequest() throws IOException {
        String name = SharedServer.newName("checksum");
        byte[] stream = Body.of().name(name).toBytes();
        byte[] send = RawClient.sendBody(name, "events", Partitioning.to(0), java.util.List.of());
        assertThat(client.exchange(client.write(Operation.CREATE_STREAM, stream).withChecksum(1))
                        .outcome())
                .isEqualTo("DENY 4");
        assertThat(client.exchange(client.write(Operation.SEND, send).withChecksum(1))
                        .outcome())
                .isEqualTo("DENY 4");
        assertThat(client.exchange(client.read(Code.STREAMS, EMPTY).withChecksum(1))
                        .outcome())
                .isEqualTo("DENY 4");
        byte[] login = RawClient.loginBody("iggy", "iggy");
        assertThat(client.exchange(new RequestFrame(client.clientId(), 1, 0, Operation.REGISTER, 0, 0, login))
                        .outcome())
                .isEqualTo("DENY 4");
        assertThat(client.stream(name))
                .as("the stream of a request with a wrong checksum")
                .isEmpty();
    }

    @Test
    void bytesThatNobodyReadsMayBeAnything() throws IOException {
        byte[] frame = ping().toBytes();
        for (int position = 0; position < 256; position++) {
            boolean isFree = position < 48
                    || (52 <= position && position < 60)
                    || (61 <= position && position < 128)
                    || (177 <= position && position < 184)
                    || (200 <= position);
            if (isFree) {
                frame[position] = (byte) 0xA5;
            }
        }
        client.transmit(frame);
        assertThat(client.receive().outcome()).isEqualTo("OK");
    }

    @Test
    void aFrameMayArriveByteByByte() throws IOException {
        byte[] frame =
                client.read(Code.STREAM, Body.of().id("nowhere").toBytes()).toBytes();
        for (int i = 0; i < frame.length; i++) {
            client.transmit(frame, i, 1);
        }
        assertThat(client.receive().outcome()).isEqualTo("OK");
    }

    @Test
    void manyFramesMayArriveAtOnceAndAreAnsweredInOrder() throws IOException {
        GalgoOnly.assume();
        Body frames = Body.of();
        for (int i = 1; i <= 200; i++) {
            int code = i % 3 == 0 ? Code.PING : i % 3 == 1 ? Code.STREAMS : 60_000;
            frames.raw(
                    new RequestFrame(client.clientId(), 0, i, Operation.NON_REPLICATED, client.session(), code, EMPTY)
                            .toBytes());
        }
        client.transmit(frames.toBytes());
        for (int i = 1; i <= 200; i++) {
            ReplyFrame reply = client.receive();
            assertThat(reply.request()).isEqualTo(i);
            assertThat(reply.outcome()).isEqualTo(i % 3 == 2 ? "DENY 3" : "OK");
        }
    }

    @Test
    void aConnectionThatEndsInTheMiddleOfAFrameIsForgotten() throws IOException {
        byte[] frame = client.write(
                        Operation.CREATE_STREAM,
                        Body.of().name(SharedServer.newName("torn")).toBytes())
                .toBytes();
        client.transmit(frame, 0, frame.length - 1);
        client.finishSending();
        assertThat(client.isClosedByServer(PATIENCE)).isTrue();
    }

    @Test
    void aClientThatStopsSendingGetsItsReplyAndIsLetGo() throws IOException {
        client.transmit(client.read(Code.STREAMS, EMPTY).toBytes());
        client.finishSending();
        assertThat(client.receive().outcome()).isEqualTo("OK");
        assertThat(client.isClosedByServer(PATIENCE)).isTrue();
    }

    private RequestFrame ping() {
        return client.read(Code.PING, EMPTY);
    }

    private static void putInt(byte[] bytes, int position, int value) {
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(position, value);
    }
}
