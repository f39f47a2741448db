package io.galgo.protocol.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import io.galgo.protocol.BodyShape;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.Examples;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.NameCache;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.Options;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.RandomBodies;
import io.galgo.protocol.batch.BatchChecksum;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RequestsTest {
    private static final long SEED = 80L;

    static List<BodyShape> shapes() {
        return BodyShape.requests();
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void bytesBehindTheLastFieldAreIgnoredUnlessOptionsEndTheBody(BodyShape shape) {
        if (shape.type() == SendMessages.class) {
            return; // The batch goes on to the end of the body, whatever that is.
        }
        RandomBodies bodies = new RandomBodies(new Random(SEED));
        boolean hasOptions = hasOptions(shape.type());
        for (int i = 0; i < 20; i++) {
            Body value = bodies.body(shape.type());
            ByteBuffer longer = ByteBuffer.allocate(value.encodedBytes() + 1).order(ByteOrder.LITTLE_ENDIAN);
            value.encode(longer);
            longer.put((byte) 7).flip();
            Body decoded = shape.decode(longer);
            if (hasOptions) {
                assertThat(decoded).as("%s, seed %d, value %d", shape, SEED, i).isNull();
            } else if (!(value instanceof BodilessRequest)) {
                assertThat(decoded).as("%s, seed %d, value %d", shape, SEED, i).isEqualTo(value);
            }
        }
    }

    private static boolean hasOptions(Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getType)
                .anyMatch(Options.class::equals);
    }

    @Test
    void sixCommandsEndInOptions() {
        assertThat(BodyShape.requests().stream().map(BodyShape::type).filter(RequestsTest::hasOptions))
                .containsExactlyInAnyOrder(
                        CreateUser.class,
                        UpdateUser.class,
                        CreateStream.class,
                        UpdateStream.class,
                        CreateTopic.class,
                        UpdateTopic.class);
    }

    @Test
    void aLoginWithAnEmptyPasswordAlsoReadsAsOneWithAToken() {
        ByteBuffer body = new PasswordLogin(11_264, "sdk", "1", "iggy", "", "").toBuffer();
        assertThat(PasswordLogin.decode(body)).isNotNull();
        assertThat(TokenLogin.decode(body)).isEqualTo(new TokenLogin(11_264, "sdk", "1", "iggy", ""));
    }

    @Test
    void aLoginWithAPasswordDoesNotReadAsOneWithAToken() {
        assertThat(TokenLogin.decode(new PasswordLogin(11_264, "sdk", "1", "iggy", "iggy", "").toBuffer()))
                .isNull();
    }

    @Test
    void aLoginWithATokenOf68CharactersDoesNotReadAsOneWithAPassword() {
        assertThat(PasswordLogin.decode(new TokenLogin(11_264, "sdk", "1", "t".repeat(68), "").toBuffer()))
                .isNull();
    }

    @Test
    void aLoginWhosePrefixIsBrokenHasNone() {
        ByteBuffer body = new PasswordLogin(11_264, "sdk", "1", "iggy", "iggy", "").toBuffer();
        for (int length = 0; length < 10; length++) {
            assertThat(LoginPrefix.decode(body.slice(0, length)))
                    .as("%d bytes", length)
                    .isNull();
        }
        assertThat(LoginPrefix.decode(body.slice(0, 10))).isEqualTo(new LoginPrefix(11_264, "sdk", "1"));
        assertThat(LoginPrefix.decode(body.put(4, (byte) 0))).as("empty name").isNull();
    }

    @Test
    void secretsStayOutOfLogs() {
        assertThat(new PasswordLogin(1, "sdk", "1", "iggy", "s3cret", "").toString())
                .contains("iggy")
                .doesNotContain("s3cret");
        assertThat(new TokenLogin(1, "sdk", "1", "s3cret", "").toString()).doesNotContain("s3cret");
        assertThat(new CreateUser("alice", "s3cret", 1, null, Options.NONE).toString())
                .contains("alice")
                .doesNotContain("s3cret");
        assertThat(new ChangePassword(Identifier.of(1), "s3cret", "s3cret").toString())
                .doesNotContain("s3cret");
    }

    @Test
    void aSendWhoseMetadataLengthIsTooLongIsRefusedLater() {
        ByteBuffer body = Examples.buffer("body.send_messages");
        body.putInt(0, body.getInt(0) + 1);
        SendMessages send = Objects.requireNonNull(SendMessages.decode(body));
        assertThat(send.isMetadataExact()).isFalse();
        assertThat(send.refusal(new BatchChecksum())).isEqualTo(ErrorCode.INVALID_COMMAND);
    }

    @Test
    void aSendWhoseMetadataLengthIsImpossibleIsUndecodable() {
        ByteBuffer body = Examples.buffer("body.send_messages");
        for (int length : new int[] {0, 21, body.limit() - 3, Integer.MAX_VALUE, -1}) {
            assertThat(SendMessages.decode(
                            body.duplicate().order(ByteOrder.LITTLE_ENDIAN).putInt(0, length)))
                    .as("length %d", length)
                    .isNull();
        }
    }

    @Test
    void aSendIsAViewOfTheFrameThatItCameIn() {
        byte[] example = Examples.bytes("body.send_messages");
        ByteBuffer frame = ByteBuffer.allocateDirect(256 + example.length).order(ByteOrder.LITTLE_ENDIAN);
        frame.put(256, example).position(256);
        BodyReader in = new BodyReader(new NameCache(16)).over(frame);
        SendMessages send = Objects.requireNonNull(SendMessages.decode(in));
        assertThat(send.buffer()).isSameAs(frame);
        assertThat(send.batchPosition()).isEqualTo(256 + 26);
        assertThat(send.batchLength()).isEqualTo(383);
        assertThat(send.refusal(new BatchChecksum())).isNull();
    }

    @Test
    void aRoutingQueryWithoutAutoCommitIsUndecodable() {
        ByteBuffer body = Examples.buffer("body.get_poll_routing");
        body.put(body.limit() - 1, (byte) 0);
        assertThat(GetPollRouting.decode(body)).isNull();
        assertThat(PollMessages.decode(body)).isNotNull();
    }

    @Test
    void aRoutingQueryMayBeTheBodyOfTheWrite() {
        assertThat(GetConsumerOffsetRouting.decode(Examples.buffer("body.store_consumer_offset")))
                .isNotNull();
    }

    @Test
    void anAcknowledgementIsZeroOrOne() {
        ByteBuffer body = Examples.buffer("body.store_consumer_offset");
        int last = body.limit() - 1;
        assertThat(StoreConsumerOffset.decode(body.put(last, (byte) 0)))
                .extracting(StoreConsumerOffset::ack)
                .isEqualTo(Acknowledgement.NONE);
        assertThat(StoreConsumerOffset.decode(body.put(last, (byte) 1)))
                .extracting(StoreConsumerOffset::ack)
                .isEqualTo(Acknowledgement.QUORUM);
        assertThat(StoreConsumerOffset.decode(body.put(last, (byte) 2))).isNull();
    }

    @Test
    void theCountOfAPollIsUnsigned() {
        PollMessages poll = new PollMessages(
                ConsumerRef.consumer(Identifier.of(1)),
                Identifier.of(1),
                Identifier.of(1),
                OptionalPartition.NONE,
                PollingStrategy.FIRST,
                0xFFFF_FFFFL,
                false);
        assertThat(PollMessages.decode(poll.toBuffer())).isEqualTo(poll);
    }

    @Test
    void aSnapshotOfAllStandsAlone() {
        assertThat(GetSnapshot.decode(bytes(1, 1, 100))).isNotNull();
        assertThat(GetSnapshot.decode(bytes(1, 2, 100, 1)))
                .as("all beside another")
                .isNull();
        assertThat(GetSnapshot.decode(bytes(0, 1, 1))).as("compression 0").isNull();
        assertThat(GetSnapshot.decode(bytes(7, 1, 1))).as("compression 7").isNull();
        assertThat(GetSnapshot.decode(bytes(1, 1, 7))).as("type 7").isNull();
        assertThat(GetSnapshot.decode(bytes(1, 2, 1))).as("a type is missing").isNull();
        assertThat(GetSnapshot.decode(bytes(1, 0))).as("no types").isNotNull();
    }

    @Test
    void presenceFlagsAreOneOrAbsent() {
        ByteBuffer body = Examples.buffer("body.update_permissions");
        int flag = body.limit() - 1;
        assertThat(UpdatePermissions.decode(body.put(flag, (byte) 2)))
                .as("flag 2")
                .isNotNull();
        assertThat(UpdatePermissions.decode(body.put(flag, (byte) 1)))
                .as("flag 1 without a block")
                .isNull();
    }

    @Test
    void onlyFlag1ChangesAUsersNameOrStatus() {
        UpdateUser unchanged = new UpdateUser(Identifier.of(1), null, 0, Options.NONE);
        assertThat(UpdateUser.decode(bytes(1, 4, 1, 0, 0, 0, 2, 0))).isEqualTo(unchanged);
        assertThat(UpdateUser.decode(bytes(1, 4, 1, 0, 0, 0, 0, 2))).isEqualTo(unchanged);
    }

    @Test
    void legacyLoginsHaveNoBody() {
        assertThat(Request.decode(CommandCode.LEGACY_LOGIN, bytes(1))).isNull();
        assertThat(Request.decode(CommandCode.LEGACY_TOKEN_LOGIN, bytes(1))).isNull();
    }

    private static ByteBuffer bytes(int... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length);
        for (int value : values) {
            bytes.put((byte) value);
        }
        return bytes.flip();
    }
}
