package io.galgo.broker.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.Operation;
import io.galgo.protocol.request.ChangePassword;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeleteSegments;
import io.galgo.protocol.request.JoinConsumerGroup;
import io.galgo.protocol.request.Request;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A catalog with a log position and a clock, driven as a node drives it.
final class Metadata {
    static final String ROOT = "iggy";
    static final int CLIENTS_MAX = 8;

    /// Every operation that was applied, to be applied to another catalog.
    final List<ByteBuffer> journal = new ArrayList<>();

    Catalog catalog = new Catalog();
    int clientsMax = CLIENTS_MAX;
    long op;
    long now = 1_700_000_000_000_000L;

    /// With the root user, and nobody logged in.
    Metadata() {
        apply(MetadataOperation.createRoot(ROOT, phc("root"), now));
    }

    Outcome apply(ByteBuffer operation) {
        journal.add(operation);
        int position = operation.position();
        Outcome outcome = catalog.apply(++op, operation);
        assertThat(operation.position()).as("position of the applied bytes").isEqualTo(position);
        now += 1_000;
        return outcome;
    }

    /// Logs a client in, which must work.
    Login login(int clientNumber, int userId) {
        ClientId client = new ClientId(7, clientNumber);
        Outcome outcome = register(client, userId);
        assertThat(outcome).as("login of %s", client).isInstanceOf(Outcome.Decided.class);
        return new Login(client, userId, op);
    }

    Login loginRoot() {
        return login(1, User.ROOT_ID);
    }

    Outcome register(ClientId client, int userId) {
        User user = catalog.user(userId);
        Admission admission = user == null ? new Admission.ByPassword(0, 0) : Admission.byPassword(user);
        return apply(MetadataOperation.register(client, 0, userId, admission, now, clientsMax));
    }

    /// The same state in a catalog that only knows the snapshot.
    void restart() {
        ByteBuffer state = catalog.snapshot();
        Catalog restored = Catalog.restore(state);
        assertThat(restored.snapshot()).as("snapshot of the restored catalog").isEqualTo(state);
        assertThat(restored.digest()).as("digest of the restored catalog").isEqualTo(catalog.digest());
        catalog = restored;
    }

    /// One client with a session.
    final class Login {
        final ClientId client;
        final int userId;
        final long session;
        long request;

        Login(ClientId client, int userId, long session) {
            this.client = client;
            this.userId = userId;
            this.session = session;
        }

        /// Executes the next command; it must pass the checks before the log.
        Outcome.Decided execute(Request command) {
            assertThat(catalog.check(command)).as("check of %s", command).isNull();
            return commit(command, ++request, 0);
        }

        /// Applies a command whatever the checks before the log say.
        Outcome.Decided commit(Request command, long requestNumber, long checksum) {
            Outcome outcome = apply(encode(command, requestNumber, checksum));
            assertThat(outcome).as("outcome of %s", command).isInstanceOf(Outcome.Decided.class);
            return (Outcome.Decided) outcome;
        }

        ByteBuffer encode(Request command, long requestNumber, long checksum) {
            return encode(command.command().operation(), body(command), requestNumber, checksum);
        }

        ByteBuffer encode(Operation operation, ByteBuffer body, long requestNumber, long checksum) {
            return MetadataOperation.command(operation, client, session, requestNumber, checksum, userId, now, body);
        }

        /// The body as the node would put it into the log, where nothing is in flight, every current password is
        /// right and a token's hash is made of its name.
        private ByteBuffer body(Request command) {
            return switch (command) {
                case CreateUser create -> CompletedBody.createUser(create, phc(create.password()));
                case ChangePassword change ->
                    CompletedBody.changePassword(change, phc(change.currentPassword()), phc(change.newPassword()));
                case CreatePersonalAccessToken create ->
                    CompletedBody.createToken(create, hash(userId + " " + create.name()), 1_000);
                case JoinConsumerGroup join -> CompletedBody.joinGroup(join, new int[0]);
                case DeleteSegments delete -> CompletedBody.deleteSegments(delete, 0, 0);
                default -> command.toBuffer();
            };
        }

        /// Executes the next command, which must succeed.
        List<Change> succeed(Request command) {
            Outcome.Decided decided = execute(command);
            assertThat(decided.reply().error()).as("result of %s", command).isNull();
            return decided.changes();
        }

        /// What the next command answers: a denial, a rejection, or null for success.
        @Nullable ErrorCode error(Request command) {
            ErrorCode denial = catalog.check(command);
            return denial != null
                    ? denial
                    : commit(command, ++request, 0).reply().error();
        }

        /// What the next command says when it succeeds.
        ByteBuffer payload(Request command) {
            Outcome.Decided decided = execute(command);
            assertThat(decided.reply().error()).as("result of %s", command).isNull();
            return ByteBuffer.wrap(decided.reply().payload());
        }
    }

    /// What the root user and all others have for a password hash.
    static String phc(String password) {
        return "$argon2id$" + password;
    }

    static TokenHash hash(String text) {
        return new TokenHash(text.hashCode(), text.length(), 3, 4);
    }
}
