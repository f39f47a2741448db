package io.galgo.acceptance.fuzz;

import io.galgo.acceptance.harness.Checkout;
import io.galgo.acceptance.wire.Batch;
import io.galgo.acceptance.wire.Body;
import io.galgo.acceptance.wire.Code;
import io.galgo.acceptance.wire.Message;
import io.galgo.acceptance.wire.Operation;
import io.galgo.acceptance.wire.Partitioning;
import io.galgo.acceptance.wire.RawClient;
import io.galgo.acceptance.wire.RequestFrame;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Valid requests to start from: those of a recorded session, and drawn ones.
final class Corpus {
    private static final Pattern RECORDED =
            Pattern.compile("\"dir\": \"c2s\".*\"header\": \"([0-9a-f]+)\", \"body\": \"([0-9a-f]*)\"");
    private static final List<String> STREAMS = List.of("orders", "second", "fuzz-1", "fuzz-2", "fuzz-3");
    private static final List<String> TOPICS = List.of("events", "small", "t");

    private final List<byte[]> recorded = new ArrayList<>();

    Corpus() throws IOException {
        for (String line : Files.readAllLines(
                Checkout.root().resolve("protocol/src/test/resources/wire/published-python-client.jsonl"),
                StandardCharsets.UTF_8)) {
            Matcher matcher = RECORDED.matcher(line);
            if (matcher.find()) {
                recorded.add(HexFormat.of().parseHex(matcher.group(1) + matcher.group(2)));
            }
        }
        if (recorded.size() < 50) {
            throw new IllegalStateException("only " + recorded.size() + " requests were found in the recording");
        }
    }

    /// A whole valid frame for this client.
    byte[] draw(RawClient client, Random random) {
        if (random.nextInt(4) == 0) {
            return recorded.get(random.nextInt(recorded.size())).clone();
        }
        String stream = STREAMS.get(random.nextInt(STREAMS.size()));
        String topic = TOPICS.get(random.nextInt(TOPICS.size()));
        RequestFrame frame = switch (random.nextInt(16)) {
            case 0 ->
                client.write(Operation.CREATE_STREAM, Body.of().name(stream).toBytes());
            case 1, 2 ->
                client.write(
                        Operation.CREATE_TOPIC,
                        Body.of()
                                .id(stream)
                                .u32(random.nextInt(4))
                                .name(topic)
                                .raw(options(random))
                                .toBytes());
            case 3 ->
                client.write(
                        Operation.DELETE_TOPIC, Body.of().id(stream).id(topic).toBytes());
            case 4 ->
                client.write(
                        random.nextBoolean() ? Operation.CREATE_PARTITIONS : Operation.DELETE_PARTITIONS,
                        Body.of().id(stream).id(topic).u32(1).toBytes());
            case 5 ->
                client.write(
                        random.nextBoolean() ? Operation.PURGE_TOPIC : Operation.UPDATE_TOPIC,
                        Body.of().id(stream).id(topic).name(topic).toBytes());
            case 6, 7, 8, 9 -> client.write(Operation.SEND, send(stream, topic, random));
            case 10 ->
                client.write(
                        random.nextBoolean() ? Operation.STORE_OFFSET : Operation.DELETE_OFFSET,
                        Body.of()
                                .consumer(random.nextInt(3))
                                .id(stream)
                                .id(topic)
                                .partition(0)
                                .u64(0)
                                .u8(1)
                                .toBytes());
            case 11, 12, 13 -> client.read(Code.POLL, poll(stream, topic, random));
            case 14 -> client.read(Code.TOPIC, Body.of().id(stream).id(topic).toBytes());
            default -> client.read(random.nextInt(700), Body.of().id(stream).toBytes());
        };
        return (random.nextBoolean() ? frame.stamped() : frame).toBytes();
    }

    private static byte[] send(String stream, String topic, Random random) {
        List<Message> messages = new ArrayList<>();
        int count = 1 + random.nextInt(5);
        for (int i = 0; i < count; i++) {
            byte[] payload = new byte[random.nextInt(10) == 0 ? random.nextInt(100_000) : random.nextInt(200)];
            random.nextBytes(payload);
            messages.add(Message.of(payload));
        }
        Partitioning partitioning = switch (random.nextInt(3)) {
            case 0 -> Partitioning.balanced();
            case 1 -> Partitioning.key("key-" + random.nextInt(9));
            default -> Partitioning.to(random.nextInt(3));
        };
        return RawClient.sendBody(stream, topic, partitioning, count, Batch.encode(messages, 1));
    }

    private static byte[] poll(String stream, String topic, Random random) {
        return Body.of()
                .consumer(random.nextInt(3))
                .id(stream)
                .id(topic)
                .partition(random.nextInt(3))
                .strategy(1 + random.nextInt(5), random.nextInt(100))
                .u32(random.nextInt(1000))
                .u8(random.nextInt(2))
                .toBytes();
    }

    private static byte[] options(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> Body.of().option("durability", "persisted").toBytes();
            case 1 -> Body.of().option("segment_size", 1 << 20).toBytes();
            case 2 ->
                Body.of()
                        .option("messages_required_to_save", "10")
                        .option("max_topic_size", "2 GiB")
                        .toBytes();
            default -> new byte[0];
        };
    }
}
