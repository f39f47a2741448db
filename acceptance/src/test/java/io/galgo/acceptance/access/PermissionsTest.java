package io.galgo.acceptance.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.SharedServer;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Code;
import io.galgo.torture.wire.Message;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.PermissionFlags;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.Strategy;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Commands of a user who has a single permission, over a socket, in one session: each change of permissions holds
/// for the next command (spec semantics 16).
///
/// The broker's tests ask for every command and every case; these few hundred can be asked of the reference server
/// too.
@ExtendWith(ServerLogs.class)
class PermissionsTest {
    private static final Set<String> SERVERS = Set.of("G manage_servers", "G read_servers");
    private static final Set<String> USERS = Set.of("G manage_users");
    private static final Set<String> ANY_USERS = Set.of("G manage_users", "G read_users");
    private static final Set<String> LIST_STREAMS = Set.of("G manage_streams", "G read_streams");
    private static final Set<String> READ_STREAM =
            Set.of("G manage_streams", "G read_streams", "S manage_stream", "S read_stream");
    private static final Set<String> MANAGE_STREAM = Set.of("G manage_streams", "S manage_stream");
    private static final Set<String> CREATE_TOPIC =
            Set.of("G manage_streams", "G manage_topics", "S manage_stream", "S manage_topics");
    private static final Set<String> LIST_TOPICS =
            with(CREATE_TOPIC, "G read_streams", "G read_topics", "S read_stream", "S read_topics");
    private static final Set<String> READ_TOPIC = with(LIST_TOPICS, "T manage_topic", "T read_topic");
    private static final Set<String> MANAGE_TOPIC = with(CREATE_TOPIC, "T manage_topic");
    private static final Set<String> POLL = with(READ_TOPIC, "G poll_messages", "S poll_messages", "T poll_messages");
    private static final Set<String> SEND = with(MANAGE_TOPIC, "G send_messages", "S send_messages", "T send_messages");

    private static Set<String> with(Set<String> flags, String... more) {
        Set<String> all = new TreeSet<>(flags);
        all.addAll(List.of(more));
        return all;
    }

    private final String stream = SharedServer.newName("rights");
    private final String alice = SharedServer.newName("alice");
    private final String bob = SharedServer.newName("bob");
    private RawClient root;
    private RawClient client;
    private long streamId;

    @BeforeEach
    void prepare() throws Exception {
        ServerProcess server = SharedServer.running();
        root = server.client();
        streamId = root.createStream(stream).id();
        root.createTopic(stream, "topic", 1);
        for (String name : List.of(alice, bob)) {
            assertThat(root.change(
                                    Operation.CREATE_USER,
                                    Body.of().name(name).name("password").u8(1).u8(0))
                            .outcome())
                    .isEqualTo("OK");
        }
        assertThat(root.change(Operation.CREATE_GROUP, inTopic().name("group")).outcome())
                .isEqualTo("OK");
        client = RawClient.connect(server.address());
        assertThat(client.login(alice, "password").outcome()).isEqualTo("OK");
    }

    @AfterEach
    void end() {
        root.close();
        client.close();
    }

    private Body inTopic() {
        return Body.of().id(stream).id("topic");
    }

    /// Flags, each set alone, and nothing at all.
    private Map<String, Body> permissions() {
        Map<String, Body> permissions = new LinkedHashMap<>();
        permissions.put("nothing", permissions("", "", ""));
        PermissionFlags.GLOBAL.forEach(flag -> permissions.put("G " + flag, permissions(flag, "", "")));
        PermissionFlags.ON_STREAM.forEach(flag -> permissions.put("S " + flag, permissions("", flag, "")));
        PermissionFlags.ON_TOPIC.forEach(flag -> permissions.put("T " + flag, permissions("", "", flag)));
        return permissions;
    }

    private Body permissions(String global, String onStream, String onTopic) {
        Body block = Body.of();
        PermissionFlags.GLOBAL.forEach(flag -> block.u8(flag.equals(global) ? 1 : 0));
        block.u8(1).u32(streamId);
        PermissionFlags.ON_STREAM.forEach(flag -> block.u8(flag.equals(onStream) ? 1 : 0));
        block.u8(1).u32(0);
        PermissionFlags.ON_TOPIC.forEach(flag -> block.u8(flag.equals(onTopic) ? 1 : 0));
        return block.u8(0).u8(0);
    }

    private void grant(Body permissions) throws IOException {
        root.succeed(
                Operation.UPDATE_PERMISSIONS,
                Body.of().id(alice).u8(1).u32(permissions.length()).raw(permissions.toBytes()));
    }

    @Test
    void aReadIsAnsweredToThoseWhoMayAndToNobodyElse() throws IOException {
        byte[] nothing = {};
        byte[] poll = RawClient.pollBody(Body.of().consumer(1), stream, "topic", 0, Strategy.offset(0), 1, false);
        for (Map.Entry<String, Body> permission : permissions().entrySet()) {
            grant(permission.getValue());
            String flag = permission.getKey();
            read(flag, SERVERS, Code.STATS, nothing);
            read(flag, SERVERS, Code.CLIENTS, nothing);
            read(flag, SERVERS, Code.CLIENT, Body.of().u32(1).toBytes());
            read(flag, ANY_USERS, Code.USERS, nothing);
            read(flag, ANY_USERS, Code.USER, Body.of().id(bob).toBytes());
            read(flag, Set.of(flag), Code.USER, Body.of().id(alice).toBytes());
            read(flag, Set.of(flag), Code.TOKENS, nothing);
            read(flag, Set.of(flag), Code.ME, nothing);
            read(flag, LIST_STREAMS, Code.STREAMS, nothing);
            read(flag, READ_STREAM, Code.STREAM, Body.of().id(stream).toBytes());
            read(flag, LIST_TOPICS, Code.TOPICS, Body.of().id(stream).toBytes());
            read(flag, READ_TOPIC, Code.TOPIC, inTopic().toBytes());
            read(flag, READ_TOPIC, Code.GROUPS, inTopic().toBytes());
            read(flag, READ_TOPIC, Code.GROUP, inTopic().id("group").toBytes());
            read(flag, POLL, Code.POLL, poll);
            read(flag, POLL, Code.OFFSET, offset().toBytes());
        }
    }

    private Body offset() {
        return Body.of().consumer(1).raw(inTopic().toBytes()).partition(0);
    }

    private void read(String flag, Set<String> sufficient, int code, byte[] body) throws IOException {
        assertThat(client.ask(code, body).outcome())
                .as("code %d with %s", code, flag)
                .isEqualTo(sufficient.contains(flag) ? "OK" : "DENY 41");
    }

    @Test
    void aChangeIsMadeForThoseWhoMayAndForNobodyElse() throws IOException {
        byte[] send = RawClient.sendBody(stream, "topic", Partitioning.to(0), List.of(Message.of("x")));
        for (Map.Entry<String, Body> permission : permissions().entrySet()) {
            grant(permission.getValue());
            String flag = permission.getKey();
            change(flag, Set.of("G manage_streams"), Operation.CREATE_STREAM, name(Body.of()));
            change(
                    flag,
                    MANAGE_STREAM,
                    Operation.UPDATE_STREAM,
                    Body.of().id(stream).name(stream));
            change(flag, MANAGE_STREAM, Operation.PURGE_STREAM, Body.of().id(stream));
            change(
                    flag,
                    CREATE_TOPIC,
                    Operation.CREATE_TOPIC,
                    name(Body.of().id(stream).u32(1)));
            change(flag, MANAGE_TOPIC, Operation.UPDATE_TOPIC, inTopic().name("topic"));
            change(flag, MANAGE_TOPIC, Operation.PURGE_TOPIC, inTopic());
            change(flag, MANAGE_TOPIC, Operation.CREATE_PARTITIONS, inTopic().u32(1));
            change(flag, MANAGE_TOPIC, Operation.DELETE_PARTITIONS, inTopic().u32(1));
            change(flag, READ_TOPIC, Operation.CREATE_GROUP, name(inTopic()));
            change(flag, READ_TOPIC, Operation.JOIN_GROUP, inTopic().id("group"));
            change(flag, READ_TOPIC, Operation.LEAVE_GROUP, inTopic().id("group"));
            change(
                    flag,
                    USERS,
                    Operation.UPDATE_USER,
                    Body.of().id(bob).u8(0).u8(1).u8(1));
            change(flag, USERS, Operation.UPDATE_PERMISSIONS, Body.of().id(bob).u8(0));
            change(
                    flag,
                    USERS,
                    Operation.CHANGE_PASSWORD,
                    Body.of().id(bob).name("password").name("password"));
            change(
                    flag,
                    Set.of(flag),
                    Operation.CREATE_TOKEN,
                    Body.of().name(flag).u64(0));
            change(flag, SEND, Operation.SEND, Body.of().raw(send));
            assertThat(root.change(Operation.SEND, send).outcome()).isEqualTo("OK");
            change(flag, POLL, Operation.STORE_OFFSET, offset().u64(0).u8(1));
            assertThat(root.change(Operation.STORE_OFFSET, offset().u64(0).u8(1))
                            .outcome())
                    .isEqualTo("OK");
            change(flag, POLL, Operation.DELETE_OFFSET, offset().u8(1));
        }
    }

    private static Body name(Body before) {
        return before.name(SharedServer.newName("new"));
    }

    private void change(String flag, Set<String> sufficient, int operation, Body body) throws IOException {
        String refusal = operation < Operation.SEND ? "REJECT 41" : "DENY 41";
        assertThat(client.change(operation, body).outcome())
                .as("operation %d with %s", operation, flag)
                .isEqualTo(sufficient.contains(flag) ? "OK" : refusal);
    }
}
