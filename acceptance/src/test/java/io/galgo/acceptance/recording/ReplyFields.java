package io.galgo.acceptance.recording;

import io.galgo.acceptance.recording.Recording.RecordedRequest;
import io.galgo.torture.wire.Batch;
import io.galgo.torture.wire.Code;
import io.galgo.torture.wire.Fields;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.ReplyFrame;
import io.galgo.torture.wire.RequestFrame;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/// Every field of a reply under its name, so that two replies can be compared field by field.
///
/// Fields that differ from run to run keep their name and lose their value when they are compared. Lengths are not
/// fields: what they span is. Lists whose order is open are sorted.
public final class ReplyFields {
    public static final String VOLATILE = "(volatile)";
    private static final int REJECTION_BYTES = 12;
    private static final int KIND_STRING = 2;
    private static final int KIND_BOOL = 3;
    private static final int KIND_U32 = 11;
    private static final int KIND_U64 = 12;

    /// The last parts of the names of fields that tell times, identities, positions, figures of the process and
    /// texts that are free.
    private static final Set<String> VOLATILE_NAMES = Set.of(
            "client",
            "op",
            "commit",
            "timestamp",
            "view",
            // The reference server sets it or not, depending on the shard that the connection fell on.
            "eviction_cluster",
            "session",
            "server_version",
            "created_at",
            "base_timestamp",
            "batch_checksum",
            "ip",
            "tcp_port",
            "quic_port",
            "http_port",
            "websocket_port",
            "description",
            "client_id",
            "metadata_watermark",
            "secret",
            "expiry_at",
            "address",
            "process_id",
            "cpu_usage",
            "total_cpu_usage",
            "memory_usage",
            "total_memory",
            "available_memory",
            "run_time",
            "start_time",
            "read_bytes",
            "written_bytes",
            "hostname",
            "os_name",
            "os_version",
            "kernel_version",
            "iggy_server_version",
            "threads_count",
            "free_disk_space",
            "total_disk_space");

    private final Map<String, String> values = new LinkedHashMap<>();
    private Fields body = new Fields(new byte[0]);

    private ReplyFields() {}

    /// Header and body, every field of them.
    static Map<String, String> of(RecordedRequest request, ReplyFrame reply) {
        ReplyFields fields = new ReplyFields();
        fields.readHeader(reply);
        fields.readBody(request.operation(), request.code(), reply);
        return fields.comparable();
    }

    /// What the server decided and told: the outcome, the body, and of the header only what is not as the request
    /// makes one expect.
    public static ReplyFields ofOutcome(RequestFrame request, ReplyFrame reply) {
        ReplyFields fields = new ReplyFields();
        fields.put("outcome", reply.outcome());
        if (reply.isEviction()) {
            fields.putUnlessZero("server_protocol_version", reply, 144, 148);
            fields.putUnlessZero("server_protocol_version_min", reply, 148, 152);
            fields.putUnlessZero("eviction_reserved", reply, 152, 255);
            return fields;
        }
        fields.readUnexpected(request, reply);
        if (reply.status() != 0) {
            return fields;
        }
        if (!reply.isOk()) {
            if (reply.body().length != REJECTION_BYTES) {
                fields.put("body", hex(reply.body()));
            }
        } else if (reply.body().length == 0) {
            fields.put("body", "empty");
        } else {
            try {
                fields.readBody(request.operation(), (int) request.code(), reply);
            } catch (AssertionError e) {
                fields.put("unreadable", e.getMessage() + ": " + hex(reply.body()));
            }
            fields.values.remove("result.count");
        }
        return fields;
    }

    /// The field as it was read, whether it is volatile or not.
    public Optional<String> find(String name) {
        return Optional.ofNullable(values.get(name));
    }

    public boolean has(String name, String value) {
        return value.equals(values.get(name));
    }

    /// The fields with their values, the volatile ones without.
    public Map<String, String> comparable() {
        Map<String, String> comparable = new LinkedHashMap<>();
        values.forEach((name, value) -> {
            String last = name.substring(name.lastIndexOf('.') + 1);
            comparable.put(name, VOLATILE_NAMES.contains(last) ? VOLATILE : value);
        });
        return comparable;
    }

    private void readUnexpected(RequestFrame request, ReplyFrame reply) {
        if (reply.command() != ReplyFrame.COMMAND_REPLY) {
            put("command", reply.command());
        }
        if (reply.operation() != request.operation()) {
            put("operation", reply.operation());
        }
        if (reply.request() != request.request()) {
            put("request", reply.request());
        }
        if (reply.fields().getLong(128) != request.checksum()) {
            range("request_checksum", reply, 128, 144);
        }
        putUnlessZero("release", reply, 56, 60);
        putUnlessZero("replica", reply, 61, 62);
        putUnlessZero("reserved", reply, 62, 128);
        putUnlessZero("context", reply, 144, 160);
        putUnlessZero("padding", reply, 209, 216);
        putUnlessZero("reply_reserved", reply, 220, 256);
    }

    private void putUnlessZero(String name, ReplyFrame reply, int from, int to) {
        for (int i = from; i < to; i++) {
            if (reply.header()[i] != 0) {
                range(name, reply, from, to);
                return;
            }
        }
    }

    private void readHeader(ReplyFrame reply) {
        put("command", reply.command());
        range("checksum", reply, 0, 16);
        range("checksum_body", reply, 16, 32);
        range(reply.isEviction() ? "eviction_cluster" : "cluster", reply, 32, 48);
        range("view", reply, 52, 56);
        range("release", reply, 56, 60);
        range("replica", reply, 61, 62);
        range("reserved", reply, 62, 128);
        if (reply.isEviction()) {
            range("client", reply, 128, 144);
            range("server_protocol_version", reply, 144, 148);
            range("server_protocol_version_min", reply, 148, 152);
            range("eviction_reserved", reply, 152, 255);
            put("reason", reply.evictionReason());
        } else {
            range("request_checksum", reply, 128, 144);
            range("context", reply, 144, 160);
            range("client", reply, 160, 176);
            range("op", reply, 176, 184);
            range("commit", reply, 184, 192);
            range("timestamp", reply, 192, 200);
            put("request", reply.request());
            put("operation", reply.operation());
            range("padding", reply, 209, 216);
            put("status", reply.status());
            range("reply_reserved", reply, 220, 256);
        }
    }

    private void readBody(int operation, int code, ReplyFrame reply) {
        body = new Fields(reply.body());
        if (reply.isEviction() || reply.status() != 0 || !body.hasMore()) {
            put("body_length", reply.body().length);
            return;
        }
        if (Operation.isResultFramed(reply.operation())) {
            long count = u32("result.count");
            if (count > 0) {
                u32("result.index");
                u32("result.code");
                body.mustEnd();
                return;
            }
        }
        if (operation == Operation.NON_REPLICATED) {
            readAnswer(code);
        } else {
            readConfirmation(operation);
        }
        body.mustEnd();
    }

    private void readConfirmation(int operation) {
        switch (operation) {
            case Operation.REGISTER -> {
                u32("user_id");
                u64("session");
                u32("server_protocol_version");
                put("server_version", body.name());
            }
            case Operation.CREATE_STREAM -> stream("stream");
            case Operation.CREATE_TOPIC -> topicWithPartitions();
            case Operation.CREATE_USER -> userWithPermissions();
            case Operation.CREATE_TOKEN -> {
                String secret = body.name();
                put("secret", secret);
                put("secret_length", secret.length());
            }
            case Operation.CREATE_GROUP -> group("group");
            case Operation.SEND -> {
                long count = u32("confirmations");
                for (long i = 0; i < count; i++) {
                    u32("confirmation.stream_id");
                    u32("confirmation.topic_id");
                    u32("confirmation.partition_id");
                    u64("confirmation.base_offset");
                }
            }
            default -> {
                // The others have no payload; what follows is told by the check for the end.
            }
        }
    }

    private void readAnswer(int code) {
        switch (code) {
            case Code.CLUSTER_METADATA -> cluster();
            case Code.DESCRIBE_OPTIONS -> describedOptions();
            case Code.STREAM -> {
                stream("stream");
                for (int i = 0; body.hasMore(); i++) {
                    topic("topics[" + i + "]");
                }
            }
            case Code.STREAMS -> {
                for (int i = 0; body.hasMore(); i++) {
                    stream("streams[" + i + "]");
                }
            }
            case Code.TOPIC -> topicWithPartitions();
            case Code.TOPICS -> {
                long count = u32("topics.count");
                for (long i = 0; i < count; i++) {
                    topic("topics[" + i + "]");
                }
            }
            case Code.POLL, Code.POLL_ON_PRIMARY -> polled();
            case Code.STATS -> stats();
            case Code.SNAPSHOT -> archive();
            case Code.ME, Code.CLIENT -> {
                client("client");
                sort(() -> sortable(body.u32()) + sortable(body.u32()) + sortable(body.u32()));
                for (int i = 0; body.hasMore(); i++) {
                    String name = "memberships[" + i + "].";
                    u32(name + "stream_id");
                    u32(name + "topic_id");
                    u32(name + "group_id");
                }
            }
            case Code.CLIENTS -> {
                sort(() -> {
                    long id = body.u32();
                    body.raw(5);
                    body.longString();
                    body.u32();
                    return sortable(id);
                });
                for (int i = 0; body.hasMore(); i++) {
                    client("clients[" + i + "]");
                }
            }
            case Code.USER -> userWithPermissions();
            case Code.USERS -> {
                for (int i = 0; body.hasMore(); i++) {
                    user("users[" + i + "]");
                }
            }
            case Code.TOKENS -> {
                sort(() -> {
                    String token = body.name();
                    body.u64();
                    return token;
                });
                for (int i = 0; body.hasMore(); i++) {
                    String name = "tokens[" + i + "].";
                    put(name + "name", body.name());
                    long expiry = body.u64();
                    put(name + "expires", expiry == 0 ? "never" : "some day");
                    put(name + "expiry_at", Long.toUnsignedString(expiry));
                }
            }
            case Code.OFFSET -> {
                u32("partition_id");
                u64("current_offset");
                u64("stored_offset");
            }
            case Code.POLL_ROUTING, Code.OFFSET_ROUTING -> {
                put("client_id", hex(body.raw(16)));
                u64("session");
                u64("metadata_watermark");
                node("node.");
            }
            case Code.GROUP -> {
                group("group");
                for (int i = 0; body.hasMore(); i++) {
                    u32("members[" + i + "].id");
                    put("members[" + i + "].partitions", numbers());
                }
            }
            case Code.GROUPS -> {
                sort(() -> {
                    long id = body.u32();
                    body.u64();
                    body.name();
                    return sortable(id);
                });
                for (int i = 0; body.hasMore(); i++) {
                    group("groups[" + i + "]");
                }
            }
            case Code.SYNC_GROUP -> {
                u64("generation");
                put("partitions", numbers());
            }
            default -> throw new AssertionError("the reply to code " + code + " has a body and no reader for it");
        }
    }

    private void cluster() {
        put("cluster_name", body.longString());
        long count = u32("nodes.count");
        for (long i = 0; i < count; i++) {
            node("nodes[" + i + "].");
        }
    }

    private void node(String node) {
        put(node + "name", body.longString());
        put(node + "ip", body.longString());
        put(node + "tcp_port", body.u16());
        put(node + "quic_port", body.u16());
        put(node + "http_port", body.u16());
        put(node + "websocket_port", body.u16());
        put(node + "role", body.u8());
        put(node + "status", body.u8());
    }

    private void describedOptions() {
        long count = u32("options.count");
        StringBuilder order = new StringBuilder();
        for (long i = 0; i < count; i++) {
            String key = body.name();
            order.append(order.isEmpty() ? "" : " ").append(key);
            put("options[" + key + "].kind", body.u8());
            put("options[" + key + "].default", hex(body.raw(body.u32())));
            put("options[" + key + "].description", text(body.raw(body.u32())));
        }
        put("options.order", order);
    }

    private void stream(String name) {
        u32(name + ".id");
        u64(name + ".created_at");
        u32(name + ".topics_count");
        u64(name + ".size_bytes");
        u64(name + ".messages_count");
        put(name + ".name", body.name());
        options(name + ".options");
    }

    private void topic(String name) {
        u32(name + ".id");
        u64(name + ".created_at");
        u32(name + ".partitions_count");
        u64(name + ".message_expiry");
        put(name + ".compression_algorithm", body.u8());
        u64(name + ".max_topic_size");
        u64(name + ".size_bytes");
        u64(name + ".messages_count");
        put(name + ".name", body.name());
        options(name + ".explicit");
        options(name + ".derived");
    }

    private void topicWithPartitions() {
        topic("topic");
        for (int i = 0; body.hasMore(); i++) {
            String name = "partitions[" + i + "].";
            u32(name + "id");
            u64(name + "created_at");
            u32(name + "segments_count");
            u64(name + "current_offset");
            u64(name + "size_bytes");
            u64(name + "messages_count");
        }
    }

    private void options(String name) {
        Fields block = new Fields(body.raw(body.u32()));
        String last = "";
        while (block.hasMore()) {
            int keyKind = block.u8();
            String key = text(block.raw(block.u32()));
            if (key.compareTo(last) < 0) {
                put(name + ".unsorted", key);
            }
            last = key;
            put(
                    name + "[" + key + "]",
                    (keyKind == KIND_STRING ? "" : "key of kind " + keyKind + ", ")
                            + typed(block.u8(), block.raw(block.u32())));
        }
    }

    /// A typed value so that a person can read it.
    private static String typed(int kind, byte[] value) {
        return switch (kind) {
            case KIND_STRING -> "String " + text(value);
            case KIND_BOOL -> "Bool " + hex(value);
            case KIND_U32 -> "Uint32 " + new Fields(value).u32() + (value.length == 4 ? "" : " of " + hex(value));
            case KIND_U64 ->
                "Uint64 " + Long.toUnsignedString(new Fields(value).u64())
                        + (value.length == 8 ? "" : " of " + hex(value));
            default -> "kind " + kind + " " + hex(value);
        };
    }

    private void polled() {
        long partition = u32("partition_id");
        u64("current_offset");
        u32("messages_count");
        byte[] batches = body.raw(body.remaining());
        try {
            Batch.decode(batches, 0, partition);
        } catch (AssertionError e) {
            put("damage", String.valueOf(e.getMessage()));
            put("batches", hex(batches));
            return;
        }
        Fields batch = new Fields(batches);
        for (int i = 0; batch.hasMore(); i++) {
            String name = "batches[" + i + "].";
            batch.u64();
            put(name + "base_offset", batch.u64());
            put(name + "base_timestamp", batch.u64());
            put(name + "origin_timestamp", batch.u64());
            batch.raw(16);
            long count = batch.u32();
            batch.raw(Batch.HEADER_BYTES - 52);
            for (int j = 0; j < count; j++) {
                put(name + "messages[" + j + "]", message(batch));
            }
        }
    }

    private static String message(Fields batch) {
        batch.u64();
        String id = hex(batch.raw(16));
        StringBuilder text = new StringBuilder("+").append(batch.u32());
        long timestamp = batch.u32();
        long headersLength = batch.u32();
        long payloadLength = batch.u32();
        batch.u64();
        text.append(' ').append(shown(batch.raw(payloadLength)));
        if (!id.matches("0+")) {
            text.append(" id ").append(id);
        }
        if (timestamp != 0) {
            text.append(" timestamp +").append(timestamp);
        }
        if (headersLength != 0) {
            text.append(" headers ").append(hex(batch.raw(headersLength)));
        }
        return text.toString();
    }

    /// A payload so that a person can read it, and tell it from others.
    private static String shown(byte[] payload) {
        String text = text(payload);
        if (payload.length <= 64 && text.chars().allMatch(c -> ' ' <= c && c <= '~')) {
            return "\"" + text + "\"";
        }
        if (payload.length <= 32) {
            return hex(payload);
        }
        return payload.length + " bytes with checksum " + Long.toHexString(RequestFrame.checksumOf(payload));
    }

    private void stats() {
        u32("process_id");
        put("cpu_usage", body.f32());
        put("total_cpu_usage", body.f32());
        for (String name : new String[] {
            "memory_usage",
            "total_memory",
            "available_memory",
            "run_time",
            "start_time",
            "read_bytes",
            "written_bytes",
            "messages_size_bytes"
        }) {
            u64(name);
        }
        u32("streams_count");
        u32("topics_count");
        u32("partitions_count");
        u32("segments_count");
        u64("messages_count");
        u32("clients_count");
        u32("consumer_groups_count");
        put("hostname", body.longString());
        put("os_name", body.longString());
        put("os_version", body.longString());
        put("kernel_version", body.longString());
        put("iggy_server_version", body.longString());
        u32("iggy_server_semver");
        u32("cache_metrics.count");
        u32("threads_count");
        u64("free_disk_space");
        u64("total_disk_space");
    }

    private void client(String name) {
        u32(name + ".client_id");
        u32(name + ".user_id");
        put(name + ".transport", body.u8());
        put(name + ".address", body.longString());
        u32(name + ".consumer_groups_count");
    }

    private void user(String name) {
        u32(name + ".id");
        u64(name + ".created_at");
        put(name + ".status", body.u8());
        put(name + ".name", body.name());
        options(name + ".options");
    }

    private void userWithPermissions() {
        user("user");
        int hasPermissions = body.u8();
        put("has_permissions", hasPermissions);
        if (hasPermissions == 0) {
            put("permissions.padding", hex(body.raw(3)));
            return;
        }
        long length = body.u32();
        int start = body.position();
        put("permissions.global", flags(10));
        for (int hasNext = body.u8(); hasNext != 0; hasNext = body.u8()) {
            String stream = "permissions.stream[" + body.u32() + "]";
            put(stream, flags(6));
            for (int hasTopic = body.u8(); hasTopic != 0; hasTopic = body.u8()) {
                put(stream + ".topic[" + body.u32() + "]", flags(4));
            }
        }
        if (body.position() - start != length) {
            put("permissions.length", length);
        }
    }

    private String flags(int count) {
        StringBuilder flags = new StringBuilder();
        for (int i = 0; i < count; i++) {
            flags.append(i == 0 ? "" : " ").append(body.u8());
        }
        return flags.toString();
    }

    private void group(String name) {
        u32(name + ".id");
        u32(name + ".partitions_count");
        u32(name + ".members_count");
        put(name + ".name", body.name());
    }

    private String numbers() {
        long count = body.u32();
        StringBuilder numbers = new StringBuilder();
        for (long i = 0; i < count; i++) {
            numbers.append(i == 0 ? "" : " ").append(body.u32());
        }
        return numbers.toString();
    }

    /// The entries of a ZIP archive as its central directory lists them.
    private void archive() {
        ByteBuffer bytes = ByteBuffer.wrap(body.raw(body.remaining())).order(ByteOrder.LITTLE_ENDIAN);
        int end = bytes.capacity() - 22;
        while (end > 0 && bytes.getInt(end) != 0x0605_4B50) {
            end--;
        }
        int count = bytes.getShort(end + 10);
        int position = bytes.getInt(end + 16);
        put("entries.count", count);
        for (int i = 0; i < count; i++) {
            byte[] name = new byte[bytes.getShort(position + 28)];
            bytes.get(position + 46, name);
            put("entries[" + i + "].name", text(name));
            put("entries[" + i + "].method", bytes.getShort(position + 10));
            put("entries[" + i + "].is_empty", bytes.getInt(position + 24) == 0);
            position += 46 + name.length + bytes.getShort(position + 30) + bytes.getShort(position + 32);
        }
    }

    private static String sortable(long number) {
        return String.format(Locale.ROOT, "%010d", number);
    }

    /// Brings the records that are left into the order of their keys.
    private void sort(Supplier<String> readRecord) {
        NavigableMap<String, byte[]> records = new TreeMap<>();
        while (body.hasMore()) {
            int start = body.position();
            String key = readRecord.get();
            if (records.put(key, body.since(start)) != null) {
                throw new AssertionError("two records of the list have the key " + key);
            }
        }
        ByteArrayOutputStream sorted = new ByteArrayOutputStream();
        records.values().forEach(sorted::writeBytes);
        body = new Fields(sorted.toByteArray());
    }

    private long u32(String name) {
        long value = body.u32();
        put(name, value);
        return value;
    }

    private long u64(String name) {
        long value = body.u64();
        put(name, Long.toUnsignedString(value));
        return value;
    }

    private void range(String name, ReplyFrame reply, int from, int to) {
        byte[] bytes = Arrays.copyOfRange(reply.header(), from, to);
        boolean isZero = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).equals(ByteBuffer.allocate(to - from));
        put(name, isZero ? "0" : hex(bytes));
    }

    private void put(String name, Object value) {
        if (values.put(name, value.toString()) != null) {
            throw new AssertionError("field " + name + " was read twice");
        }
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
