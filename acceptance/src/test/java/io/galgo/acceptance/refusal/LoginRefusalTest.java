package io.galgo.acceptance.refusal;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.Bystander;
import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.SharedServer;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Code;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.ReplyFrame;
import io.galgo.torture.wire.RequestFrame;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Requests before a login, and logins that are refused.
@ExtendWith(ServerLogs.class)
class LoginRefusalTest {
    private static final byte[] EMPTY = {};

    private ServerProcess server;
    private Bystander bystander;
    private RawClient client;

    @BeforeEach
    void connect() throws Exception {
        server = SharedServer.running();
        bystander = new Bystander(server);
        client = RawClient.connect(server.address());
    }

    @AfterEach
    void nobodyElseNotices() throws Exception {
        bystander.mustBeUnharmed();
        bystander.close();
        client.close();
    }

    @Test
    void aPingNeedsNoLogin() throws IOException {
        assertThat(client.ask(Code.PING, EMPTY).outcome()).isEqualTo("OK");
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                Code.STATS,
                Code.CLUSTER_METADATA,
                Code.DESCRIBE_OPTIONS,
                Code.ME,
                Code.CLIENTS,
                Code.USERS,
                Code.POLL,
                Code.OFFSET,
                Code.STREAM,
                Code.STREAMS,
                Code.TOPIC,
                Code.TOPICS,
                Code.GROUPS,
                60_000
            })
    void aReadBeforeTheLoginIsDenied(int code) throws IOException {
        assertThat(client.ask(code, EMPTY).outcome()).isEqualTo("DENY 40");
        assertThat(client.login("iggy", "iggy").outcome()).isEqualTo("OK");
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                Operation.CREATE_STREAM,
                Operation.CREATE_TOPIC,
                Operation.DELETE_STREAM,
                Operation.CREATE_USER,
                Operation.SEND,
                Operation.STORE_OFFSET,
                Operation.DELETE_OFFSET
            })
    void aWriteBeforeTheLoginIsEvicted(int operation) throws IOException {
        byte[] id = RawClient.newClientId();
        assertThat(client.exchange(new RequestFrame(id, 0, 1, operation, 1, 0, EMPTY))
                        .outcome())
                .isEqualTo("EVICT 1");
        assertThat(client.login("iggy", "iggy").outcome()).isEqualTo("OK");
    }

    @Test
    void theSessionOfAnotherConnectionOpensNothing() throws IOException {
        try (RawClient other = server.client()) {
            byte[] body = Body.of().name(SharedServer.newName("stolen")).toBytes();
            RequestFrame stolen =
                    new RequestFrame(other.clientId(), 0, 1, Operation.CREATE_STREAM, other.session(), 0, body);
            assertThat(client.exchange(stolen).outcome()).isEqualTo("EVICT 1");
            RequestFrame read = new RequestFrame(
                    other.clientId(), 0, 1, Operation.NON_REPLICATED, other.session(), Code.STREAMS, EMPTY);
            assertThat(client.exchange(read).outcome()).isEqualTo("DENY 40");
            assertThat(other.ask(Code.STREAMS, EMPTY).outcome()).isEqualTo("OK");
        }
    }

    @ParameterizedTest
    @CsvSource({"iggy, wrong, 9", "nobody, iggy, 9", "ig, iggy, 9", "iggy, ig, 9", "iggy, '', 10"})
    void wrongCredentialsAreRefusedAndTheConnectionStays(String user, String password, int reason) throws IOException {
        assertThat(client.login(user, password).outcome()).isEqualTo("EVICT " + reason);
        assertThat(client.ask(Code.STREAMS, EMPTY).outcome()).isEqualTo("DENY 40");
        assertThat(client.login("iggy", "iggy").outcome()).isEqualTo("OK");
        assertThat(client.ask(Code.STREAMS, EMPTY).outcome()).isEqualTo("OK");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 10_240, 11_263, 12_288, 0xFFFF_FFFFL})
    void anotherProtocolVersionIsRefusedWithTheWindow(long version) throws IOException {
        ReplyFrame reply = client.loginWith(RawClient.loginBody(version, "iggy", "iggy"));
        assertThat(reply.outcome()).isEqualTo("EVICT 14");
        assertThat(reply.fields().getInt(144)).as("newest accepted version").isEqualTo(11_264);
        assertThat(reply.fields().getInt(148)).as("oldest accepted version").isEqualTo(11_264);
    }

    @Test
    void aLaterPatchOfTheProtocolIsAccepted() throws IOException {
        assertThat(client.loginWith(RawClient.loginBody(11_264 + 1023, "iggy", "iggy"))
                        .outcome())
                .isEqualTo("OK");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "002c",
                "002c0000",
                "002c000000",
                "002c0000 0161 0162",
                "002c0000 0161 0162 04",
                "002c0000 01ff 0162 0461626364 0461626364 00000000",
                "002c0000 0161 0162 04fffefdfc 0461626364 00000000",
                "002c0000 0161 0162 04 69676779 04 69676779 ffffffff"
            })
    void aLoginThatCannotBeReadIsRefused(String body) throws IOException {
        ReplyFrame reply = client.loginWith(Body.of().hex(body).toBytes());
        assertThat(reply.outcome()).isEqualTo("EVICT 15");
        assertThat(client.login("iggy", "iggy").outcome()).isEqualTo("OK");
    }

    @ParameterizedTest
    @ValueSource(ints = {38, 44})
    void theOldLoginCommandsAreRefused(int code) throws IOException {
        assertThat(client.ask(code, EMPTY).outcome()).isEqualTo("EVICT 15");
        assertThat(client.login("iggy", "iggy").outcome()).isEqualTo("OK");
        assertThat(client.ask(code, EMPTY).outcome()).isEqualTo("EVICT 15");
    }

    @Test
    void aLogoutEndsTheSessionAndNotTheConnection() throws IOException {
        assertThat(client.login("iggy", "iggy").outcome()).isEqualTo("OK");
        long first = client.session();
        ReplyFrame reply = client.logout();
        assertThat(reply.outcome()).isEqualTo("OK");
        assertThat(reply.body()).isEmpty();
        assertThat(client.ask(Code.STREAMS, EMPTY).outcome()).isEqualTo("DENY 40");
        assertThat(client.exchange(client.write(Operation.CREATE_STREAM, EMPTY)).outcome())
                .isEqualTo("EVICT 1");
        assertThat(client.login("iggy", "iggy").outcome()).isEqualTo("OK");
        assertThat(client.session()).as("sessions only go up").isGreaterThan(first);
    }

    @Test
    void aLogoutWithoutALoginIsAnsweredWithSuccess() throws IOException {
        RequestFrame logout = new RequestFrame(RawClient.newClientId(), 0, 1, Operation.LOGOUT, 1, 0, EMPTY);
        assertThat(client.exchange(logout).outcome()).isEqualTo("OK");
    }
}
