package io.galgo.acceptance.fuzz;

import io.galgo.acceptance.harness.Checkout;
import io.galgo.protocol.CommandClass;
import io.galgo.protocol.CommandCode;
import io.galgo.torture.wire.Batch;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Code;
import io.galgo.torture.wire.Message;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.RequestFrame;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Valid requests to start from: those of a recorded session, and drawn ones of every command.
final class Corpus {
    private static final Pattern RECORDED =
            Pattern.compile("\"dir\": \"c2s\".*\"header\": \"([0-9a-f]+)\", \"body\": \"([0-9a-f]*)\"");
    private static final List<String> STREAMS = List.of("orders", "second", "fuzz-1", "fuzz-2", "fuzz-3");
    private static final List<String> TOPICS = List.of("events", "small", "t");
    private static final List<String> USERS = List.of("fuzz-user-1", "fuzz-user-2", "fuzz-user-3");
    static final List<CommandCode> COMMANDS = List.of(CommandCode.values());
    private static final Set<CommandCode> COSTLY = EnumSet.of(
            CommandCode.CREATE_USER, CommandCode.CHANGE_PASSWORD, CommandCode.LOGIN, CommandCode.GET_SNAPSHOT);

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
        RequestFrame frame = random.nextInt(3) == 0 ? drawAny(client, random) : drawMessages(client, random);
        return (random.nextBoolean() ? frame.stamped() : frame).toBytes();
    }

    /// What most clients do most of the time.
    private RequestFrame drawMessages(RawClient client, Random random) {
        String stream = one(STREAMS, random);
        String topic = one(TOPICS, random);
        return switch (random.nextInt(14)) {
            case 0 ->
                client.write(Operation.CREATE_STREAM, Body.of().name(stream).toBytes());
            case 1, 2 -> client.write(Operation.CREATE_TOPIC, createTopic(stream, topic, random));
            case 3, 4, 5, 6 -> client.write(Operation.SEND, send(stream, topic, random));
            case 7 -> client.write(Operation.STORE_OFFSET, offset(stream, topic, random));
            case 8, 9, 10 -> client.read(Code.POLL, poll(stream, topic, random));
            case 11 -> client.read(Code.TOPIC, target(stream, topic).toBytes());
            case 12 ->
                client.write(Operation.JOIN_GROUP, group(stream, topic, random).toBytes());
            default -> client.read(random.nextInt(700), Body.of().id(stream).toBytes());
        };
    }

    /// Any command there is, each as likely as the others, but those that cost a hash of a password or the reading
    /// of the machine.
    private RequestFrame drawAny(RawClient client, Random random) {
        CommandCode command = one(COMMANDS, random);
        return COSTLY.contains(command) && random.nextInt(8) != 0
                ? client.read(Code.PING, new byte[0])
                : draw(command, client, random);
    }

    /// A whole valid frame of this command.
    RequestFrame draw(CommandCode command, RawClient client, Random random) {
        byte[] body = body(command, client, random).toBytes();
        return switch (command) {
            case LOGIN, TOKEN_LOGIN -> new RequestFrame(client.clientId(), 0, 0, Operation.REGISTER, 0, 0, body);
            default ->
                command.commandClass() == CommandClass.NON_REPLICATED
                        ? client.read(command.code(), body)
                        : client.write(command.operation().value(), body);
        };
    }

    private static Body body(CommandCode command, RawClient client, Random random) {
        String stream = one(STREAMS, random);
        String topic = one(TOPICS, random);
        Body at = target(stream, topic);
        return switch (command) {
            case PING,
                    GET_STATS,
                    GET_CLUSTER_METADATA,
                    GET_ME,
                    GET_CLIENTS,
                    GET_USERS,
                    GET_PERSONAL_ACCESS_TOKENS,
                    GET_STREAMS,
                    LEGACY_LOGIN,
                    LEGACY_TOKEN_LOGIN,
                    LOGOUT -> Body.of();
            case GET_SNAPSHOT -> Body.of().u8(1 + random.nextInt(6)).u8(1).u8(4 + random.nextInt(3));
            case DESCRIBE_OPTIONS -> Body.of().u8(1 + random.nextInt(3));
            case ATTACH_CONSUMER_SESSION ->
                Body.of().raw(client.clientId()).u64(client.session()).u64(0);
            case GET_CLIENT -> Body.of().u32(random.nextInt(20));
            case GET_USER, DELETE_USER -> Body.of().id(one(USERS, random));
            case CREATE_USER ->
                Body.of()
                        .name(one(USERS, random))
                        .name("a-password")
                        .u8(1 + random.nextInt(2))
                        .raw(permissions(random));
            case UPDATE_USER ->
                Body.of()
                        .id(one(USERS, random))
                        .u8(1)
                        .name(one(USERS, random))
                        .u8(1)
                        .u8(1 + random.nextInt(2));
            case UPDATE_PERMISSIONS -> Body.of().id(one(USERS, random)).raw(permissions(random));
            case CHANGE_PASSWORD ->
                Body.of().id(one(USERS, random)).name("a-password").name("a-password");
            case LOGIN -> Body.of().raw(RawClient.loginBody(one(USERS, random), "a-password"));
            case TOKEN_LOGIN ->
                Body.of().u32(11264).name("fuzz").name("1").name("A".repeat(68)).u32(0);
            case CREATE_PERSONAL_ACCESS_TOKEN ->
                Body.of().name("token-" + random.nextInt(3)).u64(random.nextInt(3) * 3_600_000_000L);
            case DELETE_PERSONAL_ACCESS_TOKEN -> Body.of().name("token-" + random.nextInt(3));
            case POLL_MESSAGES, POLL_MESSAGES_ON_PRIMARY -> Body.of().raw(poll(stream, topic, random));
            case AWAIT_MESSAGES -> Body.of().raw(poll(stream, topic, random)).u64(random.nextInt(100_000));
            case GET_POLL_ROUTING ->
                consumer(random)
                        .raw(at.partition(random.nextInt(3))
                                .strategy(5, 0)
                                .u32(10)
                                .u8(1)
                                .toBytes());
            case SEND_MESSAGES -> Body.of().raw(send(stream, topic, random));
            case FLUSH_UNSAVED_BUFFER -> at.u32(random.nextInt(3)).u8(1);
            case GET_CONSUMER_OFFSET, GET_CONSUMER_OFFSET_ROUTING ->
                consumer(random).raw(at.partition(random.nextInt(3)).toBytes());
            case STORE_CONSUMER_OFFSET -> Body.of().raw(offset(stream, topic, random));
            case DELETE_CONSUMER_OFFSET ->
                consumer(random).raw(at.partition(random.nextInt(3)).u8(1).toBytes());
            case GET_STREAM, DELETE_STREAM, PURGE_STREAM, GET_TOPICS ->
                Body.of().id(stream);
            case CREATE_STREAM -> Body.of().name(stream);
            case UPDATE_STREAM -> Body.of().id(stream).name(one(STREAMS, random));
            case GET_TOPIC, DELETE_TOPIC, PURGE_TOPIC, GET_CONSUMER_GROUPS -> at;
            case CREATE_TOPIC -> Body.of().raw(createTopic(stream, topic, random));
            case UPDATE_TOPIC -> at.name(one(TOPICS, random));
            case CREATE_PARTITIONS, DELETE_PARTITIONS -> at.u32(1);
            case DELETE_SEGMENTS -> at.u32(random.nextInt(3)).u32(random.nextInt(3));
            case CREATE_CONSUMER_GROUP -> at.name("group-" + random.nextInt(3));
            case GET_CONSUMER_GROUP,
                    DELETE_CONSUMER_GROUP,
                    JOIN_CONSUMER_GROUP,
                    LEAVE_CONSUMER_GROUP,
                    SYNC_CONSUMER_GROUP -> group(stream, topic, random);
        };
    }

    private static <T> T one(List<T> all, Random random) {
        return all.get(random.nextInt(all.size()));
    }

    private static Body target(String stream, String topic) {
        return Body.of().id(stream).id(topic);
    }

    private static Body group(String stream, String topic, Random random) {
        return target(stream, topic).id("group-" + random.nextInt(3));
    }

    /// A plain consumer or a group.
    private static Body consumer(Random random) {
        return random.nextInt(3) == 0
                ? Body.of().u8(2).id("group-" + random.nextInt(3))
                : Body.of().consumer(random.nextInt(3));
    }

    private static byte[] offset(String stream, String topic, Random random) {
        return consumer(random)
                .raw(target(stream, topic)
                        .partition(random.nextInt(3))
                        .u64(random.nextInt(3))
                        .u8(1)
                        .toBytes())
                .toBytes();
    }

    private static byte[] createTopic(String stream, String topic, Random random) {
        return Body.of()
                .id(stream)
                .u32(random.nextInt(4))
                .name(topic)
                .raw(options(random))
                .toBytes();
    }

    /// Ten global flags, and those of one stream with one topic.
    private static byte[] permissions(Random random) {
        if (random.nextInt(4) == 0) {
            return new byte[] {0};
        }
        Body block = Body.of();
        for (int i = 0; i < 10; i++) {
            block.u8(random.nextInt(2));
        }
        block.u8(1).u32(random.nextInt(3));
        for (int i = 0; i < 6; i++) {
            block.u8(random.nextInt(2));
        }
        block.u8(1).u32(random.nextInt(3)).u8(1).u8(1).u8(0).u8(0).u8(0).u8(0);
        return Body.of().u8(1).u32(block.length()).raw(block.toBytes()).toBytes();
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
        Body at = target(stream, topic)
                .partition(random.nextInt(3))
                .strategy(1 + random.nextInt(5), random.nextInt(100))
                .u32(random.nextInt(1000))
                .u8(random.nextInt(2));
        return consumer(random).raw(at.toBytes()).toBytes();
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
