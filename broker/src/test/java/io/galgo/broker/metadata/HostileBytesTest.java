package io.galgo.broker.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.Options;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.TypedValue;
import io.galgo.protocol.request.ChangePassword;
import io.galgo.protocol.request.CreateConsumerGroup;
import io.galgo.protocol.request.CreatePartitions;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeleteConsumerGroup;
import io.galgo.protocol.request.DeletePartitions;
import io.galgo.protocol.request.DeletePersonalAccessToken;
import io.galgo.protocol.request.DeleteSegments;
import io.galgo.protocol.request.DeleteStream;
import io.galgo.protocol.request.DeleteTopic;
import io.galgo.protocol.request.DeleteUser;
import io.galgo.protocol.request.JoinConsumerGroup;
import io.galgo.protocol.request.PurgeStream;
import io.galgo.protocol.request.PurgeTopic;
import io.galgo.protocol.request.UpdatePermissions;
import io.galgo.protocol.request.UpdateStream;
import io.galgo.protocol.request.UpdateTopic;
import io.galgo.protocol.request.UpdateUser;
import io.galgo.storage.Invariant;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Whatever bytes a journal or a snapshot holds, the catalog answers with a value and stays whole.
class HostileBytesTest {
    private static final Permissions SOME =
            new Permissions(5, List.of(new Permissions.OnStream(0, 1, List.of(new Permissions.OnTopic(0, 3)))));

    private static Metadata busy() {
        Metadata metadata = new Metadata();
        Metadata.Login root = metadata.loginRoot();
        Options options = new Options(List.of(
                new Options.Entry("message_expiry", TypedValue.string("7 days")),
                new Options.Entry("durability", TypedValue.string("persisted"))));
        root.succeed(new CreateStream("s", Options.NONE));
        root.succeed(new CreateStream("gone", Options.NONE));
        root.succeed(new CreateTopic(Identifier.of(0), 3, "t", options));
        root.succeed(new CreateTopic(Identifier.of("gone"), 2, "u", Options.NONE));
        root.succeed(new CreatePartitions(Identifier.of(0), Identifier.of("t"), 2));
        root.succeed(new PurgeTopic(Identifier.of("s"), Identifier.of(0)));
        root.succeed(new DeletePartitions(Identifier.of(0), Identifier.of(0), 1));
        root.succeed(new UpdateTopic(
                Identifier.of(0),
                Identifier.of(0),
                "t2",
                new Options(List.of(new Options.Entry("max_topic_size", TypedValue.uint64(0))))));
        root.succeed(new UpdateStream(Identifier.of(0), "s2", Options.NONE));
        root.execute(new DeleteSegments(Identifier.of(0), Identifier.of(0), 1, 2));
        metadata.apply(root.encode(
                Operation.DELETE_SEGMENTS,
                CompletedBody.deleteSegments(new DeleteSegments(Identifier.of(0), Identifier.of(0), 1, 2), 1_000, 7),
                ++root.request,
                0));
        root.succeed(new PurgeStream(Identifier.of(1)));
        root.succeed(new DeleteTopic(Identifier.of(1), Identifier.of(0)));
        root.succeed(new DeleteStream(Identifier.of(1)));
        root.succeed(new CreateUser("alice", "secret", 1, SOME, Options.NONE));
        root.succeed(new CreateUser("bob", "secret", 2, null, Options.NONE));
        root.succeed(new UpdateUser(Identifier.of("bob"), "bert", 1, Options.NONE));
        root.succeed(new UpdatePermissions(Identifier.of(2), SOME));
        root.succeed(new ChangePassword(Identifier.of(0), "root", "changed"));
        root.succeed(new CreatePersonalAccessToken("ci", 3_600_000_000L));
        root.succeed(new CreatePersonalAccessToken("cd", 1));
        root.succeed(new CreatePersonalAccessToken("gone", 0));
        root.succeed(new DeletePersonalAccessToken("gone"));
        metadata.apply(MetadataOperation.removeExpiredTokens(metadata.now));
        root.succeed(new CreateConsumerGroup(Identifier.of(0), Identifier.of(0), "g"));
        root.succeed(new CreateConsumerGroup(Identifier.of(0), Identifier.of(0), "h"));
        root.succeed(new DeleteConsumerGroup(Identifier.of(0), Identifier.of(0), Identifier.of("h")));
        root.succeed(new JoinConsumerGroup(Identifier.of(0), Identifier.of(0), Identifier.of("g")));
        for (int i = 2; i < 5; i++) {
            Metadata.Login member = metadata.login(i, User.ROOT_ID);
            metadata.apply(member.encode(
                    Operation.JOIN_CONSUMER_GROUP,
                    CompletedBody.joinGroup(
                            new JoinConsumerGroup(Identifier.of(0), Identifier.of(0), Identifier.of(0)),
                            new int[] {0, 1, 2, 3}),
                    ++member.request,
                    0));
        }
        Metadata.Login stranger = metadata.login(5, User.ROOT_ID);
        metadata.apply(stranger.encode(
                Operation.JOIN_CONSUMER_GROUP,
                CompletedBody.joinGroupNotAllowed(
                        new JoinConsumerGroup(Identifier.of(0), Identifier.of(0), Identifier.of(0))),
                ++stranger.request,
                0));
        metadata.apply(MetadataOperation.completeRevocation(0, 0, 0, 3, metadata.op - 4, metadata.now));
        root.succeed(new DeleteUser(Identifier.of("bert")));
        for (int i = 2; i < Metadata.CLIENTS_MAX + 4; i++) {
            metadata.login(i, User.ROOT_ID).execute(new CreateStream("by " + i, Options.NONE));
        }
        return metadata;
    }

    private static ByteBuffer mutated(ByteBuffer source, Random random) {
        ByteBuffer copy =
                ByteBuffer.allocate(source.remaining()).put(source.duplicate()).flip();
        int length = copy.remaining();
        int changes = 1 + random.nextInt(4);
        for (int i = 0; i < changes && length > 0; i++) {
            int at = random.nextInt(length);
            switch (random.nextInt(4)) {
                case 0 -> copy.put(at, (byte) random.nextInt());
                case 1 -> copy.put(at, (byte) (copy.get(at) ^ 1 << random.nextInt(8)));
                case 2 -> copy.put(at, (byte) (random.nextBoolean() ? 0 : 0xFF));
                default -> {
                    length = at;
                    copy.limit(length);
                }
            }
        }
        return copy;
    }

    @Test
    void damagedOperationsNeverThrowAndDoTheSameEverywhere() {
        List<ByteBuffer> journal = busy().journal;
        for (int seed = 0; seed < 800; seed++) {
            Random random = new Random(seed);
            Catalog first = new Catalog();
            Catalog second = new Catalog();
            long op = 0;
            for (ByteBuffer operation : journal) {
                ByteBuffer bytes = random.nextInt(3) == 0 ? mutated(operation, random) : operation;
                op++;
                Outcome outcome = first.apply(op, bytes);
                assertThat(second.apply(op, bytes))
                        .as("seed %d, op %d", seed, op)
                        .isEqualTo(outcome);
            }
            assertThat(second.digest()).as("seed %d", seed).isEqualTo(first.digest());
            assertThat(Catalog.restore(first.snapshot()).digest())
                    .as("seed %d", seed)
                    .isEqualTo(first.digest());
        }
    }

    @Test
    void randomBytesBehindAGoodHeaderNeverThrow() {
        List<ByteBuffer> journal = busy().journal;
        for (int seed = 0; seed < 800; seed++) {
            Random random = new Random(seed);
            Catalog catalog = new Catalog();
            long op = 0;
            for (ByteBuffer operation : journal) {
                catalog.apply(++op, operation);
                byte[] body = new byte[random.nextInt(80)];
                random.nextBytes(body);
                ByteBuffer bytes = ByteBuffer.allocate(MetadataOperation.HEADER_BYTES + body.length)
                        .put(operation.slice(0, MetadataOperation.HEADER_BYTES))
                        .put(body)
                        .flip();
                catalog.apply(++op, bytes);
            }
            assertThat(Catalog.restore(catalog.snapshot()).digest())
                    .as("seed %d", seed)
                    .isEqualTo(catalog.digest());
        }
    }

    @Test
    void operationsOfAnotherVersionAreUnknown() {
        ByteBuffer operation = busy().journal.get(2);
        ByteBuffer newer = ByteBuffer.allocate(operation.remaining())
                .put(operation.duplicate())
                .flip();
        newer.put(0, (byte) 2);
        ByteBuffer strange = ByteBuffer.allocate(operation.remaining())
                .put(operation.duplicate())
                .flip();
        strange.put(1, (byte) 99);

        assertThat(new Catalog().apply(1, newer)).isEqualTo(new Outcome.Unknown());
        assertThat(new Catalog().apply(1, strange)).isEqualTo(new Outcome.Unknown());
        assertThat(new Catalog().apply(1, ByteBuffer.allocate(0))).isEqualTo(new Outcome.Unknown());
        assertThat(new Catalog().apply(1, operation.slice(0, MetadataOperation.HEADER_BYTES - 1)))
                .isEqualTo(new Outcome.Unknown());
    }

    @Test
    void aDamagedSnapshotIsUnreadableOrACatalog() {
        ByteBuffer state = busy().catalog.snapshot();
        int refused = 0;
        for (int seed = 0; seed < 6_000; seed++) {
            ByteBuffer damaged = mutated(state, new Random(seed));
            try {
                // Damage that the layout cannot show is found by the journal's checksum.
                Catalog restored = Catalog.restore(damaged);
                assertThat(Catalog.restore(restored.snapshot()).digest())
                        .as("seed %d", seed)
                        .isEqualTo(restored.digest());
            } catch (Catalog.Unreadable _) {
                refused++;
            }
        }
        assertThat(refused).as("refused snapshots").isGreaterThan(300);
    }

    @Test
    void aSnapshotOfAnotherVersionSaysSo() {
        ByteBuffer state = new Catalog().snapshot();
        state.putInt(0, 9);

        assertThatThrownBy(() -> Catalog.restore(state))
                .isInstanceOf(Catalog.Unreadable.class)
                .hasMessageContaining("version 9");
        assertThatThrownBy(() -> Catalog.restore(ByteBuffer.allocate(0))).isInstanceOf(Catalog.Unreadable.class);
    }

    @Test
    void bytesBehindASnapshotAreNotOverlooked() {
        ByteBuffer state = new Catalog().snapshot();
        ByteBuffer longer =
                ByteBuffer.allocate(state.remaining() + 1).put(state).position(0);

        assertThatThrownBy(() -> Catalog.restore(longer)).isInstanceOf(Catalog.Unreadable.class);
    }

    @Test
    void anOpIsAppliedOnceAndForwardOnly() {
        Metadata metadata = busy();

        assertThatThrownBy(() -> metadata.catalog.apply(metadata.op, metadata.journal.getFirst()))
                .isInstanceOf(Invariant.Violation.class);
    }
}
