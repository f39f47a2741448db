package io.galgo.acceptance.recording;

import io.galgo.acceptance.recording.Recording.RecordedRequest;
import io.galgo.acceptance.wire.Code;
import io.galgo.acceptance.wire.Fields;
import io.galgo.acceptance.wire.Operation;
import io.galgo.acceptance.wire.ReplyFrame;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/// Every field of a reply under its name, so that two replies can be compared field by field.
///
/// Fields that differ from run to run keep their name and lose their value. Lengths are not fields: what they span
/// is.
final class ReplyFields {
    static final String VOLATILE = "(volatile)";

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

    static Map<String, String> of(RecordedRequest request, ReplyFrame reply) {
        ReplyFields fields = new ReplyFields();
        fields.readHeader(reply);
        fields.readBody(request, reply);
        return fields.values;
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

    private void readBody(RecordedRequest request, ReplyFrame reply) {
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
        if (request.operation() == Operation.NON_REPLICATED) {
            readAnswer(request.code());
        } else {
            readConfirmation(request.operation());
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
            case Code.POLL -> polled();
            case Code.STATS -> stats();
            case Code.ME, Code.CLIENTS -> {
                for (int i = 0; body.hasMore(); i++) {
                    client("clients[" + i + "]");
                }
            }
            default -> throw new AssertionError("the reply to code " + code + " has a body and no reader for it");
        }
    }

    private void cluster() {
        put("cluster_name", body.longString());
        long count = u32("nodes.count");
        for (long i = 0; i < count; i++) {
            String node = "nodes[" + i + "].";
            put(node + "name", body.longString());
            put(node + "ip", body.longString());
            put(node + "tcp_port", body.u16());
            put(node + "quic_port", body.u16());
            put(node + "http_port", body.u16());
            put(node + "websocket_port", body.u16());
            put(node + "role", body.u8());
            put(node + "status", body.u8());
        }
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
        StringBuilder order = new StringBuilder();
        while (block.hasMore()) {
            int keyKind = block.u8();
            String key = text(block.raw(block.u32()));
            order.append(order.isEmpty() ? "" : " ").append(key);
            put(name + "[" + key + "].key_kind", keyKind);
            put(name + "[" + key + "].kind", block.u8());
            put(name + "[" + key + "].value", hex(block.raw(block.u32())));
        }
        put(name + ".order", order);
    }

    private void polled() {
        u32("partition_id");
        u64("current_offset");
        u32("messages_count");
        for (int i = 0; body.hasMore(); i++) {
            String name = "batches[" + i + "].";
            u64(name + "partition_id");
            u64(name + "base_offset");
            u64(name + "base_timestamp");
            u64(name + "origin_timestamp");
            long length = u64(name + "batch_length");
            u64(name + "batch_checksum");
            u32(name + "message_count");
            put(name + "reserved", hex(body.raw(204)));
            put(name + "frames", hex(body.raw(length - 256)));
        }
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
        String last = name.substring(name.lastIndexOf('.') + 1);
        if (values.put(name, VOLATILE_NAMES.contains(last) ? VOLATILE : value.toString()) != null) {
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
