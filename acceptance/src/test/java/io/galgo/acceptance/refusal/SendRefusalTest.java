package io.galgo.acceptance.refusal;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.Bystander;
import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.SharedServer;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.wire.Batch;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Message;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.Strategy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Sends whose batch is damaged or whose target is missing. None of them leaves a trace in the partition.
@ExtendWith(ServerLogs.class)
class SendRefusalTest {
    private static final int COUNT_AT = 48;
    private static final int LENGTH_AT = 32;
    private static final int FIRST_FRAME_AT = 256;

    private ServerProcess server;
    private Bystander bystander;
    private RawClient client;
    private String stream;
    private byte[] batch;

    @BeforeEach
    void connect() throws Exception {
        server = SharedServer.running();
        bystander = new Bystander(server);
        client = server.client();
        stream = SharedServer.newName("send");
        client.createStream(stream);
        client.createTopic(stream, "events", 1);
        client.createTopic(stream, "hollow", 0);
        client.send(stream, "events", Partitioning.to(0), "before");
        batch = Batch.encode(List.of(Message.of("first"), Message.of("second")), 1_700_000_000_000_000L);
    }

    @AfterEach
    void nothingWasWritten() throws Exception {
        assertThat(client.send(stream, "events", Partitioning.to(0), "after").baseOffset())
                .as("offset of the next good send")
                .isEqualTo(1);
        assertThat(client.poll(stream, "events", 0, Strategy.first(), 10).texts())
                .containsExactly("before", "after");
        client.close();
        bystander.mustBeUnharmed();
        bystander.close();
    }

    @Test
    void aMissingTargetIsDenied() throws IOException {
        assertThat(outcome("no-such-stream", "events", Partitioning.to(0))).isEqualTo("DENY 20");
        assertThat(outcome(stream, "no-such-topic", Partitioning.to(0))).isEqualTo("DENY 20");
        assertThat(outcome(stream, "events", Partitioning.to(1))).isEqualTo("DENY 20");
        assertThat(outcome(stream, "events", Partitioning.to(0xFFFF_FFFFL))).isEqualTo("DENY 20");
        assertThat(outcome(stream, "hollow", Partitioning.balanced())).isEqualTo("DENY 20");
        assertThat(outcome(stream, "hollow", Partitioning.key("key"))).isEqualTo("DENY 20");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0000", "ffffffff", "05000000 0104000000", "00000000"})
    void aTargetThatCannotBeReadIsDenied(String body) throws IOException {
        assertThat(client.change(Operation.SEND, Body.of().hex(body)).outcome()).isEqualTo("DENY 20");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0000", "0401", "0101 00", "0203 000000", "0300", "0205 0000000000"})
    void aPartitioningThatCannotBeReadIsDenied(String partitioning) throws IOException {
        byte[] bytes = Body.of().hex(partitioning).toBytes();
        assertThat(client.change(
                                Operation.SEND, RawClient.sendBody(stream, "events", new Partitioning(bytes), 2, batch))
                        .outcome())
                .isEqualTo("DENY 20");
    }

    @Test
    void metadataOfAnotherLengthThanItSaysIsDenied() throws IOException {
        GalgoOnly.assume();
        byte[] body = RawClient.sendBody(stream, "events", Partitioning.to(0), 2, batch);
        body[0]++;
        assertThat(client.change(Operation.SEND, body).outcome()).isIn("DENY 3", "DENY 20");
    }

    @Test
    void countsThatDisagreeAreDenied() throws IOException {
        GalgoOnly.assume();
        assertThat(send(1, batch)).isEqualTo("DENY 4009");
        assertThat(send(3, batch)).isEqualTo("DENY 4009");
        byte[] none = Arrays.copyOf(batch, FIRST_FRAME_AT);
        putLong(none, LENGTH_AT, none.length);
        putInt(none, COUNT_AT, 0);
        Batch.stamp(none);
        assertThat(send(0, none)).as("no message at all").isEqualTo("DENY 4009");
    }

    @Test
    void aBatchOfAnotherLengthThanItSaysIsDenied() throws IOException {
        GalgoOnly.assume();
        assertThat(send(2, Arrays.copyOf(batch, batch.length - 1))).isEqualTo("DENY 3");
        assertThat(send(2, Arrays.copyOf(batch, batch.length + 1))).isEqualTo("DENY 3");
        assertThat(send(2, Arrays.copyOf(batch, 100))).isEqualTo("DENY 3");
        assertThat(send(2, new byte[0])).isEqualTo("DENY 3");
        byte[] huge = batch.clone();
        putLong(huge, LENGTH_AT, Long.MAX_VALUE);
        assertThat(send(2, huge)).isEqualTo("DENY 3");
    }

    @Test
    void framesThatDoNotFillTheBatchAreDenied() throws IOException {
        GalgoOnly.assume();
        byte[] longer = batch.clone();
        putInt(longer, FIRST_FRAME_AT + 36, 6);
        assertThat(send(2, longer)).as("a frame that is longer by one").isIn("DENY 3", "DENY 4027");
        byte[] negative = batch.clone();
        putInt(negative, FIRST_FRAME_AT + 36, -1);
        assertThat(send(2, negative)).as("a payload of 4 GiB").isEqualTo("DENY 3");
        byte[] headers = batch.clone();
        putInt(headers, FIRST_FRAME_AT + 32, Integer.MAX_VALUE);
        assertThat(send(2, headers)).as("headers of 2 GiB").isEqualTo("DENY 3");
        byte[] three = batch.clone();
        putInt(three, COUNT_AT, 3);
        assertThat(send(3, three)).as("a frame too few").isEqualTo("DENY 3");
        byte[] one = batch.clone();
        putInt(one, COUNT_AT, 1);
        assertThat(send(1, one)).as("a frame too many").isEqualTo("DENY 3");
        byte[] billions = batch.clone();
        putInt(billions, COUNT_AT, Integer.MAX_VALUE);
        assertThat(send(Integer.MAX_VALUE, billions)).as("two billion frames").isEqualTo("DENY 3");
    }

    @Test
    void reservedBytesThatAreNotZeroAreDenied() throws IOException {
        GalgoOnly.assume();
        for (int position : new int[] {52, 100, 255}) {
            byte[] dirty = batch.clone();
            dirty[position] = 1;
            Batch.stamp(dirty);
            assertThat(send(2, dirty))
                    .as("byte %s of the batch header", position)
                    .isEqualTo("DENY 4101");
        }
        for (int position : new int[] {40, 47}) {
            byte[] dirty = batch.clone();
            dirty[FIRST_FRAME_AT + position] = 1;
            assertThat(send(2, dirty)).as("byte %s of a frame", position).isEqualTo("DENY 4101");
        }
    }

    @Test
    void aWrongMessageChecksumIsDenied() throws IOException {
        GalgoOnly.assume();
        byte[] payload = batch.clone();
        payload[batch.length - 1] ^= 1;
        assertThat(send(2, payload)).as("a flipped byte of a payload").isEqualTo("DENY 4027");
        byte[] checksum = batch.clone();
        checksum[FIRST_FRAME_AT] ^= 1;
        Batch.stamp(checksum);
        assertThat(send(2, checksum)).as("a flipped byte of a checksum").isEqualTo("DENY 4027");
    }

    @Test
    void aWrongBatchChecksumIsDenied() throws IOException {
        GalgoOnly.assume();
        byte[] checksum = batch.clone();
        checksum[40] ^= 1;
        assertThat(send(2, checksum)).isEqualTo("DENY 4039");
        byte[] origin = batch.clone();
        origin[24] ^= 1;
        assertThat(send(2, origin)).as("another origin timestamp").isEqualTo("DENY 4039");
    }

    private String outcome(String stream, String topic, Partitioning partitioning) throws IOException {
        return client.change(Operation.SEND, RawClient.sendBody(stream, topic, partitioning, 2, batch))
                .outcome();
    }

    private String send(long count, byte[] bytes) throws IOException {
        return client.change(Operation.SEND, RawClient.sendBody(stream, "events", Partitioning.to(0), count, bytes))
                .outcome();
    }

    private static void putInt(byte[] bytes, int position, int value) {
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(position, value);
    }

    private static void putLong(byte[] bytes, int position, long value) {
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(position, value);
    }
}
