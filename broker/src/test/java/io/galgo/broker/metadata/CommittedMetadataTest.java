package io.galgo.broker.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.model.CommittedMetadata;
import io.galgo.model.CommittedMetadata.Place;
import io.galgo.model.Difference;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.Permissions;
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
import io.galgo.protocol.request.LeaveConsumerGroup;
import io.galgo.protocol.request.PurgeStream;
import io.galgo.protocol.request.PurgeTopic;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.UpdatePermissions;
import io.galgo.protocol.request.UpdateStream;
import io.galgo.protocol.request.UpdateTopic;
import io.galgo.protocol.request.UpdateUser;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The model that is fed with committed operations says of each what the catalog makes of it.
class CommittedMetadataTest {
    private static final int SEEDS = 40;
    private static final int STEPS = 500;
    private static final int CLIENTS = 8;

    private final Map<String, Integer> outcomes = new TreeMap<>();

    @Test
    void everyCommittedOperationEndsAsTheModelTells() {
        for (int seed = 0; seed < SEEDS; seed++) {
            new Run(seed).run();
        }
        // What never happens proves nothing.
        assertThat(outcomes.keySet())
                .contains("OK", "41", "1009", "1012", "2010", "2013", "2019", "3007", "5000", "5004", "5006")
                .contains("20", "43", "46", "48", "49", "51", "56", "59", "evicted 1", "evicted 7", "evicted 12");
    }

    @Test
    void anOutcomeThatTheModelDoesNotHaveIsADifference() {
        Run run = new Run(1);
        Metadata.Login root = run.metadata.loginRoot();
        run.feed();
        run.metadata.apply(root.encode(new CreateStream("s", Options.NONE), 1, 0));
        assertThatThrownBy(() -> run.model.apply(3, run.metadata.journal.getLast(), 1012, 0, null))
                .isInstanceOf(Difference.class)
                .hasMessageContaining("REJECT 1012");
    }

    @Test
    void anotherPayloadIsADifference() {
        Run run = new Run(1);
        Metadata.Login root = run.metadata.loginRoot();
        run.feed();
        ByteBuffer first = ByteBuffer.wrap(
                root.execute(new CreateStream("s", Options.NONE)).reply().payload());
        run.feed();
        run.metadata.apply(root.encode(new CreateStream("t", Options.NONE), 2, 0));
        assertThatThrownBy(() -> run.model.apply(4, run.metadata.journal.getLast(), 0, 0, first))
                .isInstanceOf(Difference.class)
                .hasMessageContaining("id of stream");
    }

    @Test
    void aCommandThatWasExecutedTwiceIsADifference() {
        Run run = new Run(1);
        Metadata.Login root = run.metadata.loginRoot();
        root.execute(new CreateStream("s", Options.NONE));
        root.execute(new CreateStream("t", Options.NONE));
        run.feed();
        run.metadata.apply(root.encode(new DeleteStream(Identifier.of("t")), 2, 0));
        assertThatThrownBy(() -> run.model.apply(5, run.metadata.journal.getLast(), 0, 0, ByteBuffer.allocate(1)))
                .isInstanceOf(Difference.class)
                .hasMessageContaining("another reply than before");
    }

    @Test
    void aPurgeBeginsThePartitionsAnew() {
        Run run = new Run(1);
        Metadata.Login root = run.metadata.loginRoot();
        root.execute(new CreateStream("s", Options.NONE));
        root.execute(new CreateTopic(Identifier.of("s"), 2, "t", Options.NONE));
        run.feed();
        assertThat(run.model.partitions().get(new Place(0, 0, 1)))
                .isEqualTo(new CommittedMetadata.Partition(4, false, false, false));
        root.execute(new PurgeTopic(Identifier.of("s"), Identifier.of("t")));
        run.feed();
        assertThat(run.model.partitions().get(new Place(0, 0, 1)))
                .isEqualTo(new CommittedMetadata.Partition(5, false, false, false));
    }

    private final class Run {
        final int seed;
        final Random random;
        final Metadata metadata = new Metadata();
        final Catalog catalog = new Catalog();
        final CommittedMetadata model = new CommittedMetadata();
        final TreeMap<Integer, Metadata.Login> logins = new TreeMap<>();

        Run(int seed) {
            this.seed = seed;
            this.random = new Random(seed);
            metadata.clientsMax = CLIENTS - 3;
            feed();
        }

        void run() {
            for (int step = 0; step < STEPS; step++) {
                int dice = random.nextInt(100);
                if (dice < 12 || logins.isEmpty()) {
                    login();
                } else if (dice < 15) {
                    logout();
                } else {
                    command();
                }
                feed();
            }
        }

        /// Hands over what the journal got.
        void feed() {
            while (catalog.appliedOp() < metadata.op) {
                ByteBuffer operation = metadata.journal.get((int) catalog.appliedOp());
                long op = catalog.appliedOp() + 1;
                Outcome outcome = catalog.apply(op, operation);
                try {
                    feed(op, operation, outcome);
                } catch (Difference e) {
                    throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
                }
            }
        }

        private void feed(long op, ByteBuffer operation, Outcome outcome) {
            switch (outcome) {
                case Outcome.Decided decided -> {
                    int error = decided.reply().error() == null
                            ? 0
                            : decided.reply().error().code();
                    model.apply(
                            op,
                            operation,
                            error,
                            0,
                            ByteBuffer.wrap(decided.reply().payload()));
                    outcomes.merge(error == 0 ? "OK" : Integer.toString(error), 1, Integer::sum);
                }
                case Outcome.Evicted evicted -> {
                    model.apply(op, operation, 0, evicted.reason().value(), null);
                    outcomes.merge("evicted " + evicted.reason().value(), 1, Integer::sum);
                }
                case Outcome.Unknown _ -> throw new AssertionError("op " + op + " is unknown");
            }
        }

        private ClientId id(int client) {
            return new ClientId(7, client);
        }

        private void login() {
            int client = random.nextInt(CLIENTS);
            int userId = random.nextInt(3) == 0 ? random.nextInt(4) : User.ROOT_ID;
            Metadata.Login before = logins.get(client);
            if (metadata.register(id(client), userId) instanceof Outcome.Decided) {
                Metadata.Login login = metadata.new Login(id(client), userId, metadata.op);
                login.request = before == null ? 0 : before.request;
                if (before == null || random.nextInt(8) > 0) {
                    // Else the client goes on with its former session.
                    logins.put(client, login);
                }
            }
        }

        private void logout() {
            List<Integer> clients = List.copyOf(logins.keySet());
            int client = clients.get(random.nextInt(clients.size()));
            Metadata.Login login = Objects.requireNonNull(logins.get(client));
            metadata.apply(MetadataOperation.logout(
                    id(client),
                    login.session - (random.nextInt(5) == 0 ? 1 : 0),
                    random.nextBoolean() ? MetadataOperation.DISCONNECT_REQUEST : ++login.request,
                    0,
                    login.userId,
                    metadata.now));
        }

        private void command() {
            List<Integer> clients = List.copyOf(logins.keySet());
            Metadata.Login login = Objects.requireNonNull(logins.get(clients.get(random.nextInt(clients.size()))));
            Request request = someRequest();
            if (metadata.catalog.check(request) != null) {
                return;
            }
            long number = switch (random.nextInt(12)) {
                case 0 -> Math.max(1, login.request - random.nextInt(9));
                default -> ++login.request;
            };
            int copies = random.nextInt(8) == 0 ? 2 : 1;
            for (int i = 0; i < copies; i++) {
                metadata.apply(login.encode(request, number, random.nextInt(4) == 0 ? 0 : request.hashCode()));
            }
        }

        private String name(String prefix) {
            return prefix + random.nextInt(4);
        }

        private Identifier some(String prefix) {
            return random.nextInt(3) == 0 ? Identifier.of(name(prefix)) : Identifier.of(random.nextInt(6) / 2);
        }

        private @Nullable Permissions permissions() {
            return random.nextInt(3) == 0
                    ? null
                    : new Permissions(random.nextInt(1_024), List.of(new Permissions.OnStream(0, 63, List.of())));
        }

        private Request someRequest() {
            Identifier stream = some("stream");
            Identifier topic = some("topic");
            Identifier group = some("group");
            Identifier user = some("user");
            List<Options> options = new ArrayList<>(CommittedMetadata.knownOptions());
            Options chosen = options.get(random.nextInt(options.size()));
            int partitions = 1 + random.nextInt(3);
            return switch (random.nextInt(32)) {
                case 0, 1, 2 -> new CreateStream(name("stream"), Options.NONE);
                case 3 -> new UpdateStream(stream, name("stream"), Options.NONE);
                case 4 -> random.nextInt(4) == 0 ? new DeleteStream(stream) : new PurgeStream(stream);
                case 5, 6, 7, 8 -> new CreateTopic(stream, partitions, name("topic"), chosen);
                case 9, 10 -> new UpdateTopic(stream, topic, name("topic"), chosen);
                case 11 -> random.nextInt(4) == 0 ? new DeleteTopic(stream, topic) : new PurgeTopic(stream, topic);
                case 12 -> new CreatePartitions(stream, topic, partitions);
                case 13 -> new DeletePartitions(stream, topic, partitions);
                case 14 -> new DeleteSegments(stream, topic, random.nextInt(6), 1);
                case 15, 16 -> new CreateConsumerGroup(stream, topic, name("group"));
                case 17 -> new DeleteConsumerGroup(stream, topic, group);
                case 18, 19, 20 -> new JoinConsumerGroup(stream, topic, group);
                case 21, 22 -> new LeaveConsumerGroup(stream, topic, group);
                case 23, 24 ->
                    new CreateUser(
                            random.nextInt(8) == 0 ? "ab" : name("user"),
                            "secret",
                            1 + random.nextInt(2),
                            permissions(),
                            Options.NONE);
                case 25 ->
                    new UpdateUser(user, random.nextInt(8) == 0 ? "ab" : name("user"), random.nextInt(3), Options.NONE);
                case 26 -> new DeleteUser(user);
                case 27 -> new UpdatePermissions(user, permissions());
                case 28 -> new ChangePassword(user, "secret", "secret");
                case 29, 30 ->
                    new CreatePersonalAccessToken(name("token"), random.nextInt(6) == 0 ? -2 : random.nextInt(3) - 1);
                default -> new DeletePersonalAccessToken(name("token"));
            };
        }
    }
}
