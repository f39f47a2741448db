package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.broker.partition.PartitionDirectory;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.Partitioning;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.TypedValue;
import io.galgo.protocol.batch.BatchChecksum;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.batch.MessageFrame;
import io.galgo.protocol.reply.Stats;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.UpdateTopic;
import io.galgo.storage.form.Encryption;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Nodes that encrypt and topics that are deflated: what is on the disk, and that no client can tell.
class StoredFormTest {
    private static final byte[] KEY = "this key has thirty-two letters.".getBytes(StandardCharsets.US_ASCII);
    private static final String MARKER = "nobody shall read this on the disk";
    private static final int SEEDS = 12;

    enum Form {
        ENCRYPTED(true, false),
        DEFLATED(false, true),
        BOTH(true, true);

        final boolean encrypts;
        final boolean deflates;

        Form(boolean encrypts, boolean deflates) {
            this.encrypts = encrypts;
            this.deflates = deflates;
        }

        TestNode node() {
            TestNode node = new TestNode(1);
            if (encrypts) {
                node.encryption(Encryption.with(KEY, true));
            }
            node.stopAndRestart();
            return node;
        }

        Options.Entry[] options() {
            Options.Entry segments = new Options.Entry("segment_size", TypedValue.uint64(1 << 20));
            return deflates
                    ? new Options.Entry[] {
                        new Options.Entry("compression_algorithm", TypedValue.string("gzip")), segments
                    }
                    : new Options.Entry[] {segments};
        }
    }

    @ParameterizedTest
    @EnumSource
    void noClientCanTellWhetherMessagesAreStoredAsTheyCame(Form form) {
        for (int seed = 0; seed < SEEDS; seed++) {
            TestNode plain = new TestNode(1);
            plain.stopAndRestart();
            TestNode other = form.node();
            TestClient plainClient = plain.root(0);
            TestClient otherClient = other.root(0);
            plainClient.createTopic(1, new Options.Entry("segment_size", TypedValue.uint64(1 << 20)));
            otherClient.createTopic(1, form.options());
            SplittableRandom random = new SplittableRandom(seed);
            long sent = 0;
            for (int step = 0; step < 120; step++) {
                String where = form + ", seed " + seed + ", step " + step;
                switch (random.nextInt(12)) {
                    case 0, 1, 2, 3 -> {
                        ByteBuffer batch = randomBatch(random);
                        sent += BatchHeader.messageCount(batch, 0);
                        Answer expected = plainClient.ask(TestClient.send(Partitioning.partition(0), batch));
                        Answer found = otherClient.ask(TestClient.send(Partitioning.partition(0), batch));
                        assertThat(expected.outcome()).as(where).isEqualTo("ok");
                        assertThat(found.body()).as("%s: confirmation", where).isEqualTo(expected.body());
                        plain.clock.advance(1_000_000);
                        other.clock.advance(1_000_000);
                    }
                    case 4 -> {
                        if (random.nextInt(4) == 0) {
                            boolean isKilled = random.nextBoolean();
                            for (TestNode node : List.of(plain, other)) {
                                if (isKilled) {
                                    node.killAndRestart();
                                } else {
                                    node.stopAndRestart();
                                }
                            }
                            plainClient = plain.root(0);
                            otherClient = other.root(0);
                        }
                    }
                    case 5 -> {
                        plain.shard(0).makeRoom(1 << 20);
                        other.shard(0).makeRoom(1 << 20);
                    }
                    default -> {
                        PollingStrategy strategy = switch (random.nextInt(4)) {
                            case 0 -> PollingStrategy.FIRST;
                            case 1 -> PollingStrategy.LAST;
                            case 2 -> PollingStrategy.NEXT;
                            default -> PollingStrategy.offset(random.nextLong(sent + 2));
                        };
                        long count = random.nextBoolean() ? 1 + random.nextInt(30) : 10_000;
                        boolean autoCommit = random.nextBoolean();
                        Answer expected = plainClient.ask(TestClient.poll(0, strategy, count, autoCommit));
                        Answer found = otherClient.ask(TestClient.poll(0, strategy, count, autoCommit));
                        assertThat(expected.outcome()).as(where).isEqualTo("ok");
                        assertThat(found.outcome()).as(where).isEqualTo("ok");
                        assertThat(found.body())
                                .as("%s: messages of a poll by %s, %s at most", where, strategy, count)
                                .isEqualTo(expected.body());
                    }
                }
            }
            assertThat(otherClient.stored(TestClient.CONSUMER, 0))
                    .isEqualTo(plainClient.stored(TestClient.CONSUMER, 0));
            if (form == Form.DEFLATED) {
                assertThat(otherClient.topic().topic().sizeBytes())
                        .as("%s, seed %s: deflating changes no statistics", form, seed)
                        .isEqualTo(plainClient.topic().topic().sizeBytes());
                assertThat(stats(otherClient).segmentsCount())
                        .isEqualTo(stats(plainClient).segmentsCount());
            }
            plain.assertNoMemoryIsHeld();
            other.assertNoMemoryIsHeld();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ENCRYPTED", "BOTH"})
    void neitherPayloadsNorHeadersAreOnTheDiskInClear(Form form) {
        TestNode node = form.node();
        TestClient client = node.root(0);
        client.createTopic(2, form.options());
        for (int i = 0; i < 20; i++) {
            client.ask(TestClient.send(
                    Partitioning.partition(i % 2),
                    batch(new String[] {MARKER, MARKER.repeat(100)}, new String[] {MARKER + " header", ""})));
        }
        assertThat(filesWith(node, MARKER)).isEmpty();
        node.killAndRestart();
        client = node.root(0);
        assertThat(client.pollOk(1, PollingStrategy.FIRST, 100))
                .hasSize(20)
                .allSatisfy(message -> assertThat(message.payload()).startsWith(MARKER));
        node.stopAndRestart();
        assertThat(filesWith(node, MARKER)).isEmpty();
        assertThat(filesWith(node, new String(KEY, StandardCharsets.US_ASCII)))
                .as("files with the key in them")
                .isEmpty();
    }

    @Test
    void withoutEncryptionTheMarkerIsFoundOnTheDisk() {
        TestNode node = new TestNode(1);
        TestClient client = node.root(0);
        client.createTopic(1);
        client.sendOk(0, MARKER);
        assertThat(filesWith(node, MARKER)).as("the search finds what is there").isNotEmpty();
    }

    @Test
    void sizesCountTheCiphertextWhetherOrNotItIsDeflated() {
        for (Form form : List.of(Form.ENCRYPTED, Form.BOTH)) {
            TestNode node = form.node();
            TestClient client = node.root(0);
            client.createTopic(1, form.options());
            client.ask(TestClient.send(
                    Partitioning.partition(0),
                    batch(new String[] {"x".repeat(5_000), "y"}, new String[] {"head", ""})));
            long plain = 256 + 48 + 5_000 + 4 + 48 + 1;
            assertThat(client.topic().topic().sizeBytes()).as(form.toString()).isEqualTo(plain + 3 * 28);
            node.killAndRestart();
            client = node.root(0);
            assertThat(client.topic().topic().sizeBytes())
                    .as("%s, counted again by recovery", form)
                    .isEqualTo(plain + 3 * 28);
            node.stopAndRestart();
            client = node.root(0);
            assertThat(client.topic().topic().sizeBytes())
                    .as("%s, from the index", form)
                    .isEqualTo(plain + 3 * 28);
        }
    }

    @Test
    void aDeflatedTopicTakesLessDisk() {
        long[] used = new long[2];
        for (int i = 0; i < 2; i++) {
            TestNode node = new TestNode(1);
            TestClient client = node.root(0);
            client.createTopic(1, i == 0 ? new Options.Entry[0] : Form.DEFLATED.options());
            long before = node.disk.usedBytes();
            for (int batch = 0; batch < 50; batch++) {
                client.sendOk(0, ("{\"sensor\":" + batch + ",\"state\":\"all is well\"}").repeat(200));
            }
            used[i] = node.disk.usedBytes() - before;
        }
        assertThat(used[1]).as("bytes on disk, %s when not deflated", used[0]).isLessThan(used[0] / 5);
    }

    @Test
    void theOptionCanBeChangedAndBothKindsOfBatchesAreServed() {
        TestNode node = new TestNode(1);
        TestClient client = node.root(0);
        client.createTopic(1);
        List<String> expected = new ArrayList<>();
        for (String algorithm : List.of("none", "gzip", "none", "gzip")) {
            assertThat(client.ask(new UpdateTopic(
                                    Identifier.of("s"),
                                    Identifier.of("t"),
                                    "t",
                                    new Options(List.of(
                                            new Options.Entry("compression_algorithm", TypedValue.string(algorithm))))))
                            .outcome())
                    .isEqualTo("ok");
            for (int i = 0; i < 3; i++) {
                expected.add(algorithm + i + "-".repeat(3_000));
                client.sendOk(0, expected.getLast());
            }
        }
        assertThat(TestClient.payloads(client.pollOk(0, PollingStrategy.FIRST, 100)))
                .isEqualTo(expected);
        node.killAndRestart();
        client = node.root(0);
        assertThat(TestClient.payloads(client.pollOk(0, PollingStrategy.FIRST, 100)))
                .isEqualTo(expected);
    }

    @Test
    void encryptionCanBeSwitchedOnAndOffAndEverythingStaysReadable() {
        TestNode node = new TestNode(1);
        TestClient client = node.root(0);
        client.createTopic(1);
        client.sendOk(0, "in clear");
        node.encryption(Encryption.with(KEY, true));
        node.stopAndRestart();
        client = node.root(0);
        client.sendOk(0, "encrypted");
        node.encryption(Encryption.with(KEY, false));
        node.stopAndRestart();
        client = node.root(0);
        client.sendOk(0, "in clear again");
        assertThat(TestClient.payloads(client.pollOk(0, PollingStrategy.FIRST, 10)))
                .containsExactly("in clear", "encrypted", "in clear again");
        assertThat(filesWith(node, "encrypted")).isEmpty();
        assertThat(filesWith(node, "in clear again")).hasSize(1);
    }

    @Test
    void whatCannotBeDecryptedIsDeniedWith72AndNoOffsetMoves() {
        for (Form form : List.of(Form.ENCRYPTED, Form.BOTH)) {
            TestNode node = form.node();
            TestClient client = node.root(0);
            client.createTopic(1, form.options());
            client.sendOk(0, "under the first key " + "-".repeat(2_000));
            byte[] other = KEY.clone();
            other[0]++;
            node.encryption(Encryption.with(other, true));
            node.stopAndRestart();
            client = node.root(0);
            for (PollingStrategy strategy : List.of(PollingStrategy.FIRST, PollingStrategy.NEXT)) {
                assertThat(client.ask(TestClient.poll(0, strategy, 10, true)).outcome())
                        .as("%s by %s", form, strategy)
                        .isEqualTo("deny 72");
            }
            assertThat(client.stored(TestClient.CONSUMER, 0)).isEqualTo(-1);
            assertThat(client.sendOk(0, "under the second key")).isEqualTo(1);
            assertThat(client.ask(TestClient.poll(0, PollingStrategy.FIRST, 10, false))
                            .outcome())
                    .isEqualTo("deny 72");
            assertThat(TestClient.payloads(client.pollOk(0, PollingStrategy.offset(1), 10)))
                    .containsExactly("under the second key");
            assertThat(String.join("\n", node.log.errors))
                    .contains("encryption.key does not decrypt")
                    .doesNotContain("under the first key");
            node.assertNoMemoryIsHeld();
        }
    }

    @Test
    void aCiphertextThatWasForgedWithRightChecksumsIsDenied() {
        TestNode node = Form.ENCRYPTED.node();
        TestClient client = node.root(0);
        client.createTopic(1);
        client.sendOk(0, "first");
        client.sendOk(0, "second");
        client.sendOk(0, "third");
        node.stop();
        String segment = PartitionDirectory.path(0, 0, 0) + "/00000000000000000000.log";
        byte[] content = node.disk.content(segment);
        ByteBuffer bytes = ByteBuffer.allocateDirect(content.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(0, content);
        int second = (int) BatchHeader.length(bytes, 0);
        int frame = second + BatchHeader.BYTES;
        int at = MessageFrame.payloadPosition(frame) + 14;
        bytes.put(at, (byte) (bytes.get(at) ^ 1));
        MessageFrame.stampChecksum(bytes, frame);
        BatchHeader.checksum(bytes, second, new BatchChecksum().of(bytes, second));
        bytes.get(0, content);
        node.disk.content(segment, content);
        node.restart();
        client = node.root(0);
        assertThat(TestClient.payloads(client.pollOk(0, PollingStrategy.FIRST, 10)))
                .as("what comes before it")
                .containsExactly("first");
        assertThat(client.ask(TestClient.poll(0, PollingStrategy.offset(1), 10, false))
                        .outcome())
                .isEqualTo("deny 72");
        assertThat(TestClient.payloads(client.pollOk(0, PollingStrategy.offset(2), 10)))
                .containsExactly("third");
    }

    @ParameterizedTest
    @EnumSource
    void aDamagedBatchIsDeniedWith4039AndTheOthersAreServed(Form form) {
        TestNode node = form.node();
        TestClient client = node.root(0);
        client.createTopic(1, form.options());
        List<Long> ends = new ArrayList<>();
        String segment = PartitionDirectory.path(0, 0, 0) + "/00000000000000000000.log";
        for (int i = 0; i < 3; i++) {
            client.sendOk(0, i + "-".repeat(3_000));
            ends.add((long) node.disk.content(segment).length);
        }
        node.stop();
        node.disk.flipBit(segment, ends.get(1) - 3, 2);
        node.restart();
        client = node.root(0);
        assertThat(client.pollOk(0, PollingStrategy.FIRST, 10)).hasSize(1);
        assertThat(client.ask(TestClient.poll(0, PollingStrategy.offset(1), 10, false))
                        .outcome())
                .isEqualTo("deny 4039");
        assertThat(TestClient.payloads(client.pollOk(0, PollingStrategy.offset(2), 10)))
                .containsExactly("2" + "-".repeat(3_000));
    }

    @ParameterizedTest
    @EnumSource
    void aRepeatedSendIsRecognisedAlthoughItsCiphertextWouldDiffer(Form form) {
        TestNode node = form.node();
        TestClient client = node.root(0);
        client.createTopic(1, form.options());
        ByteBuffer frame = client.frame(TestClient.send(0, "once " + "-".repeat(3_000)));
        Answer first = client.ask(frame.duplicate().order(ByteOrder.LITTLE_ENDIAN));
        Answer again = client.ask(frame.duplicate().order(ByteOrder.LITTLE_ENDIAN));
        assertThat(first.outcome()).isEqualTo("ok");
        assertThat(again.body()).as("the confirmation of the repeat").isEqualTo(first.body());
        assertThat(client.pollOk(0, PollingStrategy.FIRST, 10)).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void withoutMemoryForTheStoredFormASendIsRefusedAndNothingIsLost(Form form) {
        TestNode node = form.node();
        TestClient client = node.root(0);
        client.createTopic(1, form.options());
        client.sendOk(0, "before " + "-".repeat(100_000));
        node.shard(0).makeRoom(1 << 30);
        ByteBuffer frame = client.frame(TestClient.send(0, "refused " + "-".repeat(100_000)));
        var buffer = Objects.requireNonNull(node.buffers(node.shard(0)).acquire(frame.remaining()));
        buffer.bytes().put(0, frame, 0, frame.remaining());
        node.starve(true);
        client.connection.onFrame(buffer, frame.remaining());
        node.run();
        assertThat(client.next().outcome()).isEqualTo("deny 58");
        node.starve(false);
        assertThat(client.sendOk(0, "after")).isEqualTo(1);
        assertThat(client.pollOk(0, PollingStrategy.FIRST, 10)).hasSize(2);
        node.assertNoMemoryIsHeld();
    }

    private static Stats stats(TestClient client) {
        return Objects.requireNonNull(Stats.decode(
                client.ask(new BodilessRequest(CommandCode.GET_STATS)).body()));
    }

    private static List<String> filesWith(TestNode node, String marker) {
        List<String> found = new ArrayList<>();
        for (String file : node.disk.files()) {
            if (new String(node.disk.content(file), StandardCharsets.ISO_8859_1).contains(marker)) {
                found.add(file);
            }
        }
        return found;
    }

    private static ByteBuffer randomBatch(SplittableRandom random) {
        int count = 1 + random.nextInt(random.nextInt(5) == 0 ? 200 : 4);
        String[] payloads = new String[count];
        String[] headers = new String[count];
        for (int i = 0; i < count; i++) {
            int length = random.nextInt(12) == 0 ? random.nextInt(60_000 / count + 1) : random.nextInt(200);
            payloads[i] = random.nextInt(3) == 0 ? noise(random, length) : "m".repeat(length);
            headers[i] = random.nextInt(4) == 0 ? noise(random, random.nextInt(40)) : "";
        }
        return batch(payloads, headers);
    }

    private static String noise(SplittableRandom random, int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append((char) random.nextInt(256));
        }
        return text.toString();
    }

    private static ByteBuffer batch(String[] payloads, String[] headers) {
        int length = BatchHeader.BYTES;
        for (int i = 0; i < payloads.length; i++) {
            length += MessageFrame.HEADER_BYTES + payloads[i].length() + headers[i].length();
        }
        ByteBuffer batch = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        BatchHeader.write(batch, 0, 0, 0, 0, 1_600_000_000_000_000L, length, payloads.length);
        int at = BatchHeader.BYTES;
        for (int i = 0; i < payloads.length; i++) {
            MessageFrame.write(batch, at, 7, i + 1, i, 2 * i, headers[i].length(), payloads[i].length());
            batch.put(MessageFrame.payloadPosition(at), payloads[i].getBytes(StandardCharsets.ISO_8859_1));
            batch.put(MessageFrame.userHeadersPosition(batch, at), headers[i].getBytes(StandardCharsets.ISO_8859_1));
            MessageFrame.stampChecksum(batch, at);
            at += (int) MessageFrame.length(batch, at);
        }
        Batches.stamp(batch);
        return batch;
    }
}
