package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.Options;
import io.galgo.protocol.RequestHeader;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.DeleteStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {1, 2})
class BadFramesTest {
    private static final int COMMAND = 60;
    private static final int CLIENT = 128;
    private static final int CHECKSUM = 144;
    private static final int NUMBER = 168;
    private static final int OPERATION = 176;
    private static final int SESSION = 184;

    private final TestNode node;
    private final TestClient client;
    private final TestClient bystander;

    BadFramesTest(int shardsCount) {
        node = new TestNode(shardsCount);
        client = node.root(shardsCount - 1);
        bystander = node.root(0);
    }

    private ByteBuffer create() {
        return client.frame(new CreateStream("s", Options.NONE));
    }

    @Test
    void aCommandByteThatIsNoFrameClosesTheConnectionAndSaysWhy() {
        client.deliver(create().put(COMMAND, (byte) 30));
        node.run();
        assertThat(client.link.isClosed()).isTrue();
        assertThat(client.hasNothing()).isTrue();
        assertThat(node.log.warnings).hasSize(1).first().asString().contains("command byte 30", "127.0.0.1:50123");
        assertThat(bystander.ping().outcome()).isEqualTo("ok");
    }

    @Test
    void otherFramesThanRequestsAreIgnored() {
        for (int command : new int[] {0, 4, 6, 8, 13, 29}) {
            client.deliver(create().put(COMMAND, (byte) command));
        }
        node.run();
        assertThat(client.hasNothing()).isTrue();
        assertThat(client.link.isClosed()).isFalse();
        assertThat(client.ping().outcome()).isEqualTo("ok");
    }

    @Test
    void unknownOperationsAreDeniedAndEchoed() {
        for (int operation : new int[] {0, 4, 63, 69, 127, 150, 159, 163, 255}) {
            Answer answer = client.ask(create().put(OPERATION, (byte) operation));
            assertThat(answer.outcome()).as("operation %s", operation).isEqualTo("deny 3");
            assertThat(answer.operation()).isEqualTo(operation);
        }
    }

    @Test
    void aClientIdOfZeroIsDenied() {
        Answer answer = client.ask(create().putLong(CLIENT, 0).putLong(CLIENT + 8, 0));
        assertThat(answer.outcome()).isEqualTo("deny 3");
    }

    @Test
    void aLoginWithASessionOrANumberIsDenied() {
        ByteBuffer login = client.frame(TestClient.password("root", "secret"));
        assertThat(client.ask(login.duplicate().order(ByteOrder.LITTLE_ENDIAN).putLong(NUMBER, 1))
                        .outcome())
                .isEqualTo("deny 4");
        login = client.frame(TestClient.password("root", "secret"));
        assertThat(client.ask(login.putLong(SESSION, 1)).outcome()).isEqualTo("deny 4");
    }

    @Test
    void aWriteWithoutSessionOrNumberIsDenied() {
        assertThat(client.ask(create().putLong(SESSION, 0)).outcome()).isEqualTo("deny 40");
        assertThat(client.ask(create().putLong(NUMBER, 0)).outcome()).isEqualTo("deny 3");
        assertThat(client.ask(client.frame(TestClient.send(0, "a")).putLong(SESSION, 0))
                        .outcome())
                .isEqualTo("deny 40");
    }

    @Test
    void aReadMayCarryAnySessionAndNumber() {
        ByteBuffer read = client.frame(new BodilessRequest(CommandCode.GET_STREAMS));
        Answer answer = client.ask(read.putLong(SESSION, 77).putLong(NUMBER, 0));
        assertThat(answer.outcome()).isEqualTo("ok");
        assertThat(answer.op()).as("the session is echoed").isEqualTo(77);
    }

    @Test
    void aWrongRequestChecksumIsDeniedForEveryOperationAndTheSessionStays() {
        assertThat(client.ask(create().putLong(CHECKSUM, 1)).outcome()).isEqualTo("deny 4");
        ByteBuffer highOnly = create();
        RequestHeader.stampChecksum(highOnly, 0);
        assertThat(client.ask(highOnly.putLong(CHECKSUM + 8, 1)).outcome()).isEqualTo("deny 4");
        ByteBuffer ping = client.frame(new BodilessRequest(CommandCode.PING)).putLong(CHECKSUM, 5);
        assertThat(client.ask(ping).outcome()).isEqualTo("deny 4");
        ByteBuffer right = create();
        RequestHeader.stampChecksum(right, 0);
        assertThat(client.ask(right).outcome()).isEqualTo("ok");
    }

    @Test
    void theInternalOperationsOfServersEvict() {
        for (int operation = 64; operation <= 68; operation++) {
            assertThat(client.ask(create().put(OPERATION, (byte) operation)).outcome())
                    .as("operation %s", operation)
                    .isEqualTo("evict 4");
        }
    }

    @Test
    void rawCodesAreAnsweredAsDocumented() {
        assertThat(read(60_000).outcome()).isEqualTo("deny 3");
        assertThat(read(-1).outcome()).isEqualTo("deny 3");
        for (int replicated : new int[] {33, 42, 101, 121, 202, 302, 402, 503, 602, 604}) {
            assertThat(read(replicated).outcome()).as("code %s", replicated).isEqualTo("deny 5");
        }
        assertThat(read(102).outcome()).isEqualTo("deny 5");
        for (int later : new int[] {15, 16, 17, 105, 106, 108, 109}) {
            assertThat(read(later).outcome()).as("code %s", later).isEqualTo("deny 3");
        }
        assertThat(client.ping().outcome()).isEqualTo("ok");
    }

    private Answer read(int code) {
        return client.ask(client.frame(Operation.NON_REPLICATED, code, 1, ByteBuffer.allocate(0)));
    }

    @Test
    void undecodableBodiesOfMetadataCommandsAreDeniedAndLeaveNoTrace() {
        for (Operation operation : Operation.values()) {
            if (operation.isMetadata()) {
                ByteBuffer frame = client.frame(operation, 0, ++client.number, ByteBuffer.allocate(1));
                assertThat(client.ask(frame).outcome()).as("%s", operation).isEqualTo("deny 3");
            }
        }
        assertThat(client.createStream("s").outcome()).isEqualTo("ok");
    }

    @Test
    void aMetadataBodyWithAnEndlessTailIsDenied() {
        ByteBuffer body = ByteBuffer.allocate((1 << 20) - FrameHeader.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        new DeleteStream(Identifier.of("s")).encode(body);
        assertThat(client.createStream("s").outcome()).isEqualTo("ok");
        body.clear();
        Answer kept = client.ask(client.frame(Operation.DELETE_STREAM, 0, ++client.number, body));
        assertThat(kept.outcome()).as("a tail that fits is ignored").isEqualTo("ok");
    }

    @Test
    void randomFramesHurtNobodyElseAndAllAreAnswered() {
        for (long seed = 1; seed <= 300; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            TestClient fuzzed = node.root(random.nextInt(node.shardsCount()));
            List<ByteBuffer> originals = new ArrayList<>();
            originals.add(fuzzed.frame(new CreateStream("s" + seed, Options.NONE)));
            originals.add(fuzzed.frame(TestClient.send(0, "payload", "another")));
            originals.add(fuzzed.frame(TestClient.store(TestClient.CONSUMER, 0, 1)));
            originals.add(fuzzed.frame(TestClient.get(TestClient.CONSUMER, 0)));
            originals.add(fuzzed.frame(TestClient.password("root", "secret")));
            originals.add(fuzzed.frame(new BodilessRequest(CommandCode.GET_STATS)));
            for (ByteBuffer frame : originals) {
                int changes = 1 + random.nextInt(4);
                for (int i = 0; i < changes; i++) {
                    // The first 128 bytes belong to the transport, which has checked them.
                    int at = 128 + random.nextInt(frame.capacity() - 128);
                    frame.put(at, (byte) random.nextInt(256));
                }
                int before = fuzzed.link.receivedCount();
                fuzzed.deliver(frame);
                node.run();
                assertThat(fuzzed.link.receivedCount() > before || fuzzed.link.isClosed())
                        .as("an answer or a closed connection, seed %s", seed)
                        .isTrue();
            }
            fuzzed.link.cut();
            node.clients.remove(fuzzed);
            node.run();
        }
        assertThat(bystander.ping().outcome()).isEqualTo("ok");
        node.assertNoMemoryIsHeld();
    }

    @Test
    void theReplyEchoesWhatClientsMatchOn() {
        ByteBuffer frame = create();
        RequestHeader.stampChecksum(frame, 0);
        long checksum = frame.getLong(CHECKSUM);
        Answer answer = client.ask(frame);
        assertThat(answer.number()).isEqualTo(1);
        assertThat(answer.frame().getLong(128)).as("request_checksum").isEqualTo(checksum);
        assertThat(new ClientId(answer.frame().getLong(168), answer.frame().getLong(160)))
                .isEqualTo(client.id);
        assertThat(answer.op()).isEqualTo(answer.commit()).isPositive();
    }
}
