package io.galgo.acceptance.differential;

import io.galgo.acceptance.differential.Arguments.Argument;
import io.galgo.torture.wire.Batch;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Code;
import io.galgo.torture.wire.Message;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.PermissionFlags;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/// The commands of the script language: the names of the product's commands in lower case, and two for raw
/// requests.
///
/// | argument | meaning |
/// |---|---|
/// | `stream=` `topic=` `group=` `user=` | an identifier: digits are a number, everything else or a quoted text a name
/// |
/// | `as=` `as_group=` | the consumer or the group that polls or stores; `kind=` overrides the kind of consumer |
/// | `partition=` | left out: not given |
/// | `strategy=` | `first` `last` `next` `offset:5` `timestamp:5`, or `9:5` for kind 9 |
/// | `to=` | `balanced`, `partition:1`, `key:abc`, or `hex:` |
/// | `message=` `message.7=` | one message each, the second with id 7; `messages=3x100` three of 100 bytes |
/// | `option.KEY=` | `u64:5` `u32:5` `u8:5` `bool:1` `5:hex:00` for kind 5, everything else is a string |
/// | `global=` `stream.N=` `topic.N.M=` | permissions, separated by commas; `none` for no flag |
///
/// A value `hex:…` stands for the whole encoding of its field.
final class Requests {
    /// @param operation of the frame
    /// @param code of a non-replicated request
    @SuppressWarnings("ArrayRecordComponent") // The bytes are sent; records are never compared.
    record Encoded(int operation, int code, byte[] body) {}

    private record Command(int operation, int code, BiConsumer<Arguments, Body> encoder) {}

    private static final int PROTOCOL_VERSION = 11264;
    private static final long ORIGIN_TIMESTAMP = 1_700_000_000_000_000L;
    private static final Map<String, Command> COMMANDS = commands();

    private Requests() {}

    static Encoded encode(String command, Arguments arguments) {
        Body body = Body.of();
        if (command.equals("read") || command.equals("write")) {
            boolean isRead = command.equals("read");
            int number = (int) arguments.need(isRead ? "code" : "operation").number();
            body.raw(arguments.find("body").map(Value::bytes).orElse(new byte[0]));
            arguments.mustBeUsedUp();
            return new Encoded(isRead ? Operation.NON_REPLICATED : number, isRead ? number : 0, body.toBytes());
        }
        Command known = COMMANDS.get(command);
        if (known == null) {
            throw arguments.wrong("there is no command " + command + " among " + COMMANDS.keySet());
        }
        known.encoder.accept(arguments, body);
        arguments.mustBeUsedUp();
        return new Encoded(known.operation, known.code, body.toBytes());
    }

    static Set<String> names() {
        return COMMANDS.keySet();
    }

    private static Map<String, Command> commands() {
        Map<String, Command> all = new LinkedHashMap<>();
        read(all, "ping", Code.PING, (_, _) -> {});
        read(all, "get_stats", Code.STATS, (_, _) -> {});
        read(all, "get_snapshot", Code.SNAPSHOT, Requests::snapshot);
        read(all, "get_cluster_metadata", Code.CLUSTER_METADATA, (_, _) -> {});
        read(all, "describe_options", Code.DESCRIBE_OPTIONS, Requests::scope);
        read(all, "attach_consumer_session", Code.ATTACH_SESSION, Requests::attach);
        read(all, "get_me", Code.ME, (_, _) -> {});
        read(all, "get_client", Code.CLIENT, (arguments, body) -> u32(arguments, body, "id"));
        read(all, "get_clients", Code.CLIENTS, (_, _) -> {});
        read(all, "get_user", Code.USER, (arguments, body) -> identifiers(arguments, body, "user"));
        read(all, "get_users", Code.USERS, (_, _) -> {});
        write(all, "create_user", Operation.CREATE_USER, Requests::createUser);
        write(all, "delete_user", Operation.DELETE_USER, (arguments, body) -> identifiers(arguments, body, "user"));
        write(all, "update_user", Operation.UPDATE_USER, Requests::updateUser);
        write(all, "update_permissions", Operation.UPDATE_PERMISSIONS, (arguments, body) -> {
            identifiers(arguments, body, "user");
            permissions(arguments, body);
        });
        write(all, "change_password", Operation.CHANGE_PASSWORD, (arguments, body) -> {
            identifiers(arguments, body, "user");
            name(arguments, body, "current");
            name(arguments, body, "new");
        });
        read(all, "legacy_login", 38, (_, _) -> {});
        write(all, "logout", Operation.LOGOUT, (_, _) -> {});
        write(all, "login", Operation.REGISTER, (arguments, body) -> {
            version(arguments, body);
            name(arguments, body, "user");
            name(arguments, body, "password");
            context(arguments, body);
        });
        read(all, "get_personal_access_tokens", Code.TOKENS, (_, _) -> {});
        write(all, "create_personal_access_token", Operation.CREATE_TOKEN, (arguments, body) -> {
            name(arguments, body, "name");
            body.u64(arguments.number("expiry", 0));
        });
        write(
                all,
                "delete_personal_access_token",
                Operation.DELETE_TOKEN,
                (arguments, body) -> name(arguments, body, "name"));
        read(all, "legacy_token_login", 44, (_, _) -> {});
        write(all, "token_login", Operation.REGISTER, (arguments, body) -> {
            version(arguments, body);
            name(arguments, body, "token");
            context(arguments, body);
        });
        read(all, "poll_messages", Code.POLL, Requests::poll);
        write(all, "send_messages", Operation.SEND, Requests::send);
        read(all, "flush_unsaved_buffer", Code.FLUSH, (arguments, body) -> {
            identifiers(arguments, body, "stream", "topic");
            u32(arguments, body, "partition");
            body.u8((int) arguments.number("fsync", 1));
        });
        read(all, "get_poll_routing", Code.POLL_ROUTING, Requests::poll);
        read(all, "poll_messages_on_primary", Code.POLL_ON_PRIMARY, Requests::poll);
        read(all, "get_consumer_offset", Code.OFFSET, Requests::offsetTarget);
        write(all, "store_consumer_offset", Operation.STORE_OFFSET, (arguments, body) -> {
            offsetTarget(arguments, body);
            body.u64(arguments.need("offset").number());
            body.u8((int) arguments.number("ack", 1));
        });
        write(all, "delete_consumer_offset", Operation.DELETE_OFFSET, (arguments, body) -> {
            offsetTarget(arguments, body);
            body.u8((int) arguments.number("ack", 1));
        });
        read(all, "get_consumer_offset_routing", Code.OFFSET_ROUTING, Requests::offsetTarget);
        streams(all);
        groups(all);
        return all;
    }

    private static void streams(Map<String, Command> all) {
        read(all, "get_stream", Code.STREAM, (arguments, body) -> identifiers(arguments, body, "stream"));
        read(all, "get_streams", Code.STREAMS, (_, _) -> {});
        write(all, "create_stream", Operation.CREATE_STREAM, (arguments, body) -> {
            name(arguments, body, "name");
            options(arguments, body);
        });
        write(
                all,
                "delete_stream",
                Operation.DELETE_STREAM,
                (arguments, body) -> identifiers(arguments, body, "stream"));
        write(all, "update_stream", Operation.UPDATE_STREAM, (arguments, body) -> {
            identifiers(arguments, body, "stream");
            name(arguments, body, "name");
            options(arguments, body);
        });
        write(all, "purge_stream", Operation.PURGE_STREAM, (arguments, body) -> identifiers(arguments, body, "stream"));
        read(all, "get_topic", Code.TOPIC, (arguments, body) -> identifiers(arguments, body, "stream", "topic"));
        read(all, "get_topics", Code.TOPICS, (arguments, body) -> identifiers(arguments, body, "stream"));
        write(all, "create_topic", Operation.CREATE_TOPIC, (arguments, body) -> {
            identifiers(arguments, body, "stream");
            u32(arguments, body, "partitions");
            name(arguments, body, "name");
            options(arguments, body);
        });
        write(
                all,
                "delete_topic",
                Operation.DELETE_TOPIC,
                (arguments, body) -> identifiers(arguments, body, "stream", "topic"));
        write(all, "update_topic", Operation.UPDATE_TOPIC, (arguments, body) -> {
            identifiers(arguments, body, "stream", "topic");
            name(arguments, body, "name");
            options(arguments, body);
        });
        write(
                all,
                "purge_topic",
                Operation.PURGE_TOPIC,
                (arguments, body) -> identifiers(arguments, body, "stream", "topic"));
        write(all, "create_partitions", Operation.CREATE_PARTITIONS, Requests::partitionsCount);
        write(all, "delete_partitions", Operation.DELETE_PARTITIONS, Requests::partitionsCount);
        write(all, "delete_segments", Operation.DELETE_SEGMENTS, (arguments, body) -> {
            identifiers(arguments, body, "stream", "topic");
            u32(arguments, body, "partition");
            u32(arguments, body, "segments");
        });
    }

    private static void groups(Map<String, Command> all) {
        BiConsumer<Arguments, Body> group =
                (arguments, body) -> identifiers(arguments, body, "stream", "topic", "group");
        read(all, "get_consumer_group", Code.GROUP, group);
        read(
                all,
                "get_consumer_groups",
                Code.GROUPS,
                (arguments, body) -> identifiers(arguments, body, "stream", "topic"));
        write(all, "create_consumer_group", Operation.CREATE_GROUP, (arguments, body) -> {
            identifiers(arguments, body, "stream", "topic");
            name(arguments, body, "name");
        });
        write(all, "delete_consumer_group", Operation.DELETE_GROUP, group);
        write(all, "join_consumer_group", Operation.JOIN_GROUP, group);
        write(all, "leave_consumer_group", Operation.LEAVE_GROUP, group);
        read(all, "sync_consumer_group", Code.SYNC_GROUP, group);
    }

    private static void read(Map<String, Command> all, String name, int code, BiConsumer<Arguments, Body> encoder) {
        all.put(name, new Command(Operation.NON_REPLICATED, code, encoder));
    }

    private static void write(
            Map<String, Command> all, String name, int operation, BiConsumer<Arguments, Body> encoder) {
        all.put(name, new Command(operation, 0, encoder));
    }

    // Fields.

    private static void u32(Arguments arguments, Body body, String name) {
        Value value = arguments.need(name);
        if (value.isHex()) {
            body.raw(value.bytes());
        } else {
            body.u32(value.number());
        }
    }

    private static void name(Arguments arguments, Body body, String name) {
        Value value = arguments.need(name);
        if (value.isHex()) {
            body.raw(value.bytes());
        } else {
            body.u8(value.bytes().length).raw(value.bytes());
        }
    }

    private static void identifiers(Arguments arguments, Body body, String... names) {
        for (String name : names) {
            identifier(arguments.need(name), body);
        }
    }

    private static void identifier(Value value, Body body) {
        if (value.isHex()) {
            body.raw(value.bytes());
        } else if (value.isNumber()) {
            body.id(value.number());
        } else {
            body.id(value.text());
        }
    }

    private static void options(Arguments arguments, Body body) {
        for (Argument option : arguments.family("option")) {
            Value value = option.value();
            String key = option.name().substring("option.".length());
            String kind = value.isQuoted() ? "" : value.text().replaceFirst(":.*", "");
            switch (kind) {
                case "u64" ->
                    body.option(
                            key, 12, Body.of().u64(value.behindColon().number()).toBytes());
                case "u32" ->
                    body.option(
                            key, 11, Body.of().u32(value.behindColon().number()).toBytes());
                case "u8" ->
                    body.option(
                            key,
                            9,
                            Body.of().u8((int) value.behindColon().number()).toBytes());
                case "bool" ->
                    body.option(
                            key,
                            3,
                            Body.of().u8((int) value.behindColon().number()).toBytes());
                case "hex" -> body.raw(value.bytes());
                default -> {
                    if (kind.matches("\\d+") && value.text().contains(":")) {
                        body.option(
                                key, Integer.parseInt(kind), value.behindColon().bytes());
                    } else {
                        body.option(key, value.text());
                    }
                }
            }
        }
    }

    private static void version(Arguments arguments, Body body) {
        body.u32(arguments.number("version", PROTOCOL_VERSION));
        body.name(arguments.text("sdk", "script"));
        body.name(arguments.text("sdk_version", "1.0"));
    }

    private static void context(Arguments arguments, Body body) {
        String context = arguments.text("context", "");
        body.u32(context.length()).raw(Value.of(context).bytes());
    }

    private static void snapshot(Arguments arguments, Body body) {
        body.u8((int) arguments.need("compression").number());
        List<String> types = List.of(arguments.need("types").text().split(","));
        body.u8(types.size());
        types.forEach(type -> body.u8(Integer.parseInt(type)));
    }

    private static void scope(Arguments arguments, Body body) {
        Value scope = arguments.need("scope");
        body.u8(
                scope.isNumber()
                        ? (int) scope.number()
                        : 1 + List.of("topic", "stream", "user").indexOf(scope.text()));
    }

    private static void attach(Arguments arguments, Body body) {
        body.raw(arguments.need("client").bytes());
        body.u64(arguments.need("session").number());
        body.u64(arguments.number("watermark", 0));
    }

    private static void partitionsCount(Arguments arguments, Body body) {
        identifiers(arguments, body, "stream", "topic");
        u32(arguments, body, "count");
    }

    // Users.

    private static void createUser(Arguments arguments, Body body) {
        name(arguments, body, "name");
        name(arguments, body, "password");
        body.u8((int) arguments.number("status", 1));
        permissions(arguments, body);
        options(arguments, body);
    }

    private static void updateUser(Arguments arguments, Body body) {
        identifiers(arguments, body, "user");
        boolean hasName = arguments.has("name");
        body.u8(hasName ? 1 : 0);
        if (hasName) {
            name(arguments, body, "name");
        }
        boolean hasStatus = arguments.has("status");
        body.u8(hasStatus ? 1 : 0);
        if (hasStatus) {
            body.u8((int) arguments.need("status").number());
        }
        options(arguments, body);
    }

    private static void permissions(Arguments arguments, Body body) {
        List<Argument> streams = arguments.family("stream");
        List<Argument> topics = arguments.family("topic");
        if (arguments.has("permissions")) {
            body.raw(arguments.need("permissions").bytes());
            return;
        }
        if (!arguments.has("global") && streams.isEmpty() && topics.isEmpty()) {
            body.u8(0);
            return;
        }
        Body block = flags(arguments, Body.of(), PermissionFlags.GLOBAL, arguments.text("global", "none"));
        block.u8(streams.isEmpty() ? 0 : 1);
        for (int i = 0; i < streams.size(); i++) {
            long stream = lastNumber(streams.get(i));
            block.u32(stream);
            flags(
                    arguments,
                    block,
                    PermissionFlags.ON_STREAM,
                    streams.get(i).value().text());
            List<Argument> below = topics.stream()
                    .filter(topic -> topic.name().startsWith("topic." + stream + "."))
                    .toList();
            block.u8(below.isEmpty() ? 0 : 1);
            for (int j = 0; j < below.size(); j++) {
                block.u32(lastNumber(below.get(j)));
                flags(
                        arguments,
                        block,
                        PermissionFlags.ON_TOPIC,
                        below.get(j).value().text());
                block.u8(j + 1 < below.size() ? 1 : 0);
            }
            block.u8(i + 1 < streams.size() ? 1 : 0);
        }
        body.u8(1).u32(block.length()).raw(block.toBytes());
    }

    private static Body flags(Arguments arguments, Body block, List<String> names, String chosen) {
        List<String> flags = switch (chosen) {
            case "none" -> List.of();
            case "all" -> names;
            default -> Arrays.asList(chosen.split(","));
        };
        for (String flag : flags) {
            if (!names.contains(flag)) {
                throw arguments.wrong("there is no permission " + flag + " among " + names);
            }
        }
        names.forEach(name -> block.u8(flags.contains(name) ? 1 : 0));
        return block;
    }

    private static long lastNumber(Argument argument) {
        return Long.parseLong(argument.name().substring(argument.name().lastIndexOf('.') + 1));
    }

    // Messages and offsets.

    private static void consumer(Arguments arguments, Body body) {
        boolean isGroup = arguments.has("as_group");
        body.u8((int) arguments.number("kind", isGroup ? 2 : 1));
        identifier(isGroup ? arguments.need("as_group") : arguments.find("as").orElse(Value.of("1")), body);
    }

    private static void offsetTarget(Arguments arguments, Body body) {
        consumer(arguments, body);
        identifiers(arguments, body, "stream", "topic");
        if (arguments.has("partition")) {
            body.partition(arguments.need("partition").number());
        } else {
            body.anyPartition();
        }
    }

    private static void poll(Arguments arguments, Body body) {
        offsetTarget(arguments, body);
        Value strategy = arguments.find("strategy").orElse(Value.of("first"));
        String kind = strategy.text().replaceFirst(":.*", "");
        int number = List.of("offset", "timestamp", "first", "last", "next").indexOf(kind) + 1;
        body.strategy(
                number > 0 ? number : Integer.parseInt(kind),
                strategy.text().contains(":") ? strategy.behindColon().number() : 0);
        body.u32(arguments.number("count", 10));
        body.u8((int) arguments.number("commit", 0));
    }

    private static void send(Arguments arguments, Body body) {
        List<Message> messages = new ArrayList<>();
        byte[] headers = arguments.find("headers").map(Value::bytes).orElse(new byte[0]);
        for (Argument message : arguments.family("message")) {
            byte[] id = new byte[16];
            if (message.name().contains(".")) {
                ByteBuffer.wrap(id).order(ByteOrder.LITTLE_ENDIAN).putLong(0, lastNumber(message));
            }
            messages.add(new Message(id, message.value().bytes(), headers));
        }
        if (arguments.has("messages")) {
            String[] counts =
                    arguments.need("messages").text().toLowerCase(Locale.ROOT).split("x", 2);
            for (int i = 0; i < Integer.parseInt(counts[0]); i++) {
                byte[] payload = new byte[Integer.parseInt(counts[1])];
                Arrays.fill(payload, (byte) ('a' + i % 26));
                messages.add(new Message(new byte[16], payload, headers));
            }
        }
        Body target = Body.of();
        identifiers(arguments, target, "stream", "topic");
        partitioning(arguments, target);
        target.u32(arguments.number("count", messages.size()));
        body.u32(arguments.number("metadata_length", target.length())).raw(target.toBytes());
        body.raw(Batch.encode(messages, arguments.number("origin", ORIGIN_TIMESTAMP)));
    }

    private static void partitioning(Arguments arguments, Body target) {
        Value to = arguments.find("to").orElse(Value.of("partition:0"));
        String kind = to.text().replaceFirst(":.*", "");
        switch (kind) {
            case "hex" -> target.raw(to.bytes());
            case "balanced" -> target.u8(1).u8(0);
            case "partition" -> target.u8(2).u8(4).u32(to.behindColon().number());
            case "key" ->
                target.u8(3)
                        .u8(to.behindColon().bytes().length)
                        .raw(to.behindColon().bytes());
            default -> throw arguments.wrong("no partitioning: " + to.text());
        }
    }
}
