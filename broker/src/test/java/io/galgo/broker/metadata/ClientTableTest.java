package io.galgo.broker.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.EvictionReason;
import io.galgo.protocol.Operation;
import io.galgo.protocol.Options;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.Request;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClientTableTest {
    private static final ClientId ALICE = new ClientId(1, 2);
    private static final int OTHER_USER = 5;

    private final Metadata metadata = new Metadata();

    private static Request stream(String name) {
        return new CreateStream(name, Options.NONE);
    }

    private ClientTable.Verdict judge(Metadata.Login login, long request, long checksum) {
        return metadata.catalog.clients().judge(login.client, login.session, request, checksum);
    }

    private static ClientTable.Verdict evict(EvictionReason reason) {
        return new ClientTable.Verdict.Evict(reason);
    }

    private static final ClientTable.Verdict EXECUTE = new ClientTable.Verdict.Execute();
    private static final ClientTable.Verdict FORGOTTEN =
            new ClientTable.Verdict.Reject(ErrorCode.REQUEST_ALREADY_APPLIED);
    private static final ClientTable.Verdict OTHER_REQUEST = new ClientTable.Verdict.Deny(ErrorCode.INVALID_COMMAND);

    @Test
    void aLoginMakesASessionThatIsItsOp() {
        Outcome outcome = metadata.register(ALICE, User.ROOT_ID);

        assertThat(outcome).isInstanceOfSatisfying(Outcome.Decided.class, decided -> {
            assertThat(decided.changes()).containsExactly(new Change.SessionBound(ALICE, 2, User.ROOT_ID, 0));
            assertThat(decided.reply().operation()).isEqualTo(Operation.REGISTER);
            assertThat(decided.reply().op()).isEqualTo(2);
        });
        assertThat(metadata.catalog.clients().session(ALICE)).isEqualTo(2);
        assertThat(metadata.catalog.clients().userId(ALICE)).isEqualTo(User.ROOT_ID);
    }

    @Test
    void nothingIsKnownOfAClientThatNeverLoggedIn() {
        assertThat(metadata.catalog.clients().judge(ALICE, 1, 1, 0)).isEqualTo(evict(EvictionReason.NO_SESSION));
        assertThat(metadata.catalog.clients().session(ALICE)).isZero();
        assertThat(metadata.catalog.clients().userId(ALICE)).isEqualTo(-1);
    }

    @Test
    void anotherSessionThanTheCurrentOneIsEvicted() {
        Metadata.Login login = metadata.loginRoot();

        assertThat(metadata.catalog.clients().judge(login.client, login.session - 1, 1, 0))
                .isEqualTo(evict(EvictionReason.SESSION_TOO_LOW));
        assertThat(metadata.catalog.clients().judge(login.client, login.session + 1, 1, 0))
                .isEqualTo(evict(EvictionReason.SESSION_TOO_LOW));
    }

    @Test
    void numbersAboveTheWatermarkAreNewWhateverTheGap() {
        Metadata.Login login = metadata.loginRoot();
        login.commit(stream("a"), 10, 0);

        assertThat(judge(login, 11, 0)).isEqualTo(EXECUTE);
        assertThat(judge(login, 1_000, 0)).isEqualTo(EXECUTE);
        assertThat(judge(login, -1, 0)).as("numbers are unsigned").isEqualTo(EXECUTE);
        assertThat(judge(login, 9, 0)).as("a gap below the watermark").isEqualTo(FORGOTTEN);
    }

    @Test
    void aRepeatedCommandGetsTheSameReplyAndIsNotExecutedAgain() {
        Metadata.Login login = metadata.loginRoot();
        MetadataReply reply = login.commit(stream("a"), 3, 77).reply();

        assertThat(judge(login, 3, 77)).isEqualTo(new ClientTable.Verdict.Repeat(reply));
        assertThat(login.commit(stream("a"), 3, 77)).isEqualTo(new Outcome.Decided(reply, List.of()));
        assertThat(metadata.catalog.streamsCount()).isEqualTo(1);
    }

    @Test
    void aRejectionIsRememberedLikeASuccess() {
        Metadata.Login login = metadata.loginRoot();
        login.commit(stream("a"), 1, 0);
        MetadataReply rejection = login.commit(stream("a"), 2, 0).reply();

        assertThat(rejection.error()).isEqualTo(ErrorCode.STREAM_NAME_ALREADY_EXISTS);
        assertThat(judge(login, 2, 0)).isEqualTo(new ClientTable.Verdict.Repeat(rejection));
    }

    @Test
    void anotherRequestUnderAKnownNumberIsDenied() {
        Metadata.Login login = metadata.loginRoot();
        MetadataReply first = login.commit(stream("a"), 1, 11).reply();
        MetadataReply second = login.commit(stream("b"), 2, 22).reply();

        assertThat(judge(login, 2, 23)).isEqualTo(OTHER_REQUEST);
        assertThat(judge(login, 1, 12)).isEqualTo(OTHER_REQUEST);
        assertThat(judge(login, 2, 0))
                .as("no checksum agrees with all")
                .isEqualTo(new ClientTable.Verdict.Repeat(second));
        assertThat(judge(login, 1, 11)).isEqualTo(new ClientTable.Verdict.Repeat(first));
    }

    @Test
    void fiveRepliesAreRememberedAndThatToTheLoginIsOneOfThem() {
        Metadata.Login login = metadata.loginRoot();
        for (int request = 1; request <= 6; request++) {
            login.commit(stream("s" + request), request, 0);
        }
        assertThat(judge(login, 1, 0)).isEqualTo(FORGOTTEN);
        for (int request = 2; request <= 6; request++) {
            assertThat(judge(login, request, 0))
                    .as("request %d", request)
                    .isInstanceOf(ClientTable.Verdict.Repeat.class);
        }

        Metadata.Login again = metadata.login(1, User.ROOT_ID);

        assertThat(judge(again, 2, 0)).as("pushed out by the login").isEqualTo(FORGOTTEN);
        assertThat(judge(again, 3, 0)).isInstanceOf(ClientTable.Verdict.Repeat.class);
        assertThat(again.commit(stream("again"), 2, 0).reply().error()).isEqualTo(ErrorCode.REQUEST_ALREADY_APPLIED);
        assertThat(metadata.catalog.streamsCount()).isEqualTo(6);
    }

    @Test
    void aSecondLoginOfAClientTakesTheSessionOverAndKeepsWhatWasDone() {
        Metadata.Login first = metadata.loginRoot();
        MetadataReply reply = first.commit(stream("a"), 4, 0).reply();

        Outcome outcome = metadata.register(first.client, User.ROOT_ID);

        assertThat(((Outcome.Decided) outcome).changes())
                .containsExactly(new Change.SessionBound(first.client, metadata.op, User.ROOT_ID, first.session));
        assertThat(judge(first, 5, 0)).isEqualTo(evict(EvictionReason.SESSION_TOO_LOW));
        Metadata.Login second = metadata.new Login(first.client, User.ROOT_ID, metadata.op);
        assertThat(judge(second, 4, 0)).isEqualTo(new ClientTable.Verdict.Repeat(reply));
        assertThat(judge(second, 5, 0)).isEqualTo(EXECUTE);
        assertThat(metadata.catalog.clients().count()).isEqualTo(1);
    }

    @Test
    void aRetryAfterARestartAndANewLoginGetsTheSameReply() {
        Metadata.Login before = metadata.loginRoot();
        MetadataReply reply = before.commit(stream("a"), 1, 5).reply();
        metadata.restart();

        Metadata.Login after = metadata.login(1, User.ROOT_ID);

        assertThat(judge(after, 1, 5)).isEqualTo(new ClientTable.Verdict.Repeat(reply));
        assertThat(judge(after, 2, 5)).isEqualTo(EXECUTE);
    }

    @Test
    void aClientIdBelongsToOneUserAtATime() {
        Metadata.Login login = metadata.loginRoot();

        assertThat(metadata.catalog.clients().isFreeFor(login.client, User.ROOT_ID))
                .isTrue();
        assertThat(metadata.catalog.clients().isFreeFor(login.client, OTHER_USER))
                .isFalse();
        assertThat(metadata.catalog.clients().isFreeFor(ALICE, OTHER_USER)).isTrue();
        assertThat(metadata.register(login.client, OTHER_USER))
                .isEqualTo(new Outcome.Evicted(EvictionReason.SESSION_ERROR));
        assertThat(metadata.catalog.clients().session(login.client)).isEqualTo(login.session);
    }

    @Test
    void aLogoutForgetsTheClient() {
        Metadata.Login login = metadata.loginRoot();
        login.commit(stream("a"), 1, 0);

        Outcome outcome =
                metadata.apply(MetadataOperation.logout(login.client, login.session, 2, 0, login.userId, metadata.now));

        assertThat(((Outcome.Decided) outcome).changes())
                .containsExactly(
                        new Change.SessionEnded(login.client, login.session, Change.SessionEnded.Cause.LOGOUT));
        assertThat(((Outcome.Decided) outcome).reply().operation()).isEqualTo(Operation.LOGOUT);
        assertThat(judge(login, 1, 0)).isEqualTo(evict(EvictionReason.NO_SESSION));
        assertThat(metadata.catalog.clients().isFreeFor(login.client, OTHER_USER))
                .isTrue();
        Metadata.Login again = metadata.login(1, User.ROOT_ID);
        assertThat(judge(again, 1, 0)).as("nothing done before counts").isEqualTo(EXECUTE);
    }

    @Test
    void aDisconnectOfAReplacedSessionEndsNothing() {
        Metadata.Login first = metadata.loginRoot();
        Metadata.Login second = metadata.login(1, User.ROOT_ID);

        Outcome outcome = metadata.apply(MetadataOperation.logout(
                first.client, first.session, MetadataOperation.DISCONNECT_REQUEST, 0, first.userId, metadata.now));

        assertThat(outcome).isInstanceOf(Outcome.Evicted.class);
        assertThat(metadata.catalog.clients().session(second.client)).isEqualTo(second.session);
    }

    @Test
    void aCommandWhoseSessionEndedBeforeItsTurnDoesNothing() {
        Metadata.Login first = metadata.loginRoot();
        assertThat(judge(first, 1, 0)).isEqualTo(EXECUTE);
        metadata.login(1, User.ROOT_ID);

        assertThat(metadata.apply(first.encode(stream("a"), 1, 0)))
                .isEqualTo(new Outcome.Evicted(EvictionReason.SESSION_TOO_LOW));
        assertThat(metadata.catalog.streamsCount()).isZero();
    }

    @Test
    void theClientWhoseLastCommitIsOldestMakesRoom() {
        List<Metadata.Login> logins = new ArrayList<>();
        for (int i = 0; i < Metadata.CLIENTS_MAX; i++) {
            logins.add(metadata.login(i, User.ROOT_ID));
        }
        // The first client works and is no longer the oldest; the second only repeats, which is no commit.
        logins.get(0).commit(stream("a"), 1, 0);
        assertThat(judge(logins.get(1), 1, 0)).isEqualTo(EXECUTE);

        Outcome outcome = metadata.register(ALICE, User.ROOT_ID);

        assertThat(((Outcome.Decided) outcome).changes())
                .containsExactly(
                        new Change.SessionEnded(
                                logins.get(1).client, logins.get(1).session, Change.SessionEnded.Cause.DISCARDED),
                        new Change.SessionBound(ALICE, metadata.op, User.ROOT_ID, 0));
        assertThat(judge(logins.get(1), 1, 0)).isEqualTo(evict(EvictionReason.NO_SESSION));
        assertThat(judge(logins.get(0), 2, 0)).isEqualTo(EXECUTE);
        assertThat(metadata.catalog.clients().count()).isEqualTo(Metadata.CLIENTS_MAX);
    }

    @Test
    void aDiscardedClientThatComesBackCannotRepeatWhatItDid() {
        Metadata.Login login = metadata.login(0, User.ROOT_ID);
        login.commit(stream("a"), 1, 10);
        MetadataReply last = login.commit(stream("b"), 2, 20).reply();
        for (int i = 1; i <= Metadata.CLIENTS_MAX; i++) {
            metadata.login(i, User.ROOT_ID);
        }
        assertThat(judge(login, 2, 20)).isEqualTo(evict(EvictionReason.NO_SESSION));
        metadata.restart();

        Metadata.Login back = metadata.login(0, User.ROOT_ID);

        assertThat(judge(back, 2, 20)).isEqualTo(new ClientTable.Verdict.Repeat(last));
        assertThat(judge(back, 2, 21)).isEqualTo(OTHER_REQUEST);
        assertThat(judge(back, 1, 10)).isEqualTo(FORGOTTEN);
        assertThat(judge(back, 3, 30)).isEqualTo(EXECUTE);
    }

    @Test
    void aFenceIsNotForAnotherUser() {
        Metadata.Login login = metadata.login(0, User.ROOT_ID);
        login.commit(stream("a"), 1, 0);
        for (int i = 1; i <= Metadata.CLIENTS_MAX; i++) {
            metadata.login(i, User.ROOT_ID);
        }

        assertThat(metadata.catalog.clients().isFreeFor(login.client, OTHER_USER))
                .isFalse();
        assertThat(metadata.catalog.clients().isFreeFor(login.client, User.ROOT_ID))
                .isTrue();
    }

    @Test
    void thereAreAsManyFencesAsSessionsAndTheOldestIsForgotten() {
        for (int i = 0; i < 2 * Metadata.CLIENTS_MAX + 1; i++) {
            metadata.login(i, User.ROOT_ID).commit(stream("s" + i), 1, 0);
        }

        Metadata.Login forgotten = metadata.login(0, User.ROOT_ID);
        assertThat(judge(forgotten, 1, 0)).as("the oldest fence is gone").isEqualTo(EXECUTE);
        Metadata.Login fenced = metadata.login(2, User.ROOT_ID);
        assertThat(judge(fenced, 1, 0)).isInstanceOf(ClientTable.Verdict.Repeat.class);
    }

    @Test
    void aLoginBringsTheCapacityThatHoldsForIt() {
        for (int i = 0; i < Metadata.CLIENTS_MAX; i++) {
            metadata.login(i, User.ROOT_ID);
        }
        metadata.clientsMax = 3;
        Metadata.Login login = metadata.login(100, User.ROOT_ID);

        assertThat(metadata.catalog.clients().count()).isEqualTo(3);
        assertThat(judge(login, 1, 0)).isEqualTo(EXECUTE);

        metadata.clientsMax = 0;
        Metadata.Login alone = metadata.login(101, User.ROOT_ID);
        assertThat(judge(alone, 1, 0)).as("a login does not push itself out").isEqualTo(EXECUTE);
    }

    @Test
    void aCreatedTokenIsNotToldTwice() {
        MetadataReply token = replyTo(Operation.CREATE_PERSONAL_ACCESS_TOKEN, null);
        MetadataReply refusal = replyTo(Operation.CREATE_PERSONAL_ACCESS_TOKEN, ErrorCode.INVALID_FORMAT);
        ClientTable table = new ClientTable();
        table.register(ALICE, 0, 1, 8, replyTo(Operation.REGISTER, null), new ArrayList<>());
        table.remember(ALICE, token);
        assertThat(table.judge(ALICE, 1, 9, 0))
                .isEqualTo(new ClientTable.Verdict.Reject(ErrorCode.PERSONAL_ACCESS_TOKEN_ALREADY_EXISTS));

        ClientTable other = new ClientTable();
        other.register(ALICE, 0, 1, 8, replyTo(Operation.REGISTER, null), new ArrayList<>());
        other.remember(ALICE, refusal);
        assertThat(other.judge(ALICE, 1, 9, 0)).isEqualTo(new ClientTable.Verdict.Repeat(refusal));
    }

    @Test
    void aRemovedUserLeavesNoSessionAndNoFence() {
        ClientTable table = new ClientTable();
        List<Change> changes = new ArrayList<>();
        ClientId fenced = new ClientId(0, 1);
        ClientId kept = new ClientId(0, 2);
        ClientId gone = new ClientId(0, 3);
        table.register(fenced, OTHER_USER, 1, 2, replyTo(Operation.REGISTER, null), changes);
        table.remember(fenced, replyTo(Operation.CREATE_STREAM, null));
        table.register(kept, User.ROOT_ID, 2, 2, replyTo(Operation.REGISTER, null), changes);
        table.register(gone, OTHER_USER, 3, 2, replyTo(Operation.REGISTER, null), changes);
        changes.clear();

        table.removeUser(OTHER_USER, changes);

        assertThat(changes).containsExactly(new Change.SessionEnded(gone, 3, Change.SessionEnded.Cause.USER_REMOVED));
        assertThat(table.isFreeFor(fenced, User.ROOT_ID)).isTrue();
        assertThat(table.session(kept)).isEqualTo(2);
    }

    private MetadataReply replyTo(Operation operation, @Nullable ErrorCode error) {
        Metadata.Login login = metadata.new Login(ALICE, 0, 1);
        MetadataOperation request = MetadataOperation.decode(login.encode(stream("x"), 9, 0));
        return MetadataReply.of(1, operation, java.util.Objects.requireNonNull(request), error, null);
    }
}
