package io.galgo.broker.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.EvictionReason;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.Options;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.UpdateUser;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// Operations byte by byte, as they lie in journals that were written before: what they did then they do for ever.
class OldOperationsTest {
    private static final ClientId CLIENT = new ClientId(0x1122, 0x3344);
    private static final int CAPACITY = 8;
    private static final int RESET_ROOT = 18;
    private static final int INACTIVE = 2;

    private final Metadata metadata = new Metadata();
    private final Metadata.Login root = metadata.loginRoot();

    private User created() {
        root.succeed(new CreateUser("ann", "secret", 1, null, Options.NONE));
        return Objects.requireNonNull(metadata.catalog.user("ann"));
    }

    private void deactivate(User user) {
        root.succeed(new UpdateUser(Identifier.of(user.id()), null, INACTIVE, Options.NONE));
        assertThat(user.isActive()).isFalse();
    }

    private ByteBuffer operation(int value, ClientId client, int userId, byte[] body) {
        return ByteBuffer.allocate(56 + body.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) 1)
                .put((byte) value)
                .putShort((short) 0)
                .putInt(userId)
                .putLong(client.low())
                .putLong(client.high())
                .putLong(0)
                .putLong(0)
                .putLong(0)
                .putLong(metadata.now)
                .put(body)
                .flip();
    }

    /// A login as the first programs wrote it: 4 bytes.
    private ByteBuffer capacityOnly(User user) {
        byte[] body = ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(CAPACITY)
                .array();
        return operation(Operation.REGISTER.value(), CLIENT, user.id(), body);
    }

    /// A login as later programs wrote it: 12 bytes.
    private ByteBuffer withCreationTime(User user, long createdAtMicros) {
        byte[] body = ByteBuffer.allocate(12)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(CAPACITY)
                .putLong(createdAtMicros)
                .array();
        return operation(Operation.REGISTER.value(), CLIENT, user.id(), body);
    }

    private void assertSessionBegins(ByteBuffer register) {
        Outcome outcome = metadata.apply(register);
        assertThat(outcome).isInstanceOf(Outcome.Decided.class);
        assertThat(((Outcome.Decided) outcome).reply().error()).isNull();
        assertThat(metadata.catalog.clients().judge(CLIENT, metadata.op, 1, 0))
                .as("what the session's first command meets")
                .isInstanceOf(ClientTable.Verdict.Execute.class);
        assertEveryReplayIsTheSame();
    }

    private void assertRefused(ByteBuffer register, EvictionReason reason) {
        assertThat(metadata.apply(register)).isEqualTo(new Outcome.Evicted(reason));
        assertEveryReplayIsTheSame();
    }

    private void assertEveryReplayIsTheSame() {
        Catalog twin = new Catalog();
        long op = 0;
        for (ByteBuffer operation : metadata.journal) {
            twin.apply(++op, operation);
        }
        assertThat(twin.digest()).as("digest of the replayed catalog").isEqualTo(metadata.catalog.digest());
    }

    @Test
    void aLoginOfFourBytesBeginsASession() {
        assertSessionBegins(capacityOnly(created()));
    }

    @Test
    void aLoginOfFourBytesBeginsASessionOfAnInactiveUserToo() {
        User user = created();
        deactivate(user);
        assertSessionBegins(capacityOnly(user));
    }

    @Test
    void aLoginOfTwelveBytesBeginsASession() {
        User user = created();
        assertSessionBegins(withCreationTime(user, user.createdAtMicros()));
    }

    @Test
    void aLoginOfTwelveBytesOfAnInactiveUserIsRefused() {
        User user = created();
        deactivate(user);
        assertRefused(withCreationTime(user, user.createdAtMicros()), EvictionReason.USER_INACTIVE);
    }

    @Test
    void aLoginOfTwelveBytesOfAnEarlierUserWithThisIdIsRefused() {
        User user = created();
        assertRefused(withCreationTime(user, user.createdAtMicros() - 1), EvictionReason.SESSION_ERROR);
    }

    @Test
    void aLoginThatEndsWithinTheCreationTimeIsRefused() {
        User user = created();
        ByteBuffer cut = withCreationTime(user, user.createdAtMicros());
        cut.limit(cut.limit() - 3);
        assertRefused(cut, EvictionReason.SESSION_ERROR);
    }

    @Test
    void aNewRootPasswordIsEncodedAsItIsDescribed() {
        byte[] phc = Metadata.phc("found again").getBytes(StandardCharsets.UTF_8);
        assertThat(MetadataOperation.resetRoot(Metadata.phc("found again"), metadata.now))
                .isEqualTo(operation(RESET_ROOT, ClientId.NONE, User.ROOT_ID, textOf(phc)));
    }

    @Test
    void aNewRootPasswordCountsAndMakesRootActive() {
        User user = Objects.requireNonNull(metadata.catalog.user(User.ROOT_ID));
        deactivate(user);
        byte[] phc = Metadata.phc("found again").getBytes(StandardCharsets.UTF_8);

        Outcome outcome = metadata.apply(operation(RESET_ROOT, ClientId.NONE, User.ROOT_ID, textOf(phc)));

        assertThat(((Outcome.Decided) outcome).reply().error()).isNull();
        assertThat(user.passwordPhc()).isEqualTo(Metadata.phc("found again"));
        assertThat(user.isActive()).isTrue();
        assertEveryReplayIsTheSame();
        metadata.restart();
        User restored = Objects.requireNonNull(metadata.catalog.user(User.ROOT_ID));
        assertThat(restored.passwordPhc()).isEqualTo(Metadata.phc("found again"));
        assertThat(restored.isActive()).isTrue();
    }

    @Test
    void aNewRootPasswordThatIsCutOffChangesNothing() {
        byte[] phc = Metadata.phc("found again").getBytes(StandardCharsets.UTF_8);
        ByteBuffer cut = operation(RESET_ROOT, ClientId.NONE, User.ROOT_ID, textOf(phc));
        cut.limit(cut.limit() - 1);

        Outcome outcome = metadata.apply(cut);

        assertThat(((Outcome.Decided) outcome).reply().error()).isEqualTo(ErrorCode.INVALID_COMMAND);
        assertThat(Objects.requireNonNull(metadata.catalog.user(User.ROOT_ID)).passwordPhc())
                .isEqualTo(Metadata.phc("root"));
        assertEveryReplayIsTheSame();
    }

    private static byte[] textOf(byte[] text) {
        return ByteBuffer.allocate(4 + text.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(text.length)
                .put(text)
                .array();
    }
}
